"""browse_view.py HLOBUF_VIEW INPUTS [--large PAGE]

Tries the pages of hlobuf-view in a
browser.

The page of a broken dump has a red crossing, and its keys, mouse, search and lists
work. A page of 140,000 values opens in
2 seconds, and moves and zooms at 30 frames a second. No page has an error on the console.
walk_view.py presses the keys of a keyboard.
"""

import argparse
import functools
import http.server
import json
import pathlib
import shutil
import sys
import tempfile
import threading

import browse_site
import view_pages
import walk_view

LONGEST_OPENING = 2000  # milliseconds
FEWEST_FRAMES = 30  # a second

HARNESS = """<!doctype html><body style="margin: 0"><script>
const report = [], numbers = {};
function check(what, holds) { if (!holds) report.push(what); }
async function open(name) {
  const frame = document.createElement("iframe");
  frame.style = "width: 1400px; height: 860px; border: 0";
  const start = performance.now();
  frame.src = name;
  document.body.append(frame);
  await new Promise(done => frame.onload = done);
  await frames(frame, 2, () => {});
  numbers[name] = Math.round(performance.now() - start);
  return frame;
}
function frames(frame, count, step) {
  return new Promise(done => {
    const next = () => { if (count-- === 0) return done(); step(count); frame.contentWindow.requestAnimationFrame(next); };
    frame.contentWindow.requestAnimationFrame(next);
  });
}
function isRed(red, green, blue) { return red > 150 && green < 100 && blue < 100; }
function pixels(frame) {
  const canvas = document.createElement("canvas"), marks = frame.contentDocument.getElementById("marks");
  canvas.width = marks.width;
  canvas.height = marks.height;
  const copy = canvas.getContext("2d", {willReadFrequently: true});
  copy.drawImage(marks, 0, 0);
  const {data} = copy.getImageData(0, 0, canvas.width, canvas.height);
  let count = 0;
  for (let i = 0; i < data.length; i += 4)
    if (isRed(data[i], data[i + 1], data[i + 2]) && data[i + 3] > 150) ++count;
  return count;
}
async function tryDefect() {
  const frame = await open("defect.html"), page = frame.contentWindow.hlobufPage;
  const root = frame.contentDocument, text = id => root.getElementById(id).textContent;
  const key = async key => { root.body.dispatchEvent(new KeyboardEvent("keydown", {key, bubbles: true})); await frames(frame, 2, () => {}); };
  check("the finding is listed", text("list").includes("clobbered-read"));
  check("all of the picture has a red mark", pixels(frame) > 30);
  await key("f");
  check("a finding has its timeline", text("detail").includes("step 22"));
  check("a red crossing", pixels(frame) > 1500);
  await key("0");
  check("0 shows everything", page.scene.x0 === 0 && page.scene.x1 === page.picture.steps);
  await key("+");
  check("+ zooms", page.scene.x1 - page.scene.x0 < page.picture.steps);
  await key("p");
  check("p lists what is live", /^step \\d+: \\d+ live/.test(text("listTitle")));
  await key("]");
  const before = page.state.step;
  await key("[");
  check("[ goes back", page.state.step === before - 1);
  page.search("slice_bitcast_fusion");
  check("search finds", page.state.found.length > 0 && text("list").includes("slice_bitcast_fusion"));
  await key("n");
  check("n chooses a hit", page.state.chosen === page.state.found[0] && text("detail").includes("offset"));
  root.querySelector("#list button").click();
  check("a row is chosen", page.state.chosen >= 0);
  const marks = root.getElementById("marks"), x0 = page.scene.x0;
  marks.dispatchEvent(new WheelEvent("wheel", {deltaY: 100, clientX: 500, clientY: 400, cancelable: true}));
  check("the wheel zooms", page.scene.x0 !== x0);
  for (const each of ["c", "c", "c", "s", "s", "s", "ArrowLeft", "ArrowUp", "-", "?", "Escape"]) await key(each);
  frame.remove();
  const row = await open("row.html");
  row.contentWindow.hlobufPage.press("f");
  await frames(row, 2, () => {});
  check("a red crossing of the README's defect", pixels(row) > 1500);
  row.remove();
}
async function tryLarge() {
  // The first time the browser is still busy with itself; others may use the machine, too.
  for (let run = 0; run < 2 && (run === 0 || numbers["large.html"] >= LONGEST); ++run) (await open("large.html")).remove();
  const frame = await open("large.html"), page = frame.contentWindow.hlobufPage, count = 60;
  check("large.html opens in LONGEST ms: " + numbers["large.html"], numbers["large.html"] < LONGEST);
  for (const [what, step] of [
    ["zoom", i => page.zoomBy(i > count / 2 ? 0.9 : 1.12, {}, 5000, page.scene.top / 3)],
    ["pan", i => { page.scene.pan(i % 20 < 10 ? 40 : -40, 0); page.redraw(); }]]) {
    let rate = 0;
    for (let run = 0; run < 3 && rate < FEWEST; ++run) { // others may use the machine, too
      const start = performance.now();
      await frames(frame, count, step);
      rate = Math.max(rate, Math.round(count * 1000 / (performance.now() - start)));
    }
    numbers[what + " frames a second"] = rate;
    check(`${what}: ${rate} frames a second, fewer than FEWEST`, rate >= FEWEST);
    page.scene.zoom(5000, page.scene.top / 2, 0.3, 0.5);
  }
  frame.remove();
}
(async () => {
  try {
    await tryDefect(); await tryLarge();
  } catch (error) { report.push(String(error.stack)); }
  await fetch("/report", {method: "POST", body: JSON.stringify([report, JSON.stringify(numbers)])});
})();
</script>"""


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("--large", type=pathlib.Path, help="a page to try instead")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        view_pages.make_pages(options.tool, options.inputs, folder)
        if options.large:
            shutil.copy(options.large, folder / "large.html")
        walked = walk_view.walk(folder)
        handler = browse_site.Handler
        handler.harness = HARNESS.replace("LONGEST", str(LONGEST_OPENING)).replace(
            "FEWEST", str(FEWEST_FRAMES)
        )
        serve = functools.partial(handler, directory=folder)
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), serve)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        problems, numbers = browse_site.browse(
            f"http://127.0.0.1:{server.server_port}/harness", dark=False
        )
    problems = walked + problems
    for problem in problems:
        print(problem)
    print(f"hlobuf-view in a browser: {len(problems)} problems {numbers}")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
