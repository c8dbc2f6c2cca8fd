/* yaml_mistake.c: errors of libyaml as messages for the author of the text. */
#include <stdio.h>

#include "base/error.h"
#include "data/yaml/yaml_parts.h"

static bool says(const char *words, const char *part) { return words != NULL && strstr(words, part) != NULL; }

static bool is_break(char c) { return c == '\n' || c == '\r'; }

static ee_str line_before(const ee_yaml_problem *p) {
  const char *start = p->place;
  while (start > p->text->source.data && !is_break(start[-1])) start--;
  return (ee_str){start, (size_t)(p->place - start)};
}

static bool is_at_end(const ee_yaml_problem *p) { return p->place == p->text->source.data + p->text->source.length; }

/* The error is at the end of the text, or at a line "---" or "...". */
static bool is_at_document_end(const ee_yaml_problem *p) {
  if (is_at_end(p)) return true;
  size_t left = p->text->source.length - (size_t)(p->place - p->text->source.data);
  return left >= 3 && line_before(p).length == 0 &&
         (memcmp(p->place, "---", 3) == 0 || memcmp(p->place, "...", 3) == 0);
}

/* The code point at `at`, empty at the end of the text. */
static ee_str code_point_at(const ee_yaml_problem *p, const char *at) {
  const char *end = p->text->source.data + p->text->source.length;
  uint32_t c;
  return (ee_str){at, at < end ? ee_utf8_decode(at, (size_t)(end - at), &c) : 0};
}

static const char *shown_character(const ee_yaml_problem *p, char out[64]) {
  return ee_yaml_shown(code_point_at(p, p->place), out);
}

/* Finds a tab in the indentation of the error's line; false if there is none. */
static bool find_tab(const ee_yaml_problem *p, ee_yaml_spot *spot) {
  ee_str before = line_before(p);
  const char *end = p->text->source.data + p->text->source.length;
  for (const char *at = before.data; at <= before.data + before.length && at < end; at++) { /* unreached: the end */
    size_t i = (size_t)(at - before.data);
    if (before.data[i] == '\t') {
      *spot = (ee_yaml_spot){p->at.line, i + 1, p->at.offset - (before.length - i)};
      return true;
    }
    if (before.data[i] != ' ') break;
  }
  return false;
}

static char last_visible(ee_str text) {
  while (text.length > 0 && (text.data[text.length - 1] == ' ' || text.data[text.length - 1] == '\t')) text.length--;
  return text.length > 0 ? text.data[text.length - 1] : '\0';
}

static const char not_closed[] = "the quoted string that begins here is not closed";

static void report_bad_start(const ee_yaml_problem *p, ee_error *error) {
  char shown[64];
  shown_character(p, shown);
  if (ee_str_is(code_point_at(p, p->place), "\t")) {
    ee_yaml_fail(error, p->at, "a tab cannot be used for indentation");
  } else if (*shown == '|' || *shown == '>') {
    ee_yaml_fail(error, p->at, "a block string ('%s') is not allowed in brackets", shown);
  } else {
    ee_yaml_fail(error, p->at, "a string cannot begin with '%s' (put it in quotes)", shown);
  }
}

static void report_missing_colon(const ee_yaml_problem *p, ee_error *error) {
  if (p->at.line == p->since.line && p->at.offset > p->since.offset + 1024) {
    ee_yaml_fail(error, p->since, "a key of more than 1024 characters");
  } else {
    ee_yaml_fail(error, p->since, "expected ':' after the key that begins here");
  }
}

static void report_entry(const ee_yaml_problem *p, ee_error *error) {
  ee_yaml_fail(error, p->at, "an array item ('- ') is not allowed %s",
               last_visible(line_before(p)) == ':' ? "on the line of its key" : "here");
}

static void report_escape(const ee_yaml_problem *p, ee_error *error) {
  ee_str escaped = code_point_at(p, p->place + 1);
  if (escaped.length == 0) {
    ee_yaml_fail(error, p->since, "%s", not_closed);
    return;
  }
  char shown[64];
  ee_yaml_fail(error, p->at, "unknown escape '\\%s' (single quotes leave backslashes alone)",
               ee_yaml_shown(escaped, shown));
}

static void report_node(const ee_yaml_problem *p, ee_error *error) {
  char shown[64];
  if (is_at_document_end(p)) {
    ee_yaml_fail(error, p->at, "expected a value");
  } else {
    ee_yaml_fail(error, p->at, "expected a value, not '%s'", shown_character(p, shown));
  }
}

static void report_trailing_text(const ee_yaml_problem *p, ee_error *error) {
  char shown[64];
  if (!p->begun) {
    ee_yaml_fail(error, p->at, "expected '---' after the directives");
  } else {
    ee_yaml_fail(error, p->at, "unexpected '%s' after the end of the value", shown_character(p, shown));
  }
}

/* Errors whose cause may be a tab at the start of the line. */
static bool may_come_from_tab(const char *words) {
  return says(words, "mapping values") || says(words, "expected '-'") || says(words, "expected key") ||
         says(words, "expected ':'") || says(words, "a tab character") || says(words, "cannot start any token");
}

typedef struct rule {
  const char *problem, *context; /* NULL: any */
  bool since;                    /* reported at the start of the construct, not where the error was found */
  const char *message;           /* NULL: see `report`; may hold one %zu, the line of the start of the construct */
  void (*report)(const ee_yaml_problem *p, ee_error *error);
} rule;

/* The first row whose parts occur in libyaml's messages applies. */
static const rule rules[] = {
    {"cannot start any token", NULL, false, NULL, report_bad_start},
    {"a tab character", NULL, false, "a tab cannot be used for indentation", NULL},
    {"expected ':'", NULL, false, NULL, report_missing_colon},
    {"block sequence entries", NULL, false, NULL, report_entry},
    {"mapping keys", NULL, false, "a key ('? ') is not allowed here", NULL},
    {"mapping values", NULL, false, "unexpected ':' (put a string with ':' in quotes, or check the indentation)", NULL},
    {"unexpected ':'", NULL, false, "unexpected ':' (put a string with ':' in quotes)", NULL},
    {"unexpected document indicator", NULL, true, not_closed, NULL},
    {"unexpected end of stream", NULL, true, not_closed, NULL},
    {"unknown escape", NULL, false, NULL, report_escape},
    {"hexdecimal", NULL, false, "expected hexadecimal digits in the escape", NULL},
    {"Unicode character escape", NULL, false, "the escape is not a Unicode character", NULL},
    {"indentation indicator", NULL, false, "the indentation after '|' or '>' must be 1 to 9", NULL},
    {"comment or line break", "block scalar", false, "a block string begins on the line after its '|' or '>'", NULL},
    {NULL, "scanning an anchor", true,
     "the name of an anchor ('&') must consist of letters, digits, '-' and '_' (put other strings in quotes)", NULL},
    {NULL, "scanning an alias", true,
     "the name of an alias ('*') must consist of letters, digits, '-' and '_' (put other strings in quotes)", NULL},
    {"incompatible YAML", NULL, false, "the YAML version is not 1.1 or 1.2", NULL},
    {"duplicate %", NULL, false, "a second directive of the same kind", NULL},
    {"unknown directive", NULL, true, "unknown directive (known are %YAML and %TAG)", NULL},
    {NULL, "directive", true, "invalid directive", NULL},
    {"undefined tag handle", NULL, false, "no %TAG directive declares the handle of this tag", NULL},
    {NULL, "a tag", true, "invalid tag (put a string that begins with '!' in quotes)", NULL},
    {"<document start>", NULL, false, NULL, report_trailing_text},
    {"node content", NULL, false, NULL, report_node},
    {"expected '-'", NULL, false, "expected an item ('- ') of the array that begins on line %zu, or less indentation",
     NULL},
    {"expected key", NULL, false, "expected a key of the object that begins on line %zu, or less indentation", NULL},
    {"expected ',' or ']'", NULL, false, "expected ',' or ']' in the array that begins on line %zu", NULL},
    {"expected ',' or '}'", NULL, false, "expected ',' or '}' in the object that begins on line %zu", NULL},
};

static void apply(const rule *known, const ee_yaml_problem *p, ee_error *error) {
  if (known->report != NULL) {
    known->report(p, error);
    return;
  }
  ee_yaml_spot spot = known->since ? p->since : p->at;
  char message[128];
  const char *number = strstr(known->message, "%zu");
  if (number == NULL) {
    ee_yaml_fail(error, spot, "%s", known->message);
    return;
  }
  snprintf(message, sizeof message, "%.*s%zu%s", (int)(number - known->message), known->message, p->since.line,
           number + 3);
  ee_yaml_fail(error, spot, "%s", message);
}

void ee_yaml_report(const ee_yaml_problem *p, ee_error *error) {
  ee_str before = line_before(p);
  if (before.length >= 3 && memcmp(before.data, "\xef\xbb\xbf", 3) == 0) {
    ee_yaml_spot mark = {p->at.line, 1, p->at.offset - before.length};
    ee_yaml_fail(error, mark, "a byte order mark in the middle of the file");
    return;
  }
  ee_yaml_spot tab;
  if (may_come_from_tab(p->problem) && p->open_line == 0 && find_tab(p, &tab)) {
    ee_yaml_fail(error, tab, "a tab cannot be used for indentation");
    return;
  }
  bool in_quotes = says(p->problem, "unexpected document indicator") || says(p->problem, "unexpected end of stream");
  if (p->open_line > 0 && !in_quotes && is_at_document_end(p)) {
    ee_yaml_fail(error, p->at, "the %s that begins on line %zu is not closed", p->open_list ? "array" : "object",
                 p->open_line);
    return;
  }
  for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) { /* unreached: the end; another libyaml may say more */
    if (rules[i].problem != NULL && !says(p->problem, rules[i].problem)) continue;
    if (rules[i].context != NULL && !says(p->context, rules[i].context)) continue;
    apply(&rules[i], p, error);
    return;
  }
  ee_yaml_fail(error, p->at, "invalid YAML: %s", p->problem); /* unreached: see above */
}
