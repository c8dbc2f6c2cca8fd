"""What the tests of the Python package share."""
import json
import os
import random
import subprocess
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[3]
PROGRAM = os.environ["EVALENGINE"]

pytest_plugins = ["pytester"]

TOTALS = 'return ee.rules { ee.fields { ee.exact "currency", ee.numeric { "total", tolerance = 0.01 } } }'


def read_jsonl(path):
    return [json.loads(line) for line in Path(path).read_text().splitlines()]


def write_jsonl(path, records):
    """The bytes that evaluate() makes of records: the signature of a report has their hash."""
    Path(path).write_text("".join(json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n"
                                  for record in records))
    return Path(path)


def program(*words, folder=None, status=None):
    """What the program prints on standard output."""
    done = subprocess.run([PROGRAM, *map(str, words)], cwd=folder, capture_output=True, text=True, timeout=120)
    if status is not None:
        assert done.returncode == status, done.stderr
    return done.stdout


@pytest.fixture
def seed():
    """Printed when a test fails; EE_TEST_SEED=N repeats it."""
    number = int(os.environ.get("EE_TEST_SEED", "1907"))
    print(f"EE_TEST_SEED={number}")
    return random.Random(number)


@pytest.fixture(scope="session")
def invoices():
    return read_jsonl(ROOT / "samples/invoices.jsonl")


@pytest.fixture
def in_root(monkeypatch):
    """The test runs in the project's folder."""
    monkeypatch.chdir(ROOT)
    return ROOT
