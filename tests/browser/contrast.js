// Text in view whose contrast with its ground is below WCAG AA: 4.5, or 3 for large text. Colours are painted to be read.
const context = Object.assign(document.createElement("canvas"), { width: 1, height: 1 }).getContext("2d", { willReadFrequently: true });
const parse = (color) => {
  context.clearRect(0, 0, 1, 1);
  context.fillStyle = color;
  context.fillRect(0, 0, 1, 1);
  const [r, g, b, a] = context.getImageData(0, 0, 1, 1).data;
  return [r, g, b, a / 255];
};
const over = (top, ground) => top.slice(0, 3).map((part, i) => part * top[3] + ground[i] * (1 - top[3]));
const light = (color) => {
  const [r, g, b] = color.map((part) => (part /= 255) <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const ground = (element) => {
  const layers = [];
  for (let at = element; at; at = at.parentElement) layers.push(parse(getComputedStyle(at).backgroundColor));
  return layers.reverse().reduce((below, layer) => over(layer, below), document.documentElement.matches(":root") && getComputedStyle(document.documentElement).colorScheme === "dark" ? [18, 18, 18] : [255, 255, 255]);
};
const found = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const element = node.parentElement;
  if (!node.data.trim() || !element.offsetParent || element.closest("script, option, .offscreen, [disabled], .off, svg")) continue;
  const style = getComputedStyle(element), below = ground(element), color = parse(style.color);
  for (let at = element; at; at = at.parentElement) color[3] *= Number(getComputedStyle(at).opacity);
  const ink = over(color, below);
  const [a, b] = [light(ink), light(below)].sort((x, y) => y - x), ratio = (a + 0.05) / (b + 0.05);
  const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 18.66 && Number(style.fontWeight) >= 700);
  if (ratio < (large ? 3 : 4.5)) found.set(`${element.className} ${style.color} on ${below.map(Math.round)}: ${ratio.toFixed(2)}`, node.data.trim().slice(0, 30));
}
return [...found].slice(0, 20);
