"""What machines read is valid by the schemas of those who read it: SARIF 2.1.0 by
OASIS, JUnit by Jenkins' xunit plugin, JSON by our own.

RUN: %venv-python %s
"""

import json

import jsonschema
from lxml import etree
from support import BUILD, PACKAGES, ROOT, clean_place, run

SARIF = PACKAGES / "sarif-schema-2.1.0.json"
JUNIT = PACKAGES / "junit-10.xsd"
OURS = ROOT / "docs" / "schema" / "hlobuf-1.schema.json"


def reports(place, inputs, status):
    """The three reports of one run, by their formats."""
    paths = {each: place / f"report.{each}" for each in ("json", "sarif", "junit")}
    outputs = [f"--output={each}:{path}" for each, path in paths.items()]
    run(
        BUILD / "bin" / "hlobuf-verify",
        "--summary",
        *outputs,
        *inputs,
        cwd=ROOT,
        status=status,
    )
    return paths


def check_sarif(path, errors):
    schema = json.loads(SARIF.read_text())
    assert schema["id"].endswith(
        "/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
    )
    validator = jsonschema.Draft4Validator(schema)
    sarif = json.loads(path.read_text())
    validator.validate(sarif)
    results = sarif["runs"][0]["results"]
    assert sum(each["level"] == "error" for each in results) == errors, results
    results[0:1] = [{"text": "no result"}]
    assert not validator.is_valid(sarif)


def check_junit(path, dumps, failed):
    schema = etree.XMLSchema(etree.parse(JUNIT))
    tree = etree.parse(path)
    schema.assertValid(tree)
    cases = tree.findall(".//testcase")
    assert len(cases) >= dumps, len(cases)
    assert len(tree.findall(".//failure")) + len(tree.findall(".//error")) >= failed
    cases[0].set("wrong", "x")
    assert not schema.validate(tree)


def check_json(path, dumps):
    schema = json.loads(OURS.read_text())
    jsonschema.Draft202012Validator.check_schema(schema)
    validator = jsonschema.Draft202012Validator(schema)
    lines = path.read_text().splitlines()
    assert len(lines) == dumps, len(lines)
    for line in lines:
        validator.validate(json.loads(line))
    first = json.loads(lines[0])
    del first["dump"]
    assert not validator.is_valid(first)


def main():
    place = clean_place()
    inputs = ["test/Inputs"]
    paths = reports(place, inputs, 1)
    check_sarif(paths["sarif"], 19)
    check_junit(paths["junit"], 25, 19)
    check_json(paths["json"], 25)

    # What is hard to put into a report: bytes that are not text, no place, no dump.
    [text] = (ROOT / "test/Inputs/clean-cpu").glob("*-buffer-assignment.txt")
    odd = place / 'odd "<&>" \u00e9-buffer-assignment.txt'
    odd.write_bytes(text.read_bytes().replace(b"<19 table", b'<19 t\x01\xff]]>"'))
    unreadable = place / "unreadable-buffer-assignment.txt"
    unreadable.write_bytes(b"\x1f\x8b no gzip")
    paths = reports(place, [odd, unreadable, text], 2)
    check_sarif(
        paths["sarif"],
        sum(
            finding["severity"] == "error"
            for line in paths["json"].read_text().splitlines()
            for finding in json.loads(line)["findings"]
        ),
    )
    check_junit(paths["junit"], 3, 2)
    check_json(paths["json"], 3)


main()
