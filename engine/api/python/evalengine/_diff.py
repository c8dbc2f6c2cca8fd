"""Text about cases: what matched, what did not, and why."""
from __future__ import annotations

from typing import Any, Iterable, List

from ._cases import Case
from ._documents import to_json

WIDTH = 60  # of a value
MOST_VALUES = 20  # of a case
MOST_CASES = 10


def shown(value: Any) -> str:
    """A value as JSON, cut to WIDTH."""
    text = to_json(value, "value").decode("utf-8", "replace")
    return text if len(text) <= WIDTH else text[:WIDTH - 3] + "..."


def mismatch_lines(case: Case) -> List[str]:
    """For each value that is a miss: its path, expected and candidate below each other, and the reason."""
    lines: List[str] = []
    mismatches = case.mismatches
    for mismatch in mismatches[:MOST_VALUES]:
        verdict = str(mismatch.get("class", "incorrect"))
        why = [str(mismatch[part]) for part in ("reason", "kind") if mismatch.get(part, verdict) != verdict]
        lines.append(f"{mismatch['path']}  ({mismatch['judge']}, score {mismatch['score']:.3g})")
        lines.append(f"  expected   {shown(mismatch['expected']) if 'expected' in mismatch else '(nothing)'}")
        lines.append(f"  candidate  {shown(mismatch['candidate']) if 'candidate' in mismatch else '(missing)'}")
        lines.append(f"  {verdict}: {', '.join(why)}" if why else f"  {verdict}")
    if len(mismatches) > MOST_VALUES:
        lines.append(f"... and {len(mismatches) - MOST_VALUES} more values")
    listed = {mismatch["path"] for mismatch in mismatches}
    lines += [miss for miss in case.misses if miss.partition(" (")[0] not in listed][:MOST_VALUES]
    return lines


def case_lines(case: Case) -> List[str]:
    """A case: its id, score and verdict, then its mismatches."""
    score = "not scored" if case.score is None else f"{case.score:.3f}"
    lines = [f"{case.id}  {score}  {case.verdict}"]
    if "candidate_state" in case.row:
        lines.append(f"  candidate {case.row['candidate_state']}")
    lines += [f"  {line}" for line in mismatch_lines(case)]
    lines += [f"  {error}" for error in case.rule_errors]
    return lines


def cases_lines(cases: Iterable[Case], count: int) -> List[str]:
    """The first MOST_CASES of `count` cases."""
    lines: List[str] = []
    for i, case in enumerate(cases):
        if i == MOST_CASES:
            lines.append(f"... and {count - MOST_CASES} more cases")
            break
        lines += case_lines(case)
    return lines
