"""show_sarif.py FILE: the parts of a SARIF file that tests look at."""
import json
import sys


def place(location):
    physical = location["physicalLocation"]
    text = physical["artifactLocation"]["uri"]
    region = physical.get("region")
    if region:
        text += ":{startLine}:{startColumn}-{endColumn}".format(**region)
    return text


with open(sys.argv[1], encoding="utf-8") as file:
    log = json.load(file)
print("version", log["version"])
(run,) = log["runs"]
print("columns", run["columnKind"])
rules = run["tool"]["driver"]["rules"]
for rule in rules:
    level = rule.get("defaultConfiguration", {}).get("level")
    print(f"rule {rule['id']} {level}: {rule['shortDescription']['text']}")
    if "help" in rule:
        print("help:", rule["help"]["markdown"].splitlines()[0])
for result in run["results"]:
    assert rules[result["ruleIndex"]]["id"] == result["ruleId"]
    text = f"result {result['ruleId']} {result['level']} at {place(result['locations'][0])}"
    text += " " + result["partialFingerprints"]["hlobuf/v1"]
    for suppression in result.get("suppressions", []):
        text += " suppressed: " + suppression["justification"]
    print(text)
    for related in result.get("relatedLocations", []):
        print(f"related {place(related)}: {related['message']['text']}")
(invocation,) = run["invocations"]
for notification in invocation.get("toolExecutionNotifications", []):
    (where,) = notification["locations"]
    print(f"notification {notification['level']}: {notification['message']['text']} ({place(where)})")
for dump, verdict in run["properties"]["verdict"].items():
    print("verdict", dump, verdict)
print("invocation", invocation["executionSuccessful"], invocation["exitCode"])
