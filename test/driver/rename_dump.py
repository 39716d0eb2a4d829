"""rename_dump.py FROM TO STEM: copies the files of the dump in folder FROM,
with STEM instead of the first two parts of their names."""
import pathlib
import shutil
import sys

source, target, stem = sys.argv[1:]
pathlib.Path(target).mkdir(parents=True, exist_ok=True)
for path in sorted(pathlib.Path(source).iterdir()):
    shutil.copyfile(path, pathlib.Path(target) / ".".join([stem, *path.name.split(".")[2:]]))
