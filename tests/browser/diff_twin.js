// Random texts: the parts of a diff make up both texts, parts that are the same agree, and the number of edits is the one that a table of
// all pairs finds. Returns what is wrong.
let state = arguments[0] >>> 0;
const random = (n) => ((state = (Math.imul(state, 1664525) + 1013904223) >>> 0) >>> 8) % n;
const wrong = [];
const alphabets = ["ab", "aAbB", "abc d", "aé😀日\u0301 x", "0123456789.,", "مرحبا "];
const text = (length) => { const letters = Array.from(alphabets[random(alphabets.length)]); return Array.from({ length }, () => letters[random(letters.length)]).join(""); };
const edits = (a, b) => {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) next.push(a[i - 1] === b[j - 1] ? row[j - 1] : 1 + Math.min(row[j], next[j - 1]));
    row = next;
  }
  return row[b.length];
};
for (let i = 0; i < 3000 && wrong.length < 5; i++) {
  const a = text(random(30)), letters = Array.from(a), b = random(2) ? text(random(30)) : letters.slice(0, random(30)).join("") + text(random(4)) + letters.slice(random(30)).join("");
  const parts = diffTexts(a, b), join = (list) => list.map((part) => part.text).join("");
  const same = (list) => list.filter((part) => part.same).map((part) => (part.folded ? part.text.toLowerCase() : part.text)).join("");
  if (join(parts.a) !== a || join(parts.b) !== b || same(parts.a) !== same(parts.b)) wrong.push(["parts", a, b]);
  if ([...parts.a, ...parts.b].some((part) => !part.text.isWellFormed())) wrong.push(["halves of a character", a, b]);
  const x = Array.from(a), y = Array.from(b), reach = [];
  const original = joinParts;
  joinParts = (p, q, steps) => { reach.push(steps.filter((step) => step !== "=").length); return original(p, q, steps); };
  diffTokens(x, y);
  joinParts = original;
  if (reach[0] !== edits(x, y)) wrong.push(["edits", a, b, reach[0], edits(x, y)]);
}
for (const [a, b] of [["x".repeat(5e6), "y".repeat(5e6)], ["ab ".repeat(1e5), "ba ".repeat(1e5)], [text(4000), text(4000)], ["a".repeat(1e6), "a".repeat(1e6 - 1)]]) {
  const start = performance.now();
  diffPair(a, b);
  if (performance.now() - start > 500) wrong.push(["slow", a.length, performance.now() - start]);
}
return wrong.map((one) => JSON.stringify(one));
