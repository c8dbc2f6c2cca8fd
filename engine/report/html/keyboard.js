// keyboard.js: keys for every view, their help, and the choice of colours.
"use strict";

const keyHelp = [
  ["/", "search"], ["j  k", "next, previous mismatch; on the page of a case: next, previous case"], ["Enter  o", "open the case"], ["Escape  u", "back to the list, and from there to the summary"],
  ["n  p", "on the page of a case: next, previous difference in the documents"], ["g  G", "first, last mismatch"], ["s", "summary"], ["m", "mismatches"], ["?", "this help"],
];

function helpDialog() {
  const dialog = el("dialog", { id: "ee-help", "aria-label": "Keys" }, el("h2", null, "Keys"),
    el("dl", { class: "keys" }, keyHelp.map(([keys, text]) => el("div", null, el("dt", null, keys.split("  ").map((key) => el("kbd", null, key))), el("dd", null, text)))),
    el("form", { method: "dialog" }, el("button", { type: "submit" }, "Close")));
  dialog.addEventListener("click", (event) => { if (event.target === dialog) dialog.close(); });
  return dialog;
}

// `app` is the App of start.js.
function listenToKeys(app) {
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing) return;
    const target = event.target, typing = target.closest("input:not([type=checkbox]):not([type=radio]), textarea, select");
    if (document.querySelector("dialog[open]")) return;
    if (event.key === "Escape" && typing) {
      target.blur();
      if (app.view === "cases") app.list.grid.focus();
      event.preventDefault();
      return;
    }
    if (typing) return;
    const act = keyActions(app)[event.key];
    if (!act) return;
    act(event);
    event.preventDefault();
  });
}

function keyActions(app) {
  const list = app.list, page = app.page;
  const actions = { "?": () => document.getElementById("ee-help").showModal(), s: () => go("#summary"), m: () => go("#cases") };
  if (!list) return { "?": actions["?"] };
  actions["/"] = () => {
    if (app.view !== "cases") go(casesFragment(app.route.filter));
    app.focusSearch();
  };
  if (app.view === "cases") {
    Object.assign(actions, { j: () => list.move(list.current + 1), k: () => list.move(list.current - 1), g: () => list.move(0), G: () => list.move(Infinity), o: () => list.open(), Escape: () => go("#summary"), u: () => go("#summary") });
    if (!document.activeElement.closest("a, button, select")) actions.Enter = () => list.open();
  } else if (app.view === "case" && page) {
    const to = (caseIndex) => { if (caseIndex >= 0) go(caseFragment(cases.ids[caseIndex], page.filter)); };
    const up = () => go(casesFragment(page.filter));
    Object.assign(actions, { j: () => to(page.around.after), k: () => to(page.around.before), n: () => page.tree && page.tree.jump(1), p: () => page.tree && page.tree.jump(-1), Escape: up, u: up });
  }
  return actions;
}

// The choice of colours is kept where the browser keeps anything for this file; pages from file:// may have no storage.
function rememberColours() {
  const names = ["auto", "light", "dark"], inputs = names.map((name) => document.getElementById("theme-" + name));
  let kept = null;
  try { kept = localStorage.getItem("evalengine-colours"); } catch { /* no storage */ }
  inputs.forEach((input, i) => {
    if (!input) return;
    if (names[i] === kept) input.checked = true;
    input.addEventListener("change", () => {
      try { localStorage.setItem("evalengine-colours", names[i]); } catch { /* no storage */ }
      document.dispatchEvent(new Event("ee-theme"));
    });
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => document.dispatchEvent(new Event("ee-theme")));
}
