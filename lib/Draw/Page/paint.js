// Draws a scene: the image of the blocks, and above it labels, axes, marks and the
// curve of live bytes.

const KindColors = {
  temp: ["#7fb2e5", "#2f6da8"], parameter: ["#9fd39b", "#3f7f46"], "live-out": ["#f2c14e", "#a37410"],
  constant: ["#c9b3e6", "#6d519c"], other: ["#c3c8ce", "#5b636c"],
};

function isDark() { return document.documentElement.classList.contains("dark"); }
function themeColor(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// The color of a group, as text: kinds have their own, other words get one by hash.
function groupColor(word, mode) {
  const dark = isDark();
  if (mode === "kind") return (KindColors[word] || KindColors.other)[dark ? 1 : 0];
  if (mode === "change") return ChangeColors[word][dark ? 1 : 0];
  if (word === "unknown") return KindColors.other[dark ? 1 : 0];
  let hash = 7;
  for (let i = 0; i < word.length; ++i) hash = (hash * 31 + word.charCodeAt(i)) >>> 0;
  return `hsl(${hash % 360} ${40 + (hash >>> 9) % 30}% ${dark ? 38 : 70}%)`;
}

// The same as a pixel of an image.
const parser = document.createElement("canvas").getContext("2d", {willReadFrequently: true});
function pixelOf(color) {
  parser.fillStyle = color;
  parser.fillRect(0, 0, 1, 1);
  return new Uint32Array(parser.getImageData(0, 0, 1, 1).data.buffer)[0];
}

// Shades of one color distinguish neighbors.
const Shades = [0, 6, -6, 12, -12];
function shade(pixel, by) {
  const part = shift => clamp((pixel >>> shift & 255) + by, 0, 255) << shift;
  return (part(0) | part(8) | part(16) | 0xff000000) >>> 0;
}

function colorBlocks(picture, mode) {
  const colors = new Uint32Array(picture.count), known = new Map();
  for (let i = 0; i < picture.count; ++i) {
    const word = groupOf(picture, i, mode);
    if (!known.has(word)) known.set(word, pixelOf(groupColor(word, mode)));
    colors[i] = shade(known.get(word), Shades[i % Shades.length]);
  }
  return colors;
}

// A canvas as large as its place on the screen, in device pixels.
function fit(canvas) {
  const scale = window.devicePixelRatio || 1;
  const width = Math.max(1, Math.round(canvas.clientWidth * scale));
  const height = Math.max(1, Math.round(canvas.clientHeight * scale));
  if (canvas.width !== width || canvas.height !== height) {
    canvas.width = width;
    canvas.height = height;
  }
  return {context: canvas.getContext("2d"), width, height, scale};
}

function font(scale, size = 11) { return `${size * scale}px system-ui, sans-serif`; }

class Painter {
  constructor(picture, scene) {
    this.picture = picture;
    this.scene = scene;
    this.image = null;
    this.recolor(picture.change ? "change" : "kind");
  }

  recolor(mode) {
    this.colors = colorBlocks(this.picture, mode);
    this.mode = mode;
    this.border = pixelOf(themeColor("--back"));
    this.background = pixelOf(themeColor("--panel"));
  }

  paint(state) {
    this.paintBlocks();
    this.paintMarks(state);
    this.paintCurve(state);
  }

  paintBlocks() {
    const {context, width, height} = fit(document.getElementById("blocks"));
    if (!this.image || this.image.width !== width || this.image.height !== height)
      this.image = context.createImageData(width, height);
    this.labels = this.scene.fill(this.image, this.colors, this.border, this.background);
    context.putImageData(this.image, 0, 0);
  }

  paintMarks(state) {
    const {context, width, height, scale} = fit(document.getElementById("marks"));
    context.clearRect(0, 0, width, height);
    this.paintAllocations(context, width, height, scale);
    this.paintLabels(context, scale);
    for (const i of state.found) this.outline(context, i, width, height, scale, themeColor("--accent"), 1);
    if (state.hover >= 0) this.outline(context, state.hover, width, height, scale, themeColor("--text"), 1);
    if (state.chosen >= 0) this.outline(context, state.chosen, width, height, scale, themeColor("--text"), 2.5);
    this.paintFindings(context, width, height, scale);
    for (const i of new Set([state.thunk, state.chosenThunk]))
      if (i >= 0) paintTouched(this, context, i, width, height, scale);
    this.paintStep(context, state.step, width, height, scale);
    this.paintAxis(context, width, height, scale);
  }

  // Steps below the blocks, with the instructions of those that have room for them.
  paintAxis(context, width, height, scale) {
    const {scene, picture} = this, perStep = width / (scene.x1 - scene.x0), tall = 15 * scale;
    const every = Math.max(1, Math.ceil(110 * scale / perStep));
    context.fillStyle = themeColor("--back");
    context.fillRect(0, height - tall, width, tall);
    context.font = font(scale);
    context.textBaseline = "middle";
    context.fillStyle = themeColor("--faint");
    for (let step = Math.ceil(scene.x0 / every) * every; step < scene.x1; step += every) {
      const x = scene.toX(step, width), name = picture.strings[picture.instructions[step]];
      const text = name ? `${step} ${name}` : `${step}`;
      const fits = Math.floor(text.length * (every * perStep - 10 * scale) / context.measureText(text).width);
      context.fillRect(x, height - tall, 1, 4 * scale);
      context.fillText(fits >= text.length ? text : text.slice(0, Math.max(3, fits - 1)) + "…", x + 3 * scale, height - tall / 2);
    }
  }

  paintStep(context, step, width, height, scale) {
    if (step === null) return;
    context.fillStyle = themeColor("--accent");
    context.fillRect(this.scene.toX(step + 0.5, width) - scale / 2, 0, scale, height);
  }

  // Lines between allocations, and what each is where there is room.
  paintAllocations(context, width, height, scale) {
    const space = this.picture.spaces[this.scene.space];
    if (!space) return;
    context.font = font(scale);
    context.textBaseline = "top";
    for (const each of space.allocations) {
      const top = this.scene.toY(each.base + each.size, height), bottom = this.scene.toY(each.base, height);
      if (bottom < 0 || top > height || bottom - top < 2 * scale) continue;
      context.fillStyle = themeColor("--faint");
      context.fillRect(0, Math.round(top), width, 1);
      if (bottom - top < 14 * scale) continue;
      const text = `allocation ${each.index}: ${each.kind}, ${bytesText(each.size)}`;
      const y = Math.max(top, 0) + 2 * scale, wide = context.measureText(text).width;
      context.fillStyle = themeColor("--back");
      context.globalAlpha = 0.8;
      context.fillRect(width - wide - 8 * scale, y, wide + 8 * scale, 13 * scale);
      context.globalAlpha = 1;
      context.fillStyle = themeColor("--faint");
      context.fillText(text, width - wide - 4 * scale, y);
    }
  }

  paintLabels(context, scale) {
    context.font = font(scale);
    context.textBaseline = "middle";
    context.fillStyle = themeColor("--text");
    for (const [i, x, end, top, bottom] of this.labels) {
      const about = describe(this.picture, i);
      const text = `${about.name}  ${about.shape}`, room = end - x - 8 * scale;
      const fits = Math.floor(text.length * room / Math.max(1, context.measureText(text).width));
      if (fits > 3) context.fillText(fits >= text.length ? text : text.slice(0, fits - 1) + "…", x + 4 * scale, (top + bottom) / 2);
    }
  }

  rectangle(left, right, low, high, width, height, least) {
    let x = this.scene.toX(left, width), y = this.scene.toY(high, height);
    let w = this.scene.toX(right, width) - x, h = this.scene.toY(low, height) - y;
    if (w < least) { x -= (least - w) / 2; w = least; }
    if (h < least) { y -= (least - h) / 2; h = least; }
    return [x, y, w, h];
  }

  outline(context, i, width, height, scale, color, thick) {
    const {left, right, low, high, space} = this.picture;
    if (space[i] !== this.scene.space) return;
    context.strokeStyle = color;
    context.lineWidth = thick * scale;
    context.strokeRect(...this.rectangle(left[i], right[i], low[i], high[i], width, height, 3 * scale));
  }

  // Findings in red: hatched where two values cross, framed where they do not, and
  // large enough to be seen. Small ones in one place are drawn once.
  paintFindings(context, width, height, scale) {
    const least = 10 * scale, seen = new Set();
    context.strokeStyle = themeColor("--danger");
    context.fillStyle = context.createPattern(this.hatching(scale), "repeat");
    for (const finding of this.picture.findings)
      for (const mark of finding.marks) {
        const owner = this.picture.allocations[mark.owner];
        if (owner.space !== this.scene.space) continue;
        const [x, y, w, h] = this.rectangle(mark.first, mark.last + 1, owner.base + mark.begin,
          owner.base + mark.end, width, height, least);
        if (x + w < 0 || y + h < 0 || x > width || y > height) continue;
        const cell = Math.round(x / least * 2) * 65536 + Math.round(y / least * 2);
        if (w * h <= 4 * least * least && seen.has(cell)) continue;
        seen.add(cell);
        this.paintMark(context, mark.crossing, x, y, w, h, scale);
      }
  }

  paintMark(context, crossing, x, y, w, h, scale) {
    if (crossing) context.fillRect(x, y, w, h);
    context.lineWidth = (crossing ? 2 : 1) * scale;
    context.strokeRect(x, y, w, h);
  }

  // A tile of lines from corner to corner.
  hatching(scale) {
    const tile = document.createElement("canvas"), size = Math.round(7 * scale);
    tile.width = tile.height = size;
    const context = tile.getContext("2d");
    context.strokeStyle = themeColor("--danger");
    context.lineWidth = 1.6 * scale;
    for (const shift of [-size, 0, size]) {
      context.moveTo(shift, size);
      context.lineTo(shift + size, 0);
    }
    context.stroke();
    return tile;
  }

  // Live bytes above the blocks: the most of the steps that share a pixel.
  paintCurve(state) {
    const {context, width, height, scale} = fit(document.getElementById("curve"));
    const space = this.picture.spaces[this.scene.space], scene = this.scene;
    context.clearRect(0, 0, width, height);
    if (!space || !space.most) return;
    const other = otherSpace(this.picture, scene.space), most = Math.max(space.most, other?.most || 0);
    const tall = height - 16 * scale, y = bytes => height - bytes / most * tall;
    context.fillStyle = groupColor("temp", "kind");
    for (let x = 0; x < width; ++x) {
      const bytes = this.mostHeld(space, 1, x, width);
      context.fillRect(x, y(bytes), 1, height - y(bytes));
    }
    if (other) this.paintOther(context, other, y, width, scale);
    this.paintPeak(context, space, width, height, scale);
    this.paintStep(context, state.step, width, height, scale);
  }

  // The most held bytes of the steps in one column of pixels, of a program with `stretch`
  // times as many steps.
  mostHeld(space, stretch, x, width) {
    const from = Math.max(0, Math.floor(this.scene.atX(x, width) * stretch));
    const to = Math.min(space.held.length, Math.max(from + 1, Math.floor(this.scene.atX(x + 1, width) * stretch)));
    let most = 0;
    for (let step = from; step < to; ++step) most = Math.max(most, space.held[step]);
    return most;
  }

  // The live bytes of the other program as a line, stretched to as many steps.
  paintOther(context, other, y, width, scale) {
    const stretch = this.picture.other.steps / this.picture.steps;
    context.strokeStyle = themeColor("--text");
    context.lineWidth = 1.2 * scale;
    context.beginPath();
    for (let x = 0; x < width; ++x) context.lineTo(x, y(this.mostHeld(other, stretch, x, width)));
    context.stroke();
  }

  paintPeak(context, space, width, height, scale) {
    context.font = font(scale);
    context.textBaseline = "top";
    context.fillStyle = themeColor("--text");
    const other = otherSpace(this.picture, this.scene.space), word = this.picture.isBefore ? "after" : "before";
    const text = `peak ${bytesText(space.most)} at step ${space.peak}` +
      (other ? ` (${word}: ${bytesText(other.most)})` : "");
    const x = this.scene.toX(space.peak + 0.5, width), wide = context.measureText(text).width;
    if (x >= 0 && x <= width) {
      context.setLineDash([4 * scale, 3 * scale]);
      context.strokeStyle = themeColor("--danger");
      context.lineWidth = 1.5 * scale;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height);
      context.stroke();
      context.setLineDash([]);
    }
    context.fillText(text, clamp(x + 5 * scale, 4 * scale, width - wide - 4 * scale), 2 * scale);
  }
}
