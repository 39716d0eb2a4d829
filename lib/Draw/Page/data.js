// The picture as the page holds it, made ready for drawing. Times are steps; a block
// covers the steps [left, right). Addresses are bytes: the allocations of a memory
// space one above the other. All of them are doubles.

function decode(json) {
  const from = json.blocks, count = from.owner.length;
  const picture = {
    ...json, count,
    left: Float64Array.from(from.first),
    right: Float64Array.from(from.last, last => last + 1),
    low: new Float64Array(count), high: new Float64Array(count),
    space: new Int32Array(count),
    copiesOf: new Map(), // by block
  };
  stackAllocations(picture);
  for (let i = 0; i < count; ++i) {
    const owner = picture.allocations[from.owner[i]];
    picture.low[i] = owner.base + from.offset[i];
    picture.high[i] = picture.low[i] + from.size[i];
    picture.space[i] = owner.space;
  }
  for (const copy of picture.copies)
    for (const [block] of copy.marks)
      picture.copiesOf.set(block, (picture.copiesOf.get(block) || new Set()).add(copy));
  return picture;
}

// Temp allocations first, then the others, large ones first.
function stackAllocations(picture) {
  picture.spaces.forEach((space, number) => {
    const rank = each => (each.kind === "temp" ? 0 : 1);
    space.allocations = picture.allocations.filter(
      each => each.color === space.color && each.kind !== "thread-local");
    space.allocations.sort((a, b) => rank(a) - rank(b) || b.size - a.size || a.index - b.index);
    space.size = 0;
    for (const each of space.allocations) {
      each.base = space.size;
      each.space = number;
      space.size += each.size;
    }
    space.most = space.held.reduce((most, bytes) => Math.max(most, bytes), 0);
  });
}

const Units = ["B", "KiB", "MiB", "GiB", "TiB", "PiB"];
// In the largest unit of which there is one: [number, unit].
function inUnits(bytes) {
  let unit = 0;
  for (; bytes >= 1024 && unit + 1 < Units.length; ++unit) bytes /= 1024;
  return [bytes, unit];
}

function bytesText(bytes) {
  const [count, unit] = inUnits(bytes);
  return `${unit ? count.toFixed(2) : Math.round(count)}\u00a0${Units[unit]}`;
}

// What is known of block i, in words.
function describe(picture, i) {
  const from = picture.blocks, text = number => picture.strings[number];
  const owner = picture.allocations[from.owner[i]];
  return {
    label: text(from.label[i]), keeper: shortPaths(text(from.keeper[i])), name: text(from.names[i][0]),
    aliases: from.names[i].slice(1).map(text),
    shape: text(from.shape[i]), op: text(from.op[i]), source: text(from.source[i]),
    size: from.size[i], offset: from.offset[i], owner,
    first: from.first[i], last: from.last[i],
  };
}

// A row of copies in words: [key, text]; and those that write block i.
function copyPairs(copy) {
  return [["copied", copy.title], ["in one run", bytesText(copy.bytes)], ["why", copy.why], ["change", copy.change]];
}
function copyPairsOf(picture, i) { return [...picture.copiesOf.get(i) || []].flatMap(copyPairs); }

// Blocks of a memory space that are live at a step, large ones first.
function liveSet(picture, space, step) {
  const found = [];
  for (let i = 0; i < picture.count; ++i)
    if (picture.space[i] === space && picture.left[i] <= step && step < picture.right[i]) found.push(i);
  return found;
}

// Blocks with a label, name, shape, op or source that contains the text, in any memory space.
function searchBlocks(picture, text) {
  text = text.toLowerCase();
  const hits = picture.strings.map(each => each.toLowerCase().includes(text));
  const from = picture.blocks, found = [];
  for (let i = 0; i < picture.count; ++i)
    if (hits[from.label[i]] || hits[from.keeper[i]] || hits[from.shape[i]] || hits[from.op[i]] || hits[from.source[i]] ||
        from.names[i].some(n => hits[n]))
      found.push(i);
  return found;
}

// The bytes of the chip, for the memory space that they are about.
function capacityOf(picture, space) {
  return picture.spaces[space]?.color === 0 ? picture.capacity || 0 : 0;
}

// The chip has less than the program needs.
function isTooLarge(picture, space) {
  const capacity = capacityOf(picture, space);
  return capacity > 0 && picture.spaces[space].size > capacity;
}

// Source lines in a text without their folders.
function shortPaths(text) { return text.replace(/\S*\/(?=[^/\s]+:\d)/g, ""); }

// `train.py:12` of a path.
function shortSource(source) { return source.slice(source.lastIndexOf("/") + 1); }
