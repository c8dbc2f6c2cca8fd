// paths.js: paths as the rows write them (data/json/path.h), and where the values of a case are in its two documents.
"use strict";

// "items[0].price" as ["items", 0, "price"]; "[+7]", an element that only the candidate has, as {extra: 7}; null if it is not a path.
function parsePath(text) {
  if (text === "" || text === "$") return [];
  if (text.startsWith("/")) return text.slice(1).split("/").map((step) => step.replace(/~1/g, "/").replace(/~0/g, "~"));
  const steps = [], step = /\.?(?:\[(\d+)\]|\[\+(\d+)\]|\[("(?:[^"\\]|\\.)*")\]|([^.[\]]+))/y;
  while (step.lastIndex < text.length) {
    const found = step.exec(text);
    if (!found) return null;
    if (found[1] !== undefined) steps.push(Number(found[1]));
    else if (found[2] !== undefined) steps.push({ extra: Number(found[2]) });
    else if (found[3] !== undefined) {
      try { steps.push(JSON.parse(found[3])); } catch { return null; }
    } else steps.push(found[4]);
  }
  return steps;
}

// Steps as one text, for maps.
function pathKey(steps) {
  return steps.map((step) => "/" + String(isObject(step) ? step.extra : step).replace(/~/g, "~0").replace(/\//g, "~1")).join("");
}

function valueAt(root, steps) {
  let value = root;
  for (const step of steps) {
    const key = isObject(step) ? step.extra : step;
    if (!isObject(value) || !Object.hasOwn(value, key)) return undefined;
    value = value[key];
  }
  return value;
}

// Pairs of items that a judge made: {judge, steps of the list, pairs: [{expected, candidate, similarity}], toCandidate: Map}.
function alignments(row) {
  const found = [];
  for (const result of row.evaluator_results || []) {
    const pairs = own(result.details, "alignment");
    if (!Array.isArray(pairs)) continue;
    const steps = listSteps(result);
    if (steps) found.push({ result, steps, pairs, toCandidate: new Map(pairs.map((pair) => [pair.expected, pair.candidate])) });
  }
  return found;
}

// Where a judge's list is: what is before the first index in the paths that it names.
function listSteps(result) {
  const known = judgeInfo(result.name);
  if (known && typeof known.path === "string") return parsePath(known.path);
  const named = [...(own(result.details, "mismatches") || []).map((mismatch) => mismatch.path), ...(result.hits || []), ...(result.misses || [])];
  for (const text of named) {
    if (typeof text !== "string") continue;
    const index = /\[\+?\d+\]/.exec(text);
    if (index) return parsePath(text.slice(0, index.index));
  }
  return null;
}

// What the page knows of a judge's rule: {name, type, path, box, label, format, document}; undefined if nothing.
function judgeInfo(name) {
  return ((cases && cases.names.judge_settings) || []).find((judge) => judge.name === name);
}

// All mismatches of a row, in order, with where they are: {number, judge, type, mismatch, expectedSteps, candidateSteps}; steps are null on
// a side that has nothing there.
function mismatchesOf(row) {
  const aligned = new Map(alignments(row).map((one) => [one.result, one])), list = [];
  for (const result of row.evaluator_results || []) {
    for (const mismatch of own(result.details, "mismatches") || []) {
      const place = placeOf(mismatch, aligned.get(result));
      list.push({ number: list.length, judge: result.name, type: result.type, mismatch, ...place });
    }
  }
  return list;
}

// Where a mismatch or an outcome is in the documents.
function placeOf(mismatch, alignment) {
  const steps = parsePath(String(mismatch.path || ""));
  if (!steps) return { expectedSteps: null, candidateSteps: null };
  const absent = (side) => own(mismatch, side) === undefined;
  const extra = steps.some(isObject);
  if (!alignment) return { expectedSteps: extra ? null : steps, candidateSteps: steps };
  const at = alignment.steps.length, item = steps[at];
  if (typeof item !== "number") return { expectedSteps: extra ? null : steps, candidateSteps: steps };
  if (absent("expected") && !absent("candidate") && steps.length === at + 1) return { expectedSteps: null, candidateSteps: steps };
  const partner = typeof mismatch.partner === "number" ? mismatch.partner : alignment.toCandidate.get(item);
  return { expectedSteps: steps, candidateSteps: partner === undefined ? null : [...steps.slice(0, at), partner, ...steps.slice(at + 1)] };
}
