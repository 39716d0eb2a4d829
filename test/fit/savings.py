"""Changes of a plan save at least a hundredth of what is missing, and no more than there is."""
import json
import sys

plan = json.load(sys.stdin)
missing = plan["allocated_bytes"] - plan["capacity_bytes"]
assert plan["plan"] and plan["candidates"]
assert all(change["saved_bytes"] * 100 > missing for change in plan["candidates"])
saved = sum(change["saved_bytes"] for change in plan["plan"])
assert saved == plan["peak_bytes"] - plan["predicted_bytes"], saved
