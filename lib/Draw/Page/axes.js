// Bytes at round values, from the left, and steps from below.

// At most about `count` round values in [least, most]: [bytes, text] in ascending order.
function byteTicks(least, most, count) {
  const span = Math.max(1, most - least), [, unit] = inUnits(span);
  // A few units apart, or a part of one; bytes by powers of two.
  const sizes = unit ? [1, 2, 5, 10, 20, 50, 100, 200, 500] : [1, 2, 4, 8, 16, 32, 64, 128, 256, 512];
  const parts = unit ? [1 / 32, 1 / 16, 1 / 8, 1 / 4, 1 / 2] : [];
  const size = [...parts, ...sizes].find(size => span / (size * 1024 ** unit) <= count) ?? 500;
  const every = size * 1024 ** unit;
  const ticks = [];
  for (let bytes = Math.ceil(least / every) * every; bytes <= most; bytes += every) ticks.push([bytes, tickText(bytes)]);
  return ticks;
}

// `1.5 GiB`, `0`: as many digits as it takes.
function tickText(bytes) {
  const [count, unit] = inUnits(bytes);
  return count ? `${+count.toFixed(3)}\u00a0${Units[unit]}` : "0";
}

// A round number of steps that has room for a text.
function stepsApart(perStep, room) {
  for (let size = 1; ; size *= 10)
    for (const times of [1, 2, 5])
      if (times * size * perStep >= room) return times * size;
}

// Writes the ticks of [least, most] into a narrow canvas, and returns their rows in the
// picture next to it. `y` gives the row of a number of bytes.
function paintByteAxis(canvas, least, most, y, title) {
  const {context, width, height, scale} = fit(canvas);
  context.clearRect(0, 0, width, height);
  context.font = font(scale, 10.5);
  context.textAlign = "right";
  context.textBaseline = "middle";
  context.fillStyle = themeColor("--faint");
  const rows = [], ticks = byteTicks(least, most, Math.max(2, Math.floor(height / (38 * scale))));
  // Deep inside of a large memory, distances say more.
  if (ticks.some(([, text]) => text.length > 10))
    for (const tick of ticks) tick[1] = tick === ticks[0] ? bytesText(tick[0]) : `+${tickText(tick[0] - ticks[0][0])}`;
  const widest = Math.max(1, ...ticks.map(([, text]) => context.measureText(text).width));
  context.font = font(scale, 10.5 * Math.min(1, (width - 8 * scale) / widest));
  for (const [bytes, text] of ticks) {
    const row = y(bytes);
    if (row < 0 || row > height) continue;
    rows.push(row);
    context.fillRect(width - 4 * scale, Math.round(row) - (row >= height ? 1 : 0), 4 * scale, 1);
    context.fillText(text, width - 7 * scale, clamp(row, 7 * scale, height - 7 * scale));
  }
  context.textAlign = "left";
  canvas.title = title;
  return rows;
}

// Steps below the blocks, with the instructions where there is room for each of them.
function paintStepAxis(context, scene, width, height, scale) {
  const {picture} = scene, perStep = width / (scene.x1 - scene.x0), tall = StepAxisHeight * scale;
  const every = stepsApart(perStep, 64 * scale);
  context.fillStyle = themeColor("--back");
  context.fillRect(0, height - tall, width, tall);
  context.font = font(scale, 10.5);
  context.textBaseline = "middle";
  context.fillStyle = themeColor("--faint");
  for (let step = Math.ceil(scene.x0 / every) * every; step < scene.x1; step += every) {
    const x = scene.toX(step, width), name = every === 1 ? picture.strings[picture.instructions[step]] : "";
    context.fillRect(Math.round(x), height - tall, 1, 4 * scale);
    const room = Math.min(every * perStep - 8 * scale, width - x - 4 * scale), wide = context.measureText(step).width;
    // The number is always whole.
    const text = name && room > 1.5 * wide ? shorten(context, `${step} ${name}`, room) : `${step}`;
    context.fillText(text, Math.min(x + 3 * scale, width - wide - scale), height - tall / 2);
  }
}

const StepAxisHeight = 15;

// A text as wide as there is room; empty where that is next to nothing.
function shorten(context, text, room) {
  let wide = context.measureText(text).width, fits = text.length;
  while (wide > room && fits > 3) {
    fits = Math.min(fits - 1, Math.floor(fits * room / wide));
    wide = context.measureText(text.slice(0, fits) + "…").width;
  }
  return fits === text.length ? text : fits > 3 ? text.slice(0, fits) + "…" : "";
}
