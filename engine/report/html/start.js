// start.js: what happens when the page is opened: the first screen is there already; the index is read after it was painted, and then
// the fragment decides which view is shown.
"use strict";

class App {
  constructor() {
    this.report = document.getElementById("report");
    this.viewer = document.getElementById("viewer");
    this.view = "report";
    this.list = null;
    this.page = null;
    this.route = parseFragment(location.hash);
    this.scroll = 0; // of the first screen
  }

  async start() {
    rememberColours();
    if (!document.getElementById("ee-index") || !this.viewer) return; // a document without cases
    document.body.append(helpDialog(), el("p", { id: "ee-live", class: "offscreen", role: "status", "aria-live": "polite" }));
    this.addBar();
    listenToKeys(this);
    window.addEventListener("hashchange", () => this.follow());
    if (parseFragment(location.hash).view !== "report") this.wait("Reading the cases …");
    try {
      await new Promise((resolve) => requestAnimationFrame(() => setTimeout(resolve, 0)));
      await loadCases((data) => { this.tally.textContent = `reading ${number(data.ids.length)} …`; });
    } catch (error) {
      this.tally.textContent = "";
      this.failure = error.message;
    }
    if (cases) {
      this.list = new CaseList();
      const wrong = applyFilter(cases, { slice: [] }, null);
      let count = 0;
      for (const entry of wrong.entries) if (cases.columns.field[entry] >= 0) count++;
      this.tally.textContent = number(count);
    }
    document.documentElement.dataset.ready = "true";
    await this.follow();
  }

  addBar() {
    const link = (href, text, view, ...more) => el("a", { href, "data-view": view }, text, ...more);
    this.tally = el("span", { class: "tally" });
    this.bar = el("nav", { id: "ee-bar", "aria-label": "Views" }, link("#summary", "Summary", "report"), link("#cases", "Mismatches", "cases", " ", this.tally),
      el("span", { class: "grow" }), el("button", { type: "button", class: "help", "aria-label": "Keys", title: "Keys (?)", onclick: () => document.getElementById("ee-help").showModal() }, "?"));
    const theme = document.querySelector("fieldset.theme");
    if (theme) this.bar.append(theme);
    this.main = el("div", { id: "ee-main" });
    this.viewer.append(this.main);
    document.body.prepend(this.bar);
  }

  wait(text) {
    this.shows("cases");
    this.main.replaceChildren(el("p", { class: "empty" }, text));
  }

  // Which of the two halves of the page is to be seen.
  shows(view) {
    if (this.view === "report" && view !== "report") this.scroll = window.scrollY;
    this.report.hidden = view !== "report";
    this.viewer.hidden = view === "report";
    document.body.dataset.view = view;
    for (const link of this.bar.querySelectorAll("a")) {
      if (link.dataset.view === view || (view === "case" && link.dataset.view === "cases")) link.setAttribute("aria-current", "page");
      else link.removeAttribute("aria-current");
    }
    this.view = view;
  }

  focusSearch() {
    if (this.view === "cases") { this.list.text.focus(); this.list.text.select(); }
    else this.wantsSearch = true;
  }

  // Shows what the fragment says.
  async follow() {
    const route = parseFragment(location.hash), before = this.view;
    this.route = route;
    if (route.view === "report") {
      if (before === "cases" && this.list) this.list.leave();
      this.shows("report");
      if (before !== "report") {
        const section = route.section && document.getElementById(route.section);
        if (section && route.section !== "summary") section.scrollIntoView();
        else window.scrollTo(0, this.scroll);
      }
      document.title = this.title || (this.title = document.title);
      return;
    }
    this.title = this.title || document.title;
    if (!cases) {
      this.shows(route.view);
      if (document.documentElement.dataset.ready) this.message("The cases of this page cannot be read", this.failure || "");
      return;
    }
    if (route.view === "cases") this.showList(route, before);
    else await this.showCase(route, before);
  }

  showList(route, before) {
    if (before === "cases") this.list.leave();
    this.shows("cases");
    this.page = null;
    if (!this.list.root.isConnected) this.main.replaceChildren(this.list.root);
    window.scrollTo(0, 0);
    const typing = document.activeElement && document.activeElement.closest(".filters");
    this.list.show(route.filter, !typing);
    document.title = `Mismatches – ${this.title}`;
    if (this.wantsSearch) { this.wantsSearch = false; this.focusSearch(); }
  }

  async showCase(route, before) {
    const caseIndex = cases.find(route.id);
    if (before === "cases") this.list.leave();
    if (caseIndex < 0) {
      this.shows("case");
      return this.message("There is no case with this id", route.id.slice(0, 500));
    }
    // The list that the page was opened from decides what is next.
    const filter = route.filter;
    const fragment = casesFragment(filter);
    if (!this.list.result || this.list.fragment !== fragment) {
      this.list.fragment = fragment;
      this.list.filter = filter;
      this.list.startSearch(filter.q || "");
      this.list.update();
    }
    let row;
    const waiting = setTimeout(() => this.wait("Unpacking …"), 200);
    try {
      row = await cases.row(caseIndex);
    } catch (error) {
      clearTimeout(waiting);
      this.shows("case");
      return this.message("This case cannot be shown", error.message);
    }
    clearTimeout(waiting);
    if (this.route !== route) return undefined; // gone elsewhere meanwhile
    this.shows("case");
    this.page = new CasePage(caseIndex, row, this.list.around(caseIndex), filter);
    this.main.replaceChildren(this.page.root);
    window.scrollTo(0, 0);
    this.page.shown();
    document.title = `${shortTitle(this.page.id)} – ${this.title}`;
    // Back in the list, the row of this case is the current one.
    const place = this.list.places.get(fragment), at = this.list.result.entries.findIndex((entry) => cases.columns.case[entry] === caseIndex);
    const now = place && this.list.result.entries[place.current];
    if (at >= 0 && (now === undefined || cases.columns.case[now] !== caseIndex)) this.list.places.set(fragment, { top: Math.max(0, at - 2) * this.list.rowHeight(), current: at });
    return undefined;
  }

  message(title, text) {
    this.main.replaceChildren(el("div", { class: "empty" }, el("p", null, title), text ? el("p", { class: "mono", dir: "auto" }, visibleText(text)) : null, el("a", { class: "button", href: "#cases" }, "All mismatches")));
  }
}

if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", () => new App().start());
else new App().start();
