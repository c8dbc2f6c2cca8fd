#!/usr/bin/python3
"""Evaluates JSON Lines with Spark, one part a partition, and merges the states as a tree.

    spark-submit spark_parts.py RULES DATA [-f FORMAT] [-o FILE] ...

evalengine and RULES must be on all workers under the same names. DATA is anything that SparkContext.textFile reads.
Options of the run, such as "--set x=1 --id doc_id", which merge needs as well, are in the variable OPTIONS.

Shorter, where lost partitions need not be noticed: sc.textFile(DATA).pipe("evalengine RULES - --state -", checkCode=True).
Without checkCode=True, PySpark ignores the exit status, and a partition that failed is missing in silence; and a piped program
is not given the number of its partition, so that merge cannot tell whether all are there.
"""
import os
import shlex
import subprocess
import sys

from pyspark import SparkContext


def evalengine(arguments, lines):
    """What evalengine prints for these lines; an exception, upon which Spark tries the task again, where it fails."""
    with subprocess.Popen(["evalengine", *arguments], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        try:
            for line in lines:
                process.stdin.write(line.encode() + b"\n")
            process.stdin.close()
        except BrokenPipeError:
            pass  # its status says why
        printed = process.stdout.read().decode()
    if process.returncode != 0:
        raise RuntimeError(f"evalengine ended with status {process.returncode}; see the messages of this worker")
    return printed


def main():
    rules, data, *report = sys.argv[1:]
    options = shlex.split(os.environ.get("OPTIONS", ""))
    context = SparkContext(appName="evalengine")
    records = context.textFile(data)
    parts = records.getNumPartitions()

    def part(index, lines):
        yield evalengine([rules, "-", *options, "--part", f"{index + 1}/{parts}", "--state", "-"], lines)

    def merge(one, other):
        return evalengine(["merge", rules, "-", *options, "--state", "-"], (one + other).splitlines())

    state = records.mapPartitionsWithIndex(part).treeReduce(merge)
    context.stop()
    # The report, and the exit status of the whole run.
    return subprocess.run(["evalengine", "merge", rules, "-", *options, *report], input=state.encode(), check=False).returncode


if __name__ == "__main__":
    sys.exit(main())
