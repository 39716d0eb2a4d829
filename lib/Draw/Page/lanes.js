// The program that runs, above the picture: a lane for each stream, a mark for each
// thunk at its step, and races in red.

const ThunkColors = {
  compute: ["#5b7083", "#8499ab"], copy: ["#2a9d8f", "#2f9e90"], transfer: ["#d97b29", "#c9752b"],
  sync: ["#23282d", "#d5dade"], control: ["#b4bac1", "#565d65"],
};
const ThunkWords = {compute: "compute", copy: "copy", transfer: "transfer", sync: "start, done", control: "loop, branch"};

// Pixels: of a lane, of its name, and of the strip of a loop.
const LaneHeight = 30, LaneName = 13, LoopHeight = 4, MostLanes = 240;

class Lanes {
  constructor(picture, scene) {
    this.picture = picture;
    this.scene = scene;
    this.canvas = document.getElementById("lanes");
    this.canvas.hidden = !picture.lanes;
    if (!picture.lanes) return;
    const {names, thunks, races} = picture.lanes;
    this.height = Math.max(3, Math.min(LaneHeight, Math.floor(MostLanes / names.length)));
    this.canvas.style.height = `${this.height * names.length}px`;
    this.named = this.height === LaneHeight;
    // Loops first: what they are around is drawn over them.
    this.order = names.map(() => []);
    thunks.lane.forEach((lane, i) => this.order[lane].push(i));
    for (const each of this.order) each.sort((a, b) => thunks.first[a] - thunks.first[b] || a - b);
    this.racing = new Set(races.flatMap(race => [race.first, race.second]));
  }

  // Where thunk i is, in device pixels: [left, right, top, bottom].
  place(i, width, scale) {
    const {thunks} = this.picture.lanes, left = this.scene.toX(thunks.first[i], width);
    const right = Math.max(left + scale, this.scene.toX(thunks.last[i] + 1, width) - scale);
    const top = (thunks.lane[i] * this.height + (this.named ? LaneName : 1)) * scale;
    const bottom = (thunks.lane[i] + 1) * this.height * scale - 3 * scale;
    return thunks.group[i] === "control"
      ? [left, right, Math.max(top, bottom), bottom + (this.named ? LoopHeight / 2 : 1) * scale]
      : [left, right, top, Math.max(top + scale, bottom)];
  }

  paint(state) {
    if (!this.picture.lanes) return;
    const {context, width, height, scale} = fit(this.canvas), {names} = this.picture.lanes;
    context.clearRect(0, 0, width, height);
    this.labels = [];
    names.forEach((name, lane) => {
      context.fillStyle = themeColor("--line");
      context.fillRect(0, Math.round((lane + 1) * this.height * scale) - 1, width, 1);
      this.paintLane(context, lane, width, scale);
    });
    this.paintWaits(context, width, scale);
    if (state.step !== null) paintStepLine(context, this.scene, state.step, width, height, scale);
    this.paintRaces(context, width, scale);
    for (const [i, weight] of [[state.thunk, 1], [state.chosenThunk, 2]])
      if (i >= 0) this.outline(context, i, width, scale, weight);
    this.paintTexts(context, width, scale);
  }

  // Thunks that share a pixel are drawn once.
  paintLane(context, lane, width, scale) {
    const {thunks} = this.picture.lanes, drawn = [-1, -1], {x0} = this.scene, perStep = width / (this.scene.x1 - x0);
    for (const i of this.order[lane]) {
      const group = thunks.group[i], loop = group === "control" ? 1 : 0;
      const end = Math.floor((thunks.last[i] + 1 - x0) * perStep);
      if (end <= drawn[loop]) continue;
      if (thunks.first[i] > this.scene.x1) break;
      drawn[loop] = end;
      const [left, right, top, bottom] = this.place(i, width, scale);
      context.fillStyle = ThunkColors[group][isDark() ? 1 : 0];
      context.fillRect(left, top, right - left, bottom - top);
      if (!loop && this.named && right - left > 50 * scale) this.labels.push([i, left, right, top, bottom]);
    }
  }

  // From a start to what it launches, and from there to the done. There may be as many
  // as thunks, so that each pixel is looked at once.
  paintWaits(context, width, scale) {
    const {waits} = this.picture.lanes, drawn = new Uint8Array(waits.pairs * (width + 1));
    const perStep = width / (this.scene.x1 - this.scene.x0), {x0} = this.scene;
    context.strokeStyle = themeColor("--faint");
    context.lineWidth = scale;
    context.beginPath();
    for (let i = 0; i < waits.upper.length; ++i) {
      const x = (waits.step[i] - x0) * perStep + (waits.ends[i] ? -2 : 1) * scale;
      if (x < 0 || x > width) continue;
      const pixel = waits.pair[i] * (width + 1) + Math.floor(x);
      if (drawn[pixel]) continue;
      drawn[pixel] = 1;
      context.moveTo(x, this.place(waits.upper[i], width, scale)[3]);
      context.lineTo(x, this.place(waits.lower[i], width, scale)[2]);
    }
    context.stroke();
  }

  // The ends of the line between two thunks that race: while both run, if they do.
  raceLine(race, width, scale) {
    const a = this.place(race.first, width, scale), b = this.place(race.second, width, scale);
    const [upper, lower] = a[2] <= b[2] ? [a, b] : [b, a];
    const left = Math.max(a[0], b[0]), right = Math.min(a[1], b[1]), middle = (left + right) / 2;
    const x = each => (left <= right ? middle : (each[0] + each[1]) / 2);
    return [x(upper), upper[3], x(lower), lower[2]];
  }

  paintRaces(context, width, scale) {
    const red = themeColor("--danger"), seen = new Set();
    context.fillStyle = context.strokeStyle = red;
    context.font = "bold " + font(scale, 10.5);
    context.textBaseline = "middle";
    for (const race of this.picture.lanes.races) {
      const ends = this.raceLine(race, width, scale), key = ends.map(Math.round).join();
      if (Math.max(ends[0], ends[2]) < 0 || Math.min(ends[0], ends[2]) > width || seen.has(key)) continue;
      seen.add(key);
      for (const i of [race.first, race.second]) {
        const [left, right, top, bottom] = this.place(i, width, scale);
        context.fillRect(left, top, Math.max(right - left, 3 * scale), bottom - top);
      }
      context.lineWidth = 2 * scale;
      context.beginPath();
      context.moveTo(ends[0], ends[1]);
      context.lineTo(ends[2], ends[3]);
      context.stroke();
      const wide = context.measureText("race").width, x = (ends[0] + ends[2]) / 2;
      const left = x + wide + 8 * scale > width ? x - wide - 5 * scale : x + 5 * scale;
      if (this.named) context.fillText("race", left, (ends[1] + ends[3]) / 2);
    }
  }

  outline(context, i, width, scale, weight) {
    const [left, right, top, bottom] = this.place(i, width, scale);
    context.strokeStyle = themeColor("--text");
    context.lineWidth = weight * scale;
    context.strokeRect(left, top, Math.max(right - left, 3 * scale), bottom - top);
  }

  // Names of lanes and, where there is room, of thunks.
  paintTexts(context, width, scale) {
    if (!this.named) return;
    const {names, thunks} = this.picture.lanes;
    context.font = font(scale, 10.5);
    context.textBaseline = "middle";
    context.fillStyle = themeColor("--faint");
    names.forEach((name, lane) => context.fillText(name, 4 * scale, (lane * this.height + LaneName / 2 + 0.5) * scale));
    context.fillStyle = themeColor("--back");
    for (const [i, left, right, top, bottom] of this.labels) {
      const start = Math.max(left, 0) + 4 * scale, room = Math.min(right, width) - start - 4 * scale;
      const open = thunks.start[i] >= 0 && thunks.done[i] < 0;
      const text = this.picture.strings[thunks.name[i]] + (open ? ", no done" : "");
      const fits = Math.floor(text.length * room / Math.max(1, context.measureText(text).width));
      if (fits > 3) context.fillText(fits >= text.length ? text : text.slice(0, fits - 1) + "…", start, (top + bottom) / 2 + scale / 2, room);
    }
  }

  // The thunks at a place in CSS pixels: those inside of others first.
  hit(x, y) {
    if (!this.picture.lanes) return [];
    const width = this.canvas.clientWidth, order = this.order[Math.floor(y / this.height)] || [];
    const found = order.filter(i => {
      const [left, right] = this.place(i, width, 1);
      return left - 1 <= x && x <= right + 1;
    });
    const {thunks} = this.picture.lanes, span = i => thunks.last[i] - thunks.first[i];
    return found.sort((a, b) => this.racing.has(b) - this.racing.has(a) || span(a) - span(b));
  }

  // The race whose line, or one of whose thunks, is at a place; -1 if there is none.
  hitRace(x, y) {
    if (!this.picture.lanes) return -1;
    const width = this.canvas.clientWidth, [i] = this.hit(x, y);
    return this.picture.lanes.races.findIndex(race => {
      const [x0, y0, x1, y1] = this.raceLine(race, width, 1), part = (y - y0) / (y1 - y0);
      return race.first === i || race.second === i ||
        (part >= 0 && part <= 1 && Math.abs(x0 + part * (x1 - x0) - x) <= 5);
    });
  }
}

// Lines between thunks of two lanes, where one launches or waits for the other: the step of
// each, the thunks, and a number for its two lanes.
function findWaits({thunks, names}) {
  const waits = {step: [], ends: [], upper: [], lower: [], pair: []}, pairs = new Map();
  const add = (step, ends, one, other) => {
    if (one < 0 || other < 0 || thunks.lane[one] === thunks.lane[other]) return;
    const [upper, lower] = thunks.lane[one] < thunks.lane[other] ? [one, other] : [other, one];
    const key = thunks.lane[upper] * names.length + thunks.lane[lower];
    if (!pairs.has(key)) pairs.set(key, pairs.size);
    waits.step.push(step);
    waits.ends.push(ends);
    waits.upper.push(upper);
    waits.lower.push(lower);
    waits.pair.push(pairs.get(key));
  };
  thunks.start.forEach((start, i) => {
    add(thunks.first[i], false, start, i);
    add(thunks.last[i] + 1, true, i, thunks.done[i]);
  });
  return {...waits, pairs: pairs.size};
}

// Makes lanes ready for drawing; nothing where there are none.
function decodeLanes(picture) {
  if (!picture.lanes) return;
  const {thunks, slices} = picture.lanes;
  thunks.group = thunks.group.map(group => picture.strings[group]);
  picture.lanes.waits = findWaits(picture.lanes);
  slices.writes = slices.access.map(access => /write|update/.test(picture.strings[access]));
}

// What is known of a slice.
function describeSlice(picture, at) {
  const {slices} = picture.lanes, owner = picture.allocations[slices.owner[at]];
  const begin = slices.offset[at], end = begin + slices.size[at];
  return {
    owner, begin, end, writes: slices.writes[at], access: picture.strings[slices.access[at]],
    value: picture.strings[slices.value[at]],
    place: `bytes [${begin}, ${end}) of allocation ${owner.index}`,
  };
}

// The values that are in bytes at a step.
function valuesAt(picture, owner, begin, end, step) {
  const from = picture.blocks, found = [];
  for (let i = 0; i < picture.count && found.length < 4; ++i)
    if (picture.allocations[from.owner[i]] === owner && from.offset[i] < end && begin < from.offset[i] + from.size[i] &&
        from.first[i] <= step && step <= from.last[i])
      found.push(picture.strings[from.names[i][0]]);
  return found.join(", ");
}

// What is known of thunk i, in words.
function describeThunk(picture, i) {
  const {thunks, names} = picture.lanes, text = number => picture.strings[number];
  const {first, last, start, done} = thunks, touched = [], seen = new Set();
  for (let at = i ? thunks.slices[i - 1] : 0; at < thunks.slices[i]; ++at) {
    const slice = describeSlice(picture, at), key = slice.place + slice.writes;
    if (seen.has(key)) continue;
    seen.add(key);
    slice.value ||= valuesAt(picture, slice.owner, slice.begin, slice.end, first[i]);
    touched.push(slice);
  }
  const asynchronous = start[i] >= 0 || done[i] >= 0;
  return {
    name: text(thunks.name[i]), kind: text(thunks.kind[i]), stream: names[thunks.lane[i]], touched,
    steps: first[i] === last[i] ? `step ${first[i]}` : `steps ${first[i]} to ${last[i]}`,
    start: start[i] >= 0 ? text(thunks.name[start[i]]) : "",
    done: done[i] >= 0 ? text(thunks.name[done[i]]) : asynchronous ? "nothing" : "",
  };
}

function thunkTip(picture, i, others) {
  const about = describeThunk(picture, i);
  const lines = [`${about.name}  ${about.kind}`, `${about.stream}, ${about.steps}`];
  for (const each of about.touched.slice(0, 12)) lines.push(`${each.access} ${each.value || "?"}: ${each.place}`);
  if (about.touched.length > 12) lines.push(`and ${about.touched.length - 12} more slices`);
  if (about.start) lines.push(`launched by ${about.start}`);
  if (about.done) lines.push(`${about.done} waits for it`);
  if (others) lines.push(`and ${others} more thunk${others === 1 ? "" : "s"} here`);
  return lines.join("\n");
}

function showThunk(picture, i) {
  const about = describeThunk(picture, i);
  const list = writes => about.touched.filter(each => each.writes === writes)
    .map(each => `${each.value || "?"}: ${each.place}`);
  showDetail(about.name, [
    ["thunk", about.kind], ["stream", about.stream], ["at", about.steps],
    ["launched by", about.start], ["waited for by", about.done],
  ], [...list(false).map(each => `reads ${each}`), ...list(true).map(each => `writes ${each}`)], false);
}

// Both thunks, what they do to the bytes, and the order that is missing.
function showRace(picture, race) {
  const owner = picture.allocations[race.owner], pairs = [], values = new Set();
  const lane = i => picture.lanes.names[picture.lanes.thunks.lane[i]];
  for (const i of [race.first, race.second]) {
    const about = describeThunk(picture, i);
    const common = about.touched.filter(each => each.owner === owner && each.begin < race.end && race.begin < each.end);
    const waits = about.done === "nothing" ? "; nothing waits for it" : "";
    pairs.push([common.some(each => each.writes) ? "writes" : "reads",
      `${about.name} (${about.kind}), ${about.stream}, ${about.steps}${waits}`]);
    for (const each of common) if (each.value) values.add(each.value);
  }
  pairs.push(["bytes", `[${race.begin}, ${race.end}) of allocation ${owner.index}, ${bytesText(race.end - race.begin)}`],
    ["values", [...values].join(", ")], ["order", `${lane(race.second)} does not wait for ${lane(race.first)}`]);
  const finding = picture.findings[race.finding];
  const told = parseTimeline(finding.lines);
  showDetail(finding.message, [["check", finding.check], ...pairs, ...told.pairs], told.lines, true);
}

// The bytes that a thunk touches, in the picture: reads in one color, writes in another.
function paintTouched(painter, context, i, width, height, scale) {
  const {picture, scene} = painter, {thunks} = picture.lanes;
  for (const each of describeThunk(picture, i).touched) {
    if (each.owner.space !== scene.space) continue;
    const place = painter.rectangle(thunks.first[i], thunks.last[i] + 1, each.owner.base + each.begin,
      each.owner.base + each.end, width, height, 8 * scale);
    context.fillStyle = context.strokeStyle = themeColor(each.writes ? "--write" : "--accent");
    context.lineWidth = 2 * scale;
    context.globalAlpha = 0.45;
    context.fillRect(...place);
    context.globalAlpha = 1;
    context.strokeRect(...place);
  }
}
