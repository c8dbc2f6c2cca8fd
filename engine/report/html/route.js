// route.js: every view has a fragment: "#cases?field=total&verdict=fail", "#case/ID?...", "#fields" and the other sections of the
// first screen. The back button works because nothing but the fragment decides what is shown.
"use strict";

// The filter's members, each one text; `slice` has a text "PATH=VALUE" for each slice path.
const filterKeys = ["field", "judge", "class", "kind", "verdict", "change", "q", "sort", "show"];

// {view: "cases" | "case" | "report", id, section, filter}
function parseFragment(fragment) {
  const text = fragment.replace(/^#/, "");
  const mark = text.indexOf("?");
  const path = mark < 0 ? text : text.slice(0, mark);
  const filter = parseFilter(mark < 0 ? "" : text.slice(mark + 1));
  if (path === "cases") return { view: "cases", filter };
  if (path.startsWith("case/")) return { view: "case", id: decodeText(path.slice(5)), filter };
  return { view: "report", section: decodeText(path), filter };
}

function decodeText(text) {
  try {
    return decodeURIComponent(text);
  } catch {
    return text; // typed by hand: a "%" that encodes nothing
  }
}

function parseFilter(query) {
  const values = new URLSearchParams(query), filter = { slice: values.getAll("slice").filter((text) => text.includes("=")) };
  for (const key of filterKeys) {
    const value = values.get(key);
    if (value) filter[key] = value;
  }
  return filter;
}

function filterQuery(filter) {
  const values = new URLSearchParams();
  for (const key of filterKeys) if (filter[key]) values.set(key, filter[key]);
  for (const text of filter.slice || []) values.append("slice", text);
  const query = values.toString();
  return query ? "?" + query : "";
}

function casesFragment(filter) {
  return "#cases" + filterQuery(filter);
}

function caseFragment(id, filter) {
  return "#case/" + encodeURIComponent(id).replace(/[!'()*]/g, (c) => "%" + c.charCodeAt(0).toString(16)) + filterQuery(filter);
}

function go(fragment) {
  if (location.hash !== fragment) location.hash = fragment;
}

// The same without a new entry in the history: for each letter that is typed into the search.
function goQuietly(fragment) {
  if (location.hash !== fragment) location.replace(fragment);
}
