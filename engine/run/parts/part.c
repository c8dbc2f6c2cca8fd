/* part.c: the line of a part: its header, the checksum, and joining the headers of neighbours. */
#include "run/parts/part.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/hash_index.h"
#include "data/json/checked_line.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"

#define BEGINNING "{\"evalengine_state\":"

/* Lists of the header, in both directions ------------------------------------------------------- */

/* Room for the items of a list that is read; returns their number. */
#define ITEMS(line, arena, list)                                                                                       \
  list_items(line, arena, (void **)&(list)->items, &(list)->count, &(list)->capacity, sizeof *(list)->items)

static size_t list_items(ee_state_line *line, ee_arena *arena, void **items, size_t *count, size_t *capacity,
                         size_t size) {
  size_t found = ee_state_items(line, *count);
  if (!ee_state_reading(line)) return found;
  *items = ee_arena_calloc(arena, found, size);
  *count = *capacity = found;
  return found;
}

static void ranges_state(ee_state_line *line, ee_arena *arena, ee_part *part) {
  size_t count = ITEMS(line, arena, &part->data);
  for (size_t i = 0; i < count; i++) {
    ee_part_range *range = &part->data.items[i];
    ee_state_begin(line);
    ee_state_text(line, arena, &range->name);
    ee_state_small(line, &range->unit, 15);
    ee_state_count(line, &range->from);
    ee_state_count(line, &range->to);
    ee_state_count(line, &range->size);
    ee_state_end(line);
    if (ee_state_reading(line) && (range->from > range->to || range->name.data == NULL)) ee_state_fail(line);
  }
  ee_state_end(line);
}

static void unended_state(ee_state_line *line, ee_arena *arena, ee_part *part) {
  size_t count = ITEMS(line, arena, &part->unended);
  for (size_t i = 0; i < count; i++) {
    ee_state_text(line, arena, &part->unended.items[i]);
    if (ee_state_reading(line) && part->unended.items[i].data == NULL) ee_state_fail(line);
  }
  ee_state_end(line);
}

static void expected_state(ee_state_line *line, ee_arena *arena, ee_part_expected *expected) {
  ee_state_flag(line, &expected->given);
  ee_state_flag(line, &expected->coco);
  ee_state_count(line, &expected->hash);
  ee_state_count(line, &expected->records);
  ee_state_count(line, &expected->in_error);
  ee_state_count(line, &expected->detections);
  ee_state_count(line, &expected->detections_in_error);
  ee_state_count(line, &expected->detections_without_image);
  ee_state_begin_packed(line);
  size_t count = ITEMS(line, arena, &expected->runs);
  uint64_t left = expected->records;
  for (size_t i = 0; i < count; i++) {
    uint64_t *run = &expected->runs.items[i];
    ee_state_count(line, run);
    if (*run > left || (*run == 0 && i > 0)) ee_state_fail(line);
    left -= *run <= left ? *run : left;
  }
  if (ee_state_reading(line) && left > 0 && !expected->coco) ee_state_fail(line);
  ee_state_end(line);
  ee_state_end_packed(line);
}

static void notes_state(ee_state_line *line, ee_arena *arena, ee_foreign_seen *seen) {
  ee_state_begin(line);
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) {
    ee_foreign_note *note = &seen->notes[i];
    ee_str example = ee_str_from(note->example);
    ee_state_count(line, &note->count);
    ee_state_text(line, arena, &example);
    if (!ee_state_reading(line)) continue;
    if (example.length >= sizeof note->example) ee_state_fail(line);
    snprintf(note->example, sizeof note->example, "%.*s", EE_STR_ARG(example));
  }
  ee_state_end(line);
}

static void imports_state(ee_state_line *line, ee_arena *arena, ee_part *part) {
  notes_state(line, arena, &part->data_notes);
  notes_state(line, arena, &part->expected_notes);
}

static void error_state(ee_state_line *line, ee_arena *arena, ee_error *error) {
  uint32_t status = (uint32_t)error->status;
  uint64_t place[2] = {error->line, error->column};
  ee_str file = ee_str_from(error->file), message = ee_str_from(error->message);
  ee_state_small(line, &status, 15);
  ee_state_text(line, arena, &file);
  ee_state_counts(line, place, 2);
  ee_state_text(line, arena, &message);
  if (!ee_state_reading(line)) return;
  ee_error_at(error, (ee_status)status, file.data, (size_t)place[0], (size_t)place[1], "%s",
              message.data != NULL ? message.data : "");
}

static void messages_state(ee_state_line *line, ee_arena *arena, ee_part *part) {
  ee_state_count(line, &part->message_count);
  size_t count = ITEMS(line, arena, &part->messages);
  for (size_t i = 0; i < count; i++) {
    ee_part_message *message = &part->messages.items[i];
    ee_state_begin(line);
    error_state(line, arena, &message->error);
    ee_state_count(line, &message->from);
    ee_state_count(line, &message->to);
    ee_state_end(line);
  }
  ee_state_end(line);
}

static void repeated_state(ee_state_line *line, ee_arena *arena, ee_part *part) {
  ee_state_begin_packed(line);
  size_t count = ITEMS(line, arena, &part->repeated);
  for (size_t i = 0; i < count; i++) {
    ee_part_repeat *repeat = &part->repeated.items[i];
    ee_state_count(line, &repeat->hash);
    ee_state_count(line, &repeat->from);
    ee_state_count(line, &repeat->to);
    ee_state_size(line, &repeat->input);
    bool known = part->of > 0 ? repeat->from >= part->from && repeat->to <= part->to && repeat->from <= repeat->to
                              : repeat->input < part->inputs.count;
    if (ee_state_reading(line) && !known) ee_state_fail(line);
  }
  ee_state_end(line);
  ee_state_end_packed(line);
}

/* Writing --------------------------------------------------------------------------------------- */

/* Names of files may be any bytes; JSON is UTF-8. */
static void write_text(ee_buffer *out, ee_str text, ee_arena *arena) {
  char *copy = ee_arena_copy(arena, text.data, text.length);
  for (size_t at = 0; at < text.length;) {
    at += ee_utf8_valid_prefix(copy + at, text.length - at);
    if (at < text.length) copy[at] = '?';
  }
  ee_json_write_string(out, (ee_str){copy, text.length});
}

static void write_member(ee_buffer *out, const char *key, ee_str text, ee_arena *arena) {
  ee_buffer_addf(out, ",\"%s\":", key);
  write_text(out, text, arena);
}

static void write_list(ee_buffer *out, const char *key, ee_part *part, ee_arena *arena,
                       void (*state)(ee_state_line *line, ee_arena *arena, ee_part *part)) {
  ee_state_line line;
  ee_buffer_addf(out, ",\"%s\":", key);
  ee_state_write(&line, out);
  state(&line, arena, part);
  ee_state_close(&line);
}

static void part_expected_state(ee_state_line *line, ee_arena *arena, ee_part *part) {
  expected_state(line, arena, &part->expected);
}

/* The texts of ranges and messages as JSON can hold them. */
static ee_str clean(ee_str text, ee_arena *arena) {
  if (ee_utf8_valid_prefix(text.data, text.length) == text.length) return text;
  ee_buffer out = {0};
  ee_one_line(&out, text, EE_STR(""), text.length + 3);
  ee_str copy = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return copy;
}

static void clean_notes(ee_foreign_seen *seen, ee_arena *arena) {
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++) {
    char *example = seen->notes[i].example;
    ee_str text = clean(ee_str_from(example), arena);
    if (text.data == example) continue; /* nothing to clean */
    snprintf(example, EE_FOREIGN_EXAMPLE, "%.*s", (int)ee_utf8_cut(text, EE_FOREIGN_EXAMPLE - 1), text.data);
  }
}

static bool has_notes(const ee_foreign_seen *seen) {
  for (size_t i = 0; i < EE_FOREIGN_NOTES; i++)
    if (seen->notes[i].count > 0) return true;
  return false;
}

void ee_part_write(const ee_part *part, ee_str ids, ee_str totals, ee_buffer *out) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_part written = *part;
  written.data.items = EE_NEW_ARRAY(&arena, ee_part_range, part->data.count);
  for (size_t i = 0; i < part->data.count; i++) {
    written.data.items[i] = part->data.items[i];
    written.data.items[i].name = clean(part->data.items[i].name, &arena);
  }
  written.unended.items = EE_NEW_ARRAY(&arena, ee_str, part->unended.count);
  for (size_t i = 0; i < part->unended.count; i++) written.unended.items[i] = clean(part->unended.items[i], &arena);
  clean_notes(&written.data_notes, &arena);
  clean_notes(&written.expected_notes, &arena);
  size_t start = out->length;
  ee_buffer_addf(out, BEGINNING "%d", EE_PART_FORMAT);
  write_member(out, "kind", part->kind, &arena);
  write_member(out, "version", part->version, &arena);
  ee_buffer_add_text(out, ",\"rules\":{\"name\":");
  write_text(out, part->rules_name, &arena);
  ee_buffer_addf(out, ",\"hash\":\"%016" PRIx64 "\"}", part->rules_hash);
  write_member(out, "options", part->options, &arena);
  ee_buffer_addf(out, ",\"part\":{\"from\":%" PRIu64 ",\"to\":%" PRIu64 ",\"of\":%" PRIu64, part->from, part->to,
                 part->of);
  if (part->cut != 0) ee_buffer_addf(out, ",\"cut\":\"%016" PRIx64 "\"", part->cut);
  ee_buffer_add_char(out, '}');
  write_list(out, "data", &written, &arena, ranges_state);
  if (part->unended.count > 0) write_list(out, "unended", &written, &arena, unended_state);
  if (part->expected.given) write_list(out, "expected", &written, &arena, part_expected_state);
  if (has_notes(&part->data_notes) || has_notes(&part->expected_notes))
    write_list(out, "imports", &written, &arena, imports_state);
  if (part->repeated.count > 0) write_list(out, "repeated", &written, &arena, repeated_state);
  if (ids.data != NULL) ee_buffer_add_text(out, ",\"ids\":");
  ee_buffer_add_str(out, ids);
  if (totals.data != NULL) ee_buffer_add_text(out, ",\"totals\":");
  ee_buffer_add_str(out, totals);
  ee_buffer_addf(out, ",\"digest\":\"%016" PRIx64 "\"", ee_hash_bytes(out->data + start, out->length - start, 0));
  ee_buffer_add_text(out, ",\"libraries\":{");
  for (size_t i = 0; i < part->libraries.count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    write_text(out, part->libraries.items[i].name, &arena);
    ee_buffer_add_char(out, ':');
    write_text(out, part->libraries.items[i].version, &arena);
  }
  ee_buffer_add_text(out, "},\"inputs\":[");
  for (size_t i = 0; i < part->inputs.count; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    write_text(out, part->inputs.items[i], &arena);
  }
  ee_buffer_add_char(out, ']');
  if (part->message_count > 0) write_list(out, "messages", &written, &arena, messages_state);
  ee_checked_line_end(out, start, 0);
  ee_arena_fini(&arena);
}

/* Reading --------------------------------------------------------------------------------------- */

bool ee_part_begins(ee_str line) {
  return line.length >= sizeof BEGINNING - 1 && memcmp(line.data, BEGINNING, sizeof BEGINNING - 1) == 0;
}

/* Whether the line ends with its checksum, and that fits. */
static ee_status read_check(ee_str line, uint64_t *check, ee_error *error) {
  switch (ee_checked_line_read(line, 0, check)) {
  case EE_LINE_WHOLE: return EE_OK;
  case EE_LINE_CUT: return ee_error_set(error, EE_ERROR_RULES, "a damaged state: it is cut (run the part again)");
  default: return ee_error_set(error, EE_ERROR_RULES, "a damaged state: its checksum is wrong (run the part again)");
  }
}

static bool read_text(const ee_value *object, const char *key, ee_str *text) {
  const ee_value *value = ee_value_member(object, ee_str_from(key), NULL);
  if (ee_type_of(value) != EE_STRING) return false;
  *text = ee_value_text(value);
  return true;
}

static bool read_count(const ee_value *object, const char *key, uint64_t *count) {
  int64_t whole;
  if (!ee_value_whole(ee_value_member(object, ee_str_from(key), NULL), &whole) || whole < 0) return false;
  *count = (uint64_t)whole;
  return true;
}

static bool read_list(const ee_value *document, const char *key, ee_part *part, ee_arena *arena,
                      void (*state)(ee_state_line *line, ee_arena *arena, ee_part *part)) {
  const ee_value *value = ee_value_member(document, ee_str_from(key), NULL);
  if (value == NULL) return true;
  ee_state_line line;
  ee_state_read(&line, value);
  state(&line, arena, part);
  return ee_state_close(&line);
}

static bool read_header(const ee_value *document, ee_arena *arena, ee_part *part) {
  const ee_value *rules = ee_value_member(document, EE_STR("rules"), NULL);
  const ee_value *numbers = ee_value_member(document, EE_STR("part"), NULL);
  const ee_value *libraries = ee_value_member(document, EE_STR("libraries"), NULL);
  const ee_value *inputs = ee_value_member(document, EE_STR("inputs"), NULL);
  ee_str hash, digest, cut;
  bool good = read_text(document, "digest", &digest) && ee_read_hash_text(digest, &part->digest) &&
              read_text(document, "kind", &part->kind) && read_text(document, "version", &part->version) &&
              read_text(document, "options", &part->options) && read_text(rules, "name", &part->rules_name) &&
              read_text(rules, "hash", &hash) && ee_read_hash_text(hash, &part->rules_hash) &&
              read_count(numbers, "from", &part->from) && read_count(numbers, "to", &part->to) &&
              read_count(numbers, "of", &part->of) && ee_type_of(libraries) == EE_OBJECT &&
              ee_type_of(inputs) == EE_ARRAY;
  if (!good) return false;
  good = part->of == 0 ? part->from == 0 && part->to == 0
                       : part->from > 0 && part->from <= part->to && part->to <= part->of;
  if (read_text(numbers, "cut", &cut)) good = good && part->of > 0 && ee_read_hash_text(cut, &part->cut);
  for (const ee_value *at = ee_value_child(libraries); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_STRING) return false;
    *EE_LIST_ADD(&part->libraries, arena) = (ee_part_library){ee_value_key(at), ee_value_text(at)};
  }
  for (const ee_value *at = ee_value_child(inputs); at != NULL; at = ee_value_next(at)) {
    if (ee_type_of(at) != EE_STRING) return false;
    *EE_LIST_ADD(&part->inputs, arena) = ee_value_text(at);
  }
  return good && read_list(document, "data", part, arena, ranges_state) &&
         read_list(document, "unended", part, arena, unended_state) &&
         read_list(document, "expected", part, arena, part_expected_state) &&
         read_list(document, "imports", part, arena, imports_state) &&
         read_list(document, "messages", part, arena, messages_state) &&
         read_list(document, "repeated", part, arena, repeated_state);
}

/* Whether it is a state, or was one: its beginning or its end are those of one, as far as they are there. */
static bool looks_like_state(ee_str line) {
  size_t begins = line.length < sizeof BEGINNING - 1 ? line.length : sizeof BEGINNING - 1;
  if (begins > 0 && memcmp(line.data, BEGINNING, begins) == 0) return true;
  return ee_checked_line_ends(line);
}

ee_status ee_part_read(ee_str line, ee_arena *arena, ee_part *part, uint64_t *check, const ee_value **body,
                       ee_error *error) {
  static const char *const lists[] = {"ids", "totals", NULL};
  *part = (ee_part){0};
  static const char row[] = "{\"schema\":";
  bool is_row = line.length >= sizeof row && memcmp(line.data, row, sizeof row - 1) == 0;
  if (!looks_like_state(line))
    return ee_error_set(error, EE_ERROR_RULES, "not a state (evalengine --state writes them)%s",
                        is_row ? "; rows are given with --rows" : "");
  ee_status status = read_check(line, check, error);
  if (status != EE_OK) return status;
  ee_json_options options = {.left_out = body == NULL ? lists : NULL};
  ee_error broken;
  const ee_value *document = ee_json_read(arena, line, &options, &broken);
  uint64_t format;
  if (document == NULL || !read_count(document, "evalengine_state", &format))
    return ee_error_set(error, EE_ERROR_RULES, "a damaged state: %s", broken.message);
  if (format != EE_PART_FORMAT)
    return ee_error_set(error, EE_ERROR_RULES, "a state of format %" PRIu64 ", this program reads format %d", format,
                        EE_PART_FORMAT);
  if (!read_header(document, arena, part))
    return ee_error_set(error, EE_ERROR_RULES, "a damaged state: its header makes no sense");
  if (body != NULL) *body = document;
  return EE_OK;
}

/* Headers --------------------------------------------------------------------------------------- */

const char *ee_part_name(const ee_part *part, ee_arena *arena) {
  if (part->of > 0 && part->from == part->to)
    return ee_arena_printf(arena, "part %" PRIu64 " of %" PRIu64, part->from, part->of);
  if (part->of > 0)
    return ee_arena_printf(arena, "parts %" PRIu64 "-%" PRIu64 " of %" PRIu64, part->from, part->to, part->of);
  const char *names = "";
  for (size_t i = 0; i < part->inputs.count && i < 3; i++)
    names = ee_arena_printf(arena, "%s%s'%.*s'", names, i > 0 ? ", " : "", EE_STR_ARG(part->inputs.items[i]));
  return part->inputs.count > 3 ? ee_arena_printf(arena, "%s, ...", names) : names;
}

void ee_part_add_unended(ee_part *part, ee_str name, ee_arena *arena) {
  for (size_t i = 0; i < part->unended.count; i++)
    if (ee_str_equal(part->unended.items[i], name)) return;
  *EE_LIST_ADD(&part->unended, arena) = name;
}

const char *ee_part_unended_text(const ee_part *part, ee_arena *arena) {
  size_t count = part->unended.count;
  if (count == 0) return NULL;
  ee_str first = part->unended.items[0];
  if (count == 1) return ee_arena_printf(arena, "'%.*s' could not be read to its end", EE_STR_ARG(first));
  return ee_arena_printf(arena, "'%.*s' and %zu other file%s could not be read to their ends", EE_STR_ARG(first),
                         count - 1, count == 2 ? "" : "s");
}

void ee_part_add_message(ee_part *part, const ee_error *error, ee_arena *arena) {
  part->message_count++;
  if (part->messages.count >= EE_PART_MESSAGES) return;
  *EE_LIST_ADD(&part->messages, arena) = (ee_part_message){.error = *error, .from = part->from, .to = part->to};
}

/* A list of runs that is read. */
typedef struct run_reader {
  const ee_part_expected *of;
  size_t next;
  uint64_t left;
  bool used;
} run_reader;

/* Goes to the run at the current place; false at the end. */
static bool find_run(run_reader *reader) {
  while (reader->left == 0 && reader->next < reader->of->runs.count) {
    reader->left = reader->of->runs.items[reader->next];
    reader->used = reader->next % 2 == 1;
    reader->next++;
  }
  return reader->left > 0;
}

static void add_run(ee_part_expected *expected, uint64_t count, bool used, ee_arena *arena) {
  bool last_used = expected->runs.count % 2 == 0;
  if (expected->runs.count == 0) {
    *EE_LIST_ADD(&expected->runs, arena) = 0;
    last_used = false;
  }
  if (last_used != used) *EE_LIST_ADD(&expected->runs, arena) = 0;
  expected->runs.items[expected->runs.count - 1] += count;
}

void ee_part_expected_add(ee_part_expected *expected, bool used, ee_arena *arena) {
  add_run(expected, 1, used, arena);
  expected->records++;
}

uint64_t ee_part_expected_unused(const ee_part_expected *expected) {
  uint64_t unused = 0;
  for (size_t i = 0; i < expected->runs.count; i += 2) unused += expected->runs.items[i];
  return unused;
}

/* Those that either of them asked for. */
static void join_runs(ee_part_expected *expected, const ee_part_expected *next, ee_arena *arena) {
  ee_part_expected joined = {.given = false};
  run_reader a = {.of = expected}, b = {.of = next};
  while (find_run(&a) && find_run(&b)) {
    uint64_t count = a.left < b.left ? a.left : b.left;
    add_run(&joined, count, a.used || b.used, arena);
    a.left -= count;
    b.left -= count;
  }
  expected->runs.items = joined.runs.items;
  expected->runs.count = joined.runs.count;
  expected->runs.capacity = joined.runs.capacity;
}

size_t ee_part_find_input(const ee_part *part, ee_str name) {
  size_t number = 0;
  while (number < part->inputs.count && !ee_str_equal(part->inputs.items[number], name)) number++;
  return number;
}

/* A range that goes on where the last one of its file ended is one with it. */
static void join_range(ee_part *part, ee_part_range range, ee_arena *arena) {
  ee_part_range *last = part->data.count > 0 ? &part->data.items[part->data.count - 1] : NULL;
  bool goes_on = last != NULL && part->of > 0 && ee_str_equal(last->name, range.name) && last->unit == range.unit &&
                 last->to == range.from && last->size == range.size;
  if (goes_on) {
    range.from = last->from;
    part->data.count--;
  }
  *EE_LIST_ADD(&part->data, arena) = range;
}

/* Gives a list that is not empty items of its own. */
#define COPY(list)                                                                                                     \
  if ((list)->count > 0)                                                                                               \
  ((list)->items = memcpy(ee_arena_calloc(arena, (list)->count + 1, sizeof *(list)->items), (list)->items,             \
                          (list)->count * sizeof *(list)->items),                                                      \
   (list)->capacity = (list)->count + 1)

ee_part ee_part_copy(const ee_part *part, ee_arena *arena) {
  ee_part copy = *part;
  COPY(&copy.inputs);
  COPY(&copy.data);
  COPY(&copy.unended);
  COPY(&copy.messages);
  COPY(&copy.repeated);
  return copy;
}

void ee_part_join(ee_part *part, const ee_part *next, ee_arena *arena) {
  for (size_t i = 0; i < next->inputs.count; i++)
    if (ee_part_find_input(part, next->inputs.items[i]) == part->inputs.count)
      *EE_LIST_ADD(&part->inputs, arena) = next->inputs.items[i];
  for (size_t i = 0; i < next->data.count; i++) join_range(part, next->data.items[i], arena);
  for (size_t i = 0; i < next->unended.count; i++) ee_part_add_unended(part, next->unended.items[i], arena);
  if (part->expected.given) join_runs(&part->expected, &next->expected, arena);
  ee_foreign_seen_merge(&part->data_notes, &next->data_notes);
  part->message_count += next->message_count;
  for (size_t i = 0; i < next->messages.count && part->messages.count < EE_PART_MESSAGES; i++)
    *EE_LIST_ADD(&part->messages, arena) = next->messages.items[i];
  for (size_t i = 0; i < next->repeated.count; i++) {
    ee_part_repeat repeat = next->repeated.items[i];
    if (repeat.input < next->inputs.count) repeat.input = ee_part_find_input(part, next->inputs.items[repeat.input]);
    *EE_LIST_ADD(&part->repeated, arena) = repeat;
  }
  part->to = next->to;
}
