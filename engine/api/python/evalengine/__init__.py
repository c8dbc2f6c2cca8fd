"""evalengine measures how good structured answers are: it compares expected with candidate JSON, case by case.

    import evalengine

    result = evalengine.evaluate(truth, candidates, "rules.lua")
    print(result)                     # the table
    result.score, result.passed       # 0.917, True
    result.attributes.to_frame()      # precision, recall, F1 of each field
    result.cases["inv-1"].mismatches  # what was wrong, and why
    result.save("report.html")
    evalengine.compare(before, result)
"""
from ._cases import Attributes, Case, Cases
from ._errors import (DataError, EvalengineError, EvalengineWarning, Message, ResourceError, RulesError, UsageError)
from ._evaluate import compare, evaluate, merge
from ._library import VERSION as __version__
from ._matching import Matches, assert_all_match, assert_matches
from ._results import Comparison, Gate, Result
from ._rules import Rules
from ._run import Progress

__all__ = ["Attributes", "Case", "Cases", "Comparison", "DataError", "EvalengineError", "EvalengineWarning", "Gate",
           "Matches", "Message", "Progress", "ResourceError", "Result", "Rules", "RulesError", "UsageError",
           "__version__", "assert_all_match", "assert_matches", "compare", "evaluate", "merge"]
