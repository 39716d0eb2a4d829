"""archive.py OUT FOLDER..: an archive of folders, as bug reports attach them.

The kind follows from the name: .tar, .tar.gz, .zip; pax for long names.
"""
import os
import sys
import tarfile
import zipfile

out, *folders = sys.argv[1:]
files = [
    (os.path.join(base, name), os.path.join("dump", os.path.basename(base), name))
    for folder in folders
    for base, _, names in sorted(os.walk(folder))
    for name in sorted(names)
]
if out.endswith(".zip"):
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files:
            archive.write(path, name)
else:
    mode = "w:gz" if out.endswith(".gz") else "w"
    form = tarfile.GNU_FORMAT if "gnu" in out else tarfile.PAX_FORMAT
    with tarfile.open(out, mode, format=form) as archive:
        for path, name in files:
            archive.add(path, name)
