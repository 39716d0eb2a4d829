// Draws a scene: the image of the blocks, and above it labels, axes and marks.

const darkScheme = matchMedia("(prefers-color-scheme: dark)");
function themeColor(name) { return getComputedStyle(document.documentElement).getPropertyValue(name).trim(); }

// A color as a pixel of an image.
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

function colorBlocks(picture, groups) {
  const pixels = groups.words.map((word, group) => pixelOf(groups.colorOf(group)));
  const colors = new Uint32Array(picture.count);
  for (let i = 0; i < picture.count; ++i)
    if (groups.of[i] !== 255) colors[i] = shade(pixels[groups.of[i]], Shades[i % Shades.length]);
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
    this.curve = new Curve(picture, scene);
    // The kind where findings are to be seen, else what the bytes are for.
    this.recolor(picture.findings.length ? "kind" : "operation");
  }

  recolor(mode) {
    this.mode = mode;
    this.groups = new Groups(this.picture, this.scene.space, mode);
    this.colors = colorBlocks(this.picture, this.groups);
    this.border = pixelOf(themeColor("--back"));
    this.background = pixelOf(themeColor("--panel"));
  }

  paint(state) {
    this.paintBlocks();
    this.paintMarks(state);
    this.curve.paint(state, this.groups);
    const {scene} = this, tall = document.getElementById("stageAxis").clientHeight || 1;
    paintByteAxis(document.getElementById("stageAxis"), scene.y0 - scene.bottom, scene.y1 - scene.bottom,
      bytes => scene.toY(bytes + scene.bottom, tall * (window.devicePixelRatio || 1)), "bytes of the allocations, one above the other");
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
    for (const i of state.found) this.outline(context, i, width, height, scale, themeColor("--accent"), 1);
    if (state.hover >= 0) this.outline(context, state.hover, width, height, scale, themeColor("--text"), 1);
    if (state.chosen >= 0) this.outline(context, state.chosen, width, height, scale, themeColor("--text"), 2.5);
    this.paintFindings(context, width, height, scale);
    this.paintCopies(context, width, height, scale);
    this.paintLabels(context, scale);
    if (state.step !== null) paintStepLine(context, this.scene, state.step, width, height, scale);
    paintStepAxis(context, this.scene, width, height, scale);
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
      if (bottom - top < (width < 600 * scale ? 40 : 14) * scale) continue;
      const text = `allocation ${each.index}: ${each.kind}, ${bytesText(each.size)}`;
      tag(context, text, width - 4 * scale, Math.max(top, 0) + 1, scale, themeColor("--faint"), true);
    }
  }

  // Operation, bytes and source line; the shape below, where there is room. A label ends
  // where a block that is drawn over it has its own.
  paintLabels(context, scale) {
    context.font = font(scale);
    context.textBaseline = "middle";
    context.fillStyle = BlockText;
    context.strokeStyle = "#fffb";
    context.lineWidth = 4 * scale;
    context.lineJoin = "round";
    const marked = this.picture.findings.length > 0;
    this.labels.forEach(([i, x, end, top, bottom], number) => {
      for (const [, left, , above, below] of this.labels.slice(number + 1))
        if (left > x && left < end && above < bottom && below > top) end = left;
      const about = describe(this.picture, i), room = end - x - 8 * scale, middle = (top + bottom) / 2;
      const lines = [[about.label, bytesText(about.size), shortSource(about.source)].filter(Boolean).join("  ")];
      if (bottom - top > 34 * scale) lines.push([plainShape(about.shape), about.keeper || about.name].filter(Boolean).join("  "));
      lines.forEach((line, row) => {
        const place = [shorten(context, line, room), x + 4 * scale, middle + (row - (lines.length - 1) / 2) * 14 * scale];
        if (marked) context.strokeText(...place); // to be read above the hatching
        context.fillText(...place);
      });
    });
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
        if (mark.crossing) context.fillRect(x, y, w, h);
        context.lineWidth = (mark.crossing ? 2 : 1) * scale;
        context.strokeRect(x, y, w, h);
      }
  }

  // Where copies are made: a bar over what they write, with a triangle on its left.
  paintCopies(context, width, height, scale) {
    const {low, high, space, copies} = this.picture, size = 6 * scale;
    context.fillStyle = themeColor("--text");
    context.strokeStyle = themeColor("--back");
    context.lineWidth = 2 * scale;
    for (const copy of copies)
      for (const [block, step] of copy.marks) {
        if (space[block] !== this.scene.space) continue;
        const [x, y, , h] = this.rectangle(step, step, low[block], high[block], width, height, 2 * scale);
        if (x < -size || x > width || y > height || y + h < 0) continue;
        const middle = (Math.max(y, 0) + Math.min(y + h, height)) / 2;
        const path = new Path2D();
        path.rect(x, y, 2 * scale, h);
        path.moveTo(x - size, middle - size);
        path.lineTo(x, middle);
        path.lineTo(x - size, middle + size);
        path.closePath();
        context.stroke(path);
        context.fill(path);
      }
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
}
