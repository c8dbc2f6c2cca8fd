"""Records of invoices with mistakes in them, from a seed; and, from the rows of --results, which mismatches a filter must show."""
import json
import random
import re

RULES = """return ee.rules {
  case = { id = "id", expected = "expected", candidate = "candidate" },
  slices = { "meta.language", "meta.scan" },
  ee.fields {
    name = "header",
    ee.exact "number", ee.fuzzy { "supplier", threshold = 0.9 }, ee.numeric { "total", tolerance = 0.01 }, ee.exact "note",
  },
  ee.line_items { "items", name = "items", match = { "text", threshold = 0.6 }, ee.fuzzy "text", ee.numeric { "price", tolerance = 0.01 } },
}
"""


def record(rng, number):
    words = ["Oak", "planks", "Café", "crème", "bolts", "M6×20", "寿司", "штифт", "pallet", "freight"]
    items = [{"text": " ".join(rng.sample(words, 3)), "price": rng.randrange(100, 9999) / 100} for _ in range(rng.randrange(0, 5))]
    expected = {"number": "R-%05d" % number, "supplier": rng.choice(["Acme GmbH", "Blackwood & Sons", "株式会社山田"]), "total": rng.randrange(1000, 99999) / 100, "note": rng.choice([None, "paid", "see page 2"]), "items": items}
    candidate = dict(expected, items=[dict(item) for item in items])
    if rng.random() < 0.3:
        candidate["total"] = rng.choice([candidate["total"] * 10, -candidate["total"], round(candidate["total"] + 0.5, 2), None])
    if rng.random() < 0.2:
        candidate["supplier"] = rng.choice([candidate["supplier"].upper(), candidate["supplier"][:4], "Nobody"])
    if rng.random() < 0.1:
        candidate["note"] = rng.choice(["unpaid", None])
    if items and rng.random() < 0.3:
        rng.shuffle(candidate["items"])
        candidate["items"][0]["price"] += 1
        if rng.random() < 0.5:
            candidate["items"].pop()
    if rng.random() < 0.1:
        candidate["items"].append({"text": "Subtotal", "price": 1})
    return {"id": "inv/%d" % number, "meta": {"language": rng.choice(["de", "en", "fr=x"]), "scan": rng.choice([True, False, None])}, "expected": expected, "candidate": candidate}


def records(count, seed):
    rng = random.Random(seed)
    return [record(rng, number) for number in range(count)]


def field_of(result, mismatch):
    """The attribute that a mismatch belongs to: the longest name with which its path ends, else the path."""
    path = re.sub(r"\[\+?\d+\]", "[]", mismatch["path"])
    names = [name for name in result["details"].get("metrics", {}) if path == name or path.endswith("." + name)]
    return mismatch.get("field") or max(names, key=len, default=path)


def entries(rows):
    """What the list shows: a dictionary for each mismatch, and one for each case that did not pass without a mismatch."""
    found = []
    for row in rows:
        of_case = []
        for result in row["evaluator_results"]:
            mismatches = result["details"].get("mismatches", [])
            for mismatch in mismatches:
                of_case.append(dict(judge=result["name"], field=field_of(result, mismatch), mismatch=mismatch, kind=mismatch.get("kind", ""), **{"class": mismatch.get("class", "")}))
            if not mismatches and result.get("verdict") not in (None, "pass"):
                of_case.append(dict(judge=result["name"], field="", mismatch=None, kind="", **{"class": ""}))
        if not of_case:
            of_case.append(dict(judge=None, field=None, mismatch=None, kind="", **{"class": ""}))
        for one in of_case:
            found.append(dict(one, row=row, verdict=row["verdict"]))
    return found


def matches(entry, filter_):
    row = entry["row"]
    if entry["field"] is None and filter_.get("show") != "all" and "verdict" not in filter_ and row["verdict"] == "pass":
        return False
    for key in ("field", "class", "kind", "verdict", "judge"):
        if key in filter_ and entry[key] != filter_[key]:
            return False
    for path, value in filter_.get("slice", {}).items():
        if value not in row.get("slices", {}).get(path, []):
            return False
    if "q" in filter_:
        texts = [row["id"]]
        if entry["field"]:
            texts.append(entry["field"])
        if entry["mismatch"]:
            mismatch = entry["mismatch"]
            texts += [mismatch["path"], mismatch.get("reason", "")] + [value if isinstance(value, str) else json_text(value) for value in (mismatch[side] for side in ("expected", "candidate") if side in mismatch)]
        else:
            texts.append(row["reasoning"])
        if not any(filter_["q"].lower() in text.lower() for text in texts):
            return False
    return True


def wrong_fields(row):
    """The fields that are wrong in a case, and the judges without fields that did not pass."""
    wrong = set()
    for result in row["evaluator_results"]:
        metrics = result["details"].get("metrics", {})
        wrong |= {(result["name"], name) for name, counts in metrics.items() if counts["fp"] + counts["fn"] > 0}
        if not metrics and result.get("verdict") != "pass":
            wrong.add((result["name"], ""))
    return wrong


def json_text(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))
