/* markup_reader.c: spans marked in a text, as in XML: "<PER>Marie Curie</PER> moved to <LOC>Paris</LOC>".
 *
 * A mark is < and a letter, up to >; its name is the label, attributes are ignored. An end closes the last mark of its
 * name that is open, so spans may be nested and may overlap. Everything that is not a mark is text: "a < b", "<br/>".
 * The entities &lt; &gt; &amp; &quot; &apos; stand for their characters. */
#include <string.h>

#include "base/work.h"
#include "data/json/json_scan.h"
#include "judge/spans/spans.h"
#include "prim/normalize.h"

typedef struct open_mark {
  ee_str name;
  size_t at; /* in the text without marks, in bytes */
} open_mark;

typedef struct markup_reader {
  const ee_span_reader *from;
  ee_span_list *list;
  char *plain;
  size_t length;
  open_mark open[EE_SPAN_MARKS_OPEN];
  size_t open_count;
} markup_reader;

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

/* The mark at the beginning of `text`: its length, 0 for none, and its name; `*is_end` for </NAME>. */
static size_t find_mark(ee_str text, ee_str *name, bool *is_end) {
  *is_end = text.length > 1 && text.data[1] == '/';
  size_t from = *is_end ? 2 : 1, to = from;
  if (from >= text.length || !is_letter(text.data[from])) return 0;
  const char *close = memchr(text.data, '>', text.length);
  if (close == NULL || memchr(text.data + 1, '<', (size_t)(close - text.data) - 1) != NULL || close[-1] == '/')
    return 0;
  while (text.data + to < close && !ee_json_is_space(text.data[to])) to++;
  *name = (ee_str){text.data + from, to - from};
  return (size_t)(close - text.data) + 1;
}

/* The character of the entity at the beginning of `text`, and its length; 0 for none. */
static size_t find_entity(ee_str text, char *character) {
  static const struct {
    const char *text;
    char character;
  } entities[] = {{"&lt;", '<'}, {"&gt;", '>'}, {"&amp;", '&'}, {"&quot;", '"'}, {"&apos;", '\''}};
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
    size_t length = strlen(entities[i].text);
    if (text.length < length || memcmp(text.data, entities[i].text, length) != 0) continue;
    *character = entities[i].character;
    return length;
  }
  return 0;
}

static void add_fault(markup_reader *r, ee_str name, const char *what) {
  if (r->list->faults > 0) {
    r->list->faults++;
    return;
  }
  ee_span_list_fault(r->list, (uint32_t)r->length,
                     ee_arena_printf(r->from->arena, "mark '%.*s' %s", (int)ee_utf8_cut(name, 40), name.data, what));
}

/* Offsets are bytes until the whole text is known. */
static void close_mark(markup_reader *r, ee_str name) {
  size_t at = r->open_count;
  ee_work(r->open_count);
  while (at > 0 && !ee_str_equal(r->open[at - 1].name, name)) at--;
  if (at == 0) {
    add_fault(r, name, "ends where it has not begun");
    return;
  }
  open_mark mark = r->open[--at];
  memmove(&r->open[at], &r->open[at + 1], (--r->open_count - at) * sizeof *r->open);
  ee_str label = ee_nfc(mark.name, r->from->arena);
  if (!ee_span_label_counts(r->from->rules, label)) {
    r->list->left_out++;
    return;
  }
  if (mark.at == r->length) {
    add_fault(r, name, "is around nothing");
    return;
  }
  uint32_t index = (uint32_t)r->list->count;
  *EE_LIST_ADD(r->list, r->from->arena) =
      (ee_span){.label = label, .start = mark.at, .end = r->length, .index = index, .text = {NULL, 0}};
}

static void take_mark(markup_reader *r, ee_str name, bool is_end) {
  if (is_end) {
    close_mark(r, name);
  } else if (r->open_count == EE_SPAN_MARKS_OPEN) {
    add_fault(r, name, "is inside of too many others");
  } else {
    r->open[r->open_count++] = (open_mark){name, r->length};
  }
}

static void read_text(markup_reader *r, ee_str text) {
  for (size_t i = 0; i < text.length;) {
    ee_str rest = {text.data + i, text.length - i}, name;
    bool is_end;
    char character = text.data[i];
    size_t length = 0;
    if (character == '<') {
      const char *close = memchr(rest.data, '>', rest.length);
      ee_work(close != NULL ? (uint64_t)(close - rest.data) : rest.length);
      if (close != NULL && (length = find_mark(rest, &name, &is_end)) > 0) {
        take_mark(r, name, is_end);
        i += length;
        continue;
      }
    }
    if (character == '&') length = find_entity(rest, &character);
    r->plain[r->length++] = character;
    i += length > 0 ? length : 1;
  }
}

void ee_span_markup_read(const ee_span_reader *reader, ee_str text, ee_span_list *list) {
  markup_reader *r = EE_NEW(reader->arena, markup_reader);
  r->from = reader;
  r->list = list;
  r->plain = ee_arena_alloc(reader->arena, text.length + 1);
  ee_work(text.length);
  read_text(r, text);
  for (size_t i = 0; i < r->open_count; i++) add_fault(r, r->open[i].name, "has no end");
  list->plain = (ee_str){r->plain, r->length};
  if (reader->document.data != NULL && !ee_str_equal(list->plain, reader->document)) {
    list->failure = "the text without its marks is not that of the document";
    list->count = 0;
    return;
  }
  ee_work_bound(EE_BOUND_ITEMS, list->count, "spans in a text");
  if (list->count > 0) list->place = EE_SPANS_OFFSETS;
  ee_unit_index index;
  ee_unit_index_build(&index, reader->arena, list->plain, reader->rules->units[EE_EXPECTED]);
  for (size_t i = 0; i < list->count; i++) {
    ee_span *span = &list->items[i];
    span->text = (ee_str){r->plain + span->start, (size_t)(span->end - span->start)};
    span->start = ee_unit_index_of_byte(&index, (size_t)span->start);
    span->end = ee_unit_index_of_byte(&index, (size_t)span->end);
  }
}
