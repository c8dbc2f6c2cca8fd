"""Ctrl-C, threads, processes that fork."""
import concurrent.futures
import multiprocessing
import os
import signal
import subprocess
import sys
import textwrap
import threading
import time

import pytest

import evalengine
from conftest import TOTALS

NUMBERS = 'return ee.rules { ee.fields { ee.numeric "total" } }'
ENDLESS = 10 ** 9
LATE = 0.1 * os.getloadavg()[0] / os.cpu_count()  # seconds by which a busy machine is late


def numbers(count=ENDLESS):
    return ({"total": i} for i in range(count))


def interrupt_after(seconds):
    """Ctrl-C for this process, so long after go.set(); the moment is in the list that is returned."""
    moment, go = [], threading.Event()

    def send():
        go.wait()
        time.sleep(seconds)
        moment.append(time.monotonic())
        os.kill(os.getpid(), signal.SIGINT)

    thread = threading.Thread(target=send)
    thread.start()
    return moment, thread, go


SLOW_RULES = """return ee.rules { ee.judge { name = "slow", function(case)
  local n = 0
  for i = 1, 500000 do n = n + i % 3 end
  return 1
end } }"""


@pytest.mark.parametrize("seconds", [0.01, 0.5])
@pytest.mark.parametrize("name", ["numbers", "slow rules", "sleeping iterable", "on_case"])
def test_ctrl_c(name, seconds):
    def sleeping():
        yield {"total": 1}
        time.sleep(60)

    candidates = sleeping() if name == "sleeping iterable" else numbers()
    rules = SLOW_RULES if name == "slow rules" else NUMBERS
    on_case = (lambda case: time.sleep(60)) if name == "on_case" else None
    before = signal.getsignal(signal.SIGINT)
    moment, thread, go = interrupt_after(seconds)
    with pytest.raises(KeyboardInterrupt) as raised:
        go.set()
        evalengine.evaluate(numbers(), candidates, rules, cases=False, on_case=on_case)
    took = time.monotonic() - moment[0]
    thread.join()
    assert took < 0.2 + LATE
    assert signal.getsignal(signal.SIGINT) is before
    partial = getattr(raised.value, "result", None)  # none if the interrupt was before or after the call of the library
    assert partial is None or partial.interrupted
    if name == "numbers" and seconds == 0.5:
        assert len(partial) > 0 and partial.score == 1 and "interrupted" in str(partial)
    assert evalengine.evaluate(numbers(10), numbers(10), NUMBERS).score == 1


def test_a_handler_of_the_host_is_called():
    seen = []
    before = signal.signal(signal.SIGINT, lambda number, frame: seen.append(number))
    try:
        _, thread, go = interrupt_after(0.3)
        go.set()
        result = evalengine.evaluate(numbers(), numbers(), NUMBERS, cases=False,
                                     on_case=None, progress=lambda progress: not seen)
        thread.join()
        assert result.interrupted and seen == [signal.SIGINT]
    finally:
        signal.signal(signal.SIGINT, before)


def test_ctrl_c_in_another_process():
    """From a terminal: the traceback of KeyboardInterrupt, and no other output."""
    code = textwrap.dedent("""
        import sys, evalengine
        numbers = lambda: ({"total": i} for i in range(10 ** 9))
        print("started", flush=True)
        try:
            evalengine.evaluate(numbers(), numbers(), 'return ee.rules { ee.fields { ee.numeric "total" } }', cases=False)
        except KeyboardInterrupt as stop:
            print(len(stop.result) > 0)
        print(evalengine.evaluate([{"total": 1}], [{"total": 1}], 'return ee.rules { ee.fields { ee.numeric "total" } }').score)
    """)
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "started\n"
    time.sleep(0.5)
    child.send_signal(signal.SIGINT)
    out, err = child.communicate(timeout=20)
    assert (out, err, child.returncode) == ("True\n1.0\n", "", 0)


def test_eight_threads():
    """At once, with shared rules, whole runs and single cases: each gets its own result."""
    rules = evalengine.Rules(TOTALS)
    start = threading.Barrier(8)

    def work(number):
        start.wait()
        for _ in range(5):
            truth = [{"currency": "EUR", "total": i} for i in range(200)]
            answers = [{"currency": "EUR", "total": i + (i < number)} for i in range(200)]
            result = evalengine.evaluate(truth, answers, rules, jobs=2)
            assert result.score == pytest.approx(1 - number / 400)
            assert [case.score for case in result.cases].count(0.5) == number
            assert rules.judge(truth[0], answers[0]).score == (0.5 if number else 1)
            assert f"cases {200}" in result.report("table")
        return number

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        assert sorted(pool.map(work, range(8))) == list(range(8))


def test_one_result_in_many_threads():
    result = evalengine.evaluate([{"currency": "EUR", "total": 1}] * 50, [{"currency": "EUR", "total": 1}] * 50, TOTALS)
    wanted = {format: result.report(format) for format in ("table", "json", "csv", "cases")}
    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        for format, text in pool.map(lambda format: (format, result.report(format)), list(wanted) * 20):
            assert text == wanted[format]


def test_other_threads_run_meanwhile():
    """The library does not hold the interpreter's lock: another thread goes on while one long case is judged."""
    rules = """return ee.rules { ee.judge { name = "slow", function(case)
      local n = 0
      for i = 1, 20000000 do n = n + i % 3 end
      return 1
    end } }"""
    done = threading.Event()
    ticks = []

    def tick():
        while not done.wait(0.005):
            ticks.append(time.monotonic())

    thread = threading.Thread(target=tick)
    thread.start()
    started = time.monotonic()
    evalengine.evaluate([{}], [{}], rules, options=["--lua-budget", "0"])
    took = time.monotonic() - started
    done.set()
    thread.join()
    assert took > 0.05 and max(b - a for a, b in zip([started, *ticks], [*ticks, started + took])) < max(took / 2, 0.05)


RULES = evalengine.Rules(TOTALS)


def judge_in_child(number):
    case = RULES.judge({"total": number}, {"total": 1})
    result = evalengine.evaluate([{"total": number, "currency": "EUR"}], [{"total": 1, "currency": "EUR"}], RULES)
    return case.score, result.score


def test_fork():
    assert judge_in_child(1) == (1, 1)  # so that an evaluator is there already
    with multiprocessing.get_context("fork").Pool(3) as pool:
        assert pool.map(judge_in_child, [1, 2, 1, 2]) == [(1, 1), (0.5, 0.5)] * 2
    assert judge_in_child(2) == (0.5, 0.5)
