#include "fuzz/output_checks.h"

#include "base/printable.h"
#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "prim/unicode.h"

/* Shared by all ----------------------------------------------------------------------------------- */

static void check_characters(ee_str text) {
  for (size_t at = 0; at < text.length;) {
    uint32_t point;
    size_t length = ee_utf8_decode(text.data + at, text.length - at, &point);
    fuzz_require(length > 0);
    fuzz_require(point == '\n' || !ee_is_harmful(point));
    at += length;
  }
}

static bool begins(ee_str text, size_t at, const char *with) {
  size_t length = strlen(with);
  return text.length - at >= length && memcmp(text.data + at, with, length) == 0;
}

/* The place of `what` at or after `at`; the length if it is not there. */
static size_t find(ee_str text, size_t at, const char *what) {
  const char *found = memmem(text.data + at, text.length - at, what, strlen(what));
  return found != NULL ? (size_t)(found - text.data) : text.length;
}

static bool is_one_of(ee_str name, const char *list) {
  char word[40];
  if (name.length + 3 > sizeof word) return false;
  snprintf(word, sizeof word, " %.*s ", EE_STR_ARG(name));
  return strstr(list, word) != NULL;
}

void fuzz_check_terminal(ee_str text) { check_characters(text); }

void fuzz_check_message(ee_str text) {
  for (size_t i = 0; i < text.length; i++) fuzz_require((unsigned char)text.data[i] >= ' ' && text.data[i] != 0x7f);
  fuzz_require(ee_utf8_valid_prefix(text.data, text.length) == text.length);
}

void fuzz_check_json(ee_str text) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error = {0};
  if (ee_json_read(&arena, text, NULL, &error) == NULL) {
    fprintf(stderr, "%zu:%zu: %s in\n%.*s\n", error.line, error.column, error.message, EE_STR_ARG(text));
    abort();
  }
  ee_arena_fini(&arena);
}

void fuzz_check_json_lines(ee_str text) {
  for (size_t at = 0; at < text.length;) {
    size_t end = find(text, at, "\n");
    fuzz_require(end < text.length);
    fuzz_check_json((ee_str){text.data + at, end - at});
    at = end + 1;
  }
}

/* CSV --------------------------------------------------------------------------------------------- */

/* The place after the cell at `at`. */
static size_t pass_cell(ee_str text, size_t at) {
  if (text.data[at] != '"') {
    while (at < text.length && text.data[at] != ',' && text.data[at] != '\n') {
      fuzz_require(text.data[at] != '"' && text.data[at] != '\r');
      at++;
    }
    return at;
  }
  for (at++; at < text.length; at++) {
    if (text.data[at] != '"') continue;
    if (!begins(text, at, "\"\"")) return at + 1;
    at++;
  }
  fuzz_fail(__FILE__, __LINE__, "a quote that does not end");
}

void fuzz_check_csv(ee_str text) {
  size_t columns = 0, cells = 0;
  fuzz_require(ee_utf8_valid_prefix(text.data, text.length) == text.length);
  for (size_t at = 0; at < text.length;) {
    at = pass_cell(text, at);
    cells++;
    fuzz_require(at < text.length && (text.data[at] == ',' || text.data[at] == '\n'));
    if (text.data[at++] == ',') {
      fuzz_require(at < text.length);
      continue;
    }
    if (columns == 0) columns = cells;
    if (cells != columns) fprintf(stderr, "%zu cells, not %zu:\n%.*s\n", cells, columns, EE_STR_ARG(text));
    fuzz_require(cells == columns);
    cells = 0;
  }
  fuzz_require(cells == 0);
}

/* Elements ---------------------------------------------------------------------------------------- */

typedef struct markup {
  ee_str text;
  bool html;
  const char *elements, *attributes; /* that may occur, each between spaces */
  ee_str open[64];
  size_t depth;
} markup;

static _Noreturn void fail_markup(const markup *self, size_t at, const char *what) {
  size_t from = at > 200 ? at - 200 : 0, length = self->text.length - from;
  fprintf(stderr, "%s at byte %zu:\n%.*s\n", what, at, (int)(length < 400 ? length : 400), self->text.data + from);
  abort();
}

static size_t pass_name(const markup *self, size_t at, ee_str *name) {
  *name = (ee_str){self->text.data + at, 0};
  while (at < self->text.length && self->text.data[at] != '\0' && strchr(" \n\t/>=\"'<&", self->text.data[at]) == NULL)
    at++, name->length++;
  return at;
}

/* Of XML, and of HTML the ones that the program writes. */
static size_t pass_entity(const markup *self, size_t at) {
  size_t end = find(self->text, at, ";");
  if (end > at + 10 || end == self->text.length) fail_markup(self, at, "an ampersand");
  ee_str name = {self->text.data + at + 1, end - at - 1};
  bool number = name.length > 1 && name.data[0] == '#';
  if (!number && !is_one_of(name, " amp lt gt quot apos nbsp ")) fail_markup(self, at, "an unknown entity");
  return end + 1;
}

static size_t pass_attribute(markup *self, size_t at) {
  ee_str name;
  size_t start = at;
  at = pass_name(self, at, &name);
  if (!is_one_of(name, self->attributes)) fail_markup(self, start, "an unknown attribute");
  if (at >= self->text.length || self->text.data[at] != '=') {
    if (!self->html) fail_markup(self, start, "an attribute without value");
    return at;
  }
  if (!begins(self->text, at, "=\"")) fail_markup(self, start, "an attribute without quotes");
  at += 2;
  if (ee_str_is(name, "href") && self->text.data[at] != '#') fail_markup(self, start, "a link that leaves the page");
  while (at < self->text.length && self->text.data[at] != '"') {
    if (self->text.data[at] == '<' && !self->html) fail_markup(self, at, "a tag in an attribute");
    at = self->text.data[at] == '&' ? pass_entity(self, at) : at + 1;
  }
  return at + 1;
}

static bool is_raw(const markup *self, ee_str element) {
  return self->html && (ee_str_is(element, "script") || ee_str_is(element, "style"));
}

/* The content of a script or style, up to its end. */
static size_t pass_raw(const markup *self, size_t at, size_t tag) {
  ee_str element = self->open[self->depth - 1];
  char end_tag[16];
  snprintf(end_tag, sizeof end_tag, "</%.*s", EE_STR_ARG(element));
  size_t end = find(self->text, at, end_tag);
  ee_str head = {self->text.data + tag, at - tag};
  if (find(head, 0, "application/json") < head.length) fuzz_check_json((ee_str){self->text.data + at, end - at});
  return end;
}

static size_t pass_end_tag(markup *self, size_t at) {
  ee_str name;
  size_t end = pass_name(self, at + 2, &name);
  bool good = self->depth > 0 && ee_str_equal(name, self->open[self->depth - 1]);
  if (!good || end >= self->text.length || self->text.data[end] != '>') fail_markup(self, at, "the wrong end tag");
  self->depth--;
  return end + 1;
}

static size_t pass_tag(markup *self, size_t tag) {
  ee_str name;
  size_t at = pass_name(self, tag + 1, &name);
  if (!is_one_of(name, self->elements)) fail_markup(self, tag, "an unknown element");
  for (;;) {
    while (at < self->text.length && (self->text.data[at] == ' ' || self->text.data[at] == '\n')) at++;
    if (at >= self->text.length) fail_markup(self, tag, "a tag that does not end");
    if (begins(self->text, at, "/>")) return at + 2;
    if (self->text.data[at] == '>') break;
    at = pass_attribute(self, at);
  }
  at++;
  if (self->html && is_one_of(name, " meta input br ")) return at;
  if (self->depth == 64) fail_markup(self, tag, "elements too deep");
  self->open[self->depth++] = name;
  return is_raw(self, name) ? pass_raw(self, at, tag) : at;
}

static void check_markup(markup *self) {
  for (size_t at = 0; at < self->text.length;) {
    char c = self->text.data[at];
    if (c == '&') {
      at = pass_entity(self, at);
    } else if (c != '<') {
      at++;
    } else if (begins(self->text, at, "<!DOCTYPE html>") || begins(self->text, at, "<?xml ")) {
      at = find(self->text, at, ">") + 1;
    } else {
      at = begins(self->text, at, "</") ? pass_end_tag(self, at) : pass_tag(self, at);
    }
  }
  if (self->depth != 0) fail_markup(self, self->text.length, "an element that does not end");
}

void fuzz_check_html(ee_str text) {
  markup self = {.text = text, .html = true};
  self.elements =
      " html head meta title style body div header fieldset legend label input main section h1 h2 h3 p ul ol li "
      "strong em small a span i b bdi code pre table caption thead tbody tr th td svg rect text path figure "
      "figcaption details summary script ";
  self.attributes = " lang charset http-equiv content name id class role tabindex aria-label hidden type checked scope "
                    "colspan href width height x y viewBox d open data-encoding data-first data-count ";
  check_markup(&self);
  /* What a reader sees: nothing that moves it. Scripts and data are not seen. */
  check_characters((ee_str){text.data, find(text, 0, "<script")});
}

void fuzz_check_junit(ee_str text) {
  markup self = {.text = text};
  self.elements = " testsuites testsuite testcase failure error skipped system-out system-err properties property ";
  self.attributes =
      " version encoding name tests failures errors skipped time classname message type timestamp hostname "
      "id package value ";
  check_markup(&self);
  check_characters(text);
}

/* Markdown ---------------------------------------------------------------------------------------- */

static bool is_escaped(ee_str line, size_t at) {
  size_t before = 0;
  while (before < at && line.data[at - before - 1] == '\\') before++;
  return before % 2 == 1;
}

static size_t count_bars(ee_str line) {
  size_t count = 0;
  for (size_t i = 0; i < line.length; i++) count += line.data[i] == '|' && !is_escaped(line, i);
  return count;
}

/* The place after a code span at `at`; after its first backticks if it is none. */
static size_t pass_span(ee_str line, size_t at) {
  size_t ticks = 0;
  while (at + ticks < line.length && line.data[at + ticks] == '`') ticks++;
  for (size_t i = at + ticks; i < line.length;) {
    size_t run = 0;
    while (i + run < line.length && line.data[i + run] == '`') run++;
    if (run == ticks) return i + run;
    i += run > 0 ? run : 1;
  }
  return at + ticks;
}

static void check_line(ee_str line) {
  static const char *const tags[] = {"<details>",  "</details>", "<details open>", "<summary>",
                                     "</summary>", "<code>",     "</code>",        "<!-- -->"};
  for (size_t at = 0; at < line.length;) {
    char c = line.data[at];
    if (c == '\\') {
      at += 2;
      continue;
    }
    if (c == '`') {
      at = pass_span(line, at);
      continue;
    }
    bool known = c != '<';
    for (size_t i = 0; i < sizeof tags / sizeof *tags; i++) known = known || begins(line, at, tags[i]);
    if (!known || begins(line, at, "](") || begins(line, at, "![")) {
      fprintf(stderr, "alive at byte %zu of: %.*s\n", at, EE_STR_ARG(line));
      abort();
    }
    at++;
  }
}

void fuzz_check_markdown(ee_str text) {
  check_characters(text);
  size_t bars = 0;
  bool code = false;
  for (size_t at = 0; at < text.length;) {
    size_t end = find(text, at, "\n");
    ee_str line = {text.data + at, end - at};
    at = end + 1;
    if (begins(line, 0, "```")) code = !code;
    if (code) continue;
    bool row = line.length > 0 && line.data[0] == '|';
    size_t here = row ? count_bars(line) : 0;
    if (row && bars > 0 && here != bars) {
      fprintf(stderr, "%zu bars, not %zu, in: %.*s\n", here, bars, EE_STR_ARG(line));
      abort();
    }
    bars = here;
    check_line(line);
  }
}

/* Reports ----------------------------------------------------------------------------------------- */

void fuzz_check_report(const ee_report_format *format, const ee_buffer *out) {
  ee_str text = fuzz_buffer_text(out);
  if (format->page == ee_render_table) fuzz_check_terminal(text);
  if (format->page == ee_render_markdown) fuzz_check_markdown(text);
  if (format->page == ee_render_html) fuzz_check_html(text);
  if (strcmp(format->name, "json") == 0) fuzz_check_json(text);
  if (strcmp(format->name, "csv") == 0) fuzz_check_csv(text);
  if (strcmp(format->name, "junit") == 0) fuzz_check_junit(text);
}

bool fuzz_is_turn(const ee_report_format *format, size_t size) {
  size_t count = 0;
  while (ee_report_formats[count].name != NULL) count++;
  return size % count == (size_t)(format - ee_report_formats);
}
