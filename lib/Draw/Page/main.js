// Mouse, keys and menus.

const Keys = [
  ["wheel, + -", "zoom; with shift only steps, with alt only bytes"], ["drag, arrows", "move"],
  ["0", "show everything"], ["click", "choose the value under the mouse"], ["enter", "go to the list; up and down move in it"],
  ["[ ]", "live set one step earlier, later"], ["p", "go to the peak"], ["f", "next finding"],
  ["/", "search; enter leaves the field for the first hit"], ["n N", "next, previous hit"], ["x", "copies"], ["c", "color by kind, operation, scope, source line"],
  ["s", "next memory space"], ["escape", "choose nothing, and show the whole list"],
];

// Blocks that are framed because they were searched for.
const MostFound = 2000;

// What is under the mouse, and what is chosen.
const Nothing = {hover: -1, chosen: -1, step: null, found: []};

class Page {
  constructor(picture) {
    this.listen();
    this.picture = picture;
    this.scene = new Scene(picture);
    this.state = {...Nothing};
    this.at = -1;
    this.atFinding = -1;
    this.painter = new Painter(picture, this.scene);
    this.fillMenus();
    this.chooseSpace(this.firstSpace());
    if (picture.findings.length) this.listFindings();
    else if (isTooLarge(picture, this.scene.space)) this.showTooLarge();
    new ResizeObserver(() => this.redraw()).observe(document.getElementById("stage"));
  }

  // The steps that need more than the chip has, around the peak, and what is live there.
  showTooLarge() {
    const {picture, scene} = this, {held, peak} = picture.spaces[scene.space], capacity = capacityOf(picture, scene.space);
    let from = peak, to = peak;
    while (from > 0 && held[from - 1] > capacity) --from;
    while (to + 1 < held.length && held[to + 1] > capacity) ++to;
    const live = liveSet(picture, scene.space, peak);
    const low = live.reduce((least, i) => Math.min(least, picture.low[i]), Infinity);
    const high = live.reduce((most, i) => Math.max(most, picture.high[i]), 0);
    scene.frame(from, to + 1, Math.min(low, high), high);
    this.redraw();
  }

  redraw() {
    if (this.pending) return;
    this.pending = requestAnimationFrame(() => {
      this.pending = 0;
      this.painter.paint(this.state);
    });
  }

  // The one that is too small, or else the largest.
  firstSpace() {
    const {spaces} = this.picture, large = spaces.findIndex((_, number) => isTooLarge(this.picture, number));
    const sizes = spaces.map(space => space.size);
    return large >= 0 ? large : Math.max(0, sizes.indexOf(Math.max(...sizes)));
  }

  fillMenus() {
    const picture = this.picture, title = document.getElementById("title");
    title.textContent = picture.title || "buffer assignment";
    const verdict = document.getElementById("verdict");
    verdict.textContent = picture.verdict;
    verdict.hidden = !picture.verdict;
    document.getElementById("space").replaceChildren();
    picture.spaces.forEach((space, number) => {
      const group = document.createElement("optgroup");
      group.label = space.name;
      group.append(new Option(`all of ${space.name}: ${bytesText(space.size)}`, `${number}`));
      space.allocations.slice(0, 100).forEach((each, row) =>
        group.append(new Option(`allocation ${each.index}: ${each.kind}, ${bytesText(each.size)}`, `${number}/${row}`)));
      document.getElementById("space").append(group);
    });
    document.getElementById("finding").hidden = !picture.findings.length;
  }

  chooseSpace(space, allocation = null) {
    this.scene.choose(space, allocation);
    if (!allocation) document.getElementById("space").value = `${space}`;
    this.setMode(this.painter.mode);
    showHeadline(this.picture, space);
    if (this.picture.spaces[space]) this.chooseStep(this.picture.spaces[space].peak);
    this.redraw();
  }

  setMode(mode) {
    document.getElementById("color").value = mode;
    this.painter.recolor(mode);
    showLegend(this.picture, this.painter.groups, group => this.chooseGroup(group), () => this.listCopies());
    if (this.state.step !== null && !this.listsOther) this.chooseStep(this.state.step);
    this.redraw();
  }

  // Lists the values of a group, in all steps.
  chooseGroup(group) {
    const {groups} = this.painter, size = this.picture.blocks.size, found = [];
    for (let i = 0; i < this.picture.count; ++i) if (groups.of[i] === group) found.push(i);
    found.sort((a, b) => size[b] - size[a]);
    this.state.found = found.slice(0, MostFound);
    this.list(`${groups.words[group]}: ${found.length} value${found.length === 1 ? "" : "s"}`, found);
    this.redraw();
  }

  // Lists blocks that are not those of a step.
  list(title, blocks) {
    this.listsOther = true;
    showList(title, blockRows(this, blocks, i => this.chooseBlock(i, true)), blocks.length);
  }

  // Lists what is live at a step.
  chooseStep(step) {
    const space = this.picture.spaces[this.scene.space];
    if (!space) return;
    step = clamp(Math.round(step), 0, this.picture.steps - 1);
    this.state.step = step;
    const live = liveSet(this.picture, this.scene.space, step);
    this.listsOther = false;
    showList(`step ${step}: ${live.length} live, ${bytesText(space.held[step])} of ${space.name} held`,
      blockRows(this, live, i => this.chooseBlock(i, true)), live.length);
    this.redraw();
  }

  chooseBlock(i, move) {
    this.state.chosen = i;
    const picture = this.picture;
    if (picture.space[i] !== this.scene.space) this.chooseSpace(picture.space[i]);
    if (move) this.scene.show(picture.left[i], picture.right[i], picture.low[i], picture.high[i]);
    showBlock(picture, i);
    this.redraw();
  }

  chooseFinding(finding) {
    const mark = finding.marks[0];
    if (mark) {
      const owner = this.picture.allocations[mark.owner];
      if (owner.space !== this.scene.space) this.chooseSpace(owner.space);
      this.scene.show(mark.first, mark.last + 1, owner.base + mark.begin, owner.base + mark.end);
      this.state.step = mark.first;
    }
    showFinding(finding);
    this.redraw();
  }

  listCopies() {
    this.listsOther = true;
    const {copies} = this.picture;
    showList("copies, bytes in one run", copyRows(this.picture, copy => this.chooseCopy(copy)), copies.length);
  }

  chooseCopy(copy) {
    if (!copy.marks.length) return showDetail("copy", copyPairs(copy), [], false);
    const [block, step] = copy.marks[0];
    this.chooseBlock(block, true);
    this.state.step = step;
  }

  listFindings() {
    const count = this.picture.findings.length;
    this.listsOther = true;
    showList(`${count} finding${count === 1 ? "" : "s"}`, findingRows(this.picture, f => this.chooseFinding(f)), count);
    showFinding(this.picture.findings[0]);
  }

  nextFinding() {
    const {findings} = this.picture;
    if (!findings.length) return;
    this.atFinding = (this.atFinding + 1) % findings.length;
    this.listFindings();
    this.chooseFinding(findings[this.atFinding]);
  }

  search(text) {
    this.at = -1;
    const found = text ? searchBlocks(this.picture, text) : [];
    this.state.found = found.slice(0, MostFound);
    if (text) this.list(`${found.length} values with “${text}”`, found);
    else if (this.state.step !== null) this.chooseStep(this.state.step);
    this.redraw();
  }

  nextHit(by) {
    const {found} = this.state;
    if (!found.length) return;
    this.at = (this.at + by + found.length) % found.length;
    this.chooseBlock(found[this.at], true);
  }

  goToPeak() {
    const space = this.picture.spaces[this.scene.space];
    if (!space) return;
    const half = (this.scene.x1 - this.scene.x0) / 2;
    this.scene.pan(space.peak - half - this.scene.x0, 0);
    this.chooseStep(space.peak);
  }

  // Chooses nothing; the list is that of the step again.
  clear() {
    const {step} = this.state;
    document.getElementById("search").value = "";
    Object.assign(this.state, Nothing);
    document.getElementById("detail").replaceChildren();
    if (step === null) showList("", [], 0);
    else this.chooseStep(step);
    this.redraw();
  }

  // The place in the picture of a mouse event.
  place(event, canvas) {
    const box = canvas.getBoundingClientRect();
    return [this.scene.atX(event.clientX - box.left, box.width), this.scene.atY(event.clientY - box.top, box.height)];
  }

  zoomBy(factor, event, x, y) {
    this.hideTip();
    this.scene.zoom(x, y, event.altKey ? 1 : factor, event.shiftKey ? 1 : factor);
    this.redraw();
  }

  listen() {
    const get = id => document.getElementById(id), marks = get("marks");
    get("space").onchange = event => {
      const [space, row] = event.target.value.split("/").map(Number);
      this.chooseSpace(space, row === undefined ? null : this.picture.spaces[space].allocations[row]);
    };
    get("color").onchange = event => this.setMode(event.target.value);
    get("search").oninput = event => this.search(event.target.value.trim());
    get("all").onclick = () => this.press("0");
    for (const [id, key] of [["peak", "p"], ["finding", "f"], ["keys", "?"]])
      get(id).onclick = () => this.press(key);
    get("curve").onclick = event => this.chooseStep(this.place(event, get("curve"))[0] - 0.5);
    marks.onwheel = event => {
      event.preventDefault();
      const turned = event.deltaY || event.deltaX; // with shift, browsers turn it into deltaX
      this.zoomBy(Math.exp(clamp(turned, -200, 200) * 0.002), event, ...this.place(event, marks));
    };
    marks.onpointerdown = event => this.drag(event, marks, last => this.click(...this.place(last, marks)));
    marks.onpointermove = event => this.hover(event, marks);
    marks.onpointerleave = () => this.hideTip();
    get("curve").onpointermove = event =>
      this.showTip(this.painter.curve.tip(this.place(event, get("curve"))[0], this.painter.groups), event);
    get("curve").onpointerleave = () => this.hideTip();
    document.onkeydown = event => this.onKey(event);
    darkScheme.onchange = () => this.setMode(this.painter.mode);
    // What a tip is about may have moved away.
    for (const type of ["blur", "resize", "scroll"]) window.addEventListener(type, () => this.hideTip(), true);
    document.onvisibilitychange = () => this.hideTip();
  }

  // Calls `click` if the mouse is up again where it went down.
  drag(event, marks, click) {
    const box = marks.getBoundingClientRect();
    let {clientX, clientY} = event, moved = 0;
    marks.setPointerCapture(event.pointerId);
    this.dragging = true;
    this.hideTip();
    const move = next => {
      const x = next.clientX - clientX, y = next.clientY - clientY;
      ({clientX, clientY} = next);
      moved += Math.abs(x) + Math.abs(y);
      this.scene.pan(-x / box.width * (this.scene.x1 - this.scene.x0), y / box.height * (this.scene.y1 - this.scene.y0));
      this.redraw();
    };
    marks.addEventListener("pointermove", move);
    marks.onpointerup = marks.onpointercancel = last => {
      marks.removeEventListener("pointermove", move);
      this.dragging = false;
      if (last.type === "pointerup" && moved < 4) click(last);
      if (last.pointerType === "touch") this.hideTip();
    };
  }

  click(step, address) {
    const i = this.scene.hit(step, address);
    if (i >= 0) this.chooseBlock(i, false);
    this.chooseStep(Math.floor(step));
  }

  hover(event, marks) {
    if (this.dragging) return;
    const i = this.scene.hit(...this.place(event, marks));
    if (i !== this.state.hover) {
      this.state.hover = i;
      this.painter.paintMarks(this.state);
    }
    this.showTip(i < 0 ? "" : tipText(this.picture, i), event);
  }

  showTip(text, event) {
    const tip = document.getElementById("tip");
    tip.hidden = !text;
    tip.innerText = text;
    tip.style.left = `${Math.min(event.clientX + 14, innerWidth - tip.offsetWidth - 4)}px`;
    tip.style.top = `${Math.min(event.clientY + 14, innerHeight - tip.offsetHeight - 4)}px`;
  }

  hideTip() {
    document.getElementById("tip").hidden = true;
    if (this.state?.hover < 0) return;
    this.state.hover = -1;
    this.redraw();
  }

  onKey(event) {
    const typing = event.target.matches?.("input, select"), {key} = event;
    if (key === "Escape" || !typing) this.hideTip();
    // A dialog has keys of its own.
    if (event.ctrlKey || event.metaKey || document.getElementById("help").open) return;
    if (event.target.id === "search" && (key === "Enter" || key === "Escape")) {
      if (key === "Enter") this.nextHit(event.shiftKey ? -1 : 1);
      else this.clear();
      document.getElementById("marks").focus(); // where n goes to the next hit
    } else if (event.target.closest?.("#list") && this.moveInList(event.target, key)) {
      // It has.
    } else if (key.startsWith("Arrow") && event.target.closest?.("aside")) {
      return; // it scrolls
    } else if ((typing && key !== "Escape") || !this.press(key, event)) {
      return;
    }
    event.preventDefault();
  }

  // Up and down move in the list; false for other keys.
  moveInList(button, key) {
    const by = {ArrowUp: "previousElementSibling", ArrowDown: "nextElementSibling"}[key];
    if (by) button.closest("li")[by]?.querySelector("button")?.focus();
    else if (key === "Escape") document.getElementById("marks").focus();
    else return key === "Enter" || key === " " ? (button.click(), true) : false;
    return true;
  }

  // Does what a key stands for; false if that is nothing.
  press(key, event = {}) {
    const scene = this.scene, x = (scene.x1 - scene.x0) / 10, y = (scene.y1 - scene.y0) / 10;
    const zoom = factor => this.zoomBy(factor, event, (scene.x0 + scene.x1) / 2, (scene.y0 + scene.y1) / 2);
    const pan = (right, up) => { scene.pan(right, up); this.redraw(); };
    const modes = [...document.getElementById("color").options].map(each => each.value), focus = document.getElementById("search");
    const actions = {
      "+": () => zoom(0.7), "=": () => zoom(0.7), "-": () => zoom(1 / 0.7), "_": () => zoom(1 / 0.7),
      ArrowLeft: () => pan(-x, 0), ArrowRight: () => pan(x, 0), ArrowUp: () => pan(0, y), ArrowDown: () => pan(0, -y),
      "0": () => { scene.reset(); this.redraw(); },
      "[": () => this.chooseStep((this.state.step ?? 0) - 1), "]": () => this.chooseStep((this.state.step ?? 0) + 1),
      p: () => this.goToPeak(), f: () => this.nextFinding(), x: () => this.listCopies(), "/": () => focus.focus(),
      n: () => this.nextHit(1), N: () => this.nextHit(-1),
      c: () => this.setMode(modes[(modes.indexOf(this.painter.mode) + 1) % modes.length]),
      s: () => this.chooseSpace((scene.space + 1) % Math.max(1, this.picture.spaces.length)),
      Enter: () => document.querySelector("#list button")?.focus(),
      Escape: () => this.clear(), "?": () => this.showKeys(),
    };
    // A button or link does its own.
    if (!Object.hasOwn(actions, key) || (key === "Enter" && event.target?.matches("button, a"))) return false;
    actions[key]();
    return true;
  }

  showKeys() {
    const dialog = document.getElementById("help"), table = element("dl"), close = element("button", "close");
    for (const [key, text] of Keys) table.append(element("dt", key), element("dd", text));
    close.onclick = () => dialog.close();
    close.autofocus = true; // not the menu, where a letter would choose
    dialog.replaceChildren(table, close);
    dialog.onclick = event => { if (event.target === dialog) dialog.close(); };
    dialog.showModal();
  }
}

window.hlobufPage = new Page(decode(JSON.parse(document.getElementById("data").textContent)));
