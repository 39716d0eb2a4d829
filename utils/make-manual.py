#!/usr/bin/env python3
"""make-manual.py TOOL FOLDER: writes the man page of TOOL and what shells need to
complete its options, from what it prints with --help and, where it has that option,
--explain.
make-manual.py --usage FILE TOOL...: writes the options of the tools into FILE; with
--check before FILE, fails where they differ.

    FOLDER/<tool>.1       man page
    FOLDER/<tool>         bash
    FOLDER/_<tool>        zsh
    FOLDER/<tool>.fish    fish
"""

import dataclasses
import pathlib
import re
import subprocess
import sys
import textwrap

OPTION = re.compile(r"  (?P<name>--?\w[\w-]*)(?P<optional>\[)?(?:=<(?P<value>[^>]+)>)?\]?\s+- (?P<text>.*)")
CHOICE = re.compile(r"    =(?P<name>[\w-]+)\s+-\s+(?P<text>.*)")
FURTHER = re.compile(r"\s{20,}(?P<text>\S.*)")
FILES = {"file", "folder", "path"}
CHECKS = {"globs", "check"}


@dataclasses.dataclass
class Option:
    name: str
    value: str
    text: str
    choices: list = dataclasses.field(default_factory=list)

    # What is offered after the `=`, where that is a few words.
    words: list = dataclasses.field(default_factory=list)
    lists_checks: bool = False
    # The value may be left out.
    optional: bool = False

    @property
    def needs_value(self):
        return bool(self.value) and not self.optional

    @property
    def takes(self):
        """What is completed after the `=`: words, checks, files or nothing."""
        if self.words:
            return "words"
        if self.value.lower() in FILES:
            return "files"
        return "checks" if self.value in CHECKS and self.lists_checks else ""


@dataclasses.dataclass
class Help:
    name: str
    version: str
    overview: list
    usage: str
    groups: dict
    checks: list

    @property
    def options(self):
        return [option for group in self.groups.values() for option in group]


def output(tool, *arguments):
    return subprocess.run(
        [tool, *arguments], stdout=subprocess.PIPE, check=True, text=True
    ).stdout


def parse_options(text):
    """Options by the title of their group; fails on a line of unknown form."""
    groups, group, last = {}, [], None
    for line in text.splitlines():
        option, choice = OPTION.fullmatch(line), CHOICE.fullmatch(line)
        further = FURTHER.fullmatch(line)
        if option and last and option["name"] == last.name:
            # One whose value may be left out is printed with and without it.
            last.value, last.optional = option["value"], True
        elif option:
            last = Option(option["name"], option["value"] or "", option["text"])
            last.optional = bool(option["optional"])
            group.append(last)
        elif choice and last:
            last.choices.append((choice["name"], choice["text"]))
            last.words.append(choice["name"])
        elif further and last:
            last.text += " " + further["text"]
        elif line.endswith(":") and not line.startswith(" "):
            group = groups.setdefault(line[:-1], [])
        elif line:
            raise SystemExit(f"make-manual: --help has a line of unknown form: {line}")
    add_formats([option for group in groups.values() for option in group])
    return groups


def add_formats(options):
    """--output takes a format of --format and a file."""
    formats = [o.words for o in options if o.name == "--format"]
    for option in options:
        if option.value == "format:file":
            option.words = [f"{word}:" for words in formats for word in words]


def read_help(tool):
    text = output(tool, "--help")
    overview, _, rest = text.partition("\nUSAGE: ")
    usage, _, options = rest.partition("\n\nOPTIONS:\n")
    lists_checks = "--explain[=" in options
    rows = output(tool, "--explain").splitlines() if lists_checks else []
    checks = [m[0] for m in (re.match(r"[a-z]+(-[a-z]+)*(?=\s)", r) for r in rows) if m]
    if not options or bool(checks) != lists_checks:
        raise SystemExit(f"make-manual: {tool} does not print what it used to")
    groups = parse_options(options)
    for option in (option for group in groups.values() for option in group):
        option.lists_checks = lists_checks
    paragraphs = overview.partition("OVERVIEW: ")[2].strip().split("\n\n")
    return Help(
        name=pathlib.Path(tool).name,
        version=output(tool, "--version").split()[-1],
        overview=[" ".join(each.split()) for each in paragraphs],
        usage=usage.strip(),
        groups=groups,
        checks=checks,
    )


def roff(text):
    """Text as roff has it: a leading dot and all dashes and backslashes are its own."""
    text = text.replace("\\", "\\e").replace("-", "\\-")
    return "\\&" + text if text.startswith((".", "'")) else text


def man_option(option):
    value = f"=\\fI{roff(option.value)}\\fR" if option.value else ""
    value = f"[{value}]" if option.optional else value
    yield ".TP"
    yield f"\\fB{roff(option.name)}\\fR{value}"
    yield roff(option.text)
    for name, text in option.choices:
        yield ".RS"
        yield ".TP"
        yield f"\\fB{roff(name)}\\fR"
        yield roff(text)
        yield ".RE"


def man_page(page):
    title, *about = page.overview
    yield f'.TH {roff(page.name.upper())} 1 "" "hlobuf {page.version}"'
    yield from (".SH NAME", f"{roff(page.name)} \\- {roff(title)}")
    yield ".SH SYNOPSIS"
    yield f"\\fB{roff(page.name)}\\fR" + roff(page.usage.removeprefix(page.name))
    yield ".SH DESCRIPTION"
    yield "\n.PP\n".join(roff(p) for p in about if not p.startswith("Exit status:"))
    yield ".SH OPTIONS"
    for title, options in page.groups.items():
        yield f'.SS "{roff(title)}"'
        for option in options:
            yield from man_option(option)
    yield ".SH EXIT STATUS"
    for paragraph in about:
        if paragraph.startswith("Exit status:"):
            yield roff(paragraph.removeprefix("Exit status:").strip())
    if not page.checks:
        return
    yield ".SH CHECKS"
    yield roff(f"{page.name} --explain=CHECK explains each of them.")
    yield ".PP"
    yield roff(", ".join(page.checks) + ".")


BASH = """\
# Completes the options of @TOOL@ in bash.
@FUNCTION@() {
  local Current=${COMP_WORDS[COMP_CWORD]} Option= Before=
  if [[ $Current == = ]]; then
    Option=${COMP_WORDS[COMP_CWORD - 1]} Current=
  elif ((COMP_CWORD > 1)) && [[ ${COMP_WORDS[COMP_CWORD - 1]} == = ]]; then
    Option=${COMP_WORDS[COMP_CWORD - 2]}
  fi
  COMPREPLY=()
  case $Option in
@CASES@
  --*) return ;;
  esac
  if [[ $Current == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W '@OPTIONS@' -- "$Current")
    [[ ${COMPREPLY[0]-} != *= ]] || compopt -o nospace 2>/dev/null
  else
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$Current")
  fi
}
complete -F @FUNCTION@ @TOOL@
"""
BASH_CHECKS = """\
    [[ $Current != *,* ]] || Before=${Current%,*},
    Current=${Current##*,}
    [[ $Current != -* ]] || Before+=- Current=${Current#-}
    compopt -o nospace 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -P "$Before" -W '@CHECKS@' -- "$Current")
    return
    ;;"""
BASH_FILES = """\
    compopt -o filenames 2>/dev/null
    mapfile -t COMPREPLY < <(compgen -f -- "$Current")
    return
    ;;"""
BASH_WORDS = """\
    mapfile -t COMPREPLY < <(compgen -W '@WORDS@' -- "$Current")
    [[ ${COMPREPLY[0]-} != *: ]] || compopt -o nospace 2>/dev/null
    return
    ;;"""


def bash_cases(page):
    for kind, body in (("checks", BASH_CHECKS), ("files", BASH_FILES)):
        names = [option.name for option in page.options if option.takes == kind]
        if names:
            yield f"  {' | '.join(names)})"
            yield body.replace("@CHECKS@", " ".join(page.checks))
    for option in page.options:
        if option.words:
            yield f"  {option.name})"
            yield BASH_WORDS.replace("@WORDS@", " ".join(option.words))


def bash(page):
    options = [o.name + ("=" if o.needs_value else "") for o in page.options]
    text = BASH.replace("@OPTIONS@", " ".join(options))
    text = text.replace("@CASES@", "\n".join(bash_cases(page)))
    function = "_" + page.name.replace("-", "_")
    return text.replace("@FUNCTION@", function).replace("@TOOL@", page.name)


def zsh_action(option, checks):
    if option.takes == "words":
        words = " ".join(option.words).replace(":", "\\:")
        value = option.value.replace(":", " ")
        return f":{value}:" + "{compadd " + f'-S "" - {words}' + "}"
    if option.takes == "checks":
        return f":{option.value}:_sequence compadd - {' '.join(checks)}"
    if option.takes == "files":
        return f":{option.value.replace(':', ' ')}:_files"
    return f":{option.value.replace(':', ' ')}: " if option.value else ""


def zsh(page):
    yield f"#compdef {page.name}"
    yield f"# Completes the options of {page.name} in zsh."
    yield "_arguments -S \\"
    for option in page.options:
        text = re.sub(r"([\[\]\\:])", r"\\\1", option.text).replace("'", "'\\''")
        value = ("=-" if option.optional else "=") if option.value else ""
        action = (":" if option.optional else "") + zsh_action(option, page.checks)
        yield f"  '*{option.name}{value}[{text}]{action}' \\"
    yield "  '*:dump:_files'"


FISH_CHECKS = """\
function __hlobuf_verify_checks
    set -l given (commandline -ct | string replace -r '^--[^=]*=' '')
    set -l before (string replace -r '[^,]*$' '' -- $given)
    for check in @CHECKS@
        echo $before$check
    end
end"""


def fish(page):
    yield f"# Completes the options of {page.name} in fish."
    if page.checks:
        yield FISH_CHECKS.replace("@CHECKS@", " ".join(page.checks))
    for option in page.options:
        text = option.text.replace("\\", "\\\\").replace("'", "\\'")
        kind = "-l" if option.name.startswith("--") else "-s"
        line = f"complete -c {page.name} {kind} {option.name.lstrip('-')} -d '{text}'"
        if option.takes == "files":
            line += " -F" if option.optional else " -r -F"
        elif option.needs_value:
            line += " -x"
        if option.takes == "checks":
            line += " -a '(__hlobuf_verify_checks)'"
        if option.takes == "words":
            line += f" -a '{' '.join(option.words)}'"
        yield line


def usage_entry(option):
    value = f"=<{option.value}>" if option.value else ""
    yield "  " + option.name + (f"[{value}]" if option.optional else value)
    words = "; ".join(f"{name}: {text}" for name, text in option.choices)
    text = option.text + (f" ({words})" if words else "")
    yield from textwrap.wrap(text, 100, initial_indent=" " * 6, subsequent_indent=" " * 6)


def usage(pages):
    """The options of the tools as text, without those of all programs."""
    for page in pages:
        yield page.usage
        for title, options in page.groups.items():
            own = [o for o in options if o.name not in ("--help", "--version")]
            if own:
                yield from ("", f"{title}:")
            for option in own:
                yield from usage_entry(option)
        yield ""


def write_usage(arguments):
    check = arguments[0] == "--check"
    path, *tools = arguments[check:]
    path = pathlib.Path(path)
    new = "\n".join(usage(map(read_help, tools))).rstrip() + "\n"
    if not check:
        path.write_text(new, encoding="utf-8")
    elif new != path.read_text(encoding="utf-8"):
        raise SystemExit(f"make-manual: {path} is not what the programs print with --help")


def main():
    if sys.argv[1] == "--usage":
        write_usage(sys.argv[2:])
        return
    tool, folder = sys.argv[1], pathlib.Path(sys.argv[2])
    page = read_help(tool)
    folder.mkdir(parents=True, exist_ok=True)
    for name, lines in (
        (f"{page.name}.1", man_page(page)),
        (page.name, bash(page).splitlines()),
        (f"_{page.name}", zsh(page)),
        (f"{page.name}.fish", fish(page)),
    ):
        text = "\n".join(lines) + "\n"
        (folder / name).write_text(text, encoding="utf-8")


main()
