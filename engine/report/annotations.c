/* annotations.c: what failed, as workflow commands. */
#include "report/annotations.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/printable.h"
#include "data/json/json_reader.h"
#include "prim/unicode.h"
#include "report/miss_lines.h"

/* Bytes of a title and of a message. */
#define TITLE_SHOWN 200
#define MESSAGE_SHOWN 2000
#define ARENA_KEPT ((size_t)1 << 20)

ee_annotations *ee_annotations_new(void) {
  ee_annotations *self = ee_calloc(1, sizeof *self);
  ee_arena_init(&self->arena, 0);
  return self;
}

void ee_annotations_free(ee_annotations *self) {
  if (self == NULL) return;
  ee_arena_fini(&self->arena);
  ee_free(self);
}

/* Adding ---------------------------------------------------------------------------------------- */

static ee_str copy(ee_annotations *self, ee_str text, size_t limit) {
  size_t length = text.length <= limit ? text.length : ee_utf8_cut(text, limit);
  return (ee_str){ee_arena_copy(&self->arena, text.data, length), length};
}

void ee_annotations_add(ee_annotations *self, ee_annotation_kind kind, const ee_annotation *annotation) {
  uint64_t number = self->kinds[kind].count++;
  if (number >= EE_ANNOTATIONS_SHOWN) return;
  self->kinds[kind].items[number] = (ee_annotation){.file = copy(self, annotation->file, SIZE_MAX),
                                                    .title = copy(self, annotation->title, TITLE_SHOWN),
                                                    .message = copy(self, annotation->message, MESSAGE_SHOWN),
                                                    .line = annotation->line};
}

void ee_annotations_add_error(ee_annotations *self, const ee_error *error) {
  if (error->status == EE_OK) return;
  const char *title = error->status == EE_ERROR_DATA    ? "record in error"
                      : error->status == EE_ERROR_RULES ? "error in the rules"
                                                        : "no answer";
  ee_annotation added = {ee_str_from(error->file), ee_str_from(title), ee_str_from(error->message), error->line};
  ee_annotations_add(self, EE_ANNOTATE_ERROR, &added);
}

void ee_annotations_add_gate(ee_annotations *self, const ee_gate_result *gate) {
  if (gate->passed) return;
  ee_buffer text;
  ee_buffer_init(&text);
  ee_gate_print(gate, &text);
  const ee_gate *of = gate->gate;
  ee_annotation added = {ee_str_from(of->file != NULL ? of->file : ""),
                         ee_gate_is_undecided(gate) ? EE_STR("gate undecided") : EE_STR("gate failed"),
                         {text.data, text.length},
                         of->file != NULL ? of->line : 0};
  ee_annotations_add(self, EE_ANNOTATE_GATE, &added);
  ee_buffer_fini(&text);
}

void ee_annotations_add_case(ee_annotations *self, ee_str id, const char *file, uint64_t line) {
  ee_annotation added = {.file = ee_str_from(file), .title = id, .line = line};
  ee_annotations_add(self, EE_ANNOTATE_CASE, &added);
}

/* The first case that still waits for its row. */
static ee_annotation *waiting(ee_annotations *self) {
  uint64_t count = self->kinds[EE_ANNOTATE_CASE].count;
  for (size_t i = 0; i < count && i < EE_ANNOTATIONS_SHOWN; i++)
    if (self->kinds[EE_ANNOTATE_CASE].items[i].message.length == 0) return &self->kinds[EE_ANNOTATE_CASE].items[i];
  return NULL;
}

/* Rows come in the order of the cases. */
void ee_annotations_add_rows(ee_annotations *self, const char *lines, size_t length) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_annotation *next = waiting(self);
  for (const char *end = lines + length; lines < end && next != NULL;) {
    const char *newline = memchr(lines, '\n', (size_t)(end - lines));
    size_t line = newline != NULL ? (size_t)(newline - lines) : (size_t)(end - lines);
    ee_stored_row row;
    const ee_value *record = ee_json_read(&arena, (ee_str){lines, line}, NULL, NULL);
    ee_str id = {NULL, 0};
    if (record != NULL && ee_stored_row_read(record, &arena, &row, NULL)) id = row.id;
    if (id.data != NULL && ee_utf8_cut(id, TITLE_SHOWN) == next->title.length &&
        memcmp(id.data, next->title.data, next->title.length) == 0) {
      ee_miss_lines misses = {0};
      ee_miss_lines_add(&row, (ee_str){NULL, 0}, &arena, &misses);
      next->message = copy(self, ee_miss_lines_summary(row.score, &misses, &arena), MESSAGE_SHOWN);
      next = waiting(self);
    }
    lines += line + (newline != NULL);
    ee_arena_reset(&arena, ARENA_KEPT);
  }
  ee_arena_fini(&arena);
}

/* Printing -------------------------------------------------------------------------------------- */

/* As GitHub's toolkit escapes: what would end the command or, in a property, begin the next one. Other harmful
 * characters are written out, as everywhere. */
static void add_escaped(ee_buffer *out, ee_str text, bool property) {
  ee_buffer printable;
  ee_buffer_init(&printable);
  ee_add_printable(&printable, text, EE_PRINT_LINE);
  for (size_t i = 0; i < printable.length; i++) {
    char c = printable.data[i];
    if (c == '%' || (property && (c == ':' || c == ',')))
      ee_buffer_addf(out, "%%%02X", (unsigned)c);
    else
      ee_buffer_add_char(out, c);
  }
  ee_buffer_fini(&printable);
}

static void add_property(ee_buffer *out, bool *any, const char *name, ee_str value) {
  ee_buffer_addf(out, "%s%s=", *any ? "," : " ", name);
  add_escaped(out, value, true);
  *any = true;
}

/* A name that is a file's: the standard input has no place in a repository. */
static bool is_file(ee_str file) {
  return file.length > 0 && !ee_str_is(file, "-") && !ee_str_is(file, "standard input");
}

static void print_command(const char *command, const char *before, const ee_annotation *annotation, ee_buffer *out) {
  bool any = false;
  ee_buffer_addf(out, "::%s", command);
  if (is_file(annotation->file)) add_property(out, &any, "file", annotation->file);
  if (is_file(annotation->file) && annotation->line > 0) {
    char line[24];
    ee_str text = {line, (size_t)snprintf(line, sizeof line, "%" PRIu64, annotation->line)};
    add_property(out, &any, "line", text);
  }
  if (annotation->title.length > 0) {
    ee_buffer title;
    ee_buffer_init(&title);
    ee_buffer_add_text(&title, before);
    ee_buffer_add_str(&title, annotation->title);
    add_property(out, &any, "title", (ee_str){title.data, title.length});
    ee_buffer_fini(&title);
  }
  ee_buffer_add_text(out, "::");
  add_escaped(out, annotation->message, false);
  ee_buffer_add_char(out, '\n');
}

/* The annotations of the kinds `from` to `to`, as one command. */
static void print_level(const ee_annotations *self, const char *command, ee_annotation_kind from, ee_annotation_kind to,
                        ee_buffer *out) {
  uint64_t all = 0, printed = 0;
  for (ee_annotation_kind kind = from; kind <= to; kind++) all += self->kinds[kind].count;
  uint64_t room = all > EE_ANNOTATIONS_SHOWN ? EE_ANNOTATIONS_SHOWN - 1 : EE_ANNOTATIONS_SHOWN;
  for (ee_annotation_kind kind = from; kind <= to; kind++)
    for (uint64_t i = 0; i < self->kinds[kind].count && i < EE_ANNOTATIONS_SHOWN && printed < room; i++, printed++)
      print_command(command, kind == EE_ANNOTATE_CASE || kind == EE_ANNOTATE_WORSE ? "case " : "",
                    &self->kinds[kind].items[i], out);
  if (printed == all) return;
  ee_buffer_addf(out, "::%s::%" PRIu64 " more, which are in the report\n", command, all - printed);
}

void ee_annotations_print(const ee_annotations *self, ee_buffer *out) {
  print_level(self, "error", EE_ANNOTATE_GATE, EE_ANNOTATE_ERROR, out);
  print_level(self, "warning", EE_ANNOTATE_CASE, EE_ANNOTATE_CASE, out);
}
