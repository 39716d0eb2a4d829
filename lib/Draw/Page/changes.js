// What differs between two programs: each block of one is in both, larger or smaller, or
// live for longer or shorter than in the other program, or only here. hlobuf-view pairs
// the blocks.

// Of the program that is compared with the `other` one.
const changeWords = (other, alone) => ({
  same: "in both", larger: `larger than ${other}`, smaller: `smaller than ${other}`,
  longer: `live for longer than ${other}`, shorter: `live for shorter than ${other}`, alone,
});
const Changes = {after: changeWords("before", "new"), before: changeWords("after", "gone")};

// Lifetimes differ if one is twice the other, and by this part of the program.
const LeastLifetime = 0.05;

// `larger` of `larger than before`.
function plainChange(word) { return word.replace(/ than (before|after)$/, ""); }

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

// Sets `change` of both, by block. `matches` has a block of the old program for each of the new one.
function compare(before, after, matches) {
  for (const [each, words] of [[before, Changes.before], [after, Changes.after]])
    each.change = new Array(each.count).fill(words.alone);
  matches.forEach((j, i) => {
    if (j < 0) return;
    after.change[i] = changeOf(Changes.after, after, i, before, j);
    before.change[j] = changeOf(Changes.before, before, j, after, i);
  });
  after.other = before;
  before.other = after;
}

// The same memory space of the other program; undefined where there is none.
function otherSpace(picture, space) {
  return picture.other?.spaces.find(each => each.color === picture.spaces[space]?.color);
}
