// items.js: line items as two columns, with a line between the items that a judge paired. Items without a partner are marked.
"use strict";

const itemsLimit = 60;

function lineItemsSection(row, alignment, places) {
  const judge = alignment.result, steps = alignment.steps;
  const expectedList = valueAt(row.expected, steps), candidateList = listOfCandidate(row, alignment);
  const count = (list, key) => Math.max(Array.isArray(list) ? list.length : 0, ...alignment.pairs.map((pair) => pair[key] + 1), 0);
  const toExpected = new Map(alignment.pairs.map((pair) => [pair.candidate, pair]));
  const fromExpected = new Map(alignment.pairs.map((pair) => [pair.expected, pair]));
  // Mismatches a side and item; those without a partner tell an item that the row does not hold otherwise.
  const wrong = { expected: new Map(), candidate: new Map() }, alone = { expected: new Map(), candidate: new Map() };
  let lastExpected = count(expectedList, "expected"), lastCandidate = count(candidateList, "candidate");
  for (const place of places.filter((one) => one.judge === judge.name)) {
    const add = (side, sideSteps) => {
      const index = sideSteps && sideSteps[steps.length];
      if (typeof index !== "number" || index > 100000) return 0;
      const map = sideSteps.length === steps.length + 1 ? alone[side] : wrong[side];
      if (!map.has(index)) map.set(index, []);
      map.get(index).push(place);
      return index + 1;
    };
    const missing = own(place.mismatch, "candidate") === undefined, extra = own(place.mismatch, "expected") === undefined;
    if (!extra || place.expectedSteps) lastExpected = Math.max(lastExpected, add("expected", place.expectedSteps));
    if (!missing || place.candidateSteps) lastCandidate = Math.max(lastCandidate, add("candidate", place.candidateSteps));
  }

  const link = svg("svg", { class: "links", "aria-hidden": "true" });
  const left = el("ol", { class: "items", "aria-label": "Expected items" }), right = el("ol", { class: "items", "aria-label": "Candidate items" });
  const cards = { expected: new Map(), candidate: new Map() };
  const addCards = (side, list, from, to) => {
    const target = side === "expected" ? left : right;
    for (let i = from; i < to; i++) {
      const pair = (side === "expected" ? fromExpected : toExpected).get(i);
      const lone = (alone[side].get(i) || [])[0];
      const value = Array.isArray(list) && i < list.length ? list[i] : lone ? own(lone.mismatch, side) : undefined;
      const card = itemCard(side, i, value, pair, wrong[side].get(i) || [], steps.length + 1, alone[side].has(i));
      cards[side].set(i, card);
      target.append(card);
    }
  };
  const drawnTo = { expected: Math.min(lastExpected, itemsLimit), candidate: Math.min(lastCandidate, itemsLimit) };
  addCards("expected", expectedList, 0, drawnTo.expected);
  addCards("candidate", candidateList, 0, drawnTo.candidate);
  const board = el("div", { class: "item-board" }, el("h4", { class: "expected" }, `Expected · ${plural(lastExpected, "item")}`), el("span"), el("h4", { class: "candidate" }, `Candidate · ${plural(lastCandidate, "item")}`), left, link, right);
  const more = el("button", { type: "button", class: "more", hidden: lastExpected <= itemsLimit && lastCandidate <= itemsLimit }, "show all items");
  more.addEventListener("click", () => {
    addCards("expected", expectedList, drawnTo.expected, Math.min(lastExpected, 2000));
    addCards("candidate", candidateList, drawnTo.candidate, Math.min(lastCandidate, 2000));
    more.remove();
    draw();
  });

  const draw = () => {
    const box = link.getBoundingClientRect();
    link.replaceChildren();
    if (!box.width) return;
    const middle = (card) => { const rect = card.getBoundingClientRect(); return Math.min(rect.top + rect.height / 2, rect.top + 28) - box.top; };
    for (const pair of alignment.pairs) {
      const from = cards.expected.get(pair.expected), to = cards.candidate.get(pair.candidate);
      if (!from || !to) continue;
      const y1 = middle(from), y2 = middle(to), half = box.width / 2;
      const line = svg("path", { d: `M0 ${y1} C${half} ${y1} ${half} ${y2} ${box.width} ${y2}`, class: wrong.expected.has(pair.expected) ? "pair-line wrong" : "pair-line" });
      line.dataset.expected = pair.expected;
      line.dataset.candidate = pair.candidate;
      link.append(line);
    }
  };
  const highlight = (event, on) => {
    const card = event.target.closest("li.item");
    if (!card) return;
    const side = card.dataset.side, pair = (side === "expected" ? fromExpected : toExpected).get(Number(card.dataset.index));
    const partner = pair && cards[side === "expected" ? "candidate" : "expected"].get(side === "expected" ? pair.candidate : pair.expected);
    for (const one of [card, partner]) if (one) one.classList.toggle("lit", on);
    for (const line of link.children) if (line.dataset[side] === card.dataset.index) line.classList.toggle("lit", on);
  };
  for (const [name, on] of [["pointerover", true], ["pointerout", false], ["focusin", true], ["focusout", false]]) board.addEventListener(name, (event) => highlight(event, on));
  new ResizeObserver(draw).observe(board);
  const missing = [...alone.expected.keys()].length, extra = [...alone.candidate.keys()].length;
  const unknown = expectedList === undefined && lastExpected > 0 ? el("p", { class: "note" }, "Correct expected items are not in this file; rows of --detail full have them.") : null;
  return el("section", { class: "panel" },
    el("h3", null, "Items of ", el("span", { class: "mono" }, judge.name), el("span", { class: "muted" }, ` · ${plural(alignment.pairs.length, "pair")}, ${number(missing)} missing, ${number(extra)} spurious`)),
    unknown, board, more);
}

function listOfCandidate(row, alignment) {
  const known = judgeInfo(alignment.result.name);
  const steps = known && typeof known.candidate === "string" ? parsePath(known.candidate) : null;
  return valueAt(row.candidate_answer, steps || alignment.steps);
}

function itemCard(side, index, value, pair, wrong, depth, alone) {
  const other = side === "expected" ? "candidate" : "expected";
  const state = pair ? `paired with ${other} item ${pair[other]}` : alone ? (side === "expected" ? "missing" : "spurious") : "no partner";
  const head = el("div", { class: "item-head" }, el("span", { class: "mono" }, `[${index}]`),
    pair ? el("span", { class: "muted" }, `↔ [${pair[other]}]${typeof pair.similarity === "number" ? " " + pair.similarity.toFixed(2) : ""}`) : el("span", { class: "tag class-" + (side === "expected" ? "missing" : "spurious") }, side === "expected" ? "missing" : "spurious"));
  const card = el("li", { class: "item" + (pair ? "" : " unmatched"), tabindex: "0", "data-side": side, "data-index": String(index), "aria-label": `${side} item ${index}, ${state}` }, head);
  const wrongAt = new Map();
  for (const place of wrong) {
    const rest = (side === "expected" ? place.expectedSteps : place.candidateSteps).slice(depth);
    wrongAt.set(rest.map((step) => String(isObject(step) ? step.extra : step)).join("."), place.mismatch);
  }
  const list = el("dl");
  const shown = new Set();
  const add = (key, member) => {
    const mismatch = wrongAt.get(key);
    shown.add(key);
    const content = mismatch ? diffPair(own(mismatch, "expected"), own(mismatch, "candidate"), 300)[side === "expected" ? 0 : 1] : diffPair(member, member, 300)[side === "expected" ? 0 : 1];
    list.append(el("div", { class: mismatch ? "wrong" : null }, el("dt", { dir: "auto" }, visibleText(key.slice(0, 100))), el("dd", null, content)));
  };
  if (isObject(value)) {
    const keys = Object.keys(value);
    for (const key of keys.slice(0, 12)) add(key, value[key]);
    for (const key of wrongAt.keys()) if (!shown.has(key)) add(key, valueAt(value, key.split(".")));
    if (keys.length > 12) list.append(el("div", null, el("dt", { class: "muted" }, `and ${number(keys.length - 12)} more`)));
  } else if (value !== undefined) {
    list.append(el("div", null, el("dd", null, diffPair(value, value, 300)[side === "expected" ? 0 : 1])));
  } else {
    for (const key of wrongAt.keys()) add(key, undefined);
    if (!wrongAt.size) list.append(el("div", { class: "muted" }, "correct; its values are not in this file"));
  }
  card.append(list);
  return card;
}
