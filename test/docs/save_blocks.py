"""save_blocks.py PAGE FOLDER: the programs of a page, as it says that they are called."""

import pathlib
import re
import sys

BLOCK = re.compile(r"^<!-- save: (\S+) -->\n```python\n(.*?)^```$", re.M | re.S)
page, folder = map(pathlib.Path, sys.argv[1:])
for name, text in BLOCK.findall(page.read_text(encoding="utf-8")):
    (folder / name).write_text(text, encoding="utf-8")
