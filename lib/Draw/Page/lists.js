// The texts next to the picture: what is chosen, and a list of blocks or findings.

const LongestList = 500;

function element(tag, text, className) {
  const made = document.createElement(tag);
  if (text !== undefined) made.textContent = text;
  if (className) made.className = className;
  return made;
}

// Shows title and rows; a row is {bytes, text, small, choose, chosen}.
function showList(title, rows, total) {
  document.getElementById("listTitle").textContent = title;
  const items = rows.map(row => {
    const item = element("li"), button = element("button");
    button.append(element("span", row.bytes, "bytes"), element("span", row.text, "what"));
    if (row.small) button.append(element("small", row.small));
    if (row.chosen) button.classList.add("chosen");
    button.title = row.text;
    button.onclick = row.choose;
    item.append(button);
    return item;
  });
  if (total > rows.length) items.push(element("li", `  and ${total - rows.length} more`));
  document.getElementById("list").replaceChildren(...items);
}

function blockRows(picture, blocks, chosen, choose) {
  return blocks.slice(0, LongestList).map(i => {
    const about = describe(picture, i);
    return {
      bytes: bytesText(about.size), text: `${about.name}  ${about.shape}`, chosen: i === chosen,
      small: [about.change, about.op, about.source].filter(Boolean).join("  "), choose: () => choose(i),
    };
  });
}

function findingRows(picture, choose) {
  return picture.findings.slice(0, LongestList).map(finding => ({
    bytes: finding.severity, text: finding.message, small: finding.check, choose: () => choose(finding),
  }));
}

function showDetail(title, pairs, lines, bad) {
  const parts = [element("b", title, bad ? "bad" : "")], table = element("dl");
  for (const [key, value] of pairs)
    if (value) table.append(element("dt", key), element("dd", value));
  parts.push(table);
  if (lines.length) parts.push(element("pre", lines.join("\n")));
  document.getElementById("detail").replaceChildren(...parts);
}

function showBlock(picture, i) {
  const about = describe(picture, i);
  const step = number => {
    const name = picture.strings[picture.instructions[number]];
    return name ? `${number} (${name})` : String(number);
  };
  showDetail(about.name, [
    ["change", about.change], ["shape", about.shape], ["bytes", `${bytesText(about.size)} (${about.size.toLocaleString("en-US")})`],
    ["place", `offset ${about.offset.toLocaleString("en-US")} of allocation ${about.owner.index} (${about.owner.kind})`],
    ["live from", picture.times === "unknown" ? "" : step(about.first)],
    ["to", picture.times === "unknown" ? "" : step(about.last)],
    ["op", about.op], ["source", about.source],
    ["aliases", about.aliases.slice(0, 20).join(", ") + (about.aliases.length > 20 ? `, and ${about.aliases.length - 20} more` : "")],
  ], [], false);
}

function showFinding(finding) {
  showDetail(finding.message, [["check", finding.check]], finding.lines, true);
}

function tipText(picture, i) {
  const about = describe(picture, i);
  return [`${about.name}  ${about.shape}`, `${bytesText(about.size)}, steps ${about.first} to ${about.last}`,
    about.change, about.op, about.source].filter(Boolean).join("\n");
}

// The groups of a memory space with the most bytes, as a legend.
function showLegend(picture, space, mode) {
  const sums = new Map();
  for (let i = 0; i < picture.count; ++i)
    if (picture.space[i] === space) {
      const word = groupOf(picture, i, mode);
      sums.set(word, (sums.get(word) || 0) + picture.blocks.size[i]);
    }
  const words = [...sums].sort((a, b) => b[1] - a[1]).slice(0, 8).map(([word]) => word);
  const items = words.map(word => {
    const item = element("span"), patch = element("i");
    patch.style.background = groupColor(word, mode);
    item.append(patch, word);
    return item;
  });
  for (const word of new Set(picture.lanes?.thunks.group)) {
    const item = element("span"), patch = element("i", undefined, "thunk");
    patch.style.background = ThunkColors[word][isDark() ? 1 : 0];
    item.append(patch, ThunkWords[word]);
    items.push(item);
  }
  const notes = [];
  if (picture.other) notes.push(`line: live bytes ${picture.isBefore ? "after" : "before"} the change`);
  if (picture.times === "unknown") notes.push("no live ranges and no module: all values are drawn at step 0");
  if (picture.times === "module") notes.push("live ranges from the module");
  if (picture.untimed) notes.push(`${picture.untimed} values without a live range are not drawn`);
  document.getElementById("legend").replaceChildren(...items, element("span", notes.join("; ")));
}
