"""A chromium that is driven through a pipe, with real keys and screenshots of any size.

    with Browser() as browser:
        browser.open(page, (1280, 800), dark=True)
        browser.press("Tab")
        print(browser.evaluate("document.activeElement.id"))
        browser.screenshot(path)

It speaks Chrome's DevTools protocol: messages in JSON that end with a zero byte, over file
descriptors 3 and 4 of the browser.
"""

import base64
import json
import os
import pathlib
import select
import subprocess
import tempfile

FLAGS = [
    "--headless=new",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--hide-scrollbars",
    "--remote-debugging-pipe",
]
# Keys that are not what they print: their codes.
CODES = {
    "Tab": 9,
    "Enter": 13,
    "Escape": 27,
    "ArrowLeft": 37,
    "ArrowUp": 38,
    "ArrowRight": 39,
    "ArrowDown": 40,
}
SHIFT = 8
LONGEST = 60  # seconds between two messages


def what_failed(details):
    return details.get("exception", {}).get("description") or details["text"]


class Browser:
    def __enter__(self):
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, theirs = os.pipe()
        self.answers = read
        self.received = b""
        ours, write = os.pipe()
        self.requests = os.fdopen(write, "wb")
        # The shell gives the browser the numbers that it expects.
        self.process = subprocess.Popen(
            ["bash", "-c", f'exec 3<&{ours} 4>&{theirs}; exec chromium "$@"', "chromium"]
            + [*FLAGS, f"--user-data-dir={self.profile.name}"],
            pass_fds=(ours, theirs),
            stderr=subprocess.DEVNULL,
        )
        os.close(ours)
        os.close(theirs)
        self.count = 0
        self.session = None
        self.errors = []
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        attached = self.send("Target.attachToTarget", targetId=target, flatten=True)
        self.session = attached["sessionId"]
        for domain in ("Page", "Runtime"):
            self.send(f"{domain}.enable")
        return self

    def __exit__(self, *_):
        self.process.kill()
        self.process.wait()
        self.requests.close()
        os.close(self.answers)
        self.profile.cleanup()

    def receive(self):
        while b"\0" not in self.received:
            if not select.select([self.answers], [], [], LONGEST)[0]:
                raise RuntimeError("the browser does not answer")
            data = os.read(self.answers, 1 << 16)
            if not data:
                raise RuntimeError("the browser ended")
            self.received += data
        message, _, self.received = self.received.partition(b"\0")
        message = json.loads(message)
        if message.get("method") == "Page.loadEventFired":
            self.loaded = True
        if message.get("method") == "Runtime.exceptionThrown":
            self.errors.append(what_failed(message["params"]["exceptionDetails"]))
        return message

    def send(self, method, **parameters):
        """The answer to a command."""
        self.count += 1
        request = {"id": self.count, "method": method, "params": parameters}
        if self.session:
            request["sessionId"] = self.session
        self.requests.write(json.dumps(request).encode() + b"\0")
        self.requests.flush()
        while (message := self.receive()).get("id") != self.count:
            pass
        if "error" in message:
            raise RuntimeError(f"{method}: {message['error']}")
        return message["result"]

    def open(self, page, size=(1280, 800), dark=False):
        """Shows a file as large as the screen."""
        scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
        self.send("Emulation.setEmulatedMedia", features=[scheme])
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 1, "mobile": False}
        self.send("Emulation.setDeviceMetricsOverride", **metrics)
        # The page may be loaded before the command is answered.
        self.loaded = False
        self.send("Page.navigate", url=pathlib.Path(page).resolve().as_uri())
        while not self.loaded:
            self.receive()
        self.settle()

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.evaluate("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")

    def evaluate(self, script):
        answer = self.send("Runtime.evaluate", expression=script, awaitPromise=True, returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(what_failed(answer["exceptionDetails"]))
        return answer["result"].get("value")

    def press(self, *keys):
        """Presses and releases keys, as `a`, `?`, `Tab` or `Shift+Tab`."""
        for key in keys:
            name = key.removeprefix("Shift+")
            event = {"key": name, "modifiers": SHIFT if name != key else 0}
            event["windowsVirtualKeyCode"] = CODES.get(name, ord(name[0].upper()))
            if name not in CODES:
                event["text"] = name
            elif name == "Enter":
                event["text"] = "\r"
            self.send("Input.dispatchKeyEvent", type="keyDown", **event)
            self.send("Input.dispatchKeyEvent", type="keyUp", **event)
        self.settle()

    def move(self, x, y):
        """Moves the mouse."""
        self.send("Input.dispatchMouseEvent", type="mouseMoved", x=x, y=y)
        self.settle()

    def screenshot(self, path):
        data = self.send("Page.captureScreenshot", format="png")["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(data))
