// tree.js: both documents of a case as one tree, side by side, with the values that differ marked. Branches are drawn when they
// are opened.
"use strict";

const treeLimits = { open: 400, children: 200 };

// `row` is a case in full; `places` are its mismatches (mismatchesOf). In rows without the expected document, its side has what the
// mismatches tell.
class DocumentTree {
  constructor(row, places) {
    this.aligned = new Map(alignments(row).map((one) => [pathKey(one.steps), one]));
    this.expectedMarks = new Map();
    this.candidateMarks = new Map();
    this.above = new Set(); // branches that hold a mark
    this.whole = Object.hasOwn(row, "expected");
    const add = (marks, steps, place) => {
      if (!steps) return;
      const key = pathKey(steps);
      if (!marks.has(key)) marks.set(key, []);
      marks.get(key).push(place);
      for (let i = 0; i < steps.length; i++) this.above.add((marks === this.expectedMarks ? "e" : "c") + pathKey(steps.slice(0, i)));
    };
    for (const place of places) {
      add(this.expectedMarks, place.expectedSteps, place);
      add(this.candidateMarks, place.candidateSteps, place);
    }
    // What a judge found for a value, which may be elsewhere in the candidate (another key, another item).
    this.found = new Map();
    for (const result of row.evaluator_results || []) {
      for (const outcome of [...(own(result.details, "mismatches") || []), ...(own(result.details, "outcomes") || [])]) {
        const steps = own(outcome, "candidate") === undefined ? null : parsePath(String(outcome.path));
        if (steps) this.found.set(pathKey(steps), outcome);
      }
    }
    this.expected = this.whole ? row.expected : expectedFromMismatches(places);
    this.candidate = row.candidate_answer;
    this.small = countLeaves(this.expected, treeLimits.open) + countLeaves(this.candidate, treeLimits.open) < treeLimits.open;
    this.rows = el("div", { role: "treegrid", class: "tree", "aria-label": "Both documents" },
      el("div", { role: "row", class: "node head" }, el("span", { role: "columnheader" }, "Member"), el("span", { role: "columnheader" }, "Expected"), el("span", { role: "columnheader" }, "Candidate")));
    this.rows.append(...this.children(this.expected, this.candidate, [], [], 1));
    this.onlyMarked = el("input", { type: "checkbox" });
    this.onlyMarked.addEventListener("change", () => this.rows.classList.toggle("only-marked", this.onlyMarked.checked));
    const count = places.length;
    this.root = el("div", null,
      el("div", { class: "tools" },
        el("button", { type: "button", onclick: () => this.jump(-1), disabled: count === 0 }, "↑ previous difference"),
        el("button", { type: "button", onclick: () => this.jump(1), disabled: count === 0 }, "↓ next difference"),
        el("label", null, this.onlyMarked, " only differences")),
      this.rows);
  }

  // The rows below one pair of values.
  children(expected, candidate, expectedSteps, candidateSteps, level) {
    if (!isObject(expected) && !isObject(candidate)) {
      return [this.leaf("(document)", expected, candidate, expectedSteps, candidateSteps, level)];
    }
    const rows = [];
    for (const pair of this.pairs(expected, candidate, expectedSteps)) rows.push(pair);
    const draw = (from) => {
      const elements = rows.slice(from, from + treeLimits.children).flatMap((pair) => this.node(pair, expected, candidate, expectedSteps, candidateSteps, level));
      if (from + treeLimits.children < rows.length) {
        const more = el("button", { type: "button", class: "more" }, `show ${number(Math.min(treeLimits.children, rows.length - from - treeLimits.children))} more of ${number(rows.length)}`);
        more.addEventListener("click", () => more.replaceWith(...draw(from + treeLimits.children)));
        elements.push(more);
      }
      return elements;
    };
    return draw(0);
  }

  // The members of two containers that belong together: {label, expected: key or undefined, candidate: key or undefined}.
  pairs(expected, candidate, expectedSteps) {
    const list = [];
    if (Array.isArray(expected) || Array.isArray(candidate)) {
      const alignment = this.aligned.get(pathKey(expectedSteps));
      const count = Array.isArray(expected) ? expected.length : 0, other = Array.isArray(candidate) ? candidate.length : 0;
      if (!alignment) {
        for (let i = 0; i < Math.max(count, other); i++) list.push({ label: `[${i}]`, expected: i < count ? i : undefined, candidate: i < other ? i : undefined });
        return list;
      }
      const used = new Set();
      for (let i = 0; i < count; i++) {
        const partner = alignment.toCandidate.get(i);
        if (partner !== undefined) used.add(partner);
        list.push({ label: partner === undefined || partner === i ? `[${i}]` : `[${i}] ↔ [${partner}]`, expected: i, candidate: partner });
      }
      for (let i = 0; i < other; i++) if (!used.has(i)) list.push({ label: `[${i}]`, expected: undefined, candidate: i });
      return list;
    }
    const keys = isObject(expected) ? Object.keys(expected) : [];
    for (const key of keys) list.push({ label: key, expected: key, candidate: isObject(candidate) && Object.hasOwn(candidate, key) ? key : undefined });
    for (const key of isObject(candidate) ? Object.keys(candidate) : []) if (!isObject(expected) || !Object.hasOwn(expected, key)) list.push({ label: key, expected: undefined, candidate: key });
    return list;
  }

  node(pair, expected, candidate, expectedSteps, candidateSteps, level) {
    const a = pair.expected === undefined ? undefined : own(expected, pair.expected), b = pair.candidate === undefined ? undefined : own(candidate, pair.candidate);
    const stepsA = [...expectedSteps, pair.expected === undefined ? pair.candidate : pair.expected];
    const stepsB = [...candidateSteps, pair.candidate === undefined ? pair.expected : pair.candidate];
    const inline = (this.inline(a) && this.inline(b)) && !this.above.has("e" + pathKey(stepsA)) && !this.above.has("c" + pathKey(stepsB));
    const draw = inline ? [this.leaf(pair.label, a, b, stepsA, stepsB, level)] : this.branch(pair.label, a, b, stepsA, stepsB, level);
    // Below a branch that one side does not have, that side is empty: the branch has said so.
    if (!isObject(expected)) draw[0].classList.add("no-expected");
    if (!isObject(candidate)) draw[0].classList.add("no-candidate");
    return draw;
  }

  // Whether a value is drawn in one line: boxes and the like are.
  inline(value) {
    return !isObject(value) || (Array.isArray(value) && value.length > 0 && value.length <= 8 && value.every((part) => typeof part === "number"));
  }

  marks(a, b, stepsA, stepsB) {
    const list = [...(a === undefined ? [] : this.expectedMarks.get(pathKey(stepsA)) || []), ...(b === undefined ? [] : this.candidateMarks.get(pathKey(stepsB)) || [])];
    if (a === undefined && b === undefined) return [];
    if (a === undefined) list.push(...(this.expectedMarks.get(pathKey(stepsA)) || []).filter((place) => own(place.mismatch, "expected") === undefined && place.candidateSteps && pathKey(place.candidateSteps) === pathKey(stepsB)));
    return [...new Set(list)];
  }

  leaf(label, a, b, stepsA, stepsB, level) {
    const marks = this.marks(a, b, stepsA, stepsB);
    const unknown = a === undefined && !this.whole && marks.length === 0;
    const [left, right] = marks.length ? diffPair(a, b) : [a === undefined ? null : diffPair(a, a)[0], b === undefined ? null : diffPair(b, b)[1]];
    const elsewhere = a !== undefined && b === undefined ? this.found.get(pathKey(stepsA)) : undefined;
    if (elsewhere && !isObject(elsewhere.candidate)) {
      const pair = marks.length ? diffPair(a, elsewhere.candidate) : [left, diffPair(elsewhere.candidate, elsewhere.candidate)[1]];
      return this.rowOf(label, pair[0], [pair[1], el("span", { class: "muted size" }, " in another place")], marks, level, false);
    }
    return this.rowOf(label, unknown ? el("span", { class: "muted" }, "·") : left || absentMark(), right || absentMark(), marks, level, false);
  }

  branch(label, a, b, stepsA, stepsB, level) {
    const marks = this.marks(a, b, stepsA, stepsB);
    const holdsMark = this.above.has("e" + pathKey(stepsA)) || this.above.has("c" + pathKey(stepsB));
    const size = (value) => (value === undefined ? absentMark() : !isObject(value) ? diffPair(value, value)[0] : el("span", { class: "size" }, Array.isArray(value) ? plural(value.length, "item") : plural(Object.keys(value).length, "member")));
    const row = this.rowOf(label, a === undefined && !this.whole ? el("span", { class: "muted" }, "·") : size(a), size(b), marks, level, true, holdsMark);
    const group = el("div", { role: "rowgroup", class: "branch" + (marks.length || holdsMark ? " marked" : "") });
    const toggle = row.querySelector(".toggle");
    let filled = false;
    const open = (wanted) => {
      if (wanted && !filled) {
        filled = true;
        group.append(...this.children(a, b, stepsA, stepsB, level + 1));
      }
      group.hidden = !wanted;
      row.setAttribute("aria-expanded", String(wanted));
      toggle.textContent = wanted ? "▾" : "▸";
      toggle.setAttribute("aria-label", `${wanted ? "close" : "open"} ${label}`);
    };
    toggle.addEventListener("click", () => open(group.hidden));
    open(this.small || holdsMark || (level < 2 && !this.small));
    return [row, group];
  }

  rowOf(label, left, right, marks, level, isBranch, holdsMark) {
    const row = el("div", { role: "row", class: "node" + (marks.length ? " marked at" : holdsMark ? " marked" : ""), "aria-level": String(level), tabindex: marks.length ? "-1" : null },
      el("span", { role: "rowheader", class: "key", dir: "auto" }, isBranch ? el("button", { type: "button", class: "toggle" }, "▸") : el("span", { class: "toggle" }), visibleText(String(label).slice(0, 500))),
      el("span", { role: "gridcell", class: "side" }, left), el("span", { role: "gridcell", class: "side" }, right));
    row.style.setProperty("--level", String(Math.min(level, 24)));
    if (marks.length) {
      row.dataset.mismatch = marks.map((place) => place.number).join(" ");
      row.querySelector(".key").append(el("span", { class: "tag class-" + (marks[0].mismatch.class || "") }, marks[0].mismatch.class || "differs"));
    }
    return row;
  }

  // Goes to the next marked row after the one that has the focus.
  jump(by) {
    const rows = [...this.rows.querySelectorAll(".node.at")].filter((row) => row.offsetParent !== null);
    if (!rows.length) return;
    const now = rows.indexOf(this.at);
    this.focusRow(rows[now < 0 ? (by > 0 ? 0 : rows.length - 1) : (now + by + rows.length) % rows.length]);
  }

  focusRow(row) {
    if (this.at) this.at.classList.remove("here");
    this.at = row;
    row.classList.add("here");
    row.focus({ preventScroll: true });
    row.scrollIntoView({ block: "center" });
  }

  // Shows the mismatch with this number; false if it is not in the documents.
  show(mismatchNumber) {
    const row = [...this.rows.querySelectorAll(".node.at")].find((one) => one.dataset.mismatch.split(" ").includes(String(mismatchNumber)));
    if (row) this.focusRow(row);
    return Boolean(row);
  }
}

function absentMark() {
  return el("span", { class: "value absent" }, "not there");
}

function countLeaves(value, limit) {
  if (!isObject(value)) return 1;
  let count = 1;
  for (const key of Object.keys(value)) {
    count += countLeaves(value[key], limit - count);
    if (count >= limit) break;
  }
  return count;
}

// The expected document as far as mismatches tell it.
function expectedFromMismatches(places) {
  let root;
  for (const place of places) {
    const value = own(place.mismatch, "expected"), steps = place.expectedSteps;
    if (value === undefined || !steps || steps.some((step) => typeof step === "number" && step > 100000)) continue;
    if (!steps.length) return value;
    const container = (step) => (typeof step === "number" ? [] : Object.create(null));
    if (root === undefined) root = container(steps[0]);
    let at = root;
    steps.forEach((step, i) => {
      if (!isObject(at)) return;
      if (i === steps.length - 1) at[step] = value;
      else if (!isObject(at[step])) at[step] = container(steps[i + 1]);
      at = at[step];
    });
  }
  return root;
}
