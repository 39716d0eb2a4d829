"""validate_json.py SCHEMA FILE: checks each line of FILE."""
import json
import sys

import jsonschema

with open(sys.argv[1], encoding="utf-8") as file:
    schema = json.load(file)
jsonschema.Draft202012Validator.check_schema(schema)
validator = jsonschema.Draft202012Validator(schema)
with open(sys.argv[2], encoding="utf-8") as file:
    lines = file.read().splitlines()
for number, line in enumerate(lines, 1):
    for error in validator.iter_errors(json.loads(line)):
        sys.exit(f"line {number}: {error.json_path}: {error.message}")
print(f"{len(lines)} lines are valid")
