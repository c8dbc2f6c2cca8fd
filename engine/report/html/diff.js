// diff.js: which parts of two texts differ. Work is bounded for texts of any length.
"use strict";

const diffLimits = {
  characters: 4000, // longer texts, without what they share at both ends, are compared word by word
  words: 20000,     // and still longer ones as a whole
  edits: 600,       // texts farther apart than this are too different for marks to help
};

// Two lists of parts, {text, same, folded}, that make up `a` and `b`. A part that is the same occurs in both lists, in order;
// if it is folded, upper and lower case differ in it.
function diffTexts(a, b) {
  if (a === b) return { a: [{ text: a, same: true }], b: [{ text: b, same: true }] };
  let start = 0;
  const shorter = Math.min(a.length, b.length);
  while (start < shorter && a.charCodeAt(start) === b.charCodeAt(start)) start++;
  let end = 0;
  while (end < shorter - start && a.charCodeAt(a.length - 1 - end) === b.charCodeAt(b.length - 1 - end)) end++;
  while (start > 0 && splitsCharacter(a, start, b, start)) start--;
  while (end > 0 && splitsCharacter(a, a.length - end, b, b.length - end)) end--;

  const middle = diffMiddle(a.slice(start, a.length - end), b.slice(start, b.length - end));
  // A letter or two that both texts happen to begin with are no help.
  const shared = start + end, alike = [...middle.a, ...middle.b].some((part) => part.same);
  if (!alike && shared * 4 < Math.min(a.length, b.length)) return { a: [{ text: a, same: false }], b: [{ text: b, same: false }] };
  const around = (text, parts) => [
    ...(start ? [{ text: text.slice(0, start), same: true }] : []), ...parts, ...(end ? [{ text: text.slice(text.length - end), same: true }] : []),
  ];
  return { a: around(a, middle.a), b: around(b, middle.b) };
}

// Whether a cut there would separate a surrogate pair, or a letter from its accent, in one of the texts.
function splitsCharacter(a, i, b, j) {
  const joins = (text, at) => at < text.length && /^[\udc00-\udfff\p{M}\u200d\ufe0f]/u.test(text.slice(at, at + 1)) ||
    at > 0 && at < text.length && /[\ud800-\udbff]/.test(text[at - 1]) && /[\udc00-\udfff]/.test(text[at]);
  return joins(a, i) || joins(b, j);
}

function diffMiddle(a, b) {
  const whole = { a: a ? [{ text: a, same: false }] : [], b: b ? [{ text: b, same: false }] : [] };
  if (!a || !b) return whole;
  const lists = [a.length + b.length <= diffLimits.characters ? [characters(a), characters(b)] : null, [words(a), words(b)]];
  // Case apart first, so that it does not hide what else differs; exactly, if nothing else does.
  for (const fold of [true, false]) {
    for (const tokens of lists) {
      if (!tokens || !tokens[0] || !tokens[1] || (tokens === lists[1] && tokens[0].length + tokens[1].length < 6)) continue;
      const parts = diffTokens(tokens[0], tokens[1], fold);
      if (!parts || !legible(parts, a, b)) continue;
      if (!fold || [...parts.a, ...parts.b].some((part) => !part.same)) return parts;
      break;
    }
  }
  return whole;
}

// Marks help where much is the same, in runs that one can read: not where single letters happen to agree.
function legible(parts, a, b) {
  let same = 0, runs = 0;
  for (const part of parts.a) {
    if (!part.same) continue;
    same += part.text.length;
    runs++;
  }
  return same * 5 >= Math.max(a.length, b.length) * 2 && same >= runs * 2;
}

function characters(text) {
  if (/^[\x20-\x7e]*$/.test(text) || typeof Intl === "undefined" || !Intl.Segmenter) return Array.from(text);
  return Array.from(new Intl.Segmenter(undefined, { granularity: "grapheme" }).segment(text), (part) => part.segment);
}

function words(text) {
  if (text.length > diffLimits.words * 40) return null;
  const list = text.match(/[\p{L}\p{N}\p{M}]+|\s+|[^\p{L}\p{N}\p{M}\s]/gu) || [];
  return list.length <= diffLimits.words ? list : null;
}

// Myers, "An O(ND) difference algorithm and its variations" (1986), with at most diffLimits.edits edits; null beyond. With
// `fold`, tokens that differ in case only are the same.
function diffTokens(a, b, fold) {
  const keysA = fold ? a.map((token) => token.toLowerCase()) : a, keysB = fold ? b.map((token) => token.toLowerCase()) : b;
  const n = a.length, m = b.length, limit = Math.min(n + m, diffLimits.edits);
  const reach = new Int32Array(2 * limit + 3), origin = limit + 1, trace = [];
  for (let d = 0; d <= limit; d++) {
    trace.push(reach.slice(origin - d - 1, origin + d + 2));
    for (let k = -d; k <= d; k += 2) {
      const down = k === -d || (k !== d && reach[origin + k - 1] < reach[origin + k + 1]);
      let x = down ? reach[origin + k + 1] : reach[origin + k - 1] + 1;
      let y = x - k;
      while (x < n && y < m && keysA[x] === keysB[y]) { x++; y++; }
      reach[origin + k] = x;
      if (x >= n && y >= m) return joinParts(a, b, walkBack(trace, n, m));
    }
  }
  return null;
}

// The steps from the start to (n, m): "=" both, "a" only in a, "b" only in b.
function walkBack(trace, n, m) {
  const steps = [];
  let x = n, y = m;
  for (let d = trace.length - 1; d > 0; d--) {
    const reach = trace[d], at = (k) => reach[k + d + 1], k = x - y;
    const down = k === -d || (k !== d && at(k - 1) < at(k + 1));
    const before = down ? k + 1 : k - 1, fromX = at(before), fromY = fromX - before;
    while (x > fromX && y > fromY) { steps.push("="); x--; y--; }
    if (x === fromX && y === fromY) continue;
    if (down) { steps.push("b"); y--; } else { steps.push("a"); x--; }
  }
  while (x > 0 && y > 0) { steps.push("="); x--; y--; }
  return steps.reverse();
}

// Steps as parts. A single letter that agrees between longer differences is taken as different: "one" and "two" share no "o".
function joinParts(a, b, steps) {
  const blocks = [];
  let i = 0, j = 0;
  for (const step of steps) {
    let block = blocks[blocks.length - 1];
    if (!block || block.same !== (step === "=")) blocks.push((block = { same: step === "=", a: "", b: "", count: 0 }));
    if (step !== "b") block.a += a[i++];
    if (step !== "a") block.b += b[j++];
    block.count++;
  }
  const merged = [];
  blocks.forEach((block, at) => {
    const before = merged[merged.length - 1], after = blocks[at + 1];
    const crumb = block.same && block.a.length <= 2 && before && after && before.count >= 2 * block.count && after.count >= 2 * block.count;
    if (before && (before.same === block.same || (crumb && !before.same))) {
      before.a += block.a;
      before.b += block.b;
      before.count += block.count;
    } else {
      merged.push({ ...block });
    }
  });
  return {
    a: merged.filter((block) => block.a).map((block) => ({ text: block.a, same: block.same, folded: block.same && block.a !== block.b })),
    b: merged.filter((block) => block.b).map((block) => ({ text: block.b, same: block.same, folded: block.same && block.a !== block.b })),
  };
}

// Two elements that show `expected` and `candidate` with what differs marked. With `room`, a number of characters, long
// text is cut around the first difference. An absent side says so.
function diffPair(expected, candidate, room) {
  const absent = (value) => value === undefined || value === null;
  if (absent(expected) || absent(candidate) || isObject(expected) !== isObject(candidate)) {
    return [sideElement("expected", wholeParts(expected, candidate), expected, room), sideElement("candidate", wholeParts(candidate, expected), candidate, room)];
  }
  const a = valueText(expected, candidate), b = valueText(candidate, expected);
  const limit = 2000000; // beyond, even finding the shared ends is slow
  const parts = a.length + b.length > limit ? { a: [{ text: a, same: false }], b: [{ text: b, same: false }] } : diffTexts(a, b);
  return [sideElement("expected", parts.a, expected, room), sideElement("candidate", parts.b, candidate, room)];
}

function wholeParts(value, other) {
  return value === undefined ? [] : [{ text: valueText(value, other), same: true }];
}

function sideElement(side, parts, value, room) {
  const plain = typeof value === "string" ? "" : " " + (value === null ? "null" : value instanceof ExactNumber ? "number" : typeof value);
  if (value === undefined) return el("span", { class: `value ${side} absent` }, "not there");
  const element = el("span", { class: `value ${side}${plain}`, dir: "auto" });
  for (const part of room ? cutParts(parts, room) : parts) {
    if (part.text.length > textPiece) element.append(longText(part.text, part.same ? null : "differs"));
    else if (part.folded) element.append(el("span", { class: "folded" }, visibleText(part.text)));
    else if (part.same) element.append(visibleText(part.text));
    else element.append(el("mark", { class: "differs" }, visibleDifference(part.text)));
  }
  return element;
}

// `room` characters of the parts, with the first difference among them.
function cutParts(parts, room) {
  const first = parts.findIndex((part) => !part.same), kept = [];
  let left = room;
  parts.forEach((part, at) => {
    if (left <= 0) return;
    let text = part.text;
    const lead = Math.floor(room / 4);
    if (at < first && text.length > lead) text = "…" + text.slice(safeCut(text, text.length - lead));
    if (text.length > left) text = text.slice(0, safeCut(text, left)) + "…";
    left -= text.length;
    kept.push({ text, same: part.same, folded: part.folded });
  });
  return kept;
}

function safeCut(text, at) {
  return at > 0 && at < text.length && /[\udc00-\udfff]/.test(text[at]) ? at - 1 : at;
}
