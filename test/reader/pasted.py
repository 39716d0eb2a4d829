"""pasted.py INPUTS: dumps in the texts that people paste them into.

Each dump, on standard input, has to get its own verdict in every disguise that can be
undone, and exit status 2 with a reason, never `broken`, in the others. With a fault
that no disguise explains, the first ones are broken.
"""

import glob
import html
import re
import subprocess
import sys

inputs = sys.argv[1]
DUMPS = ("clean-combined", "clean-cpu", "clean-cpu-cond", "clean-tpu", "clean-tpu-loop")


def each(form):
    """`form`, with the number of the line, before each line; blanks at ends get lost."""
    return lambda text: "".join(
        (form.format(number) + line).rstrip() + "\n" for number, line in enumerate(text.splitlines())
    )


def wrapped(columns):
    return lambda text: "".join(
        line[at : at + columns] + "\n"
        for line in text.splitlines()
        for at in range(0, max(1, len(line)), columns)
    )


UNDONE = {
    "fence": lambda text: f"It is wrong:\n\n```text\n{text}```\nThanks.\n",
    "tildes": lambda text: f"~~~\n{text}~~~\n",
    "blank line first": lambda text: "\n" + text,
    "thanks at the end": lambda text: text + "\nthanks\n",
    "quoted": each("> "),
    "quoted fence": lambda text: each("> ")(f"hi\n```\n{text}```\nbye\n"),
    "indented": each("    "),
    "glog": each("I0101 12:00:00.{0:06d} {0:7d} buffer_assignment.cc:12] "),
    "logging": each("2026-01-01 12:00:{0:02d},123 - INFO - train.py:7 - "),
    "kubectl": each("[pod/train-0/main] 2026-01-01T12:00:00.{0}Z "),
    "docker": each("train-1  | "),
    "first line of a log": lambda text: "I0101 12:00:00.000001 123 x.cc:12] " + text,
    "colors": lambda text: each("\x1b[32m")(text).replace("\n", "\x1b[0m\n"),
    "HTML": lambda text: "<pre>\n" + html.escape(text) + "</pre>\n",
    "CR LF after a line": lambda text: ("dump:\n" + text).replace("\n", "\r\n"),
    "byte order mark": lambda text: "\ufeff" + text,
    "empty lines between": lambda text: text.replace("\n", "\n\n"),
}
LEFT = {
    "wrapped at 80": wrapped(80),
    "wrapped at 100": wrapped(100),
    "each line twice": lambda text: re.sub("(.*\n)", r"\1\1", text),
    "empty lines doubled": lambda text: text.replace("\n\n", "\n\n\n"),
    "empty lines lost": lambda text: re.sub("\n+", "\n", text),
    "lines left out": lambda text: text[: len(text) // 3] + "\n...\n" + text[len(text) // 2 :],
}


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def dump(folder):
    """One text: the assignment, or all files as `--xla_dump_to=-` prints them."""
    paths = sorted(glob.glob(f"{inputs}/{folder}/*.txt"))
    if folder == "clean-combined":
        return next(read(path) for path in paths if path.endswith("assignment.txt"))
    name = lambda path: path.rpartition("/")[2]
    return "".join(f"*** Begin {name(p)} ***\n{read(p)}\n*** End {name(p)} ***\n" for p in paths)


def verify(text):
    run = subprocess.run(
        ["hlobuf-verify", "-"], input=text.encode(), capture_output=True, timeout=60
    )
    out = (run.stdout + run.stderr).decode(errors="replace")
    verdict = re.sub("; not used: .*", "", run.stdout.decode().splitlines()[-1])
    return run.returncode, verdict, out


def is_left(status, out):
    reasons = ("edited or copied?", "cut off", "could not be read")
    return status == 2 and "broken" not in out and any(reason in out for reason in reasons)


def judge(texts, wanted):
    for name, disguise in (UNDONE | LEFT).items():
        kinds = {"same": 0, "not shown": 0, "WRONG": 0}
        for text, (status, verdict) in zip(texts, wanted):
            found, line, out = verify(disguise(text))
            kind = "WRONG"
            if (found, line) == (status, verdict):
                kind = "same"
            elif is_left(found, out):
                kind = "not shown"
            kinds[kind] += 1
        print(f"  {name}:", ", ".join(f"{n} {kind}" for kind, n in kinds.items() if n))


texts = [dump(folder) for folder in DUMPS]
plain = [verify(text)[:2] for text in texts]
print("sound:", [status for status, _ in plain])
judge(texts, plain)
faulty = texts[0].replace("Total bytes used: 1", "Total bytes used: 2", 1)
status, verdict, _ = verify(faulty)
print("faulty:", status, verdict[:28])
judge([faulty], [(status, verdict)])
