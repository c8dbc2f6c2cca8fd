// filter.js: which entries of the index a filter lets through, in which order, and how many each other choice would let through.
"use strict";

const verdictLetters = { pass: "p", borderline: "b", fail: "f", unscored: "u" };

// The filter with names as numbers. A name that is not in the data lets nothing through; `unknown` has its member.
function compileFilter(data, filter) {
  const names = data.names;
  const tests = { field: null, class: -1, kind: -1, verdict: null, change: -1, slices: data.slices.map(() => -1), unknown: [] };
  const number = (list, name, key) => {
    const at = (list || []).indexOf(name);
    if (at < 0) tests.unknown.push(key);
    return at < 0 ? -2 : at;
  };
  if (filter.field || filter.judge) {
    tests.field = new Uint8Array((names.fields || []).length);
    let some = false;
    (names.fields || []).forEach((field, i) => {
      const rightName = !filter.field || filter.field === field.name || filter.field === data.fieldNames[i];
      if (rightName && (!filter.judge || filter.judge === names.judges[field.judge])) tests.field[i] = some = 1;
    });
    if (!some) tests.unknown.push(filter.field ? "field" : "judge");
  }
  if (filter.class) tests.class = number(names.classes, filter.class, "class");
  if (filter.kind) tests.kind = number(names.kinds, filter.kind, "kind");
  if (filter.change && data.runs) tests.change = number(names.changes, filter.change, "change");
  if (filter.verdict) {
    tests.verdict = filter.verdict.split(",").map((name) => verdictLetters[name] || "?").join("");
    if (tests.verdict.includes("?")) tests.unknown.push("verdict");
  }
  for (const text of filter.slice || []) {
    const at = (names.slices || []).findIndex((slice) => text.startsWith(slice.path + "="));
    if (at < 0) tests.unknown.push("slice");
    else tests.slices[at] = number(names.slices[at].values, text.slice(names.slices[at].path.length + 1), "slice");
  }
  if (tests.unknown.includes("slice")) tests.slices = tests.slices.map((value) => (value === -1 ? -1 : -2));
  return tests;
}

function hasSlice(value, wanted) {
  return Array.isArray(value) ? value.includes(wanted) : value === wanted;
}

// Of a slice path in the set of tests that fail; paths beyond the 24th share one.
function sliceBit(s) {
  return 4 << Math.min(s, 24);
}

// {entries: Int32Array, cases, facets}. `found` has a 1 for each entry that contains the searched text; null without search.
// facets.field[i], .class[i], .kind[i], .verdict[letter], .change[i], .slices[s][i]: entries that pass if that choice were made.
function applyFilter(data, filter, found) {
  const tests = compileFilter(data, filter), columns = data.columns;
  const everything = filter.show === "all" || Boolean(filter.verdict); // who asks for "pass" means all that passed
  const count = (list) => new Uint32Array((list || []).length);
  const facets = {
    field: count(data.names.fields), class: count(data.names.classes), kind: count(data.names.kinds), change: count(data.names.changes),
    verdict: { p: 0, b: 0, f: 0, u: 0 }, slices: (data.names.slices || []).map((slice) => count(slice.values)),
  };
  const kept = new Int32Array(data.entries);
  let length = 0, caseCount = 0;
  const impossible = tests.unknown.length > 0;
  for (let i = 0; i < data.ids.length; i++) {
    const verdict = data.verdicts[i], change = data.runs ? data.changes[i] : -1;
    // Tests that fail, as bits: with one that fails, the entry counts for the choices of that test.
    let caseFails = 0;
    if (tests.verdict !== null && !tests.verdict.includes(verdict)) caseFails |= 1;
    if (tests.change !== -1 && change !== tests.change) caseFails |= 2;
    data.slices.forEach((column, s) => {
      if (tests.slices[s] !== -1 && !hasSlice(column[i], tests.slices[s])) caseFails |= sliceBit(s);
    });
    let any = false;
    for (let entry = data.firstEntry[i]; entry < data.firstEntry[i + 1]; entry++) {
      const field = columns.field[entry], classIndex = columns.class[entry], kind = columns.kind[entry];
      if (field < 0 && !everything && (data.runs ? isBothRight(data, i) : verdict === "p")) continue;
      if (found && !found[entry]) continue;
      let fails = caseFails;
      if (tests.field !== null && (field < 0 || !tests.field[field])) fails |= 1 << 28;
      if (tests.class !== -1 && classIndex !== tests.class) fails |= 1 << 29;
      if (tests.kind !== -1 && kind !== tests.kind) fails |= 1 << 30;
      const last = fails & (fails - 1) ? -1 : fails; // -1: more than one fails
      if (last === -1) continue;
      if (field >= 0 && (last === 0 || last === 1 << 28)) facets.field[field]++;
      if (classIndex >= 0 && (last === 0 || last === 1 << 29)) facets.class[classIndex]++;
      if (kind >= 0 && (last === 0 || last === 1 << 30)) facets.kind[kind]++;
      if (last === 0 || last === 1) facets.verdict[verdict]++;
      if (change >= 0 && (last === 0 || last === 2)) facets.change[change]++;
      data.slices.forEach((column, s) => {
        if (last !== 0 && last !== sliceBit(s)) return;
        for (const value of Array.isArray(column[i]) ? column[i] : [column[i]]) if (value >= 0) facets.slices[s][value]++;
      });
      if (last !== 0 || impossible) continue;
      kept[length++] = entry;
      any = true;
    }
    if (any) caseCount++;
  }
  const entries = kept.slice(0, length);
  sortEntries(data, filter.sort, entries);
  return { entries, cases: caseCount, facets, unknown: tests.unknown };
}

function isBothRight(data, caseIndex) {
  return data.names.changes[data.changes[caseIndex]] === "both right";
}

// "score" (worst first), "-score", "id", "-id", "field", "-field", "change"; "" or unknown: the order of the data. Sorting is stable.
function sortEntries(data, sort, entries) {
  const key = (sort || "").replace(/^-/, ""), sign = sort && sort.startsWith("-") ? -1 : 1;
  const column = data.columns.case;
  let rank = null;
  if (key === "score") {
    const scores = data.scores;
    rank = (entry) => { const score = scores[column[entry]]; return typeof score === "number" ? score : 2; };
  } else if (key === "gain" && data.runs) {
    rank = (entry) => { const i = column[entry]; return (data.scores[i] ?? 0) - (data.scoresBefore[i] ?? 0); };
  } else if (key === "id") {
    const order = idRanks(data);
    rank = (entry) => order[column[entry]];
  } else if (key === "field") {
    const order = rankOf(data.fieldNames);
    rank = (entry) => { const field = data.columns.field[entry]; return field < 0 ? order.length : order[field]; };
  }
  if (!rank) return;
  const keys = new Float64Array(data.entries);
  for (const entry of entries) keys[entry] = rank(entry);
  entries.sort((a, b) => sign * (keys[a] - keys[b]) || a - b);
}

function rankOf(names) {
  const collator = new Intl.Collator("en", { numeric: true });
  const order = names.map((name, i) => i).sort((a, b) => collator.compare(names[a], names[b])), ranks = new Int32Array(names.length);
  order.forEach((i, rank) => { ranks[i] = rank; });
  return ranks;
}

function idRanks(data) {
  data.ranks = data.ranks || rankOf(data.ids);
  return data.ranks;
}
