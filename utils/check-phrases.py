#!/usr/bin/env python3
"""Checks that messages, pages and comments use plain American English.

Each phrase below reads like a translation, or is a metaphor of our own for which the
field has a word. The list is about habits, not taste: a phrase is here only if the
replacement is always better. See "How a message is written" in docs/hacking.md.

Prints a line for each hit; the last line is: N phrases, N hits
"""

import argparse
import pathlib
import re
import sys

import registry

# Regular expressions, matched against single lines, case included: identifiers are
# camel case and do not match.
PHRASES = {
    r"(?<!here )\b(?:is|are|was|were) no (?!longer\b|more\b|less\b|fewer\b|better\b|worse\b)[a-z]": "is not a",
    r"\bexactly if\b": "if and only if",
    r"\bbehind (?:the|it|a|an|its|each|row|them|those|that|which|what|whose|there)\b": "after, past",
    r"\bbehind [`'\"\\]|\b(?:one|ones|line|lines|step|first) behind\b": "after, past",
    r"\b(?:stands|stood)\b(?! for\b)": "is",
    r"\bstand (?:in|on|at|there|beside|below|above|before)\b": "is",
    r"\b(?:lies|lying)\b": "is, overlaps",
    r"\blie (?:in|at|on|over|beside|there|anywhere|inside)\b": "is, overlaps",
    r"\btells\b": "says, shows, distinguishes",
    r"\bbe told\b|\btold (?:from|by)\b": "be determined, from",
    r"\bof before\b": "from before",
    r"\btroubles\b": "problems",
    r"\b[Ww]hat holds\b": "name the rule",
    r"\bbesides?\b|\bBesides[,:]": "next to, in addition",
    r"\b[Hh]and(?:s|ed|ing)? (?:it |them |its \w+ |their \w+ )?on\b": "forwards",
    r"\b[Pp]ass(?:es|ed|ing)? (?:it |them |its \w+ |their \w+ )?on\b(?! the command)": "forwards",
    r"\bwitness(?:es)?\b": "module analysis",
    r"\b(?:house|houses|housed)\b": "a word of the field",
    r"\b(?:stranger|strangers|spokesman|tenure)\b": "a word of the field",
    r"\b[Ww]hoever\b": "name them",
    r"\bof no kind\b": "has no kind",
    r"\bis of (?:no|one|another|the same)\b": "has",
    r"\bof (?:another|different) times?\b": "from another compilation stage",
    r"\b(?:[Nn]eighbour|[Bb]ehaviour|[Cc]olour)": "American spelling",
    r"\bmisspelt\b": "misspelled",
    r"\bthe other way round\b": "vice versa",
    r"\b(?:in sum|for ever|not so elsewhere)\b": "in total, forever, not elsewhere",
    r"\b[Bb]y the module\b": "according to the module",
    r"\band said so\b": "and the tool says so",
}

# Where sentences are: messages, pages, comments.
FOLDERS = ("docs", "lib", "python", "test", "tools", "utils")


def is_checked(path):
    if path.parts[:2] == ("test", "Inputs") or path.stem == "check-phrases":
        return False
    return (path.parts[0] in FOLDERS or len(path.parts) == 1 and path.suffix == ".md") and path.suffix != ".css"


def find(root, files):
    """Yields (path, line number, the words that are there, what to write)."""
    phrases = [(re.compile(phrase), better) for phrase, better in PHRASES.items()]
    for path in files:
        if not is_checked(path):
            continue
        try:
            lines = (root / path).read_text(encoding="utf-8").splitlines()
        except UnicodeDecodeError:
            continue
        for number, line in enumerate(lines, 1):
            for phrase, better in phrases:
                for match in phrase.finditer(line):
                    yield path, number, match[0], better


def main():
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="print only hits")
    parser.add_argument("--root", type=pathlib.Path, default=registry.ROOT)
    arguments = parser.parse_args()
    hits = list(find(arguments.root, registry.files_of(arguments.root)))
    for path, number, words, better in hits:
        print(f"{path}:{number}: '{words}': write {better}")
    if not arguments.check:
        print(f"{len(PHRASES)} phrases, {len(hits)} hits")
    return 1 if hits else 0


if __name__ == "__main__":
    sys.exit(main())
