"""convert.py crlf|bom FOLDER FILES...: copies FILES, as other systems store them."""

import os
import sys

how, folder, *files = sys.argv[1:]
for path in files:
    with open(path, "rb") as text:
        data = text.read()
    data = data.replace(b"\n", b"\r\n") if how == "crlf" else b"\xef\xbb\xbf" + data
    with open(os.path.join(folder, os.path.basename(path)), "wb") as out:
        out.write(data)
