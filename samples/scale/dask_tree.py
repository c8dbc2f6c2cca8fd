#!/usr/bin/python3
"""Evaluates data in N parts with Dask, and merges their states as a tree.

    dask_tree.py [--scheduler ADDRESS] N RULES DATA... [-- OPTIONS OF MERGE]

Without --scheduler, the workers are processes of this machine. On a cluster, each worker needs evalengine, RULES and DATA under
the same names. States travel as bytes: no shared folder is needed for them. Options of the run, such as "--set x=1 --id doc_id",
which merge needs as well, are in the variable OPTIONS.
"""
import argparse
import os
import shlex
import subprocess
import sys

from dask.distributed import Client, LocalCluster

FAN_IN = 16  # states that one task merges
OPTIONS = shlex.split(os.environ.get("OPTIONS", ""))
RETRIES = 3  # attempts more at a task that fails; those of a lost worker are done again anyway


def evalengine(arguments, data=None):
    """What evalengine prints; an exception, which Dask reports, where it fails."""
    done = subprocess.run(["evalengine", *arguments], input=data, capture_output=True, check=False)
    if done.returncode != 0:
        raise RuntimeError(f"evalengine ended with status {done.returncode}: {done.stderr.decode(errors='replace')}")
    return done.stdout


def part(number, of, rules, data, options):
    return evalengine([rules, *data, *options, "--shard", f"{number}/{of}", "--state", "-", "--jobs", "1"])


def merge(rules, states, options):
    return evalengine(["merge", rules, "-", *options, "--state", "-"], b"".join(states))


def main():
    parser = argparse.ArgumentParser(usage=__doc__)
    parser.add_argument("--scheduler")
    parser.add_argument("parts", type=int)
    parser.add_argument("rules")
    parser.add_argument("data", nargs="+")
    own, options = sys.argv[1:], []
    if "--" in own:
        at = own.index("--")
        own, options = own[:at], own[at + 1 :]
    given = parser.parse_args(own)
    rules, data = os.path.abspath(given.rules), [os.path.abspath(name) for name in given.data]

    # No dashboard: it needs bokeh.
    cluster = given.scheduler or LocalCluster(n_workers=os.cpu_count(), threads_per_worker=1, processes=True, dashboard_address=None)
    with Client(cluster) as client:
        states = [client.submit(part, number, given.parts, rules, data, OPTIONS, pure=False, retries=RETRIES) for number in range(1, given.parts + 1)]
        while len(states) > 1:
            states = [client.submit(merge, rules, states[at : at + FAN_IN], OPTIONS, pure=False, retries=RETRIES) for at in range(0, len(states), FAN_IN)]
        state = states[0].result()
    if not given.scheduler:
        cluster.close()
    # The report, and the exit status of the whole run.
    return subprocess.run(["evalengine", "merge", given.rules, "-", *OPTIONS, *options], input=state, check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
