// The bytes that are held at each step, stacked by group, and the line of what the chip
// has.

class Curve {
  constructor(picture, scene) {
    this.picture = picture;
    this.scene = scene;
    this.canvas = document.getElementById("curve");
  }

  // The bytes at the top: room for the chip's, unless the program needs little of them.
  top(space) {
    const capacity = capacityOf(this.picture, this.scene.space);
    const most = Math.max(1, space.most);
    return capacity <= 2.5 * most ? Math.max(most, capacity) : most;
  }

  paint(state, groups) {
    const {context, width, height, scale} = fit(this.canvas);
    const space = this.picture.spaces[this.scene.space];
    context.clearRect(0, 0, width, height);
    if (!space || !space.most) return;
    const top = this.top(space), tall = height - 18 * scale, y = bytes => height - bytes / top * tall;
    const rows = paintByteAxis(document.getElementById("curveAxis"), 0, top, y, "bytes held");
    this.paintGroups(context, space, groups, y, width, height);
    context.fillStyle = themeColor("--faint");
    context.globalAlpha = 0.25;
    for (const row of rows) context.fillRect(0, Math.round(row), width, 1);
    context.globalAlpha = 1;
    if (state.step !== null) paintStepLine(context, this.scene, state.step, width, height, scale);
    this.paintCapacity(context, top, y, width, scale);
    this.paintPeak(context, space, width, height, scale);
  }

  // The step with the most held bytes of those in one column of pixels.
  stepWithMost(space, x, width) {
    const from = clamp(Math.floor(this.scene.atX(x, width)), 0, space.held.length - 1);
    const to = Math.min(space.held.length, Math.max(from + 1, Math.floor(this.scene.atX(x + 1, width))));
    let most = from;
    for (let step = from + 1; step < to; ++step) if (space.held[step] > space.held[most]) most = step;
    return most;
  }

  // An image is filled column by column: rectangles would take as long as all the rest.
  paintGroups(context, space, groups, y, width, height) {
    const image = context.createImageData(width, height), pixels = new Uint32Array(image.data.buffer);
    const parts = groups.bytes || [space.held];
    const colors = parts.map((_, group) => pixelOf(groups.bytes ? groups.colorOf(group) : OtherColors[darkScheme.matches ? 1 : 0]));
    for (let x = 0; x < width; ++x) {
      const step = this.stepWithMost(space, x, width);
      let below = 0, row = height;
      for (let group = 0; group < parts.length; ++group) {
        below += parts[group][step];
        const top = Math.max(0, Math.round(y(below)));
        while (row > top) pixels[--row * width + x] = colors[group];
      }
    }
    context.putImageData(image, 0, 0);
  }

  paintCapacity(context, top, y, width, scale) {
    const capacity = capacityOf(this.picture, this.scene.space);
    if (!capacity) return;
    const text = `${this.picture.chip || "capacity"}: ${bytesText(capacity)}`;
    context.fillStyle = context.strokeStyle = themeColor("--danger");
    if (capacity > top) {
      tag(context, `${text}, above`, width - 6 * scale, 1 * scale, scale, themeColor("--faint"), true);
      return;
    }
    context.lineWidth = 2 * scale;
    context.beginPath();
    context.moveTo(0, y(capacity));
    context.lineTo(width, y(capacity));
    context.stroke();
    const above = y(capacity) - 17 * scale;
    tag(context, text, width - 6 * scale, above > 0 ? above : y(capacity) + 3 * scale, scale, themeColor("--danger"), true);
  }

  paintPeak(context, space, width, height, scale) {
    const text = `peak ${bytesText(space.most)}, step ${space.peak}`;
    const x = this.scene.toX(space.peak + 0.5, width);
    if (x >= 0 && x <= width) {
      context.setLineDash([4 * scale, 3 * scale]);
      context.strokeStyle = themeColor("--text");
      context.lineWidth = 1.2 * scale;
      context.beginPath();
      context.moveTo(x, 0);
      context.lineTo(x, height);
      context.stroke();
      context.setLineDash([]);
    }
    tag(context, text, clamp(x + 5 * scale, 4 * scale, width), 1 * scale, scale, themeColor("--text"), false);
  }

  // What is held at a step, in words.
  tip(step, groups) {
    const space = this.picture.spaces[this.scene.space], at = clamp(Math.floor(step), 0, this.picture.steps - 1);
    const capacity = capacityOf(this.picture, this.scene.space), over = space.held[at] - capacity;
    const lines = [`step ${at}: ${bytesText(space.held[at])}` +
      (capacity && over > 0 ? `, ${bytesText(over)} more than there is` : "")];
    for (const [group, bytes] of groups.at(at).slice(0, 6)) lines.push(`${bytesText(bytes)}  ${groups.words[group]}`);
    return lines.join("\n");
  }
}

// A text on a background of its own, inside of the canvas; from `x` to the left if
// `ends` is set.
function tag(context, text, x, y, scale, color, ends) {
  context.font = font(scale);
  context.textBaseline = "top";
  const wide = context.measureText(text).width;
  const left = clamp(ends ? x - wide : x, 4 * scale, context.canvas.width - wide - 4 * scale);
  context.globalAlpha = 0.85;
  context.fillStyle = themeColor("--back");
  context.fillRect(left - 3 * scale, y, wide + 6 * scale, 15 * scale);
  context.globalAlpha = 1;
  context.fillStyle = color;
  context.fillText(text, left, y + 2 * scale);
}

function paintStepLine(context, scene, step, width, height, scale) {
  context.fillStyle = themeColor("--accent");
  context.fillRect(scene.toX(step + 0.5, width) - scale / 2, 0, scale, height);
}
