/* html_data.c: rows become chunks and parts of the index. */
#include "report/html/html_data.h"

#include <inttypes.h>

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "report/html/html_pack.h"
#include "report/stored_row.h"

#define ADD(out, literal) EE_JSON_ADD(out, literal)

/* Names of one kind; later ones share the last, so that data with endless keys costs no memory. */
#define MAX_NAMES 4000
#define OTHER_NAME "(other)"
/* Bytes that are kept of a name. */
#define NAME_BYTES 200
/* Memory that is kept from one row for the next. */
#define KEPT_BYTES ((size_t)1 << 20)

/* Names in order of first appearance. `group` tells names of one text apart: the judge of a field. */
typedef struct name_list {
  ee_arena arena;
  struct {
    EE_LIST(struct name {
      ee_str text;
      size_t group;
    });
  } names;
  ee_hash_index index;
} name_list;

/* One slice path: its values, and their numbers in the part. */
typedef struct slice_column {
  name_list values;
  ee_buffer numbers;
  size_t count; /* of cases in `numbers` */
} slice_column;

struct ee_html_cases {
  ee_html_pack *pack;
  ee_arena arena; /* of one row */
  name_list judges, fields, classes, kinds, paths;
  struct {
    EE_LIST(slice_column *);
  } slices; /* by number of `paths` */
  uint64_t count;
  ee_str *runs; /* names, of a comparison */
  size_t run_count;
  ee_buffer origin; /* members of JSON; empty: none */

  ee_buffer chunk;
  size_t chunk_rows;

  size_t part_rows;
  ee_buffer ids, scores, verdicts, misses, changes, before;

  ee_buffer text; /* scratch */
};

/* Names ----------------------------------------------------------------------------------------- */

static void names_init(name_list *list) {
  *list = (name_list){0};
  ee_arena_init(&list->arena, 4096);
  list->index.arena = &list->arena;
}

static size_t find_name(const name_list *list, ee_str text, size_t group, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&list->index, hash, &at, &number)) {
    const struct name *name = &list->names.items[number];
    if (name->group == group && ee_str_equal(name->text, text)) return number; /* unreached: two names of one hash */
  }
  return SIZE_MAX;
}

/* The number of a name, which is added if it is new. */
static size_t number_of(name_list *list, ee_str text, size_t group) {
  text.length = ee_utf8_cut(text, NAME_BYTES);
  uint64_t hash = ee_hash_bytes(text.data, text.length, group);
  size_t number = find_name(list, text, group, hash);
  if (number != SIZE_MAX) return number;
  if (list->names.count == MAX_NAMES) return MAX_NAMES - 1;
  if (list->names.count == MAX_NAMES - 1) text = EE_STR(OTHER_NAME);
  number = list->names.count;
  *EE_LIST_ADD(&list->names, &list->arena) =
      (struct name){{ee_arena_copy(&list->arena, text.data, text.length), text.length}, group};
  ee_hash_index_add(&list->index, hash, number);
  return number;
}

static void write_names(const name_list *list, const char *key, ee_buffer *out) {
  ee_buffer_addf(out, ",\"%s\":[", key);
  for (size_t i = 0; i < list->names.count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    ee_json_write_string(out, list->names.items[i].text);
  }
  ee_buffer_add_char(out, ']');
}

/* Chunks and parts ------------------------------------------------------------------------------ */

static ee_status end_chunk(ee_html_cases *self, ee_error *error) {
  if (self->chunk_rows == 0) return EE_OK;
  ADD(&self->chunk, "]");
  size_t rows = self->chunk_rows;
  self->chunk_rows = 0;
  return ee_html_pack_add(self->pack, "ee-chunk", self->count - rows, rows, &self->chunk, error);
}

static void add_column(ee_buffer *out, const char *before, ee_buffer *column) {
  ee_buffer_add_text(out, before);
  ee_buffer_add(out, column->data, column->length);
  ee_buffer_clear(column);
}

static ee_status end_part(ee_html_cases *self, ee_error *error) {
  if (self->part_rows == 0) return EE_OK;
  ee_buffer *out = &self->text;
  ee_buffer_clear(out);
  add_column(out, "{\"ids\":[", &self->ids);
  add_column(out, "],\"scores\":[", &self->scores);
  add_column(out, "],\"verdicts\":\"", &self->verdicts);
  ADD(out, "\",\"slices\":[");
  for (size_t i = 0; i < self->slices.count; i++) {
    add_column(out, i > 0 ? ",[" : "[", &self->slices.items[i]->numbers);
    ADD(out, "]");
    self->slices.items[i]->count = 0;
  }
  add_column(out, "],\"misses\":[", &self->misses);
  if (self->run_count > 0) {
    add_column(out, "],\"changes\":[", &self->changes);
    add_column(out, "],\"scores_before\":[", &self->before);
  }
  ADD(out, "]}");
  size_t rows = self->part_rows;
  self->part_rows = 0;
  return ee_html_pack_add(self->pack, "ee-part", self->count - rows, rows, out, error);
}

/* Rows ------------------------------------------------------------------------------------------ */

/* The longest start of the inside of a JSON string, at most `limit` bytes, that ends neither in a character nor in an
 * escape or between the halves of a surrogate pair. */
static size_t cut_string(const char *text, size_t length, size_t limit) {
  size_t at = 0;
  while (at < length) {
    size_t step = 1;
    uint32_t code_point;
    if (text[at] == '\\' && at + 1 < length) {
      step = text[at + 1] == 'u' ? 6 : 2;
      if (step == 6 && at + 12 <= length && (text[at + 2] | 0x20) == 'd' && text[at + 6] == '\\' &&
          strchr("89abAB", text[at + 3]) != NULL)
        step = 12;
    } else if ((text[at] & 0x80) != 0) {
      step = ee_utf8_decode(text + at, length - at, &code_point);
      if (step == 0) step = 1;
    }
    if (at + step > limit) return at;
    at += step;
  }
  return at;
}

/* Appends valid JSON with its long strings cut. */
static void add_cut(ee_str json, ee_buffer *out) {
  const char *at = json.data, *end = json.data + json.length, *from = at;
  while (at < end && (at = memchr(at, '"', (size_t)(end - at))) != NULL) {
    const char *start = ++at;
    while (at < end && *at != '"') at += *at == '\\' ? 2 : 1;
    size_t length = (size_t)(at - start);
    at++;
    if (length <= EE_HTML_STRING_LIMIT) continue;
    ee_buffer_add(out, from, (size_t)(start - from));
    ee_buffer_add(out, start, cut_string(start, length, EE_HTML_STRING_LIMIT));
    ee_buffer_addf(out, " [cut: %zu bytes in all]", length);
    from = at - 1;
  }
  ee_buffer_add(out, from, (size_t)(end - from));
}

/* The path without its indexes: "items[0].price" is "items[].price". */
static ee_str without_indexes(ee_str path, ee_arena *arena) {
  char *to = ee_arena_alloc(arena, path.length + 1), *start = to;
  for (size_t i = 0; i < path.length; i++) {
    *to++ = path.data[i];
    if (path.data[i] != '[') continue;
    size_t k = i + 1;
    while (k < path.length && path.data[k] >= '0' && path.data[k] <= '9') k++;
    if (k < path.length && path.data[k] == ']') i = k - 1;
  }
  return (ee_str){start, (size_t)(to - start)};
}

static bool ends_with_name(ee_str path, ee_str name) {
  if (name.length > path.length) return false;
  size_t rest = path.length - name.length;
  return memcmp(path.data + rest, name.data, name.length) == 0 && (rest == 0 || path.data[rest - 1] == '.');
}

/* The attribute that a mismatch belongs to: what the row says; else the longest name with which its path ends; else the
 * path itself. */
static ee_str field_of(const ee_stored_judge *judge, const ee_value *mismatch, ee_arena *arena) {
  ee_str field = ee_value_get_text(mismatch, "field", "");
  if (field.length > 0) return field;
  ee_str path = without_indexes(ee_value_get_text(mismatch, "path", ""), arena);
  for (size_t i = 0; i < judge->attribute_count; i++) {
    ee_str name = judge->attributes[i].name;
    if (name.length > field.length && ends_with_name(path, name)) field = name;
  }
  return field.length > 0 ? field : path;
}

static void add_number(ee_buffer *out, size_t number) {
  if (number == SIZE_MAX)
    ADD(out, "-1");
  else
    ee_json_write_count(out, number);
}

static size_t number_of_text(name_list *list, ee_str text) {
  return text.length > 0 ? number_of(list, text, 0) : SIZE_MAX;
}

static void add_triple(ee_html_cases *self, bool *any, size_t field, size_t class_number, size_t kind) {
  if (*any) ee_buffer_add_char(&self->misses, ',');
  *any = true;
  add_number(&self->misses, field);
  ee_buffer_add_char(&self->misses, ',');
  add_number(&self->misses, class_number);
  ee_buffer_add_char(&self->misses, ',');
  add_number(&self->misses, kind);
}

static const ee_value *member(const ee_value *object, const char *key) {
  return ee_type_of(object) == EE_OBJECT ? ee_value_member(object, ee_str_from(key), NULL) : NULL;
}

static const ee_value *first_of(const ee_value *array) {
  return ee_type_of(array) == EE_ARRAY ? ee_value_child(array) : NULL;
}

static const ee_value *mismatches_of(const ee_stored_judge *judge) {
  return first_of(member(member(judge->entry, "details"), "mismatches"));
}

static void add_mismatch(ee_html_cases *self, const ee_stored_judge *judge, const ee_value *mismatch, bool *any) {
  size_t field =
      number_of(&self->fields, field_of(judge, mismatch, &self->arena), number_of(&self->judges, judge->name, 0));
  add_triple(self, any, field, number_of_text(&self->classes, ee_value_get_text(mismatch, "class", "")),
             number_of_text(&self->kinds, ee_value_get_text(mismatch, "kind", "")));
}

/* A judge that did not pass and lists no mismatches is a miss as a whole: a field without a name. */
static void add_judges_missed(ee_html_cases *self, const ee_stored_row *row, bool *any) {
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *judge = &row->judges[i];
    if (!judge->has_score || judge->verdict == EE_VERDICT_PASS || mismatches_of(judge) != NULL) continue;
    size_t number = number_of(&self->judges, judge->name, 0);
    add_triple(self, any, number_of(&self->fields, EE_STR(""), number), SIZE_MAX, SIZE_MAX);
  }
}

typedef struct known_mismatch {
  ee_str judge, path;
} known_mismatch;

/* The mismatches of a row, by judge and path. */
typedef struct mismatch_set {
  ee_hash_index index;
  struct {
    EE_LIST(known_mismatch);
  } items;
} mismatch_set;

static uint64_t hash_mismatch(ee_str judge, ee_str path) {
  return ee_hash_bytes(path.data, path.length, ee_hash_bytes(judge.data, judge.length, 0));
}

static bool has_mismatch(const mismatch_set *set, ee_str judge, ee_str path) {
  size_t at = 0, number;
  while (ee_hash_index_next(&set->index, hash_mismatch(judge, path), &at, &number))
    /* unreached: two names of one hash */
    if (ee_str_equal(set->items.items[number].judge, judge) && ee_str_equal(set->items.items[number].path, path))
      return true;
  return false;
}

/* One triple for each mismatch of `row`, in its order; then one for each mismatch of `before` (may be NULL) that `row`
 * has not. */
static void add_misses(ee_html_cases *self, const ee_stored_row *row, const ee_stored_row *before) {
  bool any = false;
  mismatch_set set = {.index.arena = &self->arena};
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *judge = &row->judges[i];
    for (const ee_value *mismatch = mismatches_of(judge); mismatch != NULL; mismatch = ee_value_next(mismatch)) {
      add_mismatch(self, judge, mismatch, &any);
      if (before == NULL) continue;
      ee_str path = ee_value_get_text(mismatch, "path", "");
      ee_hash_index_add(&set.index, hash_mismatch(judge->name, path), set.items.count);
      *EE_LIST_ADD(&set.items, &self->arena) = (known_mismatch){judge->name, path};
    }
  }
  for (size_t i = 0; before != NULL && i < before->judge_count; i++) {
    const ee_stored_judge *judge = &before->judges[i];
    for (const ee_value *mismatch = mismatches_of(judge); mismatch != NULL; mismatch = ee_value_next(mismatch))
      if (!has_mismatch(&set, judge->name, ee_value_get_text(mismatch, "path", "")))
        add_mismatch(self, judge, mismatch, &any);
  }
  add_judges_missed(self, row, &any);
}

static void begin_entry(ee_buffer *column, size_t number) {
  if (number > 0) ee_buffer_add_char(column, ',');
}

static void add_slice_values(slice_column *column, const ee_value *values) {
  const ee_value *value = first_of(values);
  bool several = value != NULL && ee_value_next(value) != NULL;
  if (value == NULL) ADD(&column->numbers, "-1");
  if (several) ADD(&column->numbers, "[");
  for (bool any = false; value != NULL; value = ee_value_next(value), any = true) {
    if (any) ADD(&column->numbers, ",");
    ee_str text = ee_type_of(value) == EE_STRING ? ee_value_text(value) : EE_STR("");
    ee_json_write_count(&column->numbers, number_of(&column->values, text, 0));
  }
  if (several) ADD(&column->numbers, "]");
}

/* Cases without a value of a path have -1 there. */
static void pad_slice(slice_column *column, size_t rows) {
  for (; column->count < rows; column->count++) {
    begin_entry(&column->numbers, column->count);
    ADD(&column->numbers, "-1");
  }
}

static void add_slices(ee_html_cases *self, const ee_value *slices) {
  const ee_value *path = ee_type_of(slices) == EE_OBJECT ? ee_value_child(slices) : NULL;
  for (; path != NULL; path = ee_value_next(path)) {
    size_t number = number_of(&self->paths, ee_value_key(path), 0);
    if (number == self->slices.count) {
      slice_column *added = ee_calloc(1, sizeof *added);
      names_init(&added->values);
      *EE_LIST_ADD(&self->slices, NULL) = added;
    }
    slice_column *column = self->slices.items[number];
    if (column->count > self->part_rows) continue;
    pad_slice(column, self->part_rows);
    begin_entry(&column->numbers, column->count++);
    add_slice_values(column, path);
  }
  for (size_t i = 0; i < self->slices.count; i++) pad_slice(self->slices.items[i], self->part_rows + 1);
}

static void add_score(ee_buffer *column, size_t number, const ee_stored_row *row) {
  begin_entry(column, number);
  if (row == NULL || row->unscored)
    ADD(column, "null");
  else
    ee_json_write_score(column, row->score);
}

static void index_case(ee_html_cases *self, const ee_stored_row *row, const ee_stored_row *before) {
  size_t number = self->part_rows;
  begin_entry(&self->ids, number);
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): a case has a row of the first or the second run
  ee_json_write_string(&self->ids, row->id);
  ee_buffer_add_char(&self->verdicts, row->unscored ? 'u' : *ee_verdict_name(row->verdict));
  /* Judges are numbered in the order of the rows, not of their first miss. */
  for (size_t i = 0; i < row->judge_count; i++) number_of(&self->judges, row->judges[i].name, 0);
  begin_entry(&self->misses, number);
  ADD(&self->misses, "[");
  add_misses(self, row, before);
  ADD(&self->misses, "]");
  add_slices(self, member(row->record, "slices"));
  self->part_rows++;
}

/* Counts the case whose text was added to the chunk. */
static ee_status end_case(ee_html_cases *self, ee_error *error) {
  self->chunk_rows++;
  self->count++;
  ee_status status = EE_OK;
  if (self->chunk_rows == EE_HTML_CHUNK_ROWS || self->chunk.length >= EE_HTML_CHUNK_BYTES)
    status = end_chunk(self, error);
  if (status == EE_OK && self->part_rows == EE_HTML_PART_ROWS) status = end_part(self, error);
  ee_arena_reset(&self->arena, KEPT_BYTES);
  return status;
}

static ee_status add_row(ee_html_cases *self, const ee_value *record, ee_str text, ee_error *error) {
  ee_stored_row row;
  if (!ee_stored_row_read(record, &self->arena, &row, error)) return EE_ERROR_SYSTEM;
  add_score(&self->scores, self->part_rows, &row);
  index_case(self, &row, NULL);
  ee_buffer_add_char(&self->chunk, self->chunk_rows == 0 ? '[' : ',');
  add_cut(text, &self->chunk);
  return end_case(self, error);
}

/* A row around a document that is nested as deeply as can be read cannot be read itself: only its head is kept. */
static ee_status add_deep_row(ee_html_cases *self, ee_str text, ee_error *error) {
  static const char hits[] = ",\"hits\":[";
  const char *end = memmem(text.data, text.length, hits, sizeof hits - 1);
  if (end == NULL) return error->status;
  ee_buffer *head = &self->text;
  ee_buffer_clear(head);
  ee_buffer_add(head, text.data, (size_t)(end - text.data));
  ADD(head, ",\"reasoning\":\"not in this page: nested too deeply\",\"evaluator_results\":[]}");
  const ee_value *record = ee_json_read(&self->arena, (ee_str){head->data, head->length}, NULL, error);
  return record != NULL ? add_row(self, record, (ee_str){head->data, head->length}, error) : error->status;
}

ee_status ee_html_cases_add_rows(ee_html_cases *self, const char *lines, size_t length, ee_error *error) {
  ee_status status = EE_OK;
  while (length > 0 && status == EE_OK) {
    const char *end = memchr(lines, '\n', length);
    size_t bytes = end != NULL ? (size_t)(end - lines) : length;
    const ee_value *record = ee_json_read(&self->arena, (ee_str){lines, bytes}, NULL, error);
    status = record != NULL ? add_row(self, record, (ee_str){lines, bytes}, error)
                            : add_deep_row(self, (ee_str){lines, bytes}, error);
    bytes += end != NULL;
    lines += bytes;
    length -= bytes;
  }
  return status;
}

ee_status ee_html_cases_add_row(ee_html_cases *self, const ee_value *row, ee_error *error) {
  ee_buffer_clear(&self->text);
  ee_json_write_value(&self->text, row);
  return add_row(self, row, (ee_str){self->text.data, self->text.length}, error);
}

/* Runs ------------------------------------------------------------------------------------------ */

typedef enum change { FIXED, BROKEN, STILL_WRONG, BOTH_RIGHT, ONE_RUN } change;
static const char changes[] = ",\"changes\":[\"fixed\",\"broken\",\"still wrong\",\"both right\",\"one run only\"]";

static bool is_wrong(const ee_stored_attribute *attribute) { return attribute->counts.fp + attribute->counts.fn > 0; }

static const ee_stored_judge *judge_of(const ee_stored_row *row, ee_str name) {
  for (size_t i = 0; i < row->judge_count; i++)
    if (ee_str_equal(row->judges[i].name, name)) return &row->judges[i];
  return NULL;
}

/* Whether the field is wrong in `judge` (NULL: not there); `hint` is where it most likely is. */
static bool is_wrong_in(const ee_stored_judge *judge, ee_str name, size_t hint) {
  for (size_t i = 0; judge != NULL && i < judge->attribute_count; i++) {
    const ee_stored_attribute *attribute = &judge->attributes[(hint + i) % judge->attribute_count];
    if (ee_str_equal(attribute->name, name)) return is_wrong(attribute);
  }
  return false;
}

/* Whether some field is wrong in `row` and not in `other`; `*both`: some is wrong in both. A judge without fields is
 * wrong when it does not pass. */
static bool has_own_error(const ee_stored_row *row, const ee_stored_row *other, bool *both) {
  bool own = false;
  for (size_t i = 0; i < row->judge_count; i++) {
    const ee_stored_judge *judge = &row->judges[i], *same = judge_of(other, judge->name);
    for (size_t k = 0; k < judge->attribute_count; k++) {
      if (!is_wrong(&judge->attributes[k])) continue;
      bool there = is_wrong_in(same, judge->attributes[k].name, k);
      *both = *both || there;
      own = own || !there;
    }
    if (judge->attribute_count > 0 || !judge->has_score || judge->verdict == EE_VERDICT_PASS) continue;
    bool there = same != NULL && same->has_score && same->verdict != EE_VERDICT_PASS;
    *both = *both || there;
    own = own || !there;
  }
  return own;
}

static change change_of(const ee_stored_row *before, const ee_stored_row *after) {
  if (before == NULL || after == NULL) return ONE_RUN;
  bool both = false;
  if (has_own_error(after, before, &both)) return BROKEN;
  return has_own_error(before, after, &both) ? FIXED : both ? STILL_WRONG : BOTH_RIGHT;
}

void ee_html_cases_set_runs(ee_html_cases *self, const char *const *names, size_t count) {
  self->runs = EE_NEW_ARRAY(&self->judges.arena, ee_str, count);
  self->run_count = count;
  for (size_t i = 0; i < count; i++) {
    size_t length = ee_utf8_valid_prefix(names[i], strlen(names[i]));
    self->runs[i] = (ee_str){ee_arena_copy(&self->judges.arena, names[i], length), length};
  }
}

ee_status ee_html_cases_add_runs(ee_html_cases *self, const ee_str *texts, ee_error *error) {
  ee_stored_row *rows = EE_NEW_ARRAY(&self->arena, ee_stored_row, self->run_count);
  const ee_stored_row *last = NULL;
  for (size_t i = 0; i < self->run_count; i++) {
    if (texts[i].length == 0) continue;
    const ee_value *record = ee_json_read(&self->arena, texts[i], NULL, error);
    if (record == NULL || !ee_stored_row_read(record, &self->arena, &rows[i], error)) return EE_ERROR_SYSTEM;
    last = &rows[i];
  }
  const ee_stored_row *first = texts[0].length > 0 ? &rows[0] : NULL;
  const ee_stored_row *newest = texts[self->run_count - 1].length > 0 ? &rows[self->run_count - 1] : NULL;
  begin_entry(&self->changes, self->part_rows);
  ee_json_write_count(&self->changes, change_of(first, newest));
  add_score(&self->before, self->part_rows, first);
  add_score(&self->scores, self->part_rows, newest);
  index_case(self, last, first != last ? first : NULL);
  ee_buffer *out = &self->chunk;
  ee_buffer_add_text(out, self->chunk_rows == 0 ? "[{\"id\":" : ",{\"id\":");
  ee_json_write_string(out, last->id);
  ADD(out, ",\"runs\":[");
  for (size_t i = 0; i < self->run_count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    if (texts[i].length > 0)
      add_cut(texts[i], out);
    else
      ADD(out, "null");
  }
  ADD(out, "]}");
  return end_case(self, error);
}

/* All of them ----------------------------------------------------------------------------------- */

ee_html_cases *ee_html_cases_new(unsigned jobs, ee_error *error) {
  ee_html_pack *pack = ee_html_pack_new(jobs, error);
  if (pack == NULL) return NULL; /* unreached: no temporary file can be made: make faults */
  ee_html_cases *self = ee_calloc(1, sizeof *self);
  self->pack = pack;
  ee_arena_init(&self->arena, 0);
  name_list *lists[] = {&self->judges, &self->fields, &self->classes, &self->kinds, &self->paths};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) names_init(lists[i]);
  return self;
}

void ee_html_cases_free(ee_html_cases *self) {
  if (self == NULL) return;
  ee_html_pack_free(self->pack);
  for (size_t i = 0; i < self->slices.count; i++) {
    ee_arena_fini(&self->slices.items[i]->values.arena);
    ee_buffer_fini(&self->slices.items[i]->numbers);
    ee_free(self->slices.items[i]);
  }
  EE_LIST_FINI(&self->slices);
  name_list *lists[] = {&self->judges, &self->fields, &self->classes, &self->kinds, &self->paths};
  for (size_t i = 0; i < sizeof lists / sizeof *lists; i++) ee_arena_fini(&lists[i]->arena);
  ee_buffer *buffers[] = {&self->chunk, &self->ids,     &self->scores, &self->verdicts, &self->misses,
                          &self->text,  &self->changes, &self->before, &self->origin};
  for (size_t i = 0; i < sizeof buffers / sizeof *buffers; i++) ee_buffer_fini(buffers[i]);
  ee_arena_fini(&self->arena);
  ee_free(self);
}

void ee_html_cases_set_origin(ee_html_cases *self, ee_str members) {
  ee_buffer_clear(&self->origin);
  ee_buffer_add_str(&self->origin, members);
}

static void write_index(const ee_html_cases *self, ee_buffer *out) {
  ee_buffer_addf(out, "{\"cases\":%" PRIu64 ",\"string_limit\":%zu", self->count, EE_HTML_STRING_LIMIT);
  if (self->origin.length > 0) ADD(out, ",");
  ee_buffer_add(out, self->origin.data, self->origin.length);
  for (size_t i = 0; i < self->run_count; i++) {
    ee_buffer_add_text(out, i == 0 ? ",\"runs\":[" : ",");
    ee_json_write_string(out, self->runs[i]);
  }
  if (self->run_count > 0) ee_buffer_addf(out, "]%s", changes);
  write_names(&self->judges, "judges", out);
  ADD(out, ",\"fields\":[");
  for (size_t i = 0; i < self->fields.names.count; i++) {
    const struct name *field = &self->fields.names.items[i];
    ee_buffer_addf(out, "%s{\"judge\":%zu,\"name\":", i > 0 ? "," : "", field->group);
    ee_json_write_string(out, field->text);
    ADD(out, "}");
  }
  ADD(out, "]");
  write_names(&self->classes, "classes", out);
  write_names(&self->kinds, "kinds", out);
  ADD(out, ",\"slices\":[");
  for (size_t i = 0; i < self->slices.count; i++) {
    ee_buffer_add_text(out, i > 0 ? ",{\"path\":" : "{\"path\":");
    ee_json_write_string(out, self->paths.names.items[i].text);
    write_names(&self->slices.items[i]->values, "values", out);
    ADD(out, "}");
  }
  ADD(out, "]}");
}

ee_status ee_html_cases_write(ee_html_cases *self, ee_str page, ee_html_sink sink, ee_error *error) {
  if (self == NULL) return sink.write(sink.user, page.data, page.length, error);
  ee_status status = end_chunk(self, error);
  if (status == EE_OK) status = end_part(self, error); /* unreached: the disk is full: make faults */
  if (status != EE_OK) return status;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_html_add_end(&text);
  size_t place = page.length - text.length;
  status = sink.write(sink.user, page.data, place, error);
  if (status == EE_OK) {
    ee_buffer names, element;
    ee_buffer_init(&names);
    ee_buffer_init(&element);
    write_index(self, &names);
    ADD(&element, "<script type=\"application/json\" id=\"ee-index\">");
    ee_html_add_json((ee_str){names.data, names.length}, &element);
    ADD(&element, "</script>\n");
    status = sink.write(sink.user, element.data, element.length, error);
    ee_buffer_fini(&names);
    ee_buffer_fini(&element);
  }
  /* unreached: the disk is full: make faults */
  if (status == EE_OK) status = ee_html_pack_write(self->pack, sink, error);
  /* unreached: the disk is full: make faults */
  if (status == EE_OK) status = sink.write(sink.user, page.data + place, page.length - place, error);
  ee_buffer_fini(&text);
  return status;
}
