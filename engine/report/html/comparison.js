// comparison.js: the cases of a comparison. A row holds {id, runs: [row or null, ...]}: the first run is the old one, the last the new one.
"use strict";

// The names of the runs: of files, without their folders where that tells them apart.
function runLabels() {
  const short = cases.runs.map((name) => name.replace(/^.*[\\/]/, "") || name);
  return new Set(short).size === short.length ? short : cases.runs;
}

// Values that are wrong in a run: first those of the new run, in the order of its row, then those of the old run only, then those of
// runs between: {judge, path, wrong: [mismatch or null, one for each run]}.
function comparedMismatches(row) {
  const list = [], places = new Map(), last = row.runs.length - 1;
  for (const run of [last, 0, ...row.runs.keys()].filter((run, i, order) => order.indexOf(run) === i)) {
    const seen = new Set();
    for (const one of row.runs[run] ? mismatchesOf(row.runs[run]) : []) {
      const key = one.judge + "\n" + one.mismatch.path;
      let item = places.get(key);
      if (!item || (seen.has(key) && run === last)) {
        list.push((item = { judge: one.judge, path: one.mismatch.path, wrong: row.runs.map(() => null) }));
        if (!places.has(key)) places.set(key, item);
      }
      seen.add(key);
      item.wrong[run] = item.wrong[run] || one.mismatch;
    }
  }
  return list;
}

function changeOf(item) {
  const before = item.wrong[0], now = item.wrong[item.wrong.length - 1];
  return now ? (before ? "still wrong" : "broken") : before ? "fixed" : "both right";
}

// The values of an entry of the list: expected, old, new.
function comparedValues(data, entry, row) {
  const i = data.columns.case[entry], place = entry - data.firstEntry[i];
  const list = comparedMismatches(row), item = data.columns.field[entry] < 0 ? undefined : list[place];
  if (!item) {
    const latest = row.runs[row.runs.length - 1] || row.runs[0];
    return { path: "", values: [], reason: (latest && (latest.reasoning || (latest.misses || []).join("; "))) || "" };
  }
  const { expected, runs, reason } = comparedSides(item, row), old = runs[0], now = runs[runs.length - 1];
  return { path: item.path, values: [expected, old.value, now.value], oldRight: old.right, newRight: now.right, reason };
}

// {expected, reason, runs: [{value, right}]} of one item. What is right in a run is not listed in its row: it is looked up in its answer.
// The reason is that of the new run, else of the old one: the runs that the list shows.
function comparedSides(item, row) {
  const steps = parsePath(String(item.path)) || [], some = item.wrong[item.wrong.length - 1] || item.wrong[0] || item.wrong.find(Boolean);
  const runs = item.wrong.map((mismatch, i) => (mismatch ? { value: own(mismatch, "candidate"), right: false } : { value: row.runs[i] ? valueAt(row.runs[i].candidate_answer, steps) : undefined, right: Boolean(row.runs[i]) }));
  return { expected: own(some, "expected"), reason: some.reason, runs };
}

// A value of one run beside what was expected.
function sideValue(expected, value, right, room) {
  if (!right) return diffPair(expected, value, room)[1];
  const shown = value === undefined ? expected : value;
  return el("span", { class: "right" }, el("span", { class: "tick", "aria-label": "right" }, "✓ "),
    shown === undefined ? "as expected" : diffPair(shown, shown, room)[1]);
}
