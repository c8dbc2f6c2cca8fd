#!/usr/bin/python3
"""A judge that agrees with everything, and lets a test kill a run in the middle: see arm() in support.sh."""
import json
import os
import sys
import time

FOLDER = os.environ.get("HOLD", ".")
ARMED, REACHED = (os.path.join(FOLDER, name) for name in ("armed", "reached"))
for line in sys.stdin:
    if json.loads(line)["id"] == "held" and os.path.exists(ARMED):
        with open(REACHED + ".new", "w", encoding="ascii") as file:
            print(os.getppid(), file=file)
        os.rename(REACHED + ".new", REACHED)
        while os.path.exists(ARMED):
            time.sleep(0.01)
    print('{"score": 1}', flush=True)
