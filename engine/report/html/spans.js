// spans.js: text spans marked in the text of their document. Spans may overlap.
"use strict";

const spansLimit = 400;

// The spans of a case: {text, spans: [{number, side, from, to, label, quote, fault}]}, offsets in UTF-16 code units; null if it has none.
function textSpans(row) {
  const groups = [["candidate", spanList(row.candidate_answer)], ["expected", spanList(row.expected) || spanList(own(row.record, "goldSpans"))]];
  if (!groups.some(([, list]) => list)) return null;
  const text = documentText(row), faults = new Map();
  for (const result of row.evaluator_results || []) {
    for (const failure of own(result.details, "failures") || []) if (typeof failure.extraction === "number") faults.set(failure.extraction, failure);
  }
  const spans = [], toUnits = text === null ? null : offsetReader(text);
  for (const [side, list] of groups) {
    (list || []).forEach((item, index) => {
      const place = spanPlace(item);
      if (!place) return;
      const from = toUnits ? toUnits(place.start, place.mode) : null, to = toUnits ? toUnits(place.end, place.mode) : null;
      spans.push({ number: spans.length + 1, side, index, from, to, start: place.start, end: place.end, label: item.extractionClass ?? item.label ?? item.class ?? item.type ?? "", quote: item.quote ?? item.text, fault: side === "candidate" ? faults.get(index) : undefined });
    });
  }
  return spans.length ? { text, spans } : null;
}

function spanList(value) {
  for (const list of [value, own(value, "extractions"), own(value, "spans"), own(value, "goldSpans"), own(value, "entities")]) {
    if (Array.isArray(list) && list.some((item) => spanPlace(item))) return list;
  }
  return null;
}

function spanPlace(item) {
  if (!isObject(item)) return null;
  for (const place of [item, own(item, "span")]) {
    for (const [from, to] of [["charStart", "charEnd"], ["start", "end"], ["begin", "end"]]) {
      const start = own(place, from), end = own(place, to);
      if (Number.isInteger(start) && Number.isInteger(end)) return { start, end, mode: own(place, "offsetMode") || own(item, "offsetMode") || "utf16_code_unit" };
    }
  }
  return null;
}

// The text that the spans refer to, or null: rows of --detail misses have no record.
function documentText(row) {
  for (const result of row.evaluator_results || []) {
    const known = judgeInfo(result.name);
    const value = known && typeof known.document === "string" ? valueAt(row.record, parsePath(known.document) || []) : undefined;
    if (typeof value === "string") return value;
  }
  for (const place of [row.record, own(row.record, "meta"), own(row.record, "input")]) {
    for (const key of ["documentText", "document", "text", "input", "source", "sentence", "content"]) if (typeof own(place, key) === "string") return place[key];
  }
  return null;
}

// Offsets in code points or bytes as UTF-16 code units; null outside the text.
function offsetReader(text) {
  const tables = new Map();
  const table = (mode) => {
    if (!tables.has(mode)) {
      const map = new Map();
      let units = 0, count = 0;
      for (const character of text) {
        map.set(count, units);
        const code = character.codePointAt(0);
        units += character.length;
        count += mode === "code_point" ? 1 : code < 0x80 ? 1 : code < 0x800 ? 2 : code < 0x10000 ? 3 : 4;
      }
      map.set(count, units);
      tables.set(mode, map);
    }
    return tables.get(mode);
  };
  return (offset, mode) => {
    if (mode === "code_point" || mode === "utf8_byte") return table(mode).get(offset) ?? null;
    return offset >= 0 && offset <= text.length ? offset : null;
  };
}

function spansSection(row, found) {
  const { text, spans } = found;
  const body = el("div", { class: "document", dir: "auto", tabindex: "0", "aria-label": "Document text" });
  const marks = new Map();
  if (text !== null) {
    const inText = spans.filter((span) => span.from !== null && span.to !== null && span.from < span.to).slice(0, spansLimit);
    const cuts = [...new Set([0, text.length, ...inText.flatMap((span) => [span.from, span.to])])].sort((a, b) => a - b);
    const starts = new Map(), open = new Set();
    for (const span of inText) {
      if (!starts.has(span.from)) starts.set(span.from, []);
      starts.get(span.from).push(span);
    }
    cuts.forEach((from, i) => {
      for (const span of [...open]) if (span.to <= from) open.delete(span);
      for (const span of starts.get(from) || []) open.add(span);
      const to = cuts[i + 1];
      if (to === undefined) return;
      const piece = text.slice(from, to);
      if (!open.size) return void body.append(longText(piece));
      const covering = [...open];
      const mark = el("mark", {
        class: ["span", covering.some((span) => span.side === "candidate") ? "candidate" : "", covering.some((span) => span.side === "expected") ? "expected" : "", covering.some((span) => span.fault) ? "fault" : "", covering.length > 1 ? "several" : ""].join(" ").trim(),
        title: covering.map((span) => `${span.number} ${span.side} ${span.label}`).join("\n").slice(0, 500),
      });
      for (const span of covering) {
        if (!marks.has(span)) { marks.set(span, []); mark.append(el("sup", { class: "span-number " + span.side }, String(span.number))); }
        marks.get(span).push(mark);
      }
      mark.append(longText(piece));
      body.append(mark);
    });
  }
  const light = (span, on) => { for (const mark of marks.get(span) || []) mark.classList.toggle("lit", on); };
  const rows = spans.slice(0, spansLimit).map((span) => {
    const line = el("tr", { tabindex: "0", class: span.fault ? "wrong" : null },
      el("td", { class: "number" }, String(span.number)), el("td", null, el("span", { class: "swatch " + span.side }), span.side), el("td", { dir: "auto" }, visibleText(String(span.label).slice(0, 200))),
      el("td", { class: "number" }, `${span.start}–${span.end}`), el("td", null, span.quote === undefined ? "" : longText(String(span.quote))),
      el("td", null, span.fault ? [el("span", { class: "tag class-incorrect" }, String(span.fault.code)), " ", span.fault.actual !== undefined ? el("span", { class: "muted" }, "there: ", longText(String(span.fault.actual))) : visibleText(String(span.fault.reason || "").slice(0, 300))] : text !== null && span.from === null ? el("span", { class: "tag class-incorrect" }, "outside the text") : ""));
    for (const name of ["pointerenter", "focus"]) line.addEventListener(name, () => light(span, true));
    for (const name of ["pointerleave", "blur"]) line.addEventListener(name, () => light(span, false));
    line.addEventListener("click", () => { const first = (marks.get(span) || [])[0]; if (first) first.scrollIntoView({ block: "center" }); });
    return line;
  });
  return el("section", { class: "panel" }, el("h3", null, "Text spans", el("span", { class: "muted" }, ` · ${plural(spans.length, "span")}`)),
    text === null ? el("p", { class: "note" }, "The document's text is not in this file; rows of --detail full have it.") : body,
    el("div", { class: "table-scroll" }, el("table", null, el("thead", null, el("tr", null, ["No", "Side", "Class", "Offsets", "Quote", "Fault"].map((name) => el("th", { scope: "col", class: ["No", "Offsets"].includes(name) ? "number" : null }, name)))), el("tbody", null, rows))),
    spans.length > spansLimit ? el("p", { class: "note" }, `The first ${number(spansLimit)} of ${number(spans.length)} spans are shown.`) : null);
}
