// dom.js: elements, and values as text. Whatever comes from the data reaches the page as text nodes only.
"use strict";

// An element: el("a", { class: "id", href: "#cases", onclick: f }, "text", element, ...). Attributes that are null or false are
// left out; text is never read as HTML.
function el(name, attributes, ...children) {
  return fill(document.createElement(name), attributes, children);
}

function svg(name, attributes, ...children) {
  return fill(document.createElementNS("http://www.w3.org/2000/svg", name), attributes, children);
}

function fill(element, attributes, children) {
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== false));
  return element;
}

function number(count) {
  return count.toLocaleString("en");
}

function plural(count, one, many) {
  return `${number(count)} ${count === 1 ? one : many || one + "s"}`;
}

function scoreText(score) {
  return typeof score === "number" ? score.toFixed(3) : "–";
}

// Up to six digits, as the tables of the command line have them.
function shortNumber(value) {
  return typeof value === "number" ? String(Number(value.toPrecision(6))) : String(value);
}

function isObject(value) {
  return value !== null && typeof value === "object" && !(value instanceof ExactNumber);
}

// A number that JavaScript cannot hold as it is written: 12345678901234567890, 1e999.
class ExactNumber {
  constructor(text) {
    this.text = text;
  }

  toJSON() {
    return JSON.rawJSON ? JSON.rawJSON(this.text) : this.text;
  }
}

// JSON as values. Only text with numbers that may need it pays for looking at each of them.
function parseJson(text) {
  if (!/[:,[]-?(?:\d{16}|[\d.]{20}|[\d.]+[eE][+-]?\d{3})/.test(text)) return JSON.parse(text);
  return JSON.parse(text, (key, value, context) => {
    if (typeof value !== "number" || !context) return value;
    const source = context.source;
    return Number.isFinite(value) && significant(source) === significant(String(value)) ? value : source.length > 17 || !Number.isFinite(value) ? new ExactNumber(source) : value;
  });
}

// The digits of a number without its leading and trailing zeros.
function significant(text) {
  return text.replace(/[eE].*/, "").replace(/[-.]/g, "").replace(/^0+|0+$/g, "");
}

function own(object, key) {
  return isObject(object) && Object.hasOwn(object, key) ? object[key] : undefined;
}

// A value on one side of a comparison as text. Text is shown without quotes unless they tell something: that it is empty, has
// blanks at its ends, or is the text of what the other side has as a number.
function valueText(value, other) {
  if (value === undefined) return "";
  if (value instanceof ExactNumber) return value.text;
  if (isObject(value)) return JSON.stringify(value, null, 1).replace(/\n */g, " "); // with blanks, where lines may break
  if (typeof value !== "string") return JSON.stringify(value);
  const quoted = value === "" || value.trim() !== value || (other !== undefined && typeof other !== "string" && !isObject(other) && valueText(other) === value);
  return quoted ? JSON.stringify(value) : value;
}

// A path, which may be broken over lines before its steps.
function pathNodes(text) {
  return visibleText(text).split(/(?=[.[])/).flatMap((step, i) => (i ? [el("wbr"), step] : [step]));
}

// Characters that are invisible, or that change how their surroundings are shown, by a visible name.
const unseen = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff]/g;
const unseenNames = new Map([
  ["\u00ad", "SHY"], ["\u200b", "ZWSP"], ["\u200c", "ZWNJ"], ["\u200d", "ZWJ"], ["\u200e", "LRM"], ["\u200f", "RLM"],
  ["\u2028", "LS"], ["\u2029", "PS"], ["\u202a", "LRE"], ["\u202b", "RLE"], ["\u202c", "PDF"], ["\u202d", "LRO"],
  ["\u202e", "RLO"], ["\u2066", "LRI"], ["\u2067", "RLI"], ["\u2068", "FSI"], ["\u2069", "PDI"], ["\ufeff", "BOM"],
]);

function visibleText(text) {
  return text.replace(unseen, (c, at) => {
    if (c === "\u200d" && at > 0) return c; // joins emoji and letters
    const name = unseenNames.get(c) || "U+" + c.charCodeAt(0).toString(16).toUpperCase().padStart(4, "0");
    return `‹${name}›`;
  });
}

// The same for text that is marked as different: a blank that differs must be seen as well.
function visibleDifference(text) {
  return visibleText(text).replace(/\n/g, "↵\n").replace(/\t/g, "⇥\t").replace(/\u00a0/g, "⍽").replace(/^ +$/, (blanks) => "␣".repeat(blanks.length));
}

// Long text in pieces: a browser that lays out megabytes at once does not answer for seconds.
const textPiece = 4000;

function longText(text, className) {
  if (text.length <= textPiece) return el("span", { class: className, dir: "auto" }, visibleText(text));
  let shown = textPiece;
  const content = document.createTextNode(visibleText(text.slice(0, shown)));
  const more = el("button", { type: "button", class: "more" });
  const label = () => { more.textContent = `show more of ${number(text.length)} characters`; };
  more.addEventListener("click", () => {
    const next = Math.min(text.length, shown + 25 * textPiece);
    content.appendData(visibleText(text.slice(shown, next)));
    shown = next;
    if (shown >= text.length) more.remove();
    else label();
  });
  label();
  return el("span", { class: "long" }, el("span", { class: className, dir: "auto" }, content), more);
}

// Says to screen readers, and in the bar below the list, what has changed.
function announce(text) {
  const live = document.getElementById("ee-live");
  if (live && live.textContent !== text) live.textContent = text;
}

// A button that copies `text()`; navigator.clipboard may be missing in a page from file://.
function copyButton(label, text, hint) {
  const button = el("button", { type: "button", class: "copy", title: hint, "aria-label": hint }, label);
  button.addEventListener("click", async () => {
    let copied = false;
    try {
      await navigator.clipboard.writeText(text());
      copied = true;
    } catch {
      const area = el("textarea", { class: "offscreen", readonly: true });
      area.value = text();
      document.body.append(area);
      area.select();
      try { copied = document.execCommand("copy"); } catch { /* said below */ }
      area.remove();
      button.focus();
    }
    button.textContent = copied ? "copied" : "not allowed";
    announce(copied ? "copied" : "the browser does not allow copying");
    setTimeout(() => { button.textContent = label; }, 1500);
  });
  return button;
}
