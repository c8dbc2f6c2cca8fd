/* json_query.c: parses JSONPath queries, and finds their nodes in a document. */
#include "data/json/json_query.h"

#include <string.h>

#include "base/error.h"
#include "base/work.h"
#include "data/json/i_regexp.h"
#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/json/path.h"

typedef enum selector_kind { SELECT_NAME, SELECT_INDEX, SELECT_ALL, SELECT_SLICE, SELECT_FILTER } selector_kind;

typedef struct expression expression;

typedef struct selector {
  selector_kind kind;
  ee_str name;
  int64_t index;            /* INDEX; from the end if negative */
  int64_t start, end, step; /* SLICE */
  bool has_start, has_end;
  const expression *filter;
} selector;

typedef struct segment {
  bool descendants; /* the selectors are applied to the node and to all below it */
  EE_LIST(selector);
} segment;

struct ee_json_query {
  bool relative; /* begins with @ */
  bool singular;
  EE_LIST(segment);
};

typedef enum function_kind { CALL_LENGTH, CALL_COUNT, CALL_VALUE, CALL_MATCH, CALL_SEARCH, CALL_NONE } function_kind;

/* What can be compared or given to a function. */
typedef enum operand_kind { OPERAND_LITERAL, OPERAND_QUERY, OPERAND_CALL } operand_kind;

typedef struct operand {
  operand_kind kind;
  const ee_value *literal;
  const ee_json_query *query;
  const struct call *call;
} operand;

typedef struct call {
  function_kind function;
  operand arguments[2];
  const ee_pattern *pattern; /* of match and search, where the second argument is a literal string */
} call;

typedef enum expression_kind { EITHER, BOTH, NEITHER, COMPARISON, TEST } expression_kind;
typedef enum comparison_sign { EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL } comparison_sign;

struct expression {
  expression_kind kind;
  comparison_sign sign;
  const expression *left, *right; /* EITHER, BOTH; NEITHER: left */
  operand first, second;          /* COMPARISON; TEST: first, a query or a call */
};

/* Parsing -------------------------------------------------------------------------------------- */

typedef struct parser {
  ee_arena *arena;
  ee_str text;
  size_t at, depth;
  ee_error *error;
} parser;

static bool fail_at(parser *p, size_t at, const char *message) {
  ee_error_at(p->error, EE_ERROR_RULES, NULL, 0, at + 1, "%s in path '%.*s'", message, (int)ee_utf8_cut(p->text, 200),
              p->text.data);
  if (p->error != NULL) p->error->offset = at;
  return false;
}

static bool fail(parser *p, const char *message) { return fail_at(p, p->at, message); }

static bool at_end(const parser *p) { return p->at >= p->text.length; }
static char peek(const parser *p) { return at_end(p) ? '\0' : p->text.data[p->at]; }
static bool starts(const parser *p, const char *sign) {
  size_t length = strlen(sign);
  return p->text.length - p->at >= length && memcmp(p->text.data + p->at, sign, length) == 0;
}

static void skip_space(parser *p) {
  while (!at_end(p) && ee_json_is_space(peek(p))) p->at++;
}

static bool take(parser *p, char c) {
  if (at_end(p) || peek(p) != c) return false;
  p->at++;
  return true;
}

static bool is_name_first(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}
static bool is_name_next(char c) { return is_name_first(c) || ee_json_is_digit(c); }

static bool parse_expression(parser *p, const expression **result);
static bool parse_segments(parser *p, ee_json_query *query);

/* Four hexadecimal digits. */
static bool parse_hex(parser *p, uint32_t *unit) {
  *unit = 0;
  for (int i = 0; i < 4; i++) {
    int digit = at_end(p) ? -1 : ee_hex_digit(peek(p));
    if (digit < 0) return fail(p, "expected four hexadecimal digits after '\\u'");
    *unit = *unit * 16 + (uint32_t)digit;
    p->at++;
  }
  return true;
}

/* After "\u". */
static bool parse_code_point(parser *p, uint32_t *code_point) {
  size_t start = p->at;
  uint32_t low;
  if (!parse_hex(p, code_point)) return false;
  if (*code_point >= 0xdc00 && *code_point <= 0xdfff) return fail_at(p, start, "half a surrogate pair");
  if (*code_point < 0xd800 || *code_point > 0xdbff) return true;
  if (!starts(p, "\\u")) return fail_at(p, start, "half a surrogate pair");
  p->at += 2;
  if (!parse_hex(p, &low)) return false;
  if (low < 0xdc00 || low > 0xdfff) return fail_at(p, start, "half a surrogate pair");
  *code_point = 0x10000 + ((*code_point - 0xd800) << 10) + (low - 0xdc00);
  return true;
}

/* 'text' or "text". */
static bool parse_string(parser *p, ee_str *result) {
  size_t opening = p->at;
  char quote = p->text.data[p->at++];
  char *out = ee_arena_alloc(p->arena, p->text.length - p->at + 1);
  size_t length = 0;
  for (;;) {
    if (at_end(p)) return fail_at(p, opening, "unclosed quote");
    char c = p->text.data[p->at++];
    if (c == quote) break;
    if ((unsigned char)c < 0x20) return fail_at(p, p->at - 1, "control character in a string");
    if (c != '\\') {
      out[length++] = c;
      continue;
    }
    static const char marks[] = "bfnrt/\\", meanings[] = "\b\f\n\r\t/\\";
    c = peek(p);
    const char *mark = c != '\0' ? strchr(marks, c) : NULL;
    if (at_end(p)) return fail_at(p, opening, "unclosed quote");
    p->at++;
    uint32_t code_point;
    if (c == 'u') {
      if (!parse_code_point(p, &code_point)) return false;
      length += ee_utf8_encode(code_point, out + length);
    } else if (mark != NULL || c == quote) {
      out[length++] = mark != NULL ? meanings[mark - marks] : c;
    } else {
      return fail_at(p, p->at - 2, "unknown escape in a string");
    }
  }
  out[length] = '\0';
  *result = (ee_str){out, length};
  return true;
}

#define WHOLE_LIMIT ((INT64_C(1) << 53) - 1)

/* A whole number without leading zeros; not "-0". */
static bool parse_whole(parser *p, int64_t *number) {
  size_t start = p->at;
  bool negative = take(p, '-');
  size_t first = p->at;
  *number = 0;
  while (ee_json_is_digit(peek(p))) {
    *number = *number * 10 + (peek(p) - '0');
    if (*number > WHOLE_LIMIT) return fail_at(p, start, "index beyond 2^53 - 1");
    p->at++;
  }
  if (p->at == first) return fail_at(p, start, "expected a whole number");
  if (p->text.data[first] == '0' && (p->at - first > 1 || negative))
    return fail_at(p, start, negative ? "a minus before 0" : "leading zero");
  if (negative) *number = -*number;
  return true;
}

static bool parse_slice(parser *p, selector *s) {
  s->kind = SELECT_SLICE;
  s->step = 1;
  s->start = s->index;
  p->at++; /* the first ':' */
  skip_space(p);
  if (peek(p) == '-' || ee_json_is_digit(peek(p))) {
    if (!parse_whole(p, &s->end)) return false;
    s->has_end = true;
    skip_space(p);
  }
  if (!take(p, ':')) return true;
  skip_space(p);
  if (peek(p) != '-' && !ee_json_is_digit(peek(p))) return true;
  return parse_whole(p, &s->step);
}

static bool enter(parser *p) {
  if (++p->depth <= EE_QUERY_DEPTH) return true;
  return fail(p, "too many filters or brackets within each other");
}

static bool parse_selector(parser *p, selector *s) {
  char c = peek(p);
  *s = (selector){.kind = SELECT_ALL};
  if (c == '*') {
    p->at++;
    return true;
  }
  if (c == '"' || c == '\'') {
    s->kind = SELECT_NAME;
    return parse_string(p, &s->name);
  }
  if (c == '?') {
    p->at++;
    skip_space(p);
    s->kind = SELECT_FILTER;
    bool good = enter(p) && parse_expression(p, &s->filter);
    p->depth--;
    return good;
  }
  if (c == '-' || ee_json_is_digit(c)) {
    if (!parse_whole(p, &s->index)) return false;
    s->kind = SELECT_INDEX;
    size_t end = p->at;
    skip_space(p);
    if (peek(p) != ':') {
      p->at = end;
      return true;
    }
    s->has_start = true;
  }
  if (peek(p) == ':') return parse_slice(p, s);
  return fail(p, "expected a quoted key, an index, a slice, '*' or '?'");
}

static bool parse_bracket(parser *p, segment *one) {
  size_t opening = p->at++;
  do {
    skip_space(p);
    if (at_end(p)) return fail_at(p, opening, "unclosed '['");
    if (!parse_selector(p, EE_LIST_ADD(one, p->arena))) return false;
    skip_space(p);
  } while (take(p, ','));
  if (take(p, ']')) return true;
  return at_end(p) ? fail_at(p, opening, "unclosed '['") : fail(p, "expected ',' or ']'");
}

/* After a dot. */
static bool parse_shorthand(parser *p, segment *one) {
  selector *s = EE_LIST_ADD(one, p->arena); /* unreached: the first item always takes room */
  *s = (selector){.kind = SELECT_ALL};
  if (take(p, '*')) return true;
  size_t start = p->at;
  if (at_end(p) || !is_name_first(peek(p))) return fail(p, "expected a key or '*'");
  while (!at_end(p) && is_name_next(peek(p))) p->at++;
  s->kind = SELECT_NAME;
  s->name = (ee_str){p->text.data + start, p->at - start};
  return true;
}

static bool parse_segments(parser *p, ee_json_query *query) {
  query->singular = true;
  for (;;) {
    size_t before = p->at;
    skip_space(p);
    if (at_end(p) || (peek(p) != '.' && peek(p) != '[')) {
      p->at = before;
      return true;
    }
    segment *one = EE_LIST_ADD(query, p->arena);
    *one = (segment){0};
    if (peek(p) == '[') {
      if (!parse_bracket(p, one)) return false;
    } else {
      p->at++;
      one->descendants = take(p, '.');
      if (!(one->descendants && peek(p) == '[' ? parse_bracket(p, one) : parse_shorthand(p, one))) return false;
    }
    if (one->descendants || one->count > 1 || one->items[0].kind > SELECT_INDEX) query->singular = false;
  }
}

/* At '$' or '@'. */
static bool parse_query(parser *p, const ee_json_query **result) {
  ee_json_query *query = EE_NEW(p->arena, ee_json_query);
  query->relative = p->text.data[p->at++] == '@';
  *result = query;
  return parse_segments(p, query);
}

/* Expressions ---------------------------------------------------------------------------------- */

static const char *const function_names[] = {"length", "count", "value", "match", "search", NULL};

static bool gives_truth(const call *one) { return one->function == CALL_MATCH || one->function == CALL_SEARCH; }

static bool parse_operand(parser *p, operand *result);

static bool parse_arguments(parser *p, call *one) {
  bool two = gives_truth(one), nodes = one->function == CALL_COUNT || one->function == CALL_VALUE;
  size_t count = 0;
  skip_space(p);
  if (peek(p) != ')') {
    do {
      skip_space(p);
      size_t start = p->at;
      operand argument;
      if (!parse_operand(p, &argument)) return false;
      if (count < 2) one->arguments[count] = argument;
      if (nodes && argument.kind != OPERAND_QUERY) return fail_at(p, start, "expected a query");
      if (!nodes && argument.kind == OPERAND_QUERY && !argument.query->singular)
        return fail_at(p, start, "expected a query of one value");
      if (argument.kind == OPERAND_CALL && gives_truth(argument.call))
        return fail_at(p, start, "expected a value, not true or false");
      count++;
      skip_space(p);
    } while (take(p, ','));
  }
  if (!take(p, ')')) return fail(p, "expected ',' or ')'");
  if (count != (two ? 2u : 1u)) {
    p->at--;
    return fail(p, two ? "match and search take two arguments" : "length, count and value take one argument");
  }
  return true;
}

/* The pattern of match and search, if it is known now. */
static bool compile_pattern(parser *p, size_t start, call *one) {
  const operand *second = &one->arguments[1];
  if (!gives_truth(one) || second->kind != OPERAND_LITERAL || ee_type_of(second->literal) != EE_STRING) return true;
  const char *why = NULL;
  one->pattern = ee_i_regexp_compile(p->arena, ee_value_text(second->literal), one->function == CALL_MATCH, &why);
  if (one->pattern == NULL)
    return fail_at(p, start, ee_arena_printf(p->arena, "pattern that is not I-Regexp: %s,", why));
  return true;
}

static bool parse_call(parser *p, operand *result) {
  size_t start = p->at;
  while (is_name_next(peek(p))) p->at++;
  ee_str name = {p->text.data + start, p->at - start};
  call *one = EE_NEW(p->arena, call);
  *one = (call){.function = CALL_NONE};
  for (int i = 0; function_names[i] != NULL; i++)
    if (ee_str_is(name, function_names[i])) one->function = (function_kind)i;
  if (!take(p, '(')) return fail_at(p, start, "expected a value, a query that begins with '@' or '$', or a function");
  if (one->function == CALL_NONE) {
    return fail_at(p, start,
                   ee_arena_printf(p->arena, "unknown function '%.*s'%s", EE_STR_ARG(name),
                                   ee_suggestion(p->arena, name, function_names)));
  }
  *result = (operand){.kind = OPERAND_CALL, .call = one};
  bool good = enter(p) && parse_arguments(p, one) && compile_pattern(p, start, one);
  p->depth--;
  return good;
}

static bool parse_number(parser *p, operand *result) {
  size_t start = p->at;
  while (!at_end(p) && (ee_json_is_digit(peek(p)) || strchr("+-.eE", peek(p)) != NULL)) p->at++;
  ee_str text = {p->text.data + start, p->at - start};
  result->literal = ee_json_read(p->arena, text, NULL, NULL);
  if (result->literal == NULL) return fail_at(p, start, "not a number");
  return true;
}

static bool is_word(const parser *p, const char *word) {
  size_t length = strlen(word);
  if (!starts(p, word)) return false;
  char next = p->at + length < p->text.length ? p->text.data[p->at + length] : '\0';
  return next != '(' && (next == '\0' || !is_name_next(next));
}

/* A literal, a query or a call of a function. */
static bool parse_operand(parser *p, operand *result) {
  char c = peek(p);
  *result = (operand){.kind = OPERAND_LITERAL};
  if (c == '"' || c == '\'') {
    ee_str text;
    if (!parse_string(p, &text)) return false;
    result->literal = ee_value_new_string(p->arena, text);
    return true;
  }
  if (c == '-' || ee_json_is_digit(c)) return parse_number(p, result);
  if (c == '@' || c == '$') {
    result->kind = OPERAND_QUERY;
    return parse_query(p, &result->query);
  }
  static const char *const words[] = {"null", "false", "true"};
  for (size_t i = 0; i < 3; i++) {
    if (!is_word(p, words[i])) continue;
    result->literal = ee_value_new(p->arena, (ee_type)(EE_NULL + i));
    p->at += strlen(words[i]);
    return true;
  }
  return parse_call(p, result);
}

static bool parse_sign(parser *p, comparison_sign *sign) {
  static const char *const signs[] = {"==", "!=", "<=", ">=", "<", ">"};
  static const comparison_sign meanings[] = {EQUAL, UNEQUAL, LESS_EQUAL, GREATER_EQUAL, LESS, GREATER};
  for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
    if (!starts(p, signs[i])) continue;
    p->at += strlen(signs[i]);
    *sign = meanings[i];
    return true;
  }
  return false;
}

static bool can_be_compared(parser *p, size_t at, const operand *one) {
  if (one->kind == OPERAND_QUERY && !one->query->singular) return fail_at(p, at, "query of several values compared");
  if (one->kind == OPERAND_CALL && gives_truth(one->call)) return fail_at(p, at, "true or false compared");
  return true;
}

static expression *new_expression(parser *p, expression_kind kind, const expression *left, const expression *right) {
  expression *one = EE_NEW(p->arena, expression);
  *one = (expression){.kind = kind, .left = left, .right = right};
  return one;
}

/* A comparison, an existence test, or either in brackets. */
static bool parse_basic(parser *p, const expression **result) {
  size_t start = p->at;
  bool negated = take(p, '!');
  if (negated) skip_space(p);
  size_t first = p->at;
  if (take(p, '(')) {
    skip_space(p);
    bool good = enter(p) && parse_expression(p, result);
    p->depth--;
    skip_space(p);
    if (!good) return false;
    if (!take(p, ')')) return fail(p, "expected ')'");
    if (negated) *result = new_expression(p, NEITHER, *result, NULL);
    return true;
  }
  expression *one = new_expression(p, TEST, NULL, NULL);
  if (!parse_operand(p, &one->first)) return false;
  size_t end = p->at;
  skip_space(p);
  if (parse_sign(p, &one->sign)) {
    if (negated) return fail_at(p, start, "'!' before a comparison without brackets");
    one->kind = COMPARISON;
    skip_space(p);
    size_t second = p->at;
    *result = one;
    return parse_operand(p, &one->second) && can_be_compared(p, first, &one->first) &&
           can_be_compared(p, second, &one->second);
  }
  p->at = end;
  if (one->first.kind == OPERAND_LITERAL) return fail_at(p, first, "a value alone is not a test");
  if (one->first.kind == OPERAND_CALL && !gives_truth(one->first.call))
    return fail_at(p, first, "a function whose value must be compared");
  *result = negated ? new_expression(p, NEITHER, one, NULL) : one;
  return true;
}

/* Alternatives joined by `sign`; `kind` BOTH: those of && inside those of ||. */
static bool parse_joined(parser *p, expression_kind kind, const expression **result) {
  const char *sign = kind == BOTH ? "&&" : "||";
  if (!(kind == BOTH ? parse_basic(p, result) : parse_joined(p, BOTH, result))) return false;
  for (;;) {
    size_t before = p->at;
    skip_space(p);
    if (!starts(p, sign)) {
      p->at = before;
      return true;
    }
    p->at += 2;
    skip_space(p);
    const expression *right;
    if (!(kind == BOTH ? parse_basic(p, &right) : parse_joined(p, BOTH, &right))) return false;
    *result = new_expression(p, kind, *result, right);
  }
}

static bool parse_expression(parser *p, const expression **result) { return parse_joined(p, EITHER, result); }

const ee_json_query *ee_json_query_parse(ee_arena *arena, ee_str text, ee_error *error) {
  parser p = {.arena = arena, .text = text, .error = error};
  const ee_json_query *query = NULL;
  if (peek(&p) != '$') return fail(&p, "expected '$'"), NULL;
  if (!parse_query(&p, &query)) return NULL;
  if (!at_end(&p)) return fail(&p, "expected '.' or '['"), NULL;
  return query;
}

bool ee_json_query_is_singular(const ee_json_query *query) { return query->singular; }

bool ee_json_query_walk(const ee_json_query *query, const ee_query_steps *steps) {
  for (size_t i = 0; i < query->count; i++) {
    const segment *one = &query->items[i];
    const selector *s = &one->items[0];
    bool stays = !one->descendants && one->count == 1 &&
                 (s->kind == SELECT_NAME || (s->kind == SELECT_INDEX && s->index >= 0 && s->index < UINT32_MAX) ||
                  (s->kind == SELECT_ALL && steps->all != NULL));
    if (!stays) return false;
    if (s->kind == SELECT_NAME)
      steps->key(steps->user, s->name);
    else if (s->kind == SELECT_INDEX)
      steps->index(steps->user, (uint32_t)s->index);
    else
      steps->all(steps->user);
  }
  return true;
}

/* Finding -------------------------------------------------------------------------------------- */

typedef struct search {
  ee_arena *arena;
  const ee_value *root;
  bool places;                 /* where nodes are is wanted */
  ee_pattern_matcher *matcher; /* NULL: not needed yet */
} search;

/* Units of a node. */
#define NODE_WORK 20

static void find(search *self, const ee_json_query *query, const ee_value *start, ee_query_nodes *nodes);
static bool is_true(search *self, const expression *test, const ee_value *current);

static void add_child(search *self, const ee_query_node *parent, const ee_value *child, uint32_t index,
                      ee_query_nodes *nodes) {
  const ee_query_place *place = NULL;
  if (self->places) {
    bool member = ee_type_of(parent->value) == EE_OBJECT;
    ee_query_place *own = EE_NEW(self->arena, ee_query_place);
    *own = (ee_query_place){.outer = parent->place, .index = index};
    if (member) own->key = ee_value_key(child);
    place = own;
  }
  *EE_LIST_ADD(nodes, self->arena) = (ee_query_node){child, place};
}

/* The element `index` of an array, from its end if it is negative. */
static void add_element(search *self, const ee_query_node *node, int64_t index, ee_query_nodes *nodes) {
  int64_t count = ee_value_count(node->value);
  if (index < 0) index += count;
  if (index < 0 || index >= count) return;
  ee_work((uint64_t)index);
  add_child(self, node, ee_value_element(node->value, (size_t)index), (uint32_t)index, nodes);
}

/* RFC 9535, 2.3.4.2.2. */
static void add_slice(search *self, const selector *s, const ee_query_node *node, ee_query_nodes *nodes) {
  int64_t count = ee_value_count(node->value), step = s->step;
  if (step == 0 || count == 0) return;
  int64_t first = s->has_start ? s->start : step > 0 ? 0 : count - 1, last = s->has_end ? s->end : count;
  if (first < 0) first += count;
  if (last < 0) last += count;
  int64_t lowest = step > 0 ? 0 : -1, highest = step > 0 ? count : count - 1;
  if (!s->has_end && step < 0) last = -1;
  first = first < lowest ? lowest : first > highest ? highest : first;
  last = last < lowest ? lowest : last > highest ? highest : last;
  const ee_value **elements = ee_arena_alloc(self->arena, (size_t)count * sizeof *elements);
  size_t i = 0;
  for (const ee_value *child = ee_value_child(node->value); child != NULL; child = ee_value_next(child))
    elements[i++] = child;
  ee_work((uint64_t)count);
  for (int64_t at = first; step > 0 ? at < last : at > last; at += step)
    add_child(self, node, elements[at], (uint32_t)at, nodes);
}

static void apply_selector(search *self, const selector *s, const ee_query_node *node, ee_query_nodes *nodes) {
  ee_type type = ee_type_of(node->value);
  if (s->kind == SELECT_NAME) {
    const ee_value *member = type == EE_OBJECT ? ee_value_member(node->value, s->name, self->arena) : NULL;
    if (member != NULL) add_child(self, node, member, 0, nodes);
    return;
  }
  if (s->kind == SELECT_INDEX || s->kind == SELECT_SLICE) {
    if (type != EE_ARRAY) return;
    if (s->kind == SELECT_INDEX)
      add_element(self, node, s->index, nodes);
    else
      add_slice(self, s, node, nodes);
    return;
  }
  if (type < EE_ARRAY) return;
  uint32_t index = 0;
  for (const ee_value *child = ee_value_child(node->value); child != NULL; child = ee_value_next(child), index++) {
    ee_work(NODE_WORK);
    if (s->kind == SELECT_ALL || is_true(self, s->filter, child)) add_child(self, node, child, index, nodes);
  }
}

/* Applies the segment to the node and, for descendants, to all below it. Recursion is bounded by the nesting limit of
 * documents. */
static void apply_segment(search *self, const segment *one, const ee_query_node *node, ee_query_nodes *nodes) {
  ee_work(NODE_WORK);
  for (size_t i = 0; i < one->count; i++) apply_selector(self, &one->items[i], node, nodes);
  if (!one->descendants || ee_type_of(node->value) < EE_ARRAY) return;
  uint32_t index = 0;
  for (const ee_value *child = ee_value_child(node->value); child != NULL; child = ee_value_next(child), index++) {
    ee_query_nodes below = {0};
    add_child(self, node, child, index, &below);
    apply_segment(self, one, &below.items[0], nodes);
  }
}

static void find(search *self, const ee_json_query *query, const ee_value *start, ee_query_nodes *nodes) {
  ee_query_nodes current = {0};
  if (start == NULL) return;
  /* unreached: both lists are empty, so that the first item takes room */
  *EE_LIST_ADD(query->count > 0 ? &current : nodes, self->arena) = (ee_query_node){start, NULL};
  for (size_t i = 0; i < query->count; i++) {
    ee_query_nodes next = {0};
    ee_query_nodes *into = i + 1 == query->count ? nodes : &next;
    for (size_t k = 0; k < current.count; k++) apply_segment(self, &query->items[i], &current.items[k], into);
    current = next;
  }
}

/* The nodes of a query inside a filter, without their places. */
static ee_query_nodes find_inside(search *self, const ee_json_query *query, const ee_value *current) {
  ee_query_nodes nodes = {0};
  bool places = self->places;
  self->places = false;
  find(self, query, query->relative ? current : self->root, &nodes);
  self->places = places;
  return nodes;
}

/* What the operand is for the current node; NULL: nothing. */
static const ee_value *value_of(search *self, const operand *one, const ee_value *current) {
  if (one->kind == OPERAND_LITERAL) return one->literal;
  if (one->kind == OPERAND_QUERY) {
    ee_query_nodes nodes = find_inside(self, one->query, current);
    return nodes.count == 1 ? nodes.items[0].value : NULL;
  }
  const operand *argument = &one->call->arguments[0];
  if (one->call->function == CALL_LENGTH) {
    const ee_value *value = value_of(self, argument, current);
    ee_type type = ee_type_of(value);
    if (type < EE_STRING) return NULL;
    size_t length = ee_value_count(value);
    if (type == EE_STRING) length = ee_utf8_count(value->json.valuestring, value->length);
    return ee_value_new_number(self->arena, (double)length);
  }
  ee_query_nodes nodes = find_inside(self, argument->query, current);
  if (one->call->function == CALL_COUNT) return ee_value_new_number(self->arena, (double)nodes.count);
  return nodes.count == 1 ? nodes.items[0].value : NULL;
}

/* match() and search(). */
static bool has_pattern(search *self, const call *one, const ee_value *current) {
  const ee_value *text = value_of(self, &one->arguments[0], current);
  const ee_pattern *pattern = one->pattern;
  if (pattern == NULL) {
    const ee_value *written = value_of(self, &one->arguments[1], current);
    const char *why;
    if (ee_type_of(written) == EE_STRING)
      pattern = ee_i_regexp_compile(self->arena, ee_value_text(written), one->function == CALL_MATCH, &why);
  }
  if (pattern == NULL || ee_type_of(text) != EE_STRING) return false;
  if (self->matcher == NULL) self->matcher = ee_pattern_matcher_new(self->arena);
  ee_pattern_found found = ee_pattern_find(self->matcher, pattern, ee_value_text(text));
  /* A search that takes too many steps has no result: the value is given up. */
  if (found == EE_PATTERN_GIVEN_UP) ee_work(ee_work_granted());
  return found == EE_PATTERN_FOUND;
}

static bool is_equal(const ee_value *a, const ee_value *b) {
  return a == NULL || b == NULL ? a == b : ee_json_equal(a, b);
}

/* Only numbers and strings have an order. */
static bool is_less(search *self, const ee_value *a, const ee_value *b) {
  ee_type type = ee_type_of(a);
  if (type != ee_type_of(b)) return false;
  if (type == EE_STRING) return ee_str_compare(ee_value_text(a), ee_value_text(b)) < 0;
  return type == EE_NUMBER && ee_value_compare(a, b, self->arena) < 0;
}

static bool compare(search *self, const expression *test, const ee_value *current) {
  const ee_value *a = value_of(self, &test->first, current), *b = value_of(self, &test->second, current);
  switch (test->sign) { /* unreached: all are listed */
  case EQUAL: return is_equal(a, b);
  case UNEQUAL: return !is_equal(a, b);
  case LESS: return is_less(self, a, b);
  case GREATER: return is_less(self, b, a);
  case LESS_EQUAL: return is_less(self, a, b) || is_equal(a, b);
  case GREATER_EQUAL: return is_less(self, b, a) || is_equal(a, b);
  }
  return false; /* unreached: all are listed */
}

static bool decide(search *self, const expression *test, const ee_value *current) {
  /* Not by recursion: a chain may be as long as the text. */
  if (test->kind == EITHER || test->kind == BOTH) {
    expression_kind kind = test->kind;
    for (; test->kind == kind; test = test->left)
      if (decide(self, test->right, current) == (kind == EITHER)) return kind == EITHER;
    return decide(self, test, current);
  }
  if (test->kind == NEITHER) return !decide(self, test->left, current);
  if (test->kind == COMPARISON) return compare(self, test, current);
  if (test->first.kind == OPERAND_CALL) return has_pattern(self, test->first.call, current);
  return find_inside(self, test->first.query, current).count > 0;
}

/* What is in the arena for the matcher, as a number that grows. */
static uint64_t matcher_memory(const search *self) {
  return self->matcher != NULL ? 1 + ee_pattern_allocations(self->matcher) : 0;
}

static bool is_true(search *self, const expression *test, const ee_value *current) {
  ee_arena_mark mark = ee_arena_get_mark(self->arena);
  uint64_t before = matcher_memory(self);
  bool result = decide(self, test, current);
  if (matcher_memory(self) == before) ee_arena_rewind(self->arena, mark);
  return result;
}

void ee_json_query_find(const ee_json_query *query, const ee_value *root, ee_arena *arena, ee_query_nodes *nodes) {
  search self = {.arena = arena, .root = root, .places = true};
  find(&self, query, root, nodes);
}

typedef struct place_list {
  EE_LIST(const ee_query_place *);
} place_list;

ee_str ee_query_place_text(const ee_query_place *place, ee_arena *arena) {
  place_list steps = {0};
  for (; place != NULL; place = place->outer) *EE_LIST_ADD(&steps, arena) = place;
  ee_path_text text = {.arena = arena};
  for (size_t i = steps.count; i-- > 0;) {
    const ee_query_place *step = steps.items[i];
    if (step->key.data != NULL)
      ee_path_text_add_key(&text, step->key);
    else
      ee_path_text_add_index(&text, step->index);
  }
  return steps.count > 0 ? ee_path_text_get(&text) : EE_STR("$");
}
