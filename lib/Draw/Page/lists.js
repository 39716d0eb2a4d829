// The texts next to the picture: what is chosen, and a list of blocks or findings.

const LongestList = 500;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// What opens `/folder/train.py:12` in VS Code, which needs the whole path; empty where
// that is not known.
function sourceAddress(source) {
  const [, path, line] = source.match(/^(\/.*):(\d+)$/) || [];
  return path ? `vscode://file${encodeURI(path).replace(/[?#]/g, encodeURIComponent)}:${line}` : "";
}

// A source line, as a link where it leads somewhere.
function sourceElement(source, text) {
  const address = sourceAddress(source), made = element(address ? "a" : "span", text);
  if (address) made.href = address;
  made.title = source;
  return made;
}

// Shows title and rows; a row is {bytes, share, color, text, small, source, finding, choose, chosen}.
function showList(title, rows, total) {
  document.getElementById("listTitle").textContent = title;
  const items = rows.map(row => {
    const item = element("li"), button = element("button"), patch = element("i");
    patch.style.background = row.color || "none";
    button.append(patch, element("span", row.bytes, "bytes"), element("span", row.text, "what"));
    const small = element("small");
    if (row.source) small.append(sourceElement(row.source, shortSource(row.source)), "  ");
    small.append(row.small || "");
    if (row.chosen) item.classList.add("chosen");
    if (row.finding) item.classList.add("finding");
    if (row.share) item.style.setProperty("--share", `${Math.min(100, row.share * 100)}%`);
    button.title = [row.text, row.small].filter(Boolean).join("\n");
    button.onclick = row.choose;
    item.append(button);
    if (small.textContent) item.append(small);
    for (const link of small.querySelectorAll("a")) link.tabIndex = -1; // the details have it, too
    return item;
  });
  if (total > rows.length) items.push(element("li", `and ${total - rows.length} more`, "more"));
  document.getElementById("list").replaceChildren(...items);
}

function blockRows(page, blocks, choose) {
  const {picture, painter, scene, state} = page, held = picture.spaces[scene.space]?.held[state.step ?? 0];
  return blocks.slice(0, LongestList).map(i => {
    const about = describe(picture, i), group = painter.groups.of[i];
    return {
      bytes: bytesText(about.size), share: held ? about.size / held : 0, chosen: i === state.chosen,
      color: group === 255 ? "" : painter.groups.colorOf(group), text: about.label, source: about.source,
      small: [about.keeper, plainShape(about.shape), about.name === about.label ? "" : about.name].filter(Boolean).join("  "),
      choose: () => choose(i),
    };
  });
}

function findingRows(picture, choose) {
  return picture.findings.slice(0, LongestList).map(finding => ({
    finding, bytes: finding.severity, text: finding.message, small: finding.check, choose: () => choose(finding),
  }));
}

function copyRows(picture, choose) {
  return picture.copies.map(copy => ({bytes: bytesText(copy.bytes), text: copy.title, small: copy.why, finding: true, choose: () => choose(copy)}));
}

// `f32[8,16]` of `f32[8,16]{1,0:T(8,128)}`; of a tuple all of it.
function plainShape(shape) { return shape.startsWith("(") ? shape : shape.split("{")[0]; }

// A text in pieces, with addresses as links.
function withLinks(text) {
  return text.split(/(https:\/\/\S+)/).map((piece, at) => {
    if (at % 2 === 0) return piece;
    const link = element("a", piece);
    link.href = piece;
    return link;
  });
}

// A value may be an element.
function showDetail(title, pairs, lines, bad) {
  const parts = [element("b", title, bad ? "bad" : "")], table = element("dl");
  for (const [key, value] of pairs) {
    if (!value) continue;
    const cell = element("dd");
    cell.append(...(typeof value === "string" ? withLinks(value) : [value]));
    table.append(element("dt", key), cell);
  }
  parts.push(table);
  if (lines.length) parts.push(element("pre", lines.join("\n")));
  document.getElementById("detail").replaceChildren(...parts);
  document.getElementById("detail").classList.toggle("finding", bad);
}

function showBlock(picture, i) {
  const about = describe(picture, i);
  const step = number => {
    const name = picture.strings[picture.instructions[number]];
    return name ? `${number} (${name})` : String(number);
  };
  showDetail(about.label, [...copyPairsOf(picture, i),
    ["", about.keeper], ["source", about.source && sourceElement(about.source, about.source)], ["operation", about.op],
    ["shape", about.shape], ["bytes", `${bytesText(about.size)} (${about.size.toLocaleString("en-US")})`],
    ["live", picture.times === "unknown" ? "" : `from step ${step(about.first)} to ${step(about.last)}`],
    ["value", about.name],
    ["aliases", about.aliases.slice(0, 20).join(", ") + (about.aliases.length > 20 ? `, and ${about.aliases.length - 20} more` : "")],
    ["place", `offset ${about.offset.toLocaleString("en-US")} of allocation ${about.owner.index} (${about.owner.kind})`],
  ], [], false);
}

function showFinding(finding) {
  const {pairs, lines} = parseTimeline(finding.lines);
  showDetail(finding.message, [["check", finding.check], ...pairs], lines, true);
}

// `  step 22  a  OVERWRITES ..` and `  why: ..` as pairs, with the lines that go on;
// other lines as they are.
function parseTimeline(all) {
  const pairs = [], lines = [];
  for (const line of all) {
    const [, step, event] = line.match(/^  (step \d+) +(.*)$/) || [], [, key, text] = line.match(/^  (\w+): (.*)$/) || [];
    if (step) pairs.push([step, event.split(/ {2,}/).join(" · ")]);
    else if (key) pairs.push([key, text]);
    else if (pairs.length && /^ {4,}\S/.test(line)) pairs.at(-1)[1] += " " + line.trim();
    else lines.push(line);
  }
  return {pairs, lines};
}

function tipText(picture, i) {
  const about = describe(picture, i);
  return [about.label, `${bytesText(about.size)}  ${about.shape}`, about.keeper, about.source, about.op,
    `${about.name}, steps ${about.first} to ${about.last}`,
    ...copyPairsOf(picture, i).map(([key, text]) => text && `${key}: ${text}`)].filter(Boolean).join("\n");
}

// What is needed, what there is, and what was proved.
function showHeadline(picture, space) {
  const {name, most, size, peak} = picture.spaces[space] || {name: "memory", most: 0, size: 0, peak: 0};
  const capacity = capacityOf(picture, space), box = document.getElementById("headline"), meter = element("meter");
  const where = picture.times === "unknown" ? "" : ` at step ${peak}`, chip = picture.chip || "the chip";
  const large = isTooLarge(picture, space), gaps = size - most;
  const lines = [element("b", `${bytesText(large ? size : most)} of ${name}`, large ? "bad" : "")];
  if (large) lines.push(element("span", `${bytesText(size - capacity)} more than ${chip} has (${bytesText(capacity)})`));
  lines.push(element("span", large && gaps > size / 200 ? `${bytesText(most)} held${where}, the rest between values` : `peak${where}`));
  if (capacity && !large) {
    Object.assign(meter, {max: capacity, value: size, title: `${bytesText(size)} of ${bytesText(capacity)}`});
    lines.push(element("span", `${(size / capacity * 100).toFixed(1)} % of what ${chip} has (${bytesText(capacity)})`), meter);
  }
  box.replaceChildren(...lines);
}

// The groups of a memory space as a legend; a click lists the values of one.
function showLegend(picture, groups, choose, chooseCopies) {
  const items = [];
  groups.words.forEach((word, group) => {
    const used = groups.used.has(group), idle = group === groups.idle;
    if (!used && !idle) return;
    const item = element(idle ? "span" : "button"), patch = element("i");
    patch.style.background = groups.colorOf(group);
    item.append(patch, word);
    item.title = `${word}: ${bytesText(groups.bytes?.[group][picture.spaces[groups.space].peak] || 0)} at the peak`;
    if (used) item.onclick = () => choose(group);
    items.push(item);
  });
  if (picture.copies.length) {
    const sum = picture.copies.reduce((sum, copy) => sum + copy.bytes, 0);
    items.push(element("button", `▸ copies: ${bytesText(sum)} in one run`));
    items.at(-1).onclick = chooseCopies;
  }
  const notes = [];
  if (picture.times === "unknown") notes.push("no live ranges and no module: all values are drawn at step 0");
  if (picture.times === "module") notes.push("live ranges from the module");
  if (picture.untimed) notes.push(`${picture.untimed} values without a live range are not drawn`);
  document.getElementById("legend").replaceChildren(...items, element("span", notes.join("; ")));
}
