// boxes.js: boxes and polygons of a case on a canvas, over the page image where the record names one.
"use strict";

const boxFormats = ["xyxy", "xywh", "cxcywh"];

// What there is to draw: [{judge, format, shapes: [{side, index, label, value, pair, state}]}] for each judge that compares shapes.
function shapeGroups(row) {
  const groups = [];
  for (const result of row.evaluator_results || []) {
    const pairs = own(result.details, "pairs"), known = judgeInfo(result.name) || {};
    if (Array.isArray(pairs)) {
      const steps = (typeof known.path === "string" ? parsePath(known.path) : listSteps(result)) || [];
      const expected = shapeList(valueAt(row.expected, steps)), candidate = shapeList(valueAt(row.candidate_answer, steps));
      const shapes = [...itemShapes("expected", expected, pairs, known), ...itemShapes("candidate", candidate, pairs, known)];
      if (shapes.length) groups.push({ judge: result.name, shapes, pairs, format: formatOf(known, result.type) });
    }
    const fields = (own(result.details, "outcomes") || own(result.details, "mismatches") || [])
      .filter((outcome) => ["iou", "distance"].includes(outcome.strategy) || (outcome.strategy === undefined && (isBox(own(outcome, "expected")) || isBox(own(outcome, "candidate")))));
    const shapes = [];
    fields.forEach((outcome, i) => {
      for (const side of ["expected", "candidate"]) {
        const value = own(outcome, side);
        if (isShape(value)) shapes.push({ side, index: i, label: outcome.path, value, overlap: outcome.value, state: outcome.outcome === "tp" ? "matched" : outcome.class || outcome.outcome || "differs" });
      }
    });
    if (shapes.length) groups.push({ judge: result.name, shapes, pairs: [], format: formatOf(known, result.type) });
  }
  return groups;
}

function formatOf(known, type) {
  return boxFormats.includes(known.format) ? known.format : type === "detection" ? "xywh" : "xyxy";
}

function isBox(value) {
  return Array.isArray(value) && value.length === 4 && value.every((part) => typeof part === "number" && Number.isFinite(part));
}

function isPoint(value) {
  return Array.isArray(value) && value.length === 2 && value.every((part) => typeof part === "number" && Number.isFinite(part));
}

function isShape(value) {
  return isBox(value) || isPoint(value) || (Array.isArray(value) && value.length > 2 && value.every(isPoint)) || (isObject(value) && isShape(value.coordinates));
}

function shapeList(value) {
  if (value === undefined || value === null) return [];
  return isShape(value) || !Array.isArray(value) ? [value] : value;
}

function itemShapes(side, list, pairs, known) {
  const other = side === "expected" ? "candidate" : "expected", partners = new Map(pairs.map((pair) => [pair[side], pair]));
  const shapes = [];
  list.slice(0, 5000).forEach((item, index) => {
    const value = isShape(item) ? item : shapeMember(item, known.box);
    if (value === undefined) return;
    const pair = partners.get(index);
    const label = own(item, known.label || "label") ?? own(item, "category") ?? own(item, "class");
    shapes.push({
      side, index, value, pair, label: label === undefined ? "" : String(label), crowd: Boolean(own(item, "iscrowd")), score: own(item, "score"),
      overlap: pair ? pair.overlap ?? pair.iou : undefined, partner: pair ? pair[other] : undefined, state: pair ? "matched" : side === "expected" ? "missing" : "spurious",
    });
  });
  return shapes;
}

function shapeMember(item, name) {
  if (!isObject(item)) return undefined;
  for (const key of [name, "bbox", "box", "bounding_box", "polygon", "segmentation", "points"]) {
    const value = key ? valueAt(item, parsePath(key) || []) : undefined;
    if (isShape(value)) return value;
  }
  return undefined;
}

// Corner points of a shape. A {format, coordinates} names its own format.
function outline(value, format) {
  if (!Array.isArray(value)) return outline(value.coordinates, boxFormats.includes(value.format) ? value.format : format);
  if (!isBox(value)) return isPoint(value) ? [value] : value;
  let [a, b, c, d] = value;
  if (format === "xywh") [c, d] = [a + c, b + d];
  if (format === "cxcywh") [a, b, c, d] = [a - c / 2, b - d / 2, a + c / 2, b + d / 2];
  return [[a, b], [c, b], [c, d], [a, d]];
}

// The page images that a record names (html_data.h), as texts.
function imageNames(record) {
  const keys = ["image", "image_path", "image_file", "file_name", "filename", "page_image", "page", "file", "path"];
  for (const place of [record, own(record, "meta")]) {
    for (const key of keys) {
      const value = own(place, key), list = Array.isArray(value) ? value : [value];
      if (list.length && list.every((name) => typeof name === "string" && /\.(png|jpe?g|gif|webp|bmp|svg|avif)$/i.test(name))) return list;
      if (typeof value === "string" && /^data:image\//i.test(value)) return [value];
    }
  }
  return [];
}

// Where an image is; null if opening it would ask the network.
function imageAddress(name) {
  if (/^data:image\//i.test(name) || /^file:\/\/\//i.test(name)) return name;
  if (/^[a-z][a-z0-9+.-]+:/i.test(name) || name.startsWith("//") || name.startsWith("\\\\")) return null;
  return name.split("/").map(encodeURIComponent).join("/");
}

function boxesSection(row, groups) {
  const canvas = el("canvas", { role: "img", tabindex: "0" });
  const note = el("p", { class: "note", hidden: true });
  const state = { group: groups[0] || null, expected: true, candidate: true, labels: true, image: null, lit: null };
  const names = imageNames(row.record);
  const table = el("div", { class: "table-scroll" });
  const toolbar = el("div", { class: "tools" });
  const choice = (label, options, value, act) => {
    const select = el("select", { "aria-label": label });
    for (const [key, text] of options) { const option = el("option", null, text); option.value = key; select.append(option); }
    select.value = value;
    select.addEventListener("change", () => act(select.value));
    return el("label", null, label + " ", select);
  };
  const check = (key, label) => {
    const box = el("input", { type: "checkbox", checked: true });
    box.addEventListener("change", () => { state[key] = box.checked; draw(); });
    return el("label", { class: key }, box, " " + label);
  };
  if (groups.length > 1) toolbar.append(choice("Judge", groups.map((group, i) => [String(i), group.judge]), "0", (value) => { state.group = groups[Number(value)]; renew(); }));
  if (groups.length) {
    toolbar.append(check("expected", "expected"), check("candidate", "candidate"), check("labels", "labels"));
    toolbar.append(choice("Boxes written as", boxFormats.map((name) => [name, name]), state.group.format, (value) => { for (const group of groups) group.format = value; renew(); }));
  }

  // The part of the plane that is shown: the image, or the size that the record or document names, or what the shapes need.
  const extent = () => {
    if (state.image) return [state.image.naturalWidth || 1, state.image.naturalHeight || 1];
    const known = sizeOf(row);
    let [width, height] = known || [0, 0];
    for (const group of groups) for (const shape of group.shapes) for (const [x, y] of outline(shape.value, group.format)) { width = Math.max(width, x * (known ? 1 : 1.04)); height = Math.max(height, y * (known ? 1 : 1.04)); }
    return [Math.max(width, 1e-9), Math.max(height, 1e-9)];
  };

  const draw = () => {
    const [width, height] = extent(), room = Math.max(200, canvas.parentElement ? canvas.parentElement.clientWidth : 600);
    const scale = Math.min(room / width, 720 / height), ratio = Math.min(3, window.devicePixelRatio || 1);
    const shownWidth = Math.max(1, Math.round(width * scale)), shownHeight = Math.max(1, Math.round(height * scale));
    canvas.width = shownWidth * ratio;
    canvas.height = shownHeight * ratio;
    canvas.style.width = shownWidth + "px";
    canvas.style.height = shownHeight + "px";
    const context = canvas.getContext("2d"), style = getComputedStyle(canvas), color = (name) => style.getPropertyValue(name).trim() || "#888";
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    context.clearRect(0, 0, shownWidth, shownHeight);
    if (state.image) context.drawImage(state.image, 0, 0, shownWidth, shownHeight);
    if (!state.group) return;
    const labels = [];
    for (const side of ["expected", "candidate"]) {
      if (!state[side]) continue;
      for (const shape of state.group.shapes) {
        if (shape.side !== side) continue;
        const points = outline(shape.value, state.group.format).map(([x, y]) => [x * scale, y * scale]);
        const lit = state.lit === shape, alone = shape.state !== "matched";
        const stroke = resolve(color(side === "expected" ? "--expected-line" : "--candidate-line"));
        context.beginPath();
        if (points.length === 1) context.arc(points[0][0], points[0][1], 6, 0, 2 * Math.PI);
        else points.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
        context.closePath();
        context.setLineDash(side === "candidate" ? [6, 4] : []);
        context.lineWidth = lit ? 4 : alone ? 3 : 1.75;
        context.strokeStyle = stroke;
        context.globalAlpha = lit ? 0.3 : alone ? 0.16 : 0.05;
        context.fillStyle = stroke;
        context.fill();
        context.globalAlpha = 1;
        context.stroke();
        const top = points.reduce((best, point) => (point[1] < best[1] || (point[1] === best[1] && point[0] < best[0]) ? point : best));
        if (state.labels) labels.push({ shape, stroke, at: top, alone, bottom: Math.max(...points.map((point) => point[1])) });
      }
    }
    context.setLineDash([]);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    const paper = resolve(color("--paper")), taken = [];
    for (const { shape, stroke, at, alone, bottom } of labels) {
      if (shape.side === "candidate" && !alone && shape.pair) continue; // its partner has the label
      const text = visibleText(`${shape.label || "#" + shape.index}${alone ? " · " + shape.state : typeof shape.overlap === "number" ? " " + shape.overlap.toFixed(2) : ""}`).slice(0, 60);
      const wide = context.measureText(text).width + 8;
      let x = Math.min(Math.max(0, at[0]), Math.max(0, shownWidth - wide)), y = Math.max(9, at[1] - 9);
      if (shape.side === "candidate") y = Math.min(shownHeight - 9, bottom + 9);
      while (taken.some((one) => Math.abs(one.y - y) < 17 && x < one.x + one.wide && one.x < x + wide) && y < shownHeight - 26) y += 17;
      taken.push({ x, y, wide });
      context.fillStyle = paper;
      context.fillRect(x, y - 8.5, wide, 17);
      context.strokeStyle = stroke;
      context.lineWidth = 1;
      context.strokeRect(x + 0.5, y - 8, wide - 1, 16);
      context.fillStyle = resolve(color("--ink"));
      context.fillText(text, x + 4, y + 0.5);
    }
    const group = state.group, matched = group.shapes.filter((shape) => shape.side === "expected" && shape.state === "matched").length;
    canvas.setAttribute("aria-label", `${group.judge}: ${plural(group.shapes.filter((shape) => shape.side === "expected").length, "expected shape")}, ${plural(group.shapes.filter((shape) => shape.side === "candidate").length, "candidate shape")}, ${number(matched)} matched; the table below lists them`);
  };

  // Custom properties may be light-dark(...), which a canvas does not read: an element resolves them.
  const probe = el("span", { hidden: true });
  const resolve = (text) => { probe.style.color = text; return getComputedStyle(probe).color; };

  const renew = () => {
    table.replaceChildren(state.group ? shapeTable(state.group, (shape) => { state.lit = shape; draw(); }) : "");
    draw();
  };
  canvas.addEventListener("pointermove", (event) => {
    if (!state.group) return;
    const rect = canvas.getBoundingClientRect(), [width] = extent(), scale = rect.width / width;
    const x = (event.clientX - rect.left) / scale, y = (event.clientY - rect.top) / scale;
    const inside = state.group.shapes.filter((shape) => state[shape.side] && within(outline(shape.value, state.group.format), x, y));
    const lit = inside.sort((a, b) => areaOf(outline(a.value, state.group.format)) - areaOf(outline(b.value, state.group.format)))[0] || null;
    if (lit !== state.lit) { state.lit = lit; canvas.title = lit ? shapeText(lit) : ""; draw(); }
  });
  const say = (text) => { note.textContent = text; note.hidden = false; };
  if (names.length) {
    const open = (name) => {
      const address = imageAddress(name);
      if (!address) return say(`The record names the image '${name.slice(0, 200)}', which is not opened: this page loads nothing from the network.`);
      const image = new Image();
      image.addEventListener("load", () => { state.image = image; figure.hidden = false; draw(); });
      image.addEventListener("error", () => say(`The record names the image '${name.slice(0, 200)}', which is not there (paths are relative to this report).`));
      image.src = address;
      return undefined;
    };
    open(names[0]);
    if (names.length > 1) toolbar.append(choice("Page", names.map((name, i) => [String(i), `${i + 1} of ${names.length}`]), "0", (value) => open(names[Number(value)])));
  }
  const figure = el("div", { class: "figure", hidden: groups.length === 0 }, canvas, probe);
  const section = el("section", { class: "panel boxes" }, el("h3", null, groups.length ? "Boxes" : "Page image"), toolbar, note, figure, table);
  if (groups.length && row.expected === undefined) say("This file holds only the candidate's boxes. Rows of --detail full have the expected ones as well.");
  new ResizeObserver(() => draw()).observe(section);
  document.addEventListener("ee-theme", draw);
  renew();
  return section;
}

function sizeOf(row) {
  for (const place of [row.record, own(row.record, "meta"), row.expected, row.candidate_answer]) {
    for (const key of ["image_size", "size", "page_size"]) {
      const value = own(place, key);
      if (isPoint(value)) return value;
      if (isObject(value) && typeof value.width === "number" && typeof value.height === "number") return [value.width, value.height];
    }
    if (isObject(place) && typeof place.width === "number" && typeof place.height === "number") return [place.width, place.height];
  }
  return null;
}

function within(points, x, y) {
  if (points.length === 1) return Math.hypot(points[0][0] - x, points[0][1] - y) < 8;
  let inside = false;
  for (let i = 0, j = points.length - 1; i < points.length; j = i++) {
    const [x1, y1] = points[i], [x2, y2] = points[j];
    if (y1 > y !== y2 > y && x < ((x2 - x1) * (y - y1)) / (y2 - y1) + x1) inside = !inside;
  }
  return inside;
}

function areaOf(points) {
  let sum = 0;
  points.forEach(([x, y], i) => { const [nextX, nextY] = points[(i + 1) % points.length]; sum += x * nextY - nextX * y; });
  return Math.abs(sum / 2);
}

function shapeText(shape) {
  return `${shape.side} ${shape.label || ""} [${shape.index}] ${shape.state}${typeof shape.overlap === "number" ? `, overlap ${shape.overlap.toFixed(3)}` : ""}`.slice(0, 200);
}

function shapeTable(group, light) {
  const rows = group.shapes.slice(0, 300).map((shape) => {
    const row = el("tr", { tabindex: "0" },
      el("td", null, el("span", { class: "swatch " + shape.side }), shape.side), el("td", { class: "number" }, String(shape.index)), el("td", { dir: "auto" }, visibleText(shape.label.slice(0, 200))),
      el("td", null, shape.state === "matched" ? (shape.partner === undefined ? "matched" : `↔ [${shape.partner}]`) : el("span", { class: "tag class-" + shape.state }, shape.state), shape.crowd ? " crowd" : ""),
      el("td", { class: "number" }, scoreText(shape.overlap)), el("td", { class: "mono number" }, JSON.stringify(Array.isArray(shape.value) ? shape.value : shape.value.coordinates).slice(0, 60)));
    for (const name of ["pointerenter", "focus"]) row.addEventListener(name, () => light(shape));
    for (const name of ["pointerleave", "blur"]) row.addEventListener(name, () => light(null));
    return row;
  });
  return el("details", { open: group.shapes.length <= 12 }, el("summary", null, plural(group.shapes.length, "shape")),
    el("table", null, el("thead", null, el("tr", null, ["Side", "Item", "Label", "State", "Overlap", "Numbers"].map((name, i) => el("th", { scope: "col", class: [1, 4, 5].includes(i) ? "number" : null }, name)))), el("tbody", null, rows)));
}
