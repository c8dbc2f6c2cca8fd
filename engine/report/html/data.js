// data.js: the cases inside the page (html_data.h defines how they are stored). The index is read at the start; the cases in
// full are unpacked, a chunk at a time, when one of them is shown or searched.
"use strict";

// Null until the index is read, and in pages without cases.
let cases = null;

function jsonOf(id) {
  const element = document.getElementById(id);
  return element ? JSON.parse(element.textContent) : null;
}

// The text of a <script> that holds data.
async function unpack(element) {
  const text = element.textContent;
  if (element.dataset.encoding !== "deflate") return text;
  if (typeof DecompressionStream === "undefined") throw new Error("this browser cannot unpack the cases (it has no DecompressionStream)");
  const bytes = decodeBase64(text.trim());
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

function decodeBase64(text) {
  if (Uint8Array.fromBase64) return Uint8Array.fromBase64(text);
  const binary = atob(text), bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}

// The index as columns. An entry is one mismatch of one case; a case without mismatches has one entry whose field is -1.
class Cases {
  constructor(names) {
    this.names = names;
    this.count = names.cases || 0;
    this.runs = names.runs || null; // of a comparison
    this.ids = [];
    this.scores = [];
    this.scoresBefore = [];
    this.verdicts = "";
    this.changes = [];
    this.slices = (names.slices || []).map(() => []);
    this.firstEntry = [0];
    this.entries = 0;
    this.columns = { case: new Int32Array(1024), field: new Int32Array(1024), class: new Int32Array(1024), kind: new Int32Array(1024) };
    this.fieldNames = fieldNames(names);
    this.chunks = Array.from(document.querySelectorAll("script.ee-chunk"), (element) => ({
      element, first: Number(element.dataset.first), count: Number(element.dataset.count), rows: null, loading: null,
    }));
    this.recent = [];
    this.byId = null;
  }

  addPart(part) {
    const from = this.ids.length;
    const add = (list, more) => { for (const value of more || []) list.push(value); };
    add(this.ids, part.ids);
    add(this.scores, part.scores);
    add(this.scoresBefore, part.scores_before);
    add(this.changes, part.changes);
    this.verdicts += part.verdicts;
    this.slices.forEach((column, i) => add(column, part.slices[i] || part.ids.map(() => -1)));
    part.misses.forEach((misses, i) => {
      if (!misses.length) this.addEntry(from + i, -1, -1, -1);
      for (let at = 0; at < misses.length; at += 3) this.addEntry(from + i, misses[at], misses[at + 1], misses[at + 2]);
      this.firstEntry.push(this.entries);
    });
  }

  addEntry(caseIndex, field, classIndex, kind) {
    const columns = this.columns;
    if (this.entries === columns.case.length) {
      for (const name of Object.keys(columns)) {
        const larger = new Int32Array(2 * columns[name].length);
        larger.set(columns[name]);
        columns[name] = larger;
      }
    }
    columns.case[this.entries] = caseIndex;
    columns.field[this.entries] = field;
    columns.class[this.entries] = classIndex;
    columns.kind[this.entries] = kind;
    this.entries++;
  }

  // The case with this id, or -1.
  find(id) {
    if (!this.byId) this.byId = new Map(this.ids.map((name, i) => [String(name), i]));
    return this.byId.has(id) ? this.byId.get(id) : -1;
  }

  chunkOf(caseIndex) {
    let low = 0, high = this.chunks.length;
    while (low + 1 < high) {
      const middle = (low + high) >> 1;
      if (this.chunks[middle].first <= caseIndex) low = middle;
      else high = middle;
    }
    const chunk = this.chunks[low];
    return chunk && caseIndex >= chunk.first && caseIndex < chunk.first + chunk.count ? chunk : null;
  }

  // The case in full, if its chunk is unpacked already: a row of --results, or of a comparison {id, runs}.
  rowIfReady(caseIndex) {
    const chunk = this.chunkOf(caseIndex);
    return chunk && chunk.rows ? chunk.rows[caseIndex - chunk.first] : null;
  }

  async row(caseIndex) {
    const chunk = this.chunkOf(caseIndex);
    if (!chunk) throw new Error("the page does not hold this case in full");
    if (!chunk.rows) {
      chunk.loading = chunk.loading || unpack(chunk.element).then(parseJson);
      try {
        chunk.rows = await chunk.loading;
      } finally {
        chunk.loading = null;
      }
    }
    this.keep(chunk);
    return chunk.rows[caseIndex - chunk.first];
  }

  // Few chunks stay unpacked: memory does not grow while one scrolls through all cases.
  keep(chunk) {
    this.recent = this.recent.filter((other) => other !== chunk);
    this.recent.push(chunk);
    while (this.recent.length > 16) this.recent.shift().rows = null;
  }

  // The mismatch of an entry in its row: {judge, type, mismatch} or {judge, type, miss} for judges that say why in words only.
  mismatchOf(entry, row) {
    const field = this.columns.field[entry];
    if (field < 0 || !row) return null;
    const judge = this.names.fields[field].judge, first = this.firstEntry[this.columns.case[entry]];
    let place = 0;
    for (let i = first; i < entry; i++) if (this.names.fields[this.columns.field[i]].judge === judge) place++;
    return mismatchAt(row, this.names.judges[judge], place);
  }
}

function mismatchAt(row, judgeName, place) {
  const result = (row.evaluator_results || []).find((other) => other.name === judgeName);
  if (!result) return null;
  const mismatches = own(result.details, "mismatches") || [];
  if (place < mismatches.length) return { judge: judgeName, type: result.type, mismatch: mismatches[place] };
  return { judge: judgeName, type: result.type, miss: missText(result) };
}

// What a judge that lists no mismatches says.
function missText(result) {
  const misses = (result.misses || []).slice(0, 20).map((miss) => (miss.startsWith(result.name + " (") && miss.endsWith(")") ? miss.slice(result.name.length + 2, -1) : miss));
  return misses.join("; ") || result.reasoning || "";
}

// The name of each field: with its judge where two judges have the same.
function fieldNames(names) {
  const fields = names.fields || [], count = new Map();
  for (const field of fields) count.set(field.name, (count.get(field.name) || 0) + 1);
  return fields.map((field) => {
    const judge = names.judges[field.judge];
    if (!field.name) return judge; // a judge that lists no mismatches
    return count.get(field.name) > 1 ? `${judge}: ${field.name}` : field.name;
  });
}

// Reads the index, part by part; `progress` is called after each.
async function loadCases(progress) {
  const names = jsonOf("ee-index");
  if (!names) return null;
  const loaded = new Cases(names);
  for (const element of document.querySelectorAll("script.ee-part")) {
    loaded.addPart(JSON.parse(await unpack(element)));
    progress(loaded);
    await pause();
  }
  loaded.count = loaded.ids.length;
  cases = loaded;
  return loaded;
}

// Lets the browser answer before work goes on. Not setTimeout: that waits 4 ms each time.
function pause() {
  return new Promise((resolve) => {
    const channel = new MessageChannel();
    channel.port1.onmessage = () => { channel.port1.close(); resolve(); };
    channel.port2.postMessage(null);
  });
}

// Marks in `found`, a Uint8Array with an element for each entry, the entries that contain `text` in their id, field, values or
// reason, without regard to case. `progress(share)` is called after each chunk; `stopped()` ends it early.
async function searchEntries(data, text, found, progress, stopped) {
  const wanted = text.toLowerCase();
  for (let i = 0; i < data.ids.length; i++) {
    const inId = data.ids[i].toLowerCase().includes(wanted);
    for (let entry = data.firstEntry[i]; entry < data.firstEntry[i + 1]; entry++) {
      const field = data.columns.field[entry];
      if (inId || (field >= 0 && data.fieldNames[field].toLowerCase().includes(wanted))) found[entry] = 1;
    }
  }
  progress(0);
  // The text of a chunk is searched before it is parsed, unless JSON would write the wanted text in another way.
  const literal = !/["\\<\u0000-\u001f]/.test(wanted);
  for (const chunk of data.chunks) {
    let rows = chunk.rows;
    if (!rows) {
      const json = await unpack(chunk.element);
      if (stopped()) return;
      rows = literal && !json.toLowerCase().includes(wanted) ? null : parseJson(json);
    }
    if (rows) rows.forEach((row, i) => searchRow(data, chunk.first + i, row, wanted, found));
    await pause();
    if (stopped()) return;
    progress((chunk.first + chunk.count) / data.ids.length);
  }
}

function searchRow(data, caseIndex, row, wanted, found) {
  const holds = (text) => text.toLowerCase().includes(wanted);
  const has = (value) => value !== undefined && (typeof value === "string" ? holds(value) : holds(JSON.stringify(value)) || holds(valueText(value)));
  for (let entry = data.firstEntry[caseIndex]; entry < data.firstEntry[caseIndex + 1]; entry++) {
    if (found[entry]) continue;
    const shown = entryValues(data, entry, row);
    if (shown.values.some(has) || has(shown.path || "") || has(shown.reason || "")) found[entry] = 1;
  }
}

// What an entry shows: {path, values: [expected, candidate] or, of a comparison, [expected, old, new], reason}. A value that
// is undefined is not there.
function entryValues(data, entry, row) {
  if (data.runs) return comparedValues(data, entry, row);
  const found = data.mismatchOf(entry, row);
  if (!found) return { path: "", values: [], reason: row.reasoning || (row.misses || []).join("; ") };
  if (!found.mismatch) return { path: "", values: [], reason: found.miss };
  const mismatch = found.mismatch;
  return { path: mismatch.path, values: [own(mismatch, "expected"), own(mismatch, "candidate")], reason: mismatch.reason };
}
