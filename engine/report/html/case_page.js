// case_page.js: one case: what its judges say, every difference, and the views that fit its values (items, boxes, text, documents).
"use strict";

// `row` is the case in full, `around` its place in the list (CaseList.around).
class CasePage {
  constructor(caseIndex, row, around, filter) {
    this.caseIndex = caseIndex;
    this.around = around;
    this.filter = filter;
    this.id = cases.ids[caseIndex];
    this.root = el("article", { class: "case-view", "aria-label": "Case" });
    this.addHead(row);
    if (cases.runs) this.addCompared(row);
    else this.addRow(row);
  }

  addHead(row) {
    const i = this.caseIndex, around = this.around;
    const step = (label, to, key) => el("a", { class: "button" + (to < 0 ? " off" : ""), href: to < 0 ? null : caseFragment(cases.ids[to], this.filter), rel: key, "aria-disabled": to < 0 ? "true" : null }, label);
    const place = around.place < 0 ? "not in this filter" : `${number(around.place + 1)} of ${number(around.count)}${casesFragment({ ...this.filter, sort: null }) === "#cases" ? "" : " in this filter"}`;
    const scores = cases.runs ? compareScores(i) : `score ${scoreText(cases.scores[i])}`;
    const heading = el("h1", { dir: "auto", tabindex: "-1", title: shortTitle(this.id) }, visibleText(this.id.slice(0, 200) || "(empty id)"), this.id.length > 200 ? "…" : "");
    this.heading = heading;
    const slices = (cases.names.slices || []).flatMap((slice, s) => {
      const value = cases.slices[s][i], list = Array.isArray(value) ? value : [value];
      return list.filter((one) => one >= 0).map((one) => el("a", { class: "tag", href: casesFragment({ slice: [`${slice.path}=${slice.values[one]}`] }), title: `all mismatches with ${slice.path} = ${slice.values[one]}`.slice(0, 300) },
        el("span", { class: "muted" }, visibleText(slice.path) + " "), visibleText(slice.values[one].slice(0, 100))));
    });
    this.root.append(
      el("nav", { class: "case-nav", "aria-label": "Cases" }, el("a", { class: "button", href: casesFragment(this.filter), rel: "up" }, "← all mismatches"), el("span", { class: "grow" }),
        step("← previous", around.before, "prev"), el("span", { class: "muted place" }, place), step("next →", around.after, "next")),
      el("div", { class: "case-head" }, heading,
        el("p", { class: "facts" }, verdictMark(cases.verdicts[i]), el("span", null, scores), cases.runs ? changeTag(i) : null, slices),
        el("p", { class: "actions" }, copyButton("copy id", () => this.id, "copy the id of this case"), copyButton("copy command", () => explainCommand(this.id), explainCommand(this.id).slice(0, 500)))));
    if (row.candidate_state) this.root.append(el("p", { class: "note bad" }, row.candidate_state === "missing" ? "There is no candidate for this case." : "The candidate's answer has no JSON that could be read."));
  }

  addRow(row) {
    const places = mismatchesOf(row), full = row.detail === "full" || Object.hasOwn(row, "expected");
    this.places = places;
    if (!full) this.root.append(el("p", { class: "note" }, "This file holds what is wrong in each case. With ", el("code", null, "--detail full"), " it also has the expected documents, the correct values, normal forms, distances and formulas."));
    if (places.length) this.root.append(this.mismatchSection(row, places));
    this.root.append(judgesSection(row));
    const items = alignments(row).filter((one) => one.pairs.length || places.some((place) => place.judge === one.result.name));
    for (const alignment of items) this.root.append(lineItemsSection(row, alignment, places));
    const groups = shapeGroups(row);
    if (groups.length || imageNames(row.record).length) this.root.append(boxesSection(row, groups));
    const spans = textSpans(row);
    if (spans) this.root.append(spansSection(row, spans));
    if (row.candidate_answer !== undefined || row.expected !== undefined) {
      this.tree = new DocumentTree(row, places);
      this.root.append(el("section", { class: "panel" }, el("h3", null, "Documents"), this.tree.root));
    }
    const outcomes = outcomesSection(row);
    if (outcomes) this.root.append(outcomes);
    this.root.append(rawSection("Row as JSON", row));
    if (row.record) this.root.append(rawSection("Record as JSON", row.record));
  }

  mismatchSection(row, places) {
    const outcomes = outcomesByPath(row);
    const bodies = el("tbody");
    const draw = (from) => {
      const to = Math.min(places.length, from + 100);
      for (const place of places.slice(from, to)) bodies.append(...this.mismatchRows(place, outcomes));
      if (to < places.length) {
        const more = el("tr", null, el("td", { colspan: "5" }, el("button", { type: "button", class: "more", onclick: () => { more.remove(); draw(to); } }, `show ${number(Math.min(100, places.length - to))} more`)));
        bodies.append(more);
      }
    };
    draw(0);
    const cut = (row.evaluator_results || []).some((result) => own(result.details, "truncated"));
    return el("section", { class: "panel" }, el("h3", null, "What is wrong ", el("span", { class: "muted" }, `· ${plural(places.length, "mismatch", "mismatches")}`)),
      el("div", { class: "table-scroll" }, el("table", { class: "mismatches" }, el("thead", null, el("tr", null, ["Field", "Expected", "Candidate", "What", "Why"].map((name) => el("th", { scope: "col" }, name)))), bodies)),
      cut ? el("p", { class: "note" }, "This file does not hold all mismatches of this case: the list is cut.") : null);
  }

  mismatchRows(place, outcomes) {
    const mismatch = place.mismatch, [left, right] = bothSides(mismatch);
    const how = howText(outcomes.get(place.judge + "\n" + mismatch.path) || mismatch);
    const path = el("button", { type: "button", class: "path link", dir: "auto", title: "show in the documents" }, pathNodes(String(mismatch.path || "(document)").slice(0, 300)));
    path.addEventListener("click", () => this.tree && this.tree.show(place.number));
    return [el("tr", { "data-number": String(place.number) },
      el("th", { scope: "row" }, path, el("span", { class: "sub muted" }, place.judge)), el("td", { class: "wide", "data-label": "Expected" }, left), el("td", { class: "wide", "data-label": "Candidate" }, right),
      el("td", null, mismatch.class ? el("span", { class: "tag class-" + mismatch.class }, mismatch.class) : null, mismatch.kind && mismatch.kind !== mismatch.class ? el("span", { class: "kind" }, " " + mismatch.kind) : null),
      el("td", { class: "why" }, visibleText(String(mismatch.reason || "").slice(0, 500)), how.map((line) => el("span", { class: "how" }, line)), mismatch.score ? el("span", { class: "how" }, `score ${shortNumber(mismatch.score)}`) : null))];
  }

  addCompared(row) {
    const list = comparedMismatches(row), names = runLabels().slice(0, 8);
    const body = list.slice(0, 500).map((item) => {
      const sides = comparedSides(item, row), change = changeOf(item);
      return el("tr", null, el("th", { scope: "row" }, el("span", { class: "path", dir: "auto" }, pathNodes(String(item.path || "").slice(0, 300))), el("span", { class: "sub muted" }, item.judge)),
        el("td", { class: "wide", "data-label": "Expected" }, diffPair(sides.expected, sides.expected)[0]),
        names.map((name, i) => el("td", { class: "wide", "data-label": shortTitle(name) }, sideValue(sides.expected, sides.runs[i].value, sides.runs[i].right))),
        el("td", null, el("span", { class: "tag value-" + change.replace(" ", "-") }, change)), el("td", { class: "why" }, visibleText(String(sides.reason || "").slice(0, 300))));
    });
    this.root.append(el("section", { class: "panel" }, el("h3", null, "Values ", el("span", { class: "muted" }, `· ${plural(list.length, "value")} wrong in a run`)),
      list.length ? el("div", { class: "table-scroll" }, el("table", { class: "mismatches compared" }, el("thead", null, el("tr", null, ["Field", "Expected", ...names, "Change", "Why"].map((name) => el("th", { scope: "col", dir: "auto" }, visibleText(name))))), el("tbody", null, body))) : el("p", { class: "muted" }, "No run has a wrong value in this case.")));
    row.runs.forEach((run, i) => {
      const section = el("section", { class: "panel run" }, el("h2", { dir: "auto" }, visibleText(cases.runs[i] || `run ${i + 1}`)));
      if (!run) section.append(el("p", { class: "note" }, "This run has no such case."));
      else {
        const inner = new CaseParts(run);
        section.append(...inner.elements);
        if (i === row.runs.length - 1) this.tree = inner.tree;
      }
      this.root.append(section);
    });
  }

  // Takes the focus when the page is opened, so that a screen reader reads its heading.
  shown() {
    this.heading.focus({ preventScroll: true });
  }
}

// The parts of one run's row inside a comparison.
class CaseParts {
  constructor(row) {
    const places = mismatchesOf(row);
    this.elements = [judgesSection(row)];
    for (const alignment of alignments(row)) if (alignment.pairs.length) this.elements.push(lineItemsSection(row, alignment, places));
    const groups = shapeGroups(row);
    if (groups.length) this.elements.push(boxesSection(row, groups));
    const spans = textSpans(row);
    if (spans) this.elements.push(spansSection(row, spans));
    this.tree = new DocumentTree(row, places);
    this.elements.push(el("details", null, el("summary", null, "Documents"), this.tree.root), rawSection("Row as JSON", row));
  }
}

function judgesSection(row) {
  const rows = (row.evaluator_results || []).map((result) => el("tr", null,
    el("th", { scope: "row" }, el("span", { class: "mono", dir: "auto" }, visibleText(String(result.name))), result.type && result.type !== result.name ? el("span", { class: "muted" }, " " + result.type) : null),
    el("td", { class: "number" }, scoreText(result.score)), el("td", null, result.verdict ? verdictMark({ pass: "p", borderline: "b", fail: "f" }[result.verdict] || "u") : null),
    el("td", { class: "number" }, result.weight === undefined ? "" : shortNumber(result.weight)), el("td", { class: "why" }, longText(String(result.reasoning || "")), judgeMisses(result))));
  return el("section", { class: "panel" }, el("h3", null, "Judges"), el("div", { class: "table-scroll" }, el("table", { class: "judges" },
    el("thead", null, el("tr", null, ["Judge", "Score", "Verdict", "Weight", "Reason"].map((name) => el("th", { scope: "col", class: ["Score", "Weight"].includes(name) ? "number" : null }, name)))), el("tbody", null, rows))));
}

// Misses of a judge that lists no mismatches: its words.
function judgeMisses(result) {
  const misses = result.misses || [];
  if (!misses.length || (own(result.details, "mismatches") || []).length) return null;
  if (misses.length === 1 && (misses[0] === result.name || misses[0] === `${result.name} (${result.reasoning})`)) return null;
  return el("ul", { class: "misses" }, misses.slice(0, 50).map((miss) => el("li", { dir: "auto" }, longText(String(miss)))), misses.length > 50 ? el("li", { class: "muted" }, `and ${number(misses.length - 50)} more`) : null);
}

// Both values of a mismatch; nothing where a judge names neither, such as an object in an image.
function bothSides(mismatch) {
  if (!Object.hasOwn(mismatch, "expected") && !Object.hasOwn(mismatch, "candidate")) return ["", ""];
  return diffPair(own(mismatch, "expected"), own(mismatch, "candidate"));
}

function outcomesByPath(row) {
  const map = new Map();
  for (const result of row.evaluator_results || []) for (const outcome of own(result.details, "outcomes") || []) map.set(result.name + "\n" + outcome.path, outcome);
  return map;
}

// How a value was judged, in lines: strategy and threshold, the formula with its numbers, normal forms.
function howText(outcome) {
  const lines = [];
  const value = typeof outcome.value === "number" ? `${outcome.measure || "value"} ${shortNumber(outcome.value)}` : "";
  const threshold = typeof outcome.threshold === "number" ? `threshold ${shortNumber(outcome.threshold)}` : "";
  if (outcome.strategy) lines.push([outcome.strategy, value, threshold].filter(Boolean).join(" · "));
  if (outcome.formula) lines.push(String(outcome.formula).slice(0, 500));
  const expected = own(outcome, "expected_normal"), candidate = own(outcome, "candidate_normal");
  if (expected !== undefined || candidate !== undefined) lines.push(`compared as ${normalText(expected, outcome, "expected")} and ${normalText(candidate, outcome, "candidate")}`);
  return lines.map(visibleText);
}

function normalText(normal, outcome, side) {
  const text = normal === undefined ? valueText(own(outcome, side)) : typeof normal === "string" ? JSON.stringify(normal) : valueText(normal);
  return text.length > 200 ? text.slice(0, 200) + "…" : text;
}

const outcomeNames = { tp: "correct", tn: "both empty" };

// Every value that was judged, right ones too; null in rows that do not have them.
function outcomesSection(row) {
  const all = (row.evaluator_results || []).flatMap((result) => (own(result.details, "outcomes") || []).map((outcome) => ({ judge: result.name, outcome })));
  if (!all.length) return null;
  const body = el("tbody"), piece = 200;
  const draw = (from) => {
    for (const { judge, outcome } of all.slice(from, from + piece)) {
      const right = outcome.outcome === "tp" || outcome.outcome === "tn", shown = Object.hasOwn(outcome, "expected") || Object.hasOwn(outcome, "candidate");
      const [left, candidate] = right && shown ? [diffPair(own(outcome, "expected"), own(outcome, "expected"))[0], diffPair(own(outcome, "candidate"), own(outcome, "candidate"))[1]] : bothSides(outcome);
      body.append(el("tr", { class: right ? "right" : "wrong" }, el("th", { scope: "row" }, el("span", { class: "path", dir: "auto" }, pathNodes(String(outcome.path).slice(0, 300))), el("span", { class: "sub muted" }, judge)),
        el("td", null, el("span", { class: "tag " + (right ? "class-correct" : "class-" + outcome.outcome) }, outcomeNames[outcome.outcome] || outcome.outcome), outcome.kind && outcome.kind !== outcome.outcome ? el("span", { class: "kind" }, " " + outcome.kind) : null),
        el("td", { class: "wide", "data-label": "Expected" }, outcome.outcome === "tn" ? el("span", { class: "muted" }, "empty") : left), el("td", { class: "wide", "data-label": "Candidate" }, outcome.outcome === "tn" ? el("span", { class: "muted" }, "empty") : candidate),
        el("td", { class: "number" }, typeof outcome.score === "number" ? shortNumber(outcome.score) : "", typeof outcome.weight === "number" && outcome.weight !== 1 ? el("span", { class: "sub muted" }, `× ${shortNumber(outcome.weight)}`) : null),
        el("td", { class: "why" }, howText(outcome).map((line) => el("span", { class: "how" }, line)), outcome.reason && !right ? el("span", { class: "how" }, visibleText(String(outcome.reason).slice(0, 500))) : null)));
    }
    if (from + piece < all.length) {
      const more = el("tr", null, el("td", { colspan: "6" }, el("button", { type: "button", class: "more", onclick: () => { more.remove(); draw(from + piece); } }, `show more of ${number(all.length)} values`)));
      body.append(more);
    }
  };
  draw(0);
  const onlyWrong = el("input", { type: "checkbox" }), table = el("table", { class: "mismatches outcomes" }, el("thead", null, el("tr", null, ["Field", "Outcome", "Expected", "Candidate", "Score", "How it was judged"].map((name) => el("th", { scope: "col", class: name === "Score" ? "number" : null }, name)))), body);
  onlyWrong.addEventListener("change", () => table.classList.toggle("only-wrong", onlyWrong.checked));
  const right = all.filter((one) => one.outcome.outcome === "tp" || one.outcome.outcome === "tn").length;
  return el("section", { class: "panel" }, el("h3", null, "Every value ", el("span", { class: "muted" }, `· ${number(right)} of ${number(all.length)} correct`)), el("div", { class: "tools" }, el("label", null, onlyWrong, " only what is wrong")), el("div", { class: "table-scroll" }, table));
}

// JSON as it is; drawn when it is opened.
function rawSection(title, value) {
  const box = el("details", { class: "panel raw" }, el("summary", null, title));
  box.addEventListener("toggle", () => {
    if (box.open && box.children.length === 1) box.append(el("pre", { tabindex: "0" }, longText(JSON.stringify(value, null, 2))));
  });
  return box;
}

// The command that explains a case, for a shell. A page that was made from rows knows no data.
function explainCommand(id) {
  const known = cases.names.command;
  const words = known && known.data && known.data.length ? ["explain", ...(known.rules ? [known.rules] : []), ...known.data, ...(known.options || [])] : ["report", cases.runs ? cases.runs[cases.runs.length - 1] : "ROWS.jsonl"];
  return ["evalengine", ...words, "--case", id].map(shellWord).join(" ");
}

function shellWord(text) {
  return /^[A-Za-z0-9_@%+=:,./-]+$/.test(text) ? text : "'" + text.replace(/'/g, "'\\''") + "'";
}
