"""show_trace.py FILE: prints the events of a trace, and checks what viewers rely on."""

import json
import sys

with open(sys.argv[1], encoding="utf-8") as file:
    events = json.load(file)["traceEvents"]
lanes = {e["tid"]: e["args"]["name"] for e in events if e["name"] == "thread_name"}
ends = {lane: [] for lane in lanes}
for event in events:
    if event["ph"] != "X":
        continue
    begin, end = event["ts"], event["ts"] + event["dur"]
    around = ends[event["tid"]]
    while around and around[-1] <= begin:
        around.pop()
    # Events of a lane follow each other, or one is inside of the other.
    assert begin < end and (not around or end <= around[-1]), event
    around.append(end)
    lane, args = lanes[event["tid"]].removeprefix("the "), event["args"]
    print(f"{lane}: {args['thunk']} {event['name']} [{begin}, {end}): {'; '.join(args['slices'])}")
