"""Walks through pages of hlobuf-view with the keys of a keyboard, and looks at their size.

Tab goes through all that can be used, and out again. Keys do what the page says, also after
a search. Tips go away. Copies have marks that say why. No size wraps, no tick is cut. A program that needs more than the chip has opens there. Nothing is
wider than a phone.
"""

from browser import Browser

PHONE = (390, 844)


class Walk:
    def __init__(self, browser, folder):
        self.browser = browser
        self.folder = folder
        self.problems = []

    def check(self, what, holds):
        if not holds:
            self.problems.append(f"{self.page}: {what}")

    def open(self, page, size=(1280, 800)):
        self.page = page
        self.browser.open(self.folder / page, size)

    def get(self, script):
        return self.browser.evaluate(script)

    def text(self, name):
        return self.get(f"document.getElementById('{name}').innerText").replace("\xa0", " ")

    def focused(self):
        return self.get("document.activeElement.id || document.activeElement.closest('#list')?.id || document.activeElement.tagName")

    def walk_tabs(self):
        """All that can be used has the focus once, and it leaves the page at the end."""
        self.open("defect.html")
        seen = []
        for _ in range(60):
            self.browser.press("Tab")
            if self.focused() == "BODY":
                break
            seen.append(self.focused())
        self.check(f"Tab goes around: {seen}", self.focused() == "BODY")
        controls = [each for each in seen if each not in ("list", "detail", "BUTTON", "A")]
        expected = "space color search all peak finding keys marks"
        self.check(f"the order of Tab: {controls}", " ".join(controls) == expected)
        self.check("the list is reached", "list" in seen)
        self.browser.press("Shift+Tab")
        self.check("Shift+Tab goes back", self.focused() in ("list", "A"))

    def walk_search(self):
        self.open("defect.html")
        self.browser.press("/")
        self.check("/ goes to the search", self.focused() == "search")
        self.browser.press(*"slice_b")
        self.browser.press("Enter")
        chosen = self.get("hlobufPage.state.chosen")
        self.check("enter chooses the first hit", chosen == self.get("hlobufPage.state.found[0]"))
        self.browser.press("n")
        self.check("n is not typed", self.get("document.getElementById('search').value") == "slice_b")
        count = self.get("hlobufPage.state.found.length")
        self.check("n goes to the next hit", self.get("hlobufPage.at") == 1 % count)
        self.browser.press("/", "Escape")
        self.check("escape leaves the search", self.focused() == "marks")
        self.check("and empties it", self.get("document.getElementById('search').value") == "")
        self.check("the list is that of a step", self.text("listTitle").startswith("step"))

    def walk_list(self):
        self.open("plain.html")
        self.browser.press("Enter")
        self.check("enter goes to the list", self.focused() == "list")
        x0 = self.get("hlobufPage.scene.x0")
        self.browser.press("ArrowDown", "ArrowDown", "ArrowUp")
        row = "[...document.querySelectorAll('#list button')].indexOf(document.activeElement)"
        self.check("arrows move in the list", self.get(row) == 1)
        self.check("and not the picture", self.get("hlobufPage.scene.x0") == x0)
        self.browser.press("Enter")
        self.check("enter chooses the row", self.get("hlobufPage.state.chosen") >= 0)
        self.check("the details have it", "make_pairs" in self.text("detail") or "argument" in self.text("detail"))
        self.browser.press("Escape", "Escape")
        self.check("escape chooses nothing", self.get("hlobufPage.state.chosen") == -1)

    def walk_dialog(self):
        self.browser.press("?")
        self.check("? opens the keys", self.get("document.getElementById('help').open"))
        self.browser.press("p", "Escape")
        self.check("escape closes them", not self.get("document.getElementById('help').open"))
        mode = self.get("hlobufPage.painter.mode")
        self.browser.press("c")
        self.check("then keys are those of the page", self.get("hlobufPage.painter.mode") != mode)

    def walk_tips(self):
        self.open("defect.html")
        hidden = "document.getElementById('tip').hidden"
        place = self.get("""(({scene, picture: {left, right, low, high}}) => {
          const box = document.getElementById("marks").getBoundingClientRect();
          return [box.left + scene.toX((left[0] + right[0]) / 2, box.width),
            box.top + scene.toY((low[0] + high[0]) / 2, box.height)];
        })(hlobufPage)""")
        for what, leave in [
            ("a key", lambda: self.browser.press("+")),
            ("another color", lambda: self.browser.press("c")),
            ("the mouse elsewhere", lambda: self.browser.move(1100, 500)),
            ("the wheel", self.turn),
        ]:
            self.browser.press("0")
            self.browser.move(*place)
            self.check("the mouse shows a tip", not self.get(hidden))
            leave()
            self.check(f"{what} hides the tip", self.get(hidden))
        self.browser.move(400, 150)
        self.check("the curve has tips", "step" in self.text("tip") and "KiB" in self.text("tip"))

    def turn(self):
        self.browser.send("Input.dispatchMouseEvent", type="mouseWheel", x=600, y=600, deltaX=0, deltaY=-50)
        self.browser.settle()

    def look_at_too_large(self):
        self.open("too-large.html")
        self.check("it says how much is too much", "more than the chip has (8.00 KiB)" in self.text("headline"))
        space = "hlobufPage.picture.spaces[hlobufPage.scene.space]"
        self.check("the peak's step is chosen", self.get(f"hlobufPage.state.step === {space}.peak"))
        inside = "hlobufPage.scene.x0 <= hlobufPage.state.step && hlobufPage.state.step < hlobufPage.scene.x1"
        self.check("and is seen", self.get(inside))
        fits = "(page => liveOf(page).every(i => page.picture.low[i] >= page.scene.y0 && page.picture.high[i] <= page.scene.y1))(hlobufPage)"
        self.get("window.liveOf = page => liveSet(page.picture, page.scene.space, page.state.step), 0")
        self.check("all that is live there is seen", self.get(fits))
        self.check("in the colors of operations", self.get("document.getElementById('color').value") == "operation")

    def look_at_sums(self):
        """What is stacked is what is held, in all colors."""
        sums = """(() => {
          const page = hlobufPage, wrong = [];
          for (const mode of [...document.getElementById("color").options].map(each => each.value))
            page.picture.spaces.forEach((space, number) => {
              const groups = new Groups(page.picture, number, mode);
              for (let step = 0; step < page.picture.steps; ++step) {
                const sum = groups.bytes.reduce((sum, each) => sum + each[step], 0);
                if (sum !== space.held[step] || groups.bytes.some(each => each[step] < 0))
                  wrong.push([mode, space.name, step, sum, space.held[step]].join(" "));
              }
            });
          return wrong.slice(0, 3).join("; ");
        })()"""
        for page in ("defect.html", "row.html", "plain.html", "too-large.html"):
            self.open(page)
            wrong = self.get(sums)
            self.check(f"sums: {wrong}", not wrong)

    def look_at_links(self):
        self.open("plain.html")
        self.check("a file name has no address", self.get("sourceAddress('train.py:3')") == "")
        address = self.get("sourceAddress('/src/a b#.py:3')")
        self.check(f"an editor opens a path: {address}", address == "vscode://file/src/a%20b%23.py:3")

    def look_at_advice(self):
        self.open("row.html")
        self.browser.press("f")
        issue = self.get("document.querySelector('#detail a').href")
        self.check(f"the issue of a known defect is a link: {issue}", issue.endswith("openxla/xla/issues/49176"))
        self.check("and there is a way around", "algsimp" in self.text("detail"))
        x0 = self.get("hlobufPage.scene.x0")
        self.get("document.getElementById('detail').tabIndex = 0, document.getElementById('detail').focus()")
        self.browser.press("ArrowRight")
        self.check("arrows scroll the details", self.get("hlobufPage.scene.x0") == x0)
        self.check("and a command", "hlobuf-reduce --check=in-place-hazard" in self.text("detail"))

    def look_at_copies(self):
        self.open("copies.html")
        marks = self.get("hlobufPage.picture.copies.map(copy => copy.marks.length)")
        self.check(f"all copies have marks: {marks}", marks and all(marks))
        self.browser.press("x")
        self.check("x lists copies", "needs the old value until step" in self.text("list"))
        self.browser.press("Enter", "Enter")
        for text in ("x 8 copy.7: carry", "64.0", "writes the new one at step 23", "optimization_barrier"):
            self.check(f"the details have '{text}'", text in self.text("detail").replace("KiB", ""))
        block, step = self.get("hlobufPage.picture.copies[0].marks[0]")
        self.check("its step is chosen", self.get("hlobufPage.state.step") == step)
        self.get("hlobufPage.clear(), hlobufPage.press('0'), 0")
        place = self.get(f"""(({{scene, picture: {{low, high}}}}) => {{
          const box = document.getElementById("marks").getBoundingClientRect();
          return [box.left + scene.toX({step} + 0.2, box.width),
            box.top + scene.toY((low[{block}] + high[{block}]) / 2, box.height)];
        }})(hlobufPage)""")
        self.browser.move(*place)
        self.check("the mouse says why", "why: scatter at" in self.text("tip"))
        # Left of where it is made is a triangle, in the color of texts.
        ink = self.get(f"""(({{scene, picture: {{low, high}}}}) => {{
          const marks = document.getElementById("marks"), {{width, height}} = marks;
          return [...marks.getContext("2d").getImageData(Math.round(scene.toX({step}, width)) - 4,
            Math.round(scene.toY((low[{block}] + high[{block}]) / 2, height)), 1, 1).data];
        }})(hlobufPage)""")
        self.check(f"a mark is drawn: {ink}", ink == [28, 33, 38, 255])

    def look_at_sizes(self):
        """Whole numbers at axes, and sizes in one line."""
        record = """(() => {
          const drawn = [], real = CanvasRenderingContext2D.prototype.fillText;
          CanvasRenderingContext2D.prototype.fillText = function (text, x, y) {
            const wide = this.measureText(text).width, left = this.textAlign === "right" ? x - wide : x;
            if (this.canvas.className === "axis" || (this.canvas.id === "marks" && y > this.canvas.height - 15))
              drawn.push([text, /^[+]?[0-9]/.test(text) && !/^[0-9]*…/.test(text) && left >= 0 && left + wide <= this.canvas.width + 0.5]);
            real.call(this, text, x, y);
          };
          hlobufPage.painter.paint(hlobufPage.state);
          CanvasRenderingContext2D.prototype.fillText = real;
          return drawn;
        })()"""
        for size in ((1280, 800), PHONE):
            self.open("large.html", size)
            # All; a last tick at the right; deep inside of large numbers, where ticks are long.
            for frame in ("0, 10000, 0, 2 ** 27", "0, 1003 / 1.04, 0, 2 ** 27", "9990, 9999, 1023.2 * 2 ** 10, 1023.9 * 2 ** 10"):
                self.get(f"hlobufPage.scene.frame({frame}), 0")
                ticks = self.get(record)
                cut = [text for text, fits in ticks if not fits]
                self.check(f"{size[0]} px wide, of {len(ticks)} ticks some are cut: {cut}", len(ticks) > 5 and not cut)
            heights = self.get("""[4, 1023.99 * 2 ** 20].map(bytes => {
              showList("", [{bytes: bytesText(bytes), text: "a"}], 1);
              return document.querySelector("#list .bytes").offsetHeight;
            })""")
            self.check(f"a size wraps: {heights}", heights[0] == heights[1])

    def look_as_on_a_phone(self):
        self.open("defect.html", PHONE)
        bottom = self.get("document.querySelector('#detail b').getBoundingClientRect().bottom")
        self.check(f"the finding is seen at once: {bottom}", 0 < bottom < PHONE[1] / 2)
        for page in ("defect.html", "plain.html", "too-large.html"):
            self.open(page, PHONE)
            width = self.get("document.documentElement.scrollWidth")
            self.check(f"{width} px wide", width <= PHONE[0])
            self.check("there is room for the blocks", self.get("document.getElementById('stage').clientHeight") > 200)
            for part in ("header", "#curve", "#stage", "#headline", "#detail", "#list"):
                right = self.get(f"document.querySelector('{part}').getBoundingClientRect().right")
                self.check(f"{part} ends at {right}", right <= PHONE[0])


def walk(folder):
    """What is wrong with the pages of view_pages.py in a folder."""
    with Browser() as browser:
        walk = Walk(browser, folder)
        walk.walk_tabs()
        walk.walk_search()
        walk.walk_list()
        walk.walk_dialog()
        walk.walk_tips()
        walk.look_at_too_large()
        walk.look_at_sums()
        walk.look_at_links()
        walk.look_at_advice()
        walk.look_at_copies()
        walk.look_at_sizes()
        walk.look_as_on_a_phone()
        return walk.problems + [f"an error on the console: {error}" for error in browser.errors]
