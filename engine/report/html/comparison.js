// comparison.js: the cases of a comparison. A row holds {id, runs: [row or null, ...]}: the first run is the old one, the last the new one.
"use strict";

// Values that are wrong in the new run, in the order of its row, and then those that were wrong in the old run only:
// {judge, path, old, now}: mismatches, or null where the value is right or the run has no such case.
function comparedMismatches(row) {
  const list = [], places = new Map();
  const key = (judge, path) => judge + "\n" + path;
  const before = row.runs[0], after = row.runs[row.runs.length - 1];
  for (const one of after ? mismatchesOf(after) : []) {
    const item = { judge: one.judge, path: one.mismatch.path, old: null, now: one.mismatch };
    list.push(item);
    if (!places.has(key(item.judge, item.path))) places.set(key(item.judge, item.path), item);
  }
  for (const one of before ? mismatchesOf(before) : []) {
    const same = places.get(key(one.judge, one.mismatch.path));
    if (same && !same.old) same.old = one.mismatch;
    else if (!same) list.push({ judge: one.judge, path: one.mismatch.path, old: one.mismatch, now: null });
  }
  return list;
}

function changeOf(item) {
  return item.now ? (item.old ? "still wrong" : "broken") : "fixed";
}

// The values of an entry of the list: expected, old, new.
function comparedValues(data, entry, row) {
  const i = data.columns.case[entry], place = entry - data.firstEntry[i];
  const list = comparedMismatches(row), item = data.columns.field[entry] < 0 ? undefined : list[place];
  if (!item) {
    const latest = row.runs[row.runs.length - 1] || row.runs[0];
    return { path: "", values: [], reason: (latest && (latest.reasoning || (latest.misses || []).join("; "))) || "" };
  }
  const shown = comparedSides(item, row);
  return { path: item.path, values: [shown.expected, shown.old, shown.now], oldRight: shown.oldRight, newRight: shown.newRight, reason: (item.now || item.old).reason };
}

function comparedSides(item, row) {
  const steps = parsePath(item.path) || [];
  const side = (mismatch, run) => {
    if (mismatch) return { value: own(mismatch, "candidate"), right: false };
    return { value: run ? valueAt(run.candidate_answer, steps) : undefined, right: Boolean(run) };
  };
  const old = side(item.old, row.runs[0]), now = side(item.now, row.runs[row.runs.length - 1]);
  return { expected: own(item.now || item.old, "expected"), old: old.value, now: now.value, oldRight: old.right, newRight: now.right };
}

// A value of one run beside what was expected.
function sideValue(expected, value, right, room) {
  if (!right) return diffPair(expected, value, room)[1];
  const shown = value === undefined ? expected : value;
  return el("span", { class: "right" }, el("span", { class: "tick", "aria-label": "right" }, "✓ "),
    shown === undefined ? "as expected" : diffPair(shown, shown, room)[1]);
}
