/* habits.c: a Lua lexer that accepts text of other languages, and searches in its tokens. */
#include "lua/habits.h"

#include <ctype.h>
#include <stdlib.h>

#include "base/list.h"

/* Tokens --------------------------------------------------------------------------------------- */

typedef enum token_kind { TOKEN_NAME, TOKEN_NUMBER, TOKEN_STRING, TOKEN_MARK, TOKEN_END } token_kind;

typedef struct token {
  token_kind kind;
  ee_str text; /* of a string with its quotes */
  size_t line;
  bool spaced; /* white space, or the start of the text, is before it */
  bool first;  /* in its line */
} token;

typedef struct token_list {
  EE_LIST(token);
} token_list;

static bool is_name_char(char c) { return isalnum((unsigned char)c) || c == '_'; }

/* The length of [[...]] or [==[...]==] at the start of `text`; 0: `text` begins otherwise. */
static size_t long_bracket(ee_str text) {
  size_t level = 1;
  while (level < text.length && text.data[level] == '=') level++;
  if (text.length < 2 || text.data[0] != '[' || level >= text.length || text.data[level] != '[') return 0;
  for (size_t i = level + 1; i + level < text.length; i++) {
    if (text.data[i] != ']' || text.data[i + level] != ']') continue;
    size_t equals = 0;
    while (text.data[i + 1 + equals] == '=') equals++;
    if (equals == level - 1) return i + level + 1;
  }
  return text.length;
}

/* The length of the string in quotes at the start of `text`, which ends with its line. */
static size_t quoted(ee_str text) {
  for (size_t i = 1; i < text.length && text.data[i] != '\n'; i++) {
    if (text.data[i] == '\\')
      i++;
    else if (text.data[i] == text.data[0])
      return i + 1;
  }
  const char *end = memchr(text.data, '\n', text.length);
  return end != NULL ? (size_t)(end - text.data) : text.length;
}

/* The length of a mark: the longest of those that mean something here or in another language. */
static size_t mark(ee_str text) {
  static const char *const marks[] = {"...", "..", "==", "~=", "!=", "<=", ">=", "//", "/*", "+=", "-=",
                                      "*=",  "/=", "++", "&&", "||", "=>", "**", "::", "??", "?."};
  for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
    size_t length = strlen(marks[i]);
    if (text.length >= length && memcmp(text.data, marks[i], length) == 0) return length;
  }
  return 1;
}

/* The kind and length of the token at the start of `text`, which is not white space or a comment. */
static token_kind next_token(ee_str text, size_t *length) {
  char c = text.data[0];
  *length = 1;
  if (is_name_char(c)) {
    bool number = isdigit((unsigned char)c) != 0;
    while (*length < text.length &&
           (is_name_char(text.data[*length]) || (number && text.data[*length] == '.' && text.data[*length - 1] != '.')))
      ++*length;
    return number ? TOKEN_NUMBER : TOKEN_NAME;
  }
  size_t bracket = c == '[' ? long_bracket(text) : 0;
  if (bracket > 0 || c == '"' || c == '\'') {
    *length = bracket > 0 ? bracket : quoted(text);
    return TOKEN_STRING;
  }
  *length = mark(text);
  return TOKEN_MARK;
}

/* The length of the comment at the start of `text`; 0: `text` begins otherwise. */
static size_t comment(ee_str text) {
  if (text.length < 2 || text.data[0] != '-' || text.data[1] != '-') return 0;
  size_t bracket = long_bracket((ee_str){text.data + 2, text.length - 2});
  if (bracket > 0) return 2 + bracket;
  const char *end = memchr(text.data, '\n', text.length);
  return end != NULL ? (size_t)(end - text.data) : text.length;
}

static token_list read_tokens(ee_str text) {
  token_list list = {0};
  size_t line = 1, last_line = 0;
  bool spaced = true;
  for (size_t at = 0; at < text.length;) {
    ee_str rest = {text.data + at, text.length - at};
    size_t length = comment(rest);
    bool is_token = length == 0 && !isspace((unsigned char)*rest.data);
    token one = {.line = line, .spaced = spaced, .first = line != last_line};
    if (is_token)
      one.kind = next_token(rest, &length);
    else if (length == 0)
      length = 1;
    one.text = (ee_str){rest.data, length};
    if (is_token) {
      *EE_LIST_ADD(&list, NULL) = one;
      last_line = line;
    }
    spaced = !is_token;
    for (size_t i = 0; i < length; i++) line += rest.data[i] == '\n';
    at += length;
  }
  return list;
}

/* The token at `index`; one of kind TOKEN_END outside of the list. */
static const token *at(const token_list *list, size_t index) {
  static const token end = {.kind = TOKEN_END, .text = {"", 0}};
  return index < list->count ? &list->items[index] : &end;
}

static bool is(const token *one, const char *text) {
  return one->kind != TOKEN_END && one->kind != TOKEN_STRING && ee_str_is(one->text, text);
}

static bool is_any(const token *one, const char *const *words) {
  for (; *words != NULL; words++)
    if (is(one, *words)) return true;
  return false;
}

static const char *const keywords[] = {"and",      "break",  "do",   "else", "elseif", "end",   "false", "for",
                                       "function", "goto",   "if",   "in",   "local",  "nil",   "not",   "or",
                                       "repeat",   "return", "then", "true", "until",  "while", NULL};

static bool is_value_word(const token *one) {
  return is_any(one, (const char *const[]){"true", "false", "nil", "end", NULL}) || !is_any(one, keywords);
}

/* Whether a value may end with this token. */
static bool ends_value(const token *one) {
  if (one->kind == TOKEN_NAME) return is_value_word(one);
  return one->kind == TOKEN_NUMBER || one->kind == TOKEN_STRING ||
         is_any(one, (const char *const[]){"}", ")", "]", NULL});
}

/* Whether a member of a table may begin with this token. */
static bool starts_member(const token *one) {
  if (one->kind == TOKEN_NAME) return is_value_word(one) || is(one, "function");
  return one->kind == TOKEN_NUMBER || one->kind == TOKEN_STRING || is(one, "{");
}

/* Hints for syntax errors ---------------------------------------------------------------------- */

#define SHOWN 40

/* name: 1, and "name": 1. Not a method: name:method(...). */
static const char *colon_hint(const token_list *list, size_t i, ee_arena *arena) {
  const token *name = at(list, i), *value = at(list, i + 2), *after = at(list, i + 3);
  if (!is(at(list, i + 1), ":") || (name->kind != TOKEN_NAME && name->kind != TOKEN_STRING)) return NULL;
  if (name->kind == TOKEN_NAME && is_any(name, keywords)) return NULL;
  bool method = name->kind == TOKEN_NAME && value->kind == TOKEN_NAME &&
                (is(after, "(") || is(after, "{") || after->kind == TOKEN_STRING);
  if (method || value->kind == TOKEN_END || name->text.length > SHOWN || value->text.length > SHOWN) return NULL;
  const char *more = value->kind == TOKEN_MARK ? "..." : "";
  ee_str shown = value->kind == TOKEN_MARK ? EE_STR("") : value->text;
  if (name->kind == TOKEN_NAME)
    return ee_arena_printf(arena, "write %.*s = %.*s%s", EE_STR_ARG(name->text), EE_STR_ARG(shown), more);
  return ee_arena_printf(arena, "write [%.*s] = %.*s%s, or without quotes if it is a name", EE_STR_ARG(name->text),
                         EE_STR_ARG(shown), more);
}

/* Words and marks of other languages. */
static const char *foreign_hint(const token_list *list, size_t i) {
  static const struct {
    const char *text, *hint;
  } marks[] = {{"!=", "write ~= for not equal"},
               {"!", "write not"},
               {"&&", "write and"},
               {"||", "write or"},
               {"+=", "write x = x + 1; there is no +="},
               {"-=", "write x = x - 1; there is no -="},
               {"*=", "write x = x * 2; there is no *="},
               {"/=", "write x = x / 2; there is no /="},
               {"++", "write x = x + 1; there is no ++"},
               {"**", "write ^ for powers"},
               {"=>", "write function(x) return ... end"},
               {"/*", "comments begin with --"},
               {"?", "write a and b or c"},
               {"??", "write a or b"},
               {"?.", "ee.get(value, path) reads what may be missing"},
               {"elif", "write elseif"},
               {"lambda", "write function(x) return ... end"},
               {"def", "write local function"},
               {"import", "write local name = require \"name\""},
               {"const", "write local"},
               {"let", "write local"},
               {"var", "write local"}};
  const token *one = at(list, i);
  for (size_t k = 0; k < sizeof marks / sizeof *marks; k++)
    if (is(one, marks[k].text)) return marks[k].hint;
  if (is(one, "//") && (one->first || !ends_value(at(list, i - 1)) || is(at(list, i - 1), "}")))
    return "comments begin with --";
  if (is(one, "#") && (one->first || (one->spaced && at(list, i + 1)->spaced))) return "comments begin with --";
  return NULL;
}

/* An array in brackets: formats = ["a", "b"]. A key in brackets is followed by =. */
static const char *bracket_hint(const token_list *list, size_t i) {
  if (!is(at(list, i), "[") || (ends_value(at(list, i - 1)) && i > 0)) return NULL;
  size_t depth = 0, k = i;
  for (; k < list->count; k++) {
    depth += is(at(list, k), "[");
    if (is(at(list, k), "]") && --depth == 0) break;
  }
  return is(at(list, k + 1), "=") ? NULL : "an array is written in braces: { \"a\", \"b\" }";
}

/* A value, and another one without a comma between them; `near` is the second one's text in Lua's message. */
static const char *comma_hint(const token_list *list, size_t i, ee_str near, ee_arena *arena) {
  const token *one = at(list, i);
  if (i == 0 || !ee_str_equal(one->text, near) || !ends_value(at(list, i - 1)) || !starts_member(one)) return NULL;
  if (strchr("\"'[", near.data[0]) != NULL) return "is a comma missing before the string?"; /* it may be a key */
  return ee_arena_printf(arena, "is a comma missing before %.*s?", (int)ee_utf8_cut(near, SHOWN), near.data);
}

/* The token that Lua's message names: near 'x'. */
static ee_str near_of(const char *message) {
  const char *near = strstr(message, "near '");
  if (near == NULL) return EE_STR("");
  ee_str text = ee_str_from(near + 6);
  if (text.length > 0) text.length--; /* the quote at the end */
  return text;
}

const char *ee_lua_syntax_hint(ee_str text, size_t line, const char *message, ee_arena *arena) {
  token_list list = read_tokens(text);
  const char *hint = NULL;
  size_t first = 0;
  while (first < list.count && list.items[first].line < line) first++;
  size_t end = first;
  while (end < list.count && list.items[end].line == line) end++;
  /* Lua reads one token ahead: the cause may be the last token of the line before. */
  size_t from = first > 0 ? first - 1 : 0;
  for (size_t i = first; i < end && hint == NULL; i++) hint = foreign_hint(&list, i);
  for (size_t i = from; i < end && hint == NULL; i++) hint = colon_hint(&list, i, arena);
  for (size_t i = from; i < end && hint == NULL; i++) hint = bracket_hint(&list, i);
  ee_str near = near_of(message);
  for (size_t i = first; i < end && hint == NULL && near.length > 0; i++) hint = comma_hint(&list, i, near, arena);
  EE_LIST_FINI(&list);
  return hint;
}

const char *ee_lua_name_hint(const char *name) {
  static const char *const names[][2] = {{"True", "true"},
                                         {"False", "false"},
                                         {"None", "nil, or ee.null for a null of the data"},
                                         {"null", "nil, or ee.null for a null of the data"},
                                         {"NULL", "nil, or ee.null for a null of the data"},
                                         {"undefined", "nil"},
                                         {"len", "#value"},
                                         {"str", "tostring(value)"},
                                         {"int", "tonumber(text)"},
                                         {"float", "tonumber(text)"},
                                         {"isinstance", "ee.type(value) == \"string\""},
                                         {"typeof", "ee.type(value)"},
                                         {"abs", "math.abs(x)"},
                                         {"min", "math.min(a, b)"},
                                         {"max", "math.max(a, b)"},
                                         {"round", "math.floor(x + 0.5)"},
                                         {"sum", "ee.stats.sum(array)"},
                                         {"range", "for i = 1, n do"},
                                         {"dict", "{}"},
                                         {"list", "{}"},
                                         {"json", "ee.json(value)"},
                                         {"re", "string.match(text, pattern)"},
                                         {"f", "string.format, or \"text \" .. value: there are no f-strings"}};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strcmp(name, names[i][0]) == 0) return names[i][1];
  return NULL;
}

/* Pitfalls ------------------------------------------------------------------------------------- */

/* The functions around a token: their parameters, and the blocks that are open inside each. */
typedef struct scope {
  size_t parameters, end; /* tokens of the list in parentheses */
  size_t blocks;
} scope;

typedef struct scope_list {
  EE_LIST(scope);
} scope_list;

/* Enters the function at token `i`, and returns its last token that was read. */
static size_t enter(const token_list *list, size_t i, scope_list *scopes) {
  while (i < list->count && !is(at(list, i), "(")) i++;
  scope one = {.parameters = i + 1};
  while (i < list->count && !is(at(list, i), ")")) i++;
  one.end = i;
  *EE_LIST_ADD(scopes, NULL) = one;
  return i;
}

static bool is_parameter(const token_list *list, const scope_list *scopes, ee_str name) {
  for (size_t s = 0; s < scopes->count; s++)
    for (size_t i = scopes->items[s].parameters; i < scopes->items[s].end; i++)
      if (ee_str_equal(at(list, i)->text, name)) return true;
  return false;
}

/* The token after the parenthesis that closes the one at `i`. */
static size_t after_call(const token_list *list, size_t i) {
  size_t depth = 0;
  for (; i < list->count; i++) {
    depth += is(at(list, i), "(");
    if (is(at(list, i), ")") && --depth == 0) return i + 1;
  }
  return i;
}

static bool names_config(const token_list *list, size_t from, size_t to) {
  for (size_t i = from; i < to; i++)
    if (is(at(list, i), "config")) return true;
  return false;
}

/* type(v) == "table" at token `i`, or the other way round. */
static void find_type_test(const token_list *list, size_t i, const char *file, ee_error_list *warnings) {
  if (!is(at(list, i), "type") || !is(at(list, i + 1), "(") || is(at(list, i - 1), ".") || is(at(list, i - 1), ":"))
    return;
  size_t after = after_call(list, i + 1);
  const token *sign = at(list, after), *word = at(list, after + 1);
  if (!is(sign, "==") && !is(sign, "~=")) {
    sign = at(list, i - 1);
    word = at(list, i - 2);
  }
  if ((!is(sign, "==") && !is(sign, "~=")) || word->kind != TOKEN_STRING || word->text.length != 7 ||
      memcmp(word->text.data + 1, "table", 5) != 0 || names_config(list, i, after))
    return;
  ee_error_list_addf(warnings, EE_OK, file, at(list, i)->line,
                     "type() of an object or array of a document is 'userdata', not 'table': compare ee.type() with "
                     "'object' or 'array'");
}

/* pairs(case.a.b) at token `i`, where `case` is a parameter and there is no default for a missing value. */
static void find_pairs(const token_list *list, size_t i, const scope_list *scopes, const char *file,
                       ee_error_list *warnings) {
  const token *call = at(list, i);
  if ((!is(call, "pairs") && !is(call, "ipairs")) || !is(at(list, i + 1), "(") || is(at(list, i - 1), ".")) return;
  size_t end = after_call(list, i + 1) - 1;
  bool is_member = is(at(list, i + 3), ".") || is(at(list, i + 3), "[");
  if (!is_member || !is_parameter(list, scopes, at(list, i + 2)->text)) return;
  for (size_t k = i + 2; k < end; k++)
    if (is_any(at(list, k), (const char *const[]){"or", "(", "config", NULL})) return;
  ee_error_list_addf(warnings, EE_OK, file, call->line,
                     "%.*s() raises an error where the value is missing or null: ee.each() iterates over nothing then",
                     EE_STR_ARG(call->text));
}

void ee_lua_find_pitfalls(ee_str text, const char *file, ee_error_list *warnings) {
  token_list list = read_tokens(text);
  scope_list scopes = {0};
  for (size_t i = 0; i < list.count; i++) {
    const token *one = at(&list, i);
    if (is(one, "function")) {
      i = enter(&list, i, &scopes);
      continue;
    }
    if (scopes.count == 0) continue;
    scope *inner = &scopes.items[scopes.count - 1];
    if (is_any(one, (const char *const[]){"if", "do", "repeat", NULL})) inner->blocks++;
    if (is_any(one, (const char *const[]){"end", "until", NULL})) {
      if (inner->blocks > 0)
        inner->blocks--;
      else
        scopes.count--;
    }
    find_type_test(&list, i, file, warnings);
    find_pairs(&list, i, &scopes, file, warnings);
  }
  EE_LIST_FINI(&scopes);
  EE_LIST_FINI(&list);
}
