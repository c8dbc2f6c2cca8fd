"""notebook.py: what a model extracted, judged in Python, and the values that a person should look at.

    python3 notebook.py

Rules are a dictionary; answers come from a list. Prints the score and each value that was wrong.
"""
import evalengine

truth = {
    "t1": {"airline": "LOT", "from": "WAW", "price": 412.5},
    "t2": {"airline": "SAS", "from": "ARN", "price": 99.0},
    "t3": {"airline": "TAP", "from": "LIS", "price": 230.0},
}
answers = {
    "t1": {"airline": "LOT", "from": "WAW", "price": "412.50"},
    "t2": "```json\n{\"airline\": \"SAS\", \"from\": \"OSL\", \"price\": 99}\n```",
    "t3": {"airline": "Tap", "from": "LIS"},
}
rules = """
return ee.rules {
  ee.fields { ee.exact { "airline", normalize = "casefold" }, ee.exact "from", ee.numeric { "price", tolerance = 0.01 } },
}
"""

result = evalengine.evaluate(truth, answers, rules)
print(f"mean score {result.score:.3f}, {result.counts['passed']} of {result.counts['cases']} pass")
for case in result.cases:
    for mismatch in case.mismatches:
        print(case.id, mismatch["path"], "expected", mismatch.get("expected"), "got", mismatch.get("candidate", mismatch.get("actual")))
