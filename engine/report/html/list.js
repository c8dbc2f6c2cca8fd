// list.js: the mismatches: a bar of filters, and a grid whose rows are drawn as they come into view.
"use strict";

// Browsers cannot lay out more pixels than some 17 to 33 million; a longer list moves faster than the scroll bar.
const tallest = 12000000;

class CaseList {
  constructor() {
    this.filter = null;
    this.result = null;
    this.current = 0; // the row with the keyboard's focus
    this.search = { text: "", found: null, share: 1, run: 0 };
    this.places = new Map(); // of each fragment: where one was, for the way back
    this.drawn = new Map();  // row number -> element
    this.build();
  }

  build() {
    this.bar = el("form", { class: "filters", role: "search", "aria-label": "Filter the mismatches", onsubmit: (event) => event.preventDefault() });
    this.text = el("input", { type: "search", id: "ee-search", placeholder: "Search ids, fields, values, reasons", "aria-label": "Search ids, fields, values and reasons", autocomplete: "off", spellcheck: "false" });
    this.text.addEventListener("input", () => {
      clearTimeout(this.typing);
      this.typing = setTimeout(() => goQuietly(casesFragment({ ...this.filter, q: this.text.value })), 150);
    });
    this.text.addEventListener("keydown", (event) => {
      if (event.key === "Enter" || event.key === "ArrowDown") { this.grid.focus(); event.preventDefault(); }
    });
    this.selects = new Map();
    this.bar.append(this.text);
    this.addSelect("field", "Field");
    this.addSelect("class", "Class");
    this.addSelect("kind", "Kind");
    if (cases.runs) this.addSelect("change", "Change");
    this.addSelect("verdict", "Verdict");
    (cases.names.slices || []).forEach((slice, i) => this.addSelect("slice" + i, slice.path));
    this.addSelect("sort", "Order");
    this.addSelect("show", "Show");
    this.reset = el("button", { type: "button", class: "reset", onclick: () => go("#cases") }, "Reset");
    this.bar.append(this.reset);
    this.count = el("p", { class: "count" });
    this.body = el("div", { class: "grid-body", role: "presentation" });
    const heads = cases.runs ? ["Case", "Field", "Expected", runLabels()[0], runLabels().at(-1), "Reason"] : ["Case", "Field", "Expected", "Candidate", "Reason"];
    this.columns = heads.length;
    const header = el("div", { role: "row", class: "grid-row grid-head", "aria-rowindex": "1" },
      heads.map((name, i) => el("span", { role: "columnheader", class: ["c-case", "c-field", "c-expected", ...(cases.runs ? ["c-old"] : []), "c-candidate", "c-reason"][i], title: name }, name)));
    this.grid = el("div", {
      class: "grid", role: "grid", tabindex: "0", id: "ee-grid", "aria-label": "Mismatches", "aria-readonly": "true", "aria-colcount": String(heads.length),
    }, el("div", { role: "rowgroup", class: "grid-header" }, header), el("div", { role: "rowgroup", class: "grid-space" }, this.body));
    this.space = this.body.parentElement;
    this.empty = el("div", { class: "empty", hidden: true });
    this.printed = el("p", { class: "count printed" });
    this.root = el("section", { class: "cases-view" + (cases.runs ? " compared" : ""), "aria-label": "Mismatches" }, this.bar, this.count, this.printed, this.grid, this.empty);
    this.grid.addEventListener("scroll", () => this.schedule(), { passive: true });
    this.grid.addEventListener("click", (event) => this.clicked(event));
    this.grid.addEventListener("keydown", (event) => this.key(event));
    window.addEventListener("resize", () => this.schedule());
    window.addEventListener("beforeprint", () => this.print());
    window.addEventListener("afterprint", () => this.draw(true));
  }

  addSelect(key, label) {
    const select = el("select", { id: "ee-filter-" + key, "data-key": key });
    select.addEventListener("change", () => this.chosen(key, select.value));
    this.selects.set(key, select);
    this.bar.append(el("label", { class: "filter" }, el("span", null, label), select));
  }

  chosen(key, value) {
    const filter = { ...this.filter };
    if (key.startsWith("slice")) {
      const path = cases.names.slices[Number(key.slice(5))].path;
      filter.slice = (filter.slice || []).filter((text) => !text.startsWith(path + "="));
      if (value) filter.slice.push(value);
    } else {
      filter[key] = value;
      if (key === "field") delete filter.judge;
    }
    go(casesFragment(filter));
  }

  // Shows the list with `filter`; called for each new fragment.
  async show(filter, focus) {
    const fragment = casesFragment(filter);
    const place = this.places.get(fragment);
    this.fragment = fragment;
    this.filter = filter;
    if (this.text.value !== (filter.q || "")) this.text.value = filter.q || "";
    this.startSearch(filter.q || "");
    this.update();
    this.current = place ? Math.min(place.current, Math.max(0, this.result.entries.length - 1)) : 0;
    this.grid.scrollTop = place ? place.top : 0;
    this.draw(true);
    if (focus) this.grid.focus({ preventScroll: true });
  }

  // Remembers the place in the list before another view is shown.
  leave() {
    if (this.fragment !== undefined && this.root.isConnected) this.places.set(this.fragment, { top: this.grid.scrollTop, current: this.current });
  }

  // Searching goes through all chunks, without blocking; matches appear as they are found.
  startSearch(text) {
    const search = this.search;
    if (text === search.text) return;
    search.text = text;
    const run = ++search.run;
    search.found = text ? new Uint8Array(cases.entries) : null;
    search.share = text ? 0 : 1;
    search.error = null;
    if (!text) return;
    let last = 0;
    const progress = (share) => {
      search.share = share;
      const now = performance.now();
      if (share < 1 && share > 0 && now - last < 200) return;
      last = now;
      this.update();
      this.draw(true);
    };
    searchEntries(cases, text, search.found, progress, () => run !== search.run).then(
      () => { if (run === search.run) progress(1); },
      (error) => { search.error = error.message; search.share = 1; this.update(); });
  }

  // Filters again and renews the bar and the count.
  update() {
    const filter = this.filter;
    this.result = applyFilter(cases, filter, this.search.found);
    const { entries, facets } = this.result;
    const option = (value, label, count) => ({ value, label: count === undefined ? label : `${label} (${number(count)})`, count });
    const names = cases.names;
    const counted = (list, counts) => (list || []).map((name, i) => option(name, name || "(whole judge)", counts[i]));
    const byCount = (list) => list.filter((one) => one.count > 0).sort((a, b) => b.count - a.count);
    this.fillSelect("field", [option("", "all"), ...byCount(cases.fieldNames.map((name, i) => option(name, name, facets.field[i])))], filter.field || (filter.judge ? filter.judge : ""));
    this.fillSelect("class", [option("", "all"), ...byCount(counted(names.classes, facets.class))], filter.class || "");
    this.fillSelect("kind", [option("", "all"), ...byCount(counted(names.kinds, facets.kind))], filter.kind || "");
    if (cases.runs) this.fillSelect("change", [option("", "all"), ...byCount(counted(names.changes, facets.change))], filter.change || "");
    this.fillSelect("verdict", [option("", "all"), ...Object.keys(verdictLetters).map((name) => option(name, name, facets.verdict[verdictLetters[name]])).filter((one) => one.count > 0)], filter.verdict || "");
    (names.slices || []).forEach((slice, s) => {
      const chosen = (filter.slice || []).find((text) => text.startsWith(slice.path + "="));
      const values = byCount(slice.values.map((value, i) => option(slice.path + "=" + value, value, facets.slices[s][i])));
      this.fillSelect("slice" + s, [option("", "all"), ...values.slice(0, 500)], chosen || "");
    });
    this.fillSelect("sort", [option("", "as in the data"), option("score", "worst score first"), option("-score", "best score first"), option("id", "id"), option("field", "field"),
      ...(cases.runs ? [option("gain", "largest loss first"), option("-gain", "largest gain first")] : [])], filter.sort || "");
    this.fillSelect("show", [option("", "what is wrong"), option("all", "all cases")], filter.show || "");
    this.reset.hidden = casesFragment(filter) === "#cases";
    this.space.style.height = Math.min(entries.length * this.rowHeight(), tallest) + "px";
    this.grid.setAttribute("aria-rowcount", String(entries.length + 1));
    const searching = this.search.share < 1 ? ` · searching, ${Math.floor(this.search.share * 100)} %` : "";
    const failed = this.search.error ? ` · values could not be searched: ${this.search.error}` : "";
    let found = 0;
    for (const entry of entries) if (cases.columns.field[entry] >= 0) found++;
    this.count.textContent = `${plural(found, "mismatch", "mismatches")} in ${plural(this.result.cases, "case")} of ${number(cases.ids.length)}${searching}${failed}`;
    if (!searching) announce(this.count.textContent);
    this.grid.hidden = entries.length === 0;
    this.empty.hidden = entries.length > 0;
    if (entries.length === 0) this.explainEmpty();
  }

  // Why the list is empty, and where to go from there.
  explainEmpty() {
    const filter = this.filter, filtered = casesFragment({ ...filter, show: null, sort: null }) !== "#cases";
    const button = (label, fragment) => el("button", { type: "button", onclick: () => go(fragment) }, label);
    const say = (text, ...buttons) => this.empty.replaceChildren(el("p", null, text), el("p", { class: "actions" }, buttons));
    if (this.search.share < 1) return say("Searching …");
    if (cases.ids.length === 0) return say("There are no cases in this page.");
    const remove = filtered ? button("Remove the filters", "#cases") : null;
    if (this.result.unknown.includes("field") && filter.judge && cases.names.judges.includes(filter.judge)) {
      return say(`Judge '${shortTitle(filter.judge)}' lists no mismatches under '${shortTitle(filter.field || "")}'.`, button("All of this judge", casesFragment({ ...filter, field: null })), remove);
    }
    const all = filter.show === "all" ? null : applyFilter(cases, { ...filter, show: "all" }, this.search.found);
    if (all && all.cases) {
      return say(filtered ? `Nothing is wrong in ${all.cases === 1 ? "the case that matches" : `the ${plural(all.cases, "case")} that match`}.` : "Nothing is wrong: every case passed without a mismatch.",
        button(filtered ? "Show them" : "Show all cases", casesFragment({ ...filter, show: "all" })), remove);
    }
    return say("Nothing matches all of these filters.", remove);
  }

  fillSelect(key, options, chosen) {
    const select = this.selects.get(key);
    if (chosen && !options.some((one) => one.value === chosen)) options.push({ value: chosen, label: chosen + " (0)" });
    select.replaceChildren(...options.map((one) => {
      const element = el("option", null, visibleText(one.label.length > 80 ? one.label.slice(0, 80) + "…" : one.label));
      element.value = one.value;
      return element;
    }));
    select.value = chosen;
    const useless = options.length <= 1 && !chosen;
    select.parentElement.hidden = useless;
    select.parentElement.classList.toggle("active", Boolean(chosen));
  }

  rowHeight() {
    return parseFloat(getComputedStyle(this.root.isConnected ? this.root : document.documentElement).getPropertyValue("--row-height")) || 64;
  }

  schedule() {
    if (this.scheduled || !this.root.isConnected) return;
    this.scheduled = requestAnimationFrame(() => { this.scheduled = 0; this.draw(false); });
  }

  // Row number at the top of the view, and where it is drawn: the scroll bar's share of the way, when the list is too tall.
  position() {
    const height = this.rowHeight(), total = this.result.entries.length;
    const view = Math.max(height, this.grid.clientHeight - this.space.offsetTop), all = total * height;
    const space = Math.min(all, tallest), top = this.grid.scrollTop;
    const virtualTop = all <= tallest || space <= view ? top : (top / (space - view)) * (all - view);
    return { height, total, view, top, virtualTop: Math.max(0, Math.min(virtualTop, Math.max(0, all - view))) };
  }

  draw(renew, from, to) {
    if (!this.result || !this.root.isConnected) return;
    const at = this.position();
    if (from === undefined) {
      from = Math.max(0, Math.floor(at.virtualTop / at.height) - 4);
      to = Math.min(at.total, Math.ceil((at.virtualTop + at.view) / at.height) + 4);
    }
    for (const [row, element] of this.drawn) {
      if (renew || row < from || row >= to) {
        element.remove();
        this.drawn.delete(row);
      }
    }
    for (let row = from; row < to; row++) {
      let element = this.drawn.get(row);
      if (!element) {
        element = this.rowElement(row);
        this.drawn.set(row, element);
        // In order, for who reads the rows one after the other.
        const after = this.drawn.get(row + 1);
        this.body.insertBefore(element, after && after.parentElement ? after : null);
      }
      element.style.transform = `translateY(${Math.round(row * at.height - at.virtualTop + at.top)}px)`;
      element.classList.toggle("current", row === this.current);
      element.setAttribute("aria-selected", String(row === this.current));
    }
    const current = this.drawn.get(this.current);
    if (current) this.grid.setAttribute("aria-activedescendant", current.id);
    else this.grid.removeAttribute("aria-activedescendant");
  }

  rowElement(rowNumber) {
    const entry = this.result.entries[rowNumber], i = cases.columns.case[entry], field = cases.columns.field[entry];
    const classIndex = cases.columns.class[entry], kind = cases.columns.kind[entry];
    const cells = {
      case: el("span", { role: "gridcell", class: "c-case" },
        el("a", { href: caseFragment(cases.ids[i], this.filter), tabindex: "-1", class: "id", dir: "auto", title: shortTitle(cases.ids[i]) }, visibleText(cases.ids[i].slice(0, 300) || "(empty id)")),
        cases.runs ? el("span", { class: "sub" }, changeTag(i), compareScores(i)) : el("span", { class: "sub" }, verdictMark(cases.verdicts[i]), scoreText(cases.scores[i]))),
      field: el("span", { role: "gridcell", class: "c-field" },
        el("span", { class: "path", dir: "auto" }, field < 0 ? el("span", { class: "muted" }, cases.verdicts[i] === "p" ? "no mismatch" : "no field named") : visibleText(cases.fieldNames[field])),
        el("span", { class: "sub" }, classIndex >= 0 ? el("span", { class: "tag class-" + cases.names.classes[classIndex] }, cases.names.classes[classIndex]) : null,
          kind >= 0 && cases.names.kinds[kind] !== cases.names.classes[classIndex] ? el("span", { class: "kind" }, cases.names.kinds[kind]) : null)),
    };
    const row = el("div", { role: "row", class: "grid-row", id: "ee-row-" + rowNumber, "aria-rowindex": String(rowNumber + 2), "data-row": String(rowNumber) }, cells.case, cells.field);
    const ready = cases.rowIfReady(i);
    if (ready) this.addValues(row, entry, ready, cells.field);
    else {
      for (const name of this.valueClasses()) row.append(el("span", { role: "gridcell", class: name + " waiting" }, "…"));
      this.load(i);
    }
    return row;
  }

  valueClasses() {
    return cases.runs ? ["c-expected", "c-old", "c-candidate", "c-reason"] : ["c-expected", "c-candidate", "c-reason"];
  }

  addValues(row, entry, data, fieldCell) {
    const shown = entryValues(cases, entry, data);
    const cell = (name, ...children) => el("span", { role: "gridcell", class: name }, children);
    if (shown.path && fieldCell) {
      const path = fieldCell.querySelector(".path");
      path.textContent = visibleText(shown.path.slice(0, 300));
      path.title = shortTitle(cases.fieldNames[cases.columns.field[entry]]);
    }
    const room = 400;
    if (!shown.values.some((value) => value !== undefined)) { // words instead of values
      row.classList.add("words");
      row.append(el("span", { role: "gridcell", class: "c-reason", "aria-colindex": String(this.columns) }, visibleText(String(shown.reason || "").slice(0, 500))));
      return;
    }
    if (cases.runs) {
      const [expected, old, now] = shown.values;
      row.append(cell("c-expected", diffPair(expected, shown.newRight && !shown.oldRight ? old : now, room)[0]), cell("c-old", sideValue(expected, old, shown.oldRight, room)),
        cell("c-candidate", sideValue(expected, now, shown.newRight, room)), cell("c-reason", visibleText(String(shown.reason || "").slice(0, 300))));
      return;
    }
    const pair = diffPair(shown.values[0], shown.values[1], room);
    row.append(cell("c-expected", pair[0]), cell("c-candidate", pair[1]), cell("c-reason", visibleText(String(shown.reason || "").slice(0, 300))));
  }

  // Unpacks the chunk of a case and draws again. Many rows of one chunk ask; one waits.
  async load(caseIndex) {
    const chunk = cases.chunkOf(caseIndex);
    if (!chunk || chunk.asked) return;
    chunk.asked = true;
    try {
      await cases.row(caseIndex);
      this.draw(true);
    } catch (error) {
      chunk.failed = error.message;
      this.count.textContent = `the values cannot be shown: ${error.message}`;
    } finally {
      chunk.asked = false;
    }
  }

  clicked(event) {
    const row = event.target.closest(".grid-row[data-row]");
    if (!row) return;
    this.current = Number(row.dataset.row);
    this.draw(false);
    if (!event.target.closest("a") && !String(getSelection())) this.open();
  }

  key(event) {
    const page = Math.max(1, Math.floor(this.position().view / this.rowHeight()) - 1), last = this.result.entries.length - 1;
    const to = { ArrowDown: this.current + 1, ArrowUp: this.current - 1, PageDown: this.current + page, PageUp: this.current - page, Home: 0, End: last }[event.key];
    if (to !== undefined && !event.ctrlKey && !event.metaKey && !event.altKey) {
      this.move(to);
      event.preventDefault();
    } else if (event.key === "Enter") {
      this.open();
      event.preventDefault();
    }
  }

  // Makes a row the current one and brings it into view.
  move(row) {
    const last = this.result.entries.length - 1;
    if (last < 0) return;
    this.current = Math.max(0, Math.min(last, row));
    const at = this.position(), top = this.current * at.height;
    if (top < at.virtualTop || top + at.height > at.virtualTop + at.view) {
      const all = at.total * at.height, wanted = top < at.virtualTop ? top : top + at.height - at.view;
      this.grid.scrollTop = all <= tallest ? wanted : (wanted / (all - at.view)) * (tallest - at.view);
    }
    this.draw(false);
    this.grid.focus({ preventScroll: true });
  }

  open() {
    const entry = this.result.entries[this.current];
    if (entry === undefined) return;
    this.leave();
    go(caseFragment(cases.ids[cases.columns.case[entry]], this.filter));
  }

  // The cases before and after one in this list: {place, count, before, after}, numbers of cases or -1.
  around(caseIndex) {
    const order = [], seen = new Set();
    for (const entry of this.result.entries) {
      const i = cases.columns.case[entry];
      if (!seen.has(i)) { seen.add(i); order.push(i); }
    }
    const place = order.indexOf(caseIndex);
    return { place, count: order.length, before: place > 0 ? order[place - 1] : -1, after: place >= 0 && place + 1 < order.length ? order[place + 1] : -1 };
  }

  // The first rows, on paper.
  print() {
    if (!this.root.isConnected || !this.result) return;
    const count = this.result.entries.length, most = 500;
    this.printed.textContent = count > most ? `The first ${number(most)} of ${number(count)} rows.` : "";
    this.draw(true, 0, Math.min(count, most));
  }
}

function shortTitle(text) {
  return text.length > 300 ? text.slice(0, 300) + "…" : text;
}

const verdictNames = { p: "pass", b: "borderline", f: "fail", u: "unscored" };

function verdictMark(letter) {
  const name = verdictNames[letter] || "unscored";
  return el("span", { class: "verdict " + name }, name);
}

function changeTag(i) {
  const name = cases.names.changes[cases.changes[i]];
  return el("span", { class: "tag value-" + name.replaceAll(" ", "-") }, name);
}

function compareScores(i) {
  return el("span", null, `${scoreText(cases.scoresBefore[i])} → ${scoreText(cases.scores[i])}`);
}
