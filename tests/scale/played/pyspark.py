"""Plays what samples/scale/spark_parts.py needs of PySpark: lines of a file in partitions, and tasks that are tried four times."""
import os
import sys
from concurrent.futures import ThreadPoolExecutor
from functools import reduce

PARTITIONS = int(os.environ.get("SPLITS", "7"))


def tried(task):
    for _ in range(3):
        try:
            return task()
        except Exception as error:  # pylint: disable=broad-except
            print(f"task failed: {error}", file=sys.stderr)
    return task()


class Partitions:
    def __init__(self, partitions):
        self.partitions = partitions  # functions; each gives what is in one

    def getNumPartitions(self):  # pylint: disable=invalid-name
        return len(self.partitions)

    def mapPartitionsWithIndex(self, function):  # pylint: disable=invalid-name
        return Partitions([lambda i=i, one=one: list(function(i, iter(one()))) for i, one in enumerate(self.partitions)])

    def pipe(self, command, checkCode=False):  # pylint: disable=invalid-name
        raise NotImplementedError(command, checkCode)

    def treeReduce(self, function):  # pylint: disable=invalid-name
        with ThreadPoolExecutor(4) as pool:
            level = [value for values in pool.map(tried, self.partitions) for value in values]
        while len(level) > 3:  # groups of what lies far apart, as after Spark's shuffle
            level = [reduce(function, level[i :: (len(level) + 2) // 3]) for i in range((len(level) + 2) // 3)]
        return reduce(function, level)


class SparkContext:
    def __init__(self, appName):  # pylint: disable=invalid-name
        self.name = appName

    def textFile(self, name):  # pylint: disable=invalid-name
        with open(name, encoding="utf-8", errors="replace", newline="\n") as file:
            lines = file.read().splitlines()
        cuts = [len(lines) * i // PARTITIONS for i in range(PARTITIONS + 1)]
        return Partitions([lambda i=i: lines[cuts[i] : cuts[i + 1]] for i in range(PARTITIONS)])

    def stop(self):
        pass
