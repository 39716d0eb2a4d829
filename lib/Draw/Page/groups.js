// What is colored alike, in colors that people with any color vision tell apart, and
// the bytes of each group at each step.

// Below dark text, on light and dark pages; for all that has no color of its own there is
// one for each. test/view/colors.test measures them.
const Palette = ["#7ba7f2", "#ee8f62", "#35a57a", "#ecdf7c", "#d46fae", "#a2e3ff", "#87893b"];
const OtherColors = ["#c4c9cf", "#aeb4bb"];
const OtherColor = Palette.length;
const BlockText = "#14171a";

// Words that have one color in all pictures.
const FixedColors = {
  temp: 0, parameter: 2, "live-out": 3, constant: 4, other: OtherColor,
};

// Parts of an op_name that the program's author did not write.
const Machinery = /^(jit\(.*\)|pjit|while|body|cond|closed_call|checkpoint|rematted_computation|eval_jaxpr|shard_map|.*->.*)$/;

// `backward Block_3/attention` of an op_name: what differentiates it, and the first
// two scopes that the author named.
function scopeOf(op) {
  const parts = op.split("/").slice(0, -1);
  const way = /\btranspose\(/.test(op) ? "backward" : /\bjvp\(/.test(op) ? "forward" : "";
  const named = parts.map(part => part.replace(/^(?:transpose\(|jvp\(|vmap\(|remat\()+|\)+$/g, ""))
    .filter((part, at) => part && !Machinery.test(parts[at]) && !Machinery.test(part));
  return [way, named.slice(0, 2).join("/")].filter(Boolean).join(" ");
}

// What a block is colored by: a word that blocks of one color share; empty if unknown.
function wordOf(picture, i, mode) {
  const from = picture.blocks, kind = picture.allocations[from.owner[i]].kind;
  if (mode === "kind") return kind;
  if (kind === "parameter") return "arguments";
  if (kind === "constant") return "constants";
  const source = shortSource(picture.strings[from.source[i]]), op = picture.strings[from.op[i]];
  if (mode === "source") return source;
  if (mode === "scope") return scopeOf(op);
  return op || source ? [picture.strings[from.label[i]], source].filter(Boolean).join("  ") : "";
}

// The groups of a memory space, those with the most bytes at the peak first.
class Groups {
  constructor(picture, space, mode) {
    Object.assign(this, {picture, space, mode});
    this.timed = picture.times !== "unknown";
    this.words = [];
    this.colors = [];
    this.of = new Uint8Array(picture.count).fill(255);
    this.sort();
    if (this.timed && picture.spaces[space]) this.addUp();
  }

  sort() {
    const {picture, space, mode} = this, {owner, size} = picture.blocks, peak = picture.spaces[space]?.peak;
    const all = new Map(), known = new Array(picture.count);
    for (let i = 0; i < picture.count; ++i) {
      if (picture.space[i] !== space) continue;
      const word = known[i] = wordOf(picture, i, mode);
      const live = picture.left[i] <= peak && peak < picture.right[i];
      // What is not live at the peak decides between groups that have nothing there.
      const sum = (all.get(word) || 0) + size[i] * (live ? 1 : 1e-6);
      all.set(word, sum);
    }
    const ranked = [...all.keys()].filter(word => word && word !== "other").sort((a, b) => all.get(b) - all.get(a));
    this.words = ranked.slice(0, OtherColor);
    this.colors = this.words.map((word, at) => mode === "kind" ? FixedColors[word] ?? OtherColor : at);
    this.other = this.words.length;
    const more = ranked.length - this.words.length;
    this.words.push(more ? `${more} others` : "other");
    this.colors.push(OtherColor);
    const numbers = new Map(this.words.map((word, at) => [word, at]));
    for (let i = 0; i < picture.count; ++i)
      if (picture.space[i] === space) this.of[i] = numbers.get(known[i]) ?? this.other;
    this.used = new Set(this.of);
    // By kind, an allocation that is held although nothing in it is live has its kind.
    this.whole = mode === "kind" ? owner => owner.kind !== "temp" : () => false;
    this.owner = owner;
  }

  // By group and step, the bytes of live values, each byte once; what is held beyond
  // them is idle.
  addUp() {
    const {picture, space} = this, {steps} = picture, {size, first, last} = picture.blocks;
    this.bytes = this.words.map(() => new Float64Array(steps + 1));
    const add = (group, from, to, bytes) => {
      this.bytes[group][from] += bytes;
      this.bytes[group][to] -= bytes;
    };
    const counts = i => this.of[i] !== 255 && !this.whole(picture.allocations[this.owner[i]]);
    for (let i = 0; i < picture.count; ++i)
      if (counts(i)) add(this.of[i], first[i], last[i] + 1, size[i]);
    for (const [i, from, to, bytes] of picture.shared)
      if (counts(i)) add(this.of[i], from, to + 1, -bytes);
    for (const each of picture.spaces[space].allocations) {
      const group = this.words.indexOf(each.kind);
      if (this.whole(each)) add(group < 0 ? this.other : group, 0, steps, each.size);
    }
    for (const each of this.bytes)
      for (let step = 1; step < steps; ++step) each[step] += each[step - 1];
    const idle = Float64Array.from(picture.spaces[space].held);
    for (const each of this.bytes)
      for (let step = 0; step < steps; ++step) idle[step] -= each[step];
    if (!idle.some(bytes => bytes > 0)) return;
    this.idle = this.words.length;
    this.words.push("held, not in use");
    this.bytes.push(idle);
  }

  // Groups with bytes at a step: [number, bytes], the most first.
  at(step) {
    if (!this.bytes) return [];
    return this.bytes.map((each, group) => [group, each[step]]).filter(([, bytes]) => bytes > 0)
      .sort((a, b) => b[1] - a[1]);
  }

  colorOf(group) {
    if (group === this.idle) return themeColor("--idle");
    return Palette[this.colors[group]] || OtherColors[darkScheme.matches ? 1 : 0];
  }
}
