"""view_pictures.py HLOBUF_VIEW INPUTS OUT [--too-large DUMP]: takes the pictures of docs/view.md.

DUMP is one of a program that does not fit: without it, there are no new pictures of that.
Pillow makes them small.
"""

import argparse
import pathlib
import subprocess
import tempfile

import view_pages
from browser import Browser
from PIL import Image

DESK, PHONE = (1280, 800), (390, 844)


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("tool")
    parser.add_argument("inputs", type=pathlib.Path)
    parser.add_argument("out", type=pathlib.Path)
    parser.add_argument("--too-large", type=pathlib.Path)
    options = parser.parse_args()
    # Name, page, size, whether it is dark, and what is done before.
    pictures = [
        ("view-defect", "defect", (1280, 720), False, 'press("f")'),
        ("view-row", "row", PHONE, True, 'press("f")'),
        ("view-copies", "copies", (1280, 720), False, 'listCopies(), hlobufPage.chooseCopy(hlobufPage.picture.copies[1]), hlobufPage.press("0")'),
        ("view-large", "large", DESK, True, 'setMode("operation"); hlobufPage.clear()'),
    ]
    if options.too_large:
        pictures.append(("view-too-large", "gpt", DESK, False, "redraw()"))
    with tempfile.TemporaryDirectory() as name, Browser() as browser:
        folder = pathlib.Path(name)
        view_pages.make_pages(options.tool, options.inputs, folder)
        if options.too_large:
            subprocess.run([options.tool, options.too_large, "-o", folder / "gpt.html"], check=True)
        for name, page, size, dark, action in pictures:
            browser.open(folder / f"{page}.html", size, dark)
            browser.evaluate(f"hlobufPage.{action}, 0")
            browser.settle()
            path = options.out / f"{name}.png"
            browser.screenshot(path)
            with Image.open(path) as image:
                image.convert("RGB").quantize(64, dither=Image.Dither.NONE).save(path, optimize=True)
            print(path.name, path.stat().st_size)


main()
