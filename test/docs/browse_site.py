"""browse_site.py SITE: looks at every page of a site in a browser, as on a phone.

No page is wider than the screen, no column of numbers wider than these, none has an error on the console, every link
inside the site leads somewhere, and light and dark differ.
"""

import functools
import http.server
import json
import pathlib
import queue
import subprocess
import sys
import tempfile
import threading

WIDTH = 390
LONGEST = 120  # seconds

# Loads each page into a frame as wide as a phone.
HARNESS = r"""<!doctype html><body><script>
const pages = PAGES, report = [];
async function look(page) {
  const frame = document.createElement("iframe");
  frame.style = "width: WIDTHpx; height: 844px; border: 0";
  frame.src = page;
  document.body.append(frame);
  const view = frame.contentWindow;
  await new Promise(done => frame.onload = done);
  const root = frame.contentDocument.documentElement;
  if (root.scrollWidth > WIDTH) report.push(`${page}: ${root.scrollWidth} px wide`);
  for (const table of frame.contentDocument.querySelectorAll("table")) {
    const rows = [...table.querySelectorAll("tbody tr")];
    for (let column = 0; column < (rows[0]?.cells.length || 0); ++column) {
      const cells = rows.map(row => row.cells[column]).filter(cell => cell?.textContent.trim());
      if (!cells.length || cells.some(cell => !/^[-+\d.,%x ]*$/.test(cell.textContent))) continue;
      const head = table.querySelectorAll("th")[column];
      const wide = Math.max(...[...cells, head].filter(Boolean).map(cell => {
        const range = frame.contentDocument.createRange();
        range.selectNodeContents(cell);
        return range.getBoundingClientRect().width;
      }));
      if (cells[0].clientWidth > wide + 40)
        report.push(`${page}: numbers of ${Math.round(wide)} px take ${cells[0].clientWidth} px`);
    }
  }
  for (const link of frame.contentDocument.querySelectorAll("a[href]")) {
    const url = new URL(link.href);
    if (url.origin !== location.origin) continue;
    if (!known.has(url.pathname)) known.set(url.pathname, (await fetch(url)).ok);
    if (!known.get(url.pathname)) report.push(`${page}: broken link ${url.pathname}`);
    else if (url.pathname === view.location.pathname && url.hash.length > 1 &&
             !frame.contentDocument.getElementById(decodeURIComponent(url.hash.slice(1))))
      report.push(`${page}: no ${url.hash}`);
  }
  const color = view.getComputedStyle(frame.contentDocument.body).backgroundColor;
  frame.remove();
  return color;
}
const known = new Map();
(async () => {
  let color = "";
  try {
    for (const page of pages) color = await look(page);
  } catch (error) {
    report.push(String(error));
  }
  await fetch("/report", {method: "POST", body: JSON.stringify([report, color])});
})();
</script>"""


class Handler(http.server.SimpleHTTPRequestHandler):
    """Serves the site and the harness next to it, and takes what the harness says."""

    harness = ""
    reports = queue.Queue()

    def do_GET(self):
        if self.path != "/harness":
            super().do_GET()
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(self.harness.encode())

    def do_POST(self):
        length = int(self.headers["Content-Length"])
        self.reports.put(json.loads(self.rfile.read(length)))
        self.send_response(204)
        self.end_headers()

    def log_message(self, *arguments):
        pass


def browse(url, dark):
    """What the harness says, what the console does, and the background."""
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as folder:
        log = pathlib.Path(folder, "log")
        command = ["chromium", "--headless=new", "--no-sandbox", "--disable-gpu"]
        command += [f"--user-data-dir={folder}/profile", "--enable-logging=stderr"]
        command += [f"--blink-settings=preferredColorScheme={0 if dark else 1}"]
        command += ["--remote-debugging-port=0", url]
        with log.open("wb") as stderr:
            browser = subprocess.Popen(command, stdout=stderr, stderr=stderr)
            try:
                report, color = Handler.reports.get(timeout=LONGEST)
            except queue.Empty:
                sys.exit(f"the browser did not finish:\n{log.read_text()[-2000:]}")
            finally:
                browser.kill()
                browser.wait()
        lines = log.read_text(errors="replace").splitlines()
    # The search talks about itself there.
    console = [line for line in lines if ":CONSOLE" in line]
    return report + [line for line in console if "/search/worker.js" not in line], color


def main():
    site = pathlib.Path(sys.argv[1])
    pages = sorted(p.relative_to(site).as_posix() for p in site.rglob("*.html"))
    pages = [page for page in pages if page != "404.html"]
    Handler.harness = HARNESS.replace("PAGES", json.dumps(pages)).replace("WIDTH", str(WIDTH))
    handler = functools.partial(Handler, directory=site)
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    url = f"http://127.0.0.1:{server.server_port}/harness"
    light, color = browse(url, dark=False)
    dark, dark_color = browse(url, dark=True)
    problems = sorted({*light, *dark})
    if color == dark_color:
        problems.append(f"light and dark have the same background, {color}")
    for problem in problems:
        print(problem)
    print(f"{len(pages)} pages, {len(problems)} problems")
    return 1 if problems else 0


if __name__ == "__main__":
    sys.exit(main())
