// What differs between two programs: each block of one is in both, larger or smaller, or
// live for longer or shorter than in the other program, or only here. Blocks are known by operation, source line and shape;
// names and numbers change with every compilation.

const Changes = {
  after: {
    same: "in both", larger: "larger than before", smaller: "smaller than before",
    longer: "live for longer than before", shorter: "live for shorter than before", alone: "new",
  },
  before: {
    same: "in both", larger: "larger than after", smaller: "smaller than after",
    longer: "live for longer than after", shorter: "live for shorter than after", alone: "gone",
  },
};

// Lifetimes differ if one is twice the other, and by this part of the program.
const LeastLifetime = 0.05;

const ChangeColors = {
  "in both": ["#c3c8ce", "#4a5159"], "new": ["#f08a5d", "#c2571f"], "gone": ["#8f7ee6", "#6a55d1"],
  "larger than before": ["#f2c14e", "#a37410"], "smaller than before": ["#8fd0b8", "#2f7f66"],
  "larger than after": ["#8fd0b8", "#2f7f66"], "smaller than after": ["#f2c14e", "#a37410"],
  "live for longer than before": ["#e59ab8", "#a64a70"], "live for shorter than before": ["#9fc7e8", "#3b6f9c"],
  "live for longer than after": ["#9fc7e8", "#3b6f9c"], "live for shorter than after": ["#e59ab8", "#a64a70"],
};

// `f32[8,16]` of `f32[8,16]{1,0:T(8,128)}`; of a tuple all of it.
function plainShape(shape) { return shape.startsWith("(") ? shape : shape.split("{")[0]; }

// The last scope of an operation; the whole name of an argument.
function operationOf(op) { return op.includes("[") ? op : op.slice(op.lastIndexOf("/") + 1); }

// What block i is known by; with other sizes of its dimensions too if loose is set.
function identityOf(picture, i, loose) {
  const from = picture.blocks, shape = plainShape(picture.strings[from.shape[i]]);
  const op = operationOf(picture.strings[from.op[i]]), source = picture.strings[from.source[i]];
  const color = picture.spaces[picture.space[i]]?.color;
  if (!loose) return [color, op, source, shape].join("|");
  return op || source ? [color, op, source, shape.replace(/\d+(?=[,\]])/g, "*")].join("|") : "";
}

// Pairs blocks of two pictures that are not paired yet; large ones first.
function pairBlocks(one, other, loose, pair) {
  const waiting = new Map();
  for (let i = other.count - 1; i >= 0; --i) {
    const key = other.change[i] ? "" : identityOf(other, i, loose);
    if (!key) continue;
    if (!waiting.has(key)) waiting.set(key, []);
    waiting.get(key).push(i);
  }
  for (let i = 0; i < one.count; ++i) {
    const rest = one.change[i] ? null : waiting.get(identityOf(one, i, loose));
    if (rest?.length) pair(i, rest.pop());
  }
}

// The part of the program in which block i is live.
function lifetime(picture, i) { return (picture.right[i] - picture.left[i]) / picture.steps; }

// How block i of one picture differs from block j of the other one.
function changeOf(words, one, i, other, j) {
  const more = one.blocks.size[i] - other.blocks.size[j];
  if (more) return more > 0 ? words.larger : words.smaller;
  const here = lifetime(one, i), there = lifetime(other, j);
  if (Math.abs(here - there) < LeastLifetime) return words.same;
  return here >= 2 * there ? words.longer : there >= 2 * here ? words.shorter : words.same;
}

// Sets `change` of both, by block.
function compare(before, after) {
  for (const each of [before, after]) each.change = new Array(each.count).fill("");
  for (const loose of [false, true])
    pairBlocks(after, before, loose, (i, j) => {
      after.change[i] = changeOf(Changes.after, after, i, before, j);
      before.change[j] = changeOf(Changes.before, before, j, after, i);
    });
  after.change = after.change.map(word => word || Changes.after.alone);
  before.change = before.change.map(word => word || Changes.before.alone);
  after.other = before;
  before.other = after;
}

// The same memory space of the other program; undefined where there is none.
function otherSpace(picture, space) {
  return picture.other?.spaces.find(each => each.color === picture.spaces[space]?.color);
}
