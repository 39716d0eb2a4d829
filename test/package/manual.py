"""Man page and completions, where `cmake --install` puts them, in the real readers
of them: every option of --help is in each, and the shells complete it. Some test
uses it, too.

REQUIRES: man, bash, zsh, fish
RUN: %venv-python %s
"""

import os
import pty
import re
import select
import time

from support import (
    BUILD,
    CLEAN,
    INPUTS,
    ROOT,
    assignment,
    clean_place,
    environment,
    run,
)

BASH = """
source {file}
compopt() {{ :; }}
complete_words() {{
  COMP_WORDS=("$@") COMP_CWORD=$(($# - 1))
  _hlobuf_verify
  printf '%s\\n' "${{COMPREPLY[@]}}"
}}
complete_words {words}
"""


class Bash:
    def __init__(self, share):
        self.file = share / "bash-completion" / "completions" / "hlobuf-verify"

    def complete(self, text):
        words = re.findall(r"=|[^\s=]+", text)
        if text.endswith(("=", " ")):
            words.append("")
        quoted = " ".join(f"'{word}'" for word in words)
        return run("bash", "-uc", BASH.format(file=self.file, words=quoted)).split()


class Fish:
    def __init__(self, share):
        self.file = share / "fish" / "vendor_completions.d" / "hlobuf-verify.fish"

    def complete(self, text):
        command = f"source {self.file}; complete -C '{text}'"
        lines = run("fish", "--no-config", "-c", command).splitlines()
        return [line.split("\t")[0] for line in lines]


class Zsh:
    """zsh completes only at a terminal."""

    def __init__(self, share):
        self.functions = share / "zsh" / "site-functions"

    def complete(self, text):
        place = clean_place()
        (place / ".zshrc").write_text(
            f"fpath=({self.functions} $fpath)\n"
            f"autoload -U compinit; compinit -u -d {place}/dump\n"
            "unsetopt prompt_cr prompt_sp zle_bracketed_paste; LISTMAX=10000\n"
            "zstyle ':completion:*' list-separator '|'\nPS1='READY> '\n"
        )
        child, terminal = pty.fork()
        if not child:
            changes = {
                "ZDOTDIR": str(place),
                "TERM": "dumb",
                "COLUMNS": "300",
                "LINES": "400",
            }
            os.execvpe("zsh", ["zsh", "-d", "-i"], environment(**changes))
        try:
            self.read_until(terminal, "READY> ")
            # Twice: the first completes what is common, the second lists.
            os.write(terminal, f"{text}\t\t".encode())
            shown = self.read_until(terminal, None)
        finally:
            os.close(terminal)
            os.waitpid(child, 0)
        return re.findall(r"[^\s|]+", shown.replace("\b", " "))

    @staticmethod
    def read_until(terminal, words):
        """What is printed until these words, or until nothing comes any more."""
        text, end = "", time.monotonic() + 60
        while time.monotonic() < end:
            quiet = 60 if words else 3
            if not select.select([terminal], [], [], quiet)[0]:
                break
            text += os.read(terminal, 65536).decode(errors="replace")
            if words and words in text:
                break
        return text


def options_of(help_text):
    rows = help_text.partition("OPTIONS:")[2]
    return re.findall(r"^  (--?\w[\w-]*)", rows, re.MULTILINE)


def check_shell(shell, options):
    name = type(shell).__name__
    offered = shell.complete("hlobuf-verify -")
    words = {word.rstrip("=") for word in offered}
    missing = [option for option in options if option not in words]
    assert not missing, (name, missing, offered)
    for text, wanted in (
        ("hlobuf-verify --explain=buffer-", "buffer-overlap"),
        ("hlobuf-verify --checks=numbering,peak-l", "peak-list"),
        ("hlobuf-verify --emit=", "findings"),
        ("hlobuf-verify --output=sa", "sarif:"),
    ):
        offered = " ".join(shell.complete(text))
        assert wanted in offered, (name, text, offered)
    path = assignment(CLEAN)
    offered = " ".join(shell.complete(f"hlobuf-verify {CLEAN}/"))
    assert path.name in offered, (name, offered)


def check_tests(options):
    """Every option is in some test."""
    folders = [folder for folder in (ROOT / "test").iterdir() if folder != INPUTS]
    suffixes = (".py", ".test", ".toy", ".txt")
    text = "\n".join(
        path.read_text(encoding="utf-8", errors="replace")
        for folder in folders
        for path in folder.rglob("*")
        if path.suffix in suffixes and path.is_file()
    )
    untested = [o for o in options if not re.search(rf"(?<![-\w]){o}(?![-a-z])", text)]
    assert not untested, untested


def check_man_page(place, tool, options):
    """Every option is in it, and man has no complaint."""
    page = place / "share" / "man" / "man1" / f"{tool}.1"
    env = environment(MANWIDTH="200", MAN_KEEP_FORMATTING="", LC_ALL="C.UTF-8")
    text = run("man", "--warnings", "-l", page, env=env)
    assert "warning" not in text.splitlines()[0], text
    missing = [o for o in options if not re.search(rf"^ +{o}\b", text, re.MULTILINE)]
    assert not missing, (missing, text)
    for heading in ("NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT STATUS"):
        assert re.search(f"^{heading}$", text, re.MULTILINE), heading


def main():
    place = clean_place()
    run("cmake", "--install", BUILD, "--prefix", place)
    for tool in ("hlobuf-view", "hlobuf-diff", "hlobuf-fit", "hlobuf-reduce"):
        check_man_page(place, tool, options_of(run(place / "bin" / tool, "--help")))
    options = options_of(run(place / "bin" / "hlobuf-verify", "--help"))
    assert len(options) > 15, options
    # The same without groups, by LLVM.
    listed = options_of(run(place / "bin" / "hlobuf-verify", "--help-list"))
    assert set(options) - set(listed) <= {"--help-list"}, listed
    check_tests(options)

    check_man_page(place, "hlobuf-verify", options)
    for shell in (Bash, Fish, Zsh):
        check_shell(shell(place / "share"), options)


main()
