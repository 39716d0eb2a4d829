// What part of the picture is seen, and the blocks as pixels. Blocks rarely overlap,
// so filling rows of an image touches each pixel about once, however many blocks there
// are: that is what keeps 100,000 of them fluent.

class Scene {
  constructor(picture) {
    this.picture = picture;
    this.choose(0);
  }

  // Shows a memory space, or one allocation of it.
  choose(space, allocation = null) {
    this.space = space;
    const whole = this.picture.spaces[space] || {size: 1};
    this.bottom = allocation ? allocation.base : 0;
    this.top = this.bottom + Math.max(1, (allocation || whole).size);
    this.reset();
  }

  reset() {
    this.x0 = 0;
    this.x1 = this.picture.steps;
    this.y0 = this.bottom;
    this.y1 = this.top;
  }

  // Zooms around a point of the picture; factors below 1 show less.
  zoom(x, y, factorX, factorY) {
    const spanX = clamp((this.x1 - this.x0) * factorX, 1, this.picture.steps);
    const spanY = clamp((this.y1 - this.y0) * factorY, Math.min(16, this.top - this.bottom), this.top - this.bottom);
    this.x0 = x - (x - this.x0) / (this.x1 - this.x0) * spanX;
    this.y0 = y - (y - this.y0) / (this.y1 - this.y0) * spanY;
    this.x1 = this.x0 + spanX;
    this.y1 = this.y0 + spanY;
    this.keepInside();
  }

  pan(x, y) {
    this.x0 += x; this.x1 += x; this.y0 += y; this.y1 += y;
    this.keepInside();
  }

  keepInside() {
    const shift = (low, high, least, most) =>
      low < least ? least - low : high > most ? most - high : 0;
    const x = shift(this.x0, this.x1, 0, this.picture.steps);
    const y = shift(this.y0, this.y1, this.bottom, this.top);
    this.x0 += x; this.x1 += x; this.y0 += y; this.y1 += y;
  }

  // Shows steps and bytes as large as they can be.
  frame(left, right, low, high) {
    const margin = (right - left) * 0.04;
    this.x0 = Math.max(0, left - margin);
    this.x1 = Math.min(this.picture.steps, right + margin);
    this.y0 = Math.max(this.bottom, low);
    this.y1 = clamp(high, this.y0 + 16, this.top);
  }

  // Shows a rectangle with as much around it.
  show(left, right, low, high) {
    const marginX = Math.max(2, right - left), marginY = Math.max(16, (high - low) / 2);
    if (low < this.bottom || high > this.top) {
      this.bottom = 0;
      this.top = Math.max(1, this.picture.spaces[this.space].size);
    }
    this.x0 = Math.max(0, left - marginX);
    this.x1 = Math.min(this.picture.steps, right + marginX);
    this.y0 = Math.max(this.bottom, low - marginY);
    this.y1 = Math.min(this.top, high + marginY);
  }

  toX(step, width) { return (step - this.x0) / (this.x1 - this.x0) * width; }
  toY(address, height) { return height - (address - this.y0) / (this.y1 - this.y0) * height; }
  atX(x, width) { return this.x0 + x / width * (this.x1 - this.x0); }
  atY(y, height) { return this.y0 + (height - y) / height * (this.y1 - this.y0); }

  // The smallest block at a place; -1 if there is none. Small ones come last.
  hit(step, address) {
    const {left, right, low, high, space, count} = this.picture;
    for (let i = count - 1; i >= 0; --i)
      if (left[i] <= step && step < right[i] && low[i] <= address && address < high[i] && space[i] === this.space)
        return i;
    return -1;
  }

  // Fills the image with blocks in their colors, each at least a pixel. Returns the
  // blocks that have room for a label.
  fill(image, colors, border, background) {
    const {left, right, low, high, space, count} = this.picture;
    const {width, height} = image, pixels = new Uint32Array(image.data.buffer), wide = [];
    const scaleX = width / (this.x1 - this.x0), scaleY = height / (this.y1 - this.y0);
    pixels.fill(background);
    for (let i = 0; i < count; ++i) {
      if (space[i] !== this.space || right[i] <= this.x0 || left[i] >= this.x1 || high[i] <= this.y0 || low[i] >= this.y1)
        continue;
      const x = Math.max(0, Math.floor((left[i] - this.x0) * scaleX));
      const end = Math.min(width, Math.max(x + 1, Math.floor((right[i] - this.x0) * scaleX)));
      const bottom = Math.min(height, height - Math.floor((low[i] - this.y0) * scaleY));
      const top = Math.max(0, Math.min(bottom - 1, height - Math.floor((high[i] - this.y0) * scaleY)));
      paintRows(pixels, width, x, end, top, bottom, colors[i]);
      if (end - x <= 4 || bottom - top <= 4) continue;
      paintRows(pixels, width, x, end, top, top + 1, border);
      paintRows(pixels, width, end - 1, end, top, bottom, border);
      if (end - x > 60 && bottom - top > 16 && wide.length < 400) wide.push([i, x, end, top, bottom]);
    }
    return wide;
  }
}

// Calling fill() costs as much as some 20 pixels.
function paintRows(pixels, width, x, end, top, bottom, color) {
  for (let row = top * width; row < bottom * width; row += width) {
    if (end - x > 20) pixels.fill(color, row + x, row + end);
    else for (let at = row + x; at < row + end; ++at) pixels[at] = color;
  }
}

function clamp(value, least, most) {
  return Math.min(Math.max(value, Math.min(least, most)), most);
}
