/* fuzz_query.c: JSONPath queries that are well-formed, against a slow and obvious twin.
 *
 * The first line chooses a query, the second a document. The query is parsed, and its nodes are those of the twin,
 * which is written from RFC 9535 on the tree from which the query's text was made; patterns are those of RFC 9485,
 * matched by sets of places. What the nodes' places say leads to these nodes. */
#include "data/json/json_query.h"
#include "data/json/json_writer.h"
#include "data/json/path.h"
#include "fuzz/judging.h"

/* Patterns ------------------------------------------------------------------------------------- */

typedef enum piece_kind { CHARACTER, ANY, CLASS, BEGINNING, ENDING, GROUP, CATEGORY } piece_kind;

typedef struct piece {
  piece_kind kind;
  uint32_t points[4]; /* CHARACTER: one; CLASS: `count` of them */
  size_t count;
  bool negated;
  const struct pattern *group;
  size_t min, max; /* of the quantifier */
} piece;

typedef struct sequence {
  piece pieces[4];
  size_t count;
} sequence;

/* Alternatives. */
typedef struct pattern {
  sequence sequences[3];
  size_t count;
} pattern;

typedef struct grower {
  fuzz_source source;
  ee_arena *arena;
  ee_buffer *out;
  size_t lengths; /* calls of length() so far, which may be within each other */
} grower;

static size_t below(grower *g, size_t limit) { return fuzz_below(&g->source, limit); }
static void add(grower *g, const char *text) { ee_buffer_add_text(g->out, text); }
static void space(grower *g) {
  static const char *const spaces[] = {"", "", "", " ", "\t", "\n", "\r "};
  add(g, spaces[below(g, 7)]);
}

static void add_point(uint32_t point, ee_buffer *out) {
  char bytes[4];
  ee_buffer_add(out, bytes, ee_utf8_encode(point, bytes));
}

static const uint32_t points[] = {'a', 'b', 'c', '-', '\n', 0xe9, 0x1f600, ']', '5', '.', '\r'};

/* Appends to `out`: what is written in the pattern, which is put in quotes later. */
static void write_point(uint32_t point, ee_buffer *out) {
  if (point < 0x80 && strchr("-].()*+?[\\^{|}$", (int)point) != NULL) ee_buffer_add_char(out, '\\');
  add_point(point, out);
}

static const pattern *grow_pattern(grower *g, size_t depth, ee_buffer *out);

static void grow_piece(grower *g, size_t depth, ee_buffer *out, piece *one) {
  one->kind = (piece_kind)below(g, CATEGORY + 1);
  if (one->kind == GROUP && depth == 0) one->kind = ANY;
  one->min = one->max = 1;
  one->count = 1;
  switch (one->kind) {
  case CHARACTER:
    one->points[0] = FUZZ_PICK(&g->source, points);
    write_point(one->points[0], out);
    break;
  case ANY: ee_buffer_add_char(out, '.'); break;
  case BEGINNING: ee_buffer_add_char(out, '^'); return;
  case ENDING: ee_buffer_add_char(out, '$'); return;
  case CATEGORY:
    one->negated = below(g, 2);
    ee_buffer_add_text(out, one->negated ? "\\P{Nd}" : "\\p{Nd}");
    break;
  case CLASS:
    one->negated = below(g, 2);
    one->count = 1 + below(g, 4);
    ee_buffer_add_text(out, one->negated ? "[^" : "[");
    for (size_t i = 0; i < one->count; i++) {
      one->points[i] = FUZZ_PICK(&g->source, points);
      write_point(one->points[i], out);
    }
    ee_buffer_add_char(out, ']');
    break;
  case GROUP:
    ee_buffer_add_char(out, '(');
    one->group = grow_pattern(g, depth - 1, out);
    ee_buffer_add_char(out, ')');
    break;
  }
  switch (below(g, 8)) {
  case 0: one->min = 0, one->max = SIZE_MAX, ee_buffer_add_char(out, '*'); break;
  case 1: one->max = SIZE_MAX, ee_buffer_add_char(out, '+'); break;
  case 2: one->min = 0, ee_buffer_add_char(out, '?'); break;
  case 3:
    one->min = below(g, 3);
    one->max = one->min + below(g, 3);
    ee_buffer_addf(out, "{%zu,%zu}", one->min, one->max);
    break;
  case 4:
    one->min = one->max = below(g, 4);
    ee_buffer_addf(out, "{%zu}", one->min);
    break;
  case 5:
    one->min = below(g, 3);
    one->max = SIZE_MAX;
    ee_buffer_addf(out, "{%zu,}", one->min);
    break;
  default: break;
  }
}

static const pattern *grow_pattern(grower *g, size_t depth, ee_buffer *out) {
  pattern *grown = EE_NEW(g->arena, pattern);
  grown->count = 1 + (below(g, 3) == 2 ? 1U : 0U) + (below(g, 6) == 5 ? 1U : 0U);
  for (size_t i = 0; i < grown->count; i++) {
    if (i > 0) ee_buffer_add_char(out, '|');
    sequence *one = &grown->sequences[i];
    for (one->count = 0; one->count < 4 && below(g, 5) > 0; one->count++)
      grow_piece(g, depth, out, &one->pieces[one->count]);
  }
  return grown;
}

/* Places in a text of at most PLACES - 1 characters, as bits. */
enum { PLACES = 64 };
typedef uint64_t places;

typedef struct letters {
  uint32_t points[PLACES];
  size_t count;
} letters;

static places after_pattern(const pattern *p, const letters *text, places from);

static places after_once(const piece *one, const letters *text, places from) {
  if (one->kind == GROUP) return after_pattern(one->group, text, from);
  if (one->kind == BEGINNING) return from & 1;
  if (one->kind == ENDING) return from & (places)1 << text->count;
  places to = 0;
  for (size_t i = 0; i < text->count; i++) {
    uint32_t point = text->points[i];
    bool fits = false;
    for (size_t k = 0; k < one->count; k++) fits = fits || one->points[k] == point;
    if (one->kind == CATEGORY) fits = point >= '0' && point <= '9';
    if (one->negated) fits = !fits;
    if (one->kind == ANY) fits = point != '\n' && point != '\r';
    if (fits && (from >> i & 1)) to |= (places)1 << (i + 1);
  }
  return to;
}

static places after_sequence(const sequence *s, const letters *text, places from) {
  for (size_t i = 0; i < s->count; i++) {
    const piece *one = &s->pieces[i];
    for (size_t times = 0; times < one->min; times++) from = after_once(one, text, from);
    places all = from;
    /* After as many rounds as there are places nothing new is reached. */
    for (size_t times = one->min; times < one->max && times < one->min + PLACES; times++)
      all |= from = after_once(one, text, from);
    from = all;
  }
  return from;
}

static places after_pattern(const pattern *p, const letters *text, places from) {
  places to = 0;
  for (size_t i = 0; i < p->count; i++) to |= after_sequence(&p->sequences[i], text, from);
  return to;
}

static bool is_found(const pattern *p, ee_str string, bool whole) {
  letters text = {.count = 0};
  for (size_t at = 0; at < string.length; text.count++) {
    fuzz_require(text.count < PLACES - 1);
    at += ee_utf8_decode(string.data + at, string.length - at, &text.points[text.count]);
  }
  places end = (places)1 << text.count, all = end | (end - 1);
  return whole ? (after_pattern(p, &text, 1) & end) != 0 : after_pattern(p, &text, all) != 0;
}

/* Queries -------------------------------------------------------------------------------------- */

typedef struct node_list {
  EE_LIST(const ee_value *);
} node_list;

typedef enum selector_kind { NAME, INDEX, ALL, SLICE, FILTER } selector_kind;
typedef struct expression expression;

typedef struct selector {
  selector_kind kind;
  ee_str name;
  int index, start, end, step;
  bool has_start, has_end;
  const expression *filter;
} selector;

typedef struct segment {
  bool descendants;
  selector selectors[3];
  size_t count;
} segment;

typedef struct query {
  bool relative;
  segment segments[4];
  size_t count;
} query;

typedef enum operand_kind { LITERAL, SINGULAR, LENGTH, COUNT, VALUE } operand_kind;
typedef struct operand {
  operand_kind kind;
  const ee_value *literal;
  const query *query;
  const struct operand *inner; /* LENGTH */
} operand;

typedef enum expression_kind { OR, AND, NOT, EXISTS, COMPARES, MATCHES } expression_kind;
typedef enum sign { EQUAL, UNEQUAL, LESS, LESS_EQUAL, GREATER, GREATER_EQUAL } sign;
struct expression {
  expression_kind kind;
  const expression *left, *right;
  const query *query;
  operand first, second;
  sign sign;
  const pattern *pattern;
  bool whole;
};

static void add_string(grower *g, ee_str text) {
  bool single = below(g, 2);
  char quote = single ? '\'' : '"';
  ee_buffer_add_char(g->out, quote);
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == quote || c == '\\')
      ee_buffer_addf(g->out, "\\%c", c);
    else if ((unsigned char)c < 0x20)
      ee_buffer_addf(g->out, "\\u%04x", c);
    else
      ee_buffer_add_char(g->out, c);
  }
  ee_buffer_add_char(g->out, quote);
}

static const char *const keys[] = {"a", "b", "c", "d", "id", "a.b", "anyOf", "", "k\n"};
static const char *const texts[] = {"ab", "abc", "abd", "5", "", " ", "x y", "2024-05-03", "\xc3\xa9", "it's \"\\"};

static const query *grow_query(grower *g, bool relative, bool singular, size_t depth);
static const expression *grow_expression(grower *g, size_t depth);

static void grow_selector(grower *g, selector *one, bool singular, size_t depth) {
  one->kind = (selector_kind)below(g, singular ? 2 : depth > 0 ? FILTER + 1 : FILTER);
  switch (one->kind) {
  case NAME:
    one->name = ee_str_from(FUZZ_PICK(&g->source, keys));
    add_string(g, one->name);
    break;
  case INDEX:
    one->index = (int)below(g, 8) - 3;
    ee_buffer_addf(g->out, "%d", one->index);
    break;
  case ALL: add(g, "*"); break;
  case SLICE:
    one->step = 1;
    one->has_start = below(g, 2);
    one->has_end = below(g, 2);
    one->start = (int)below(g, 12) - 6;
    one->end = (int)below(g, 12) - 6;
    if (one->has_start) ee_buffer_addf(g->out, "%d", one->start);
    space(g);
    add(g, ":");
    space(g);
    if (one->has_end) ee_buffer_addf(g->out, "%d", one->end);
    if (below(g, 2)) {
      one->step = (int)below(g, 7) - 3;
      space(g);
      ee_buffer_addf(g->out, ":%d", one->step);
    }
    break;
  case FILTER:
    add(g, "?");
    space(g);
    one->filter = grow_expression(g, depth - 1);
    break;
  }
}

static const query *grow_query(grower *g, bool relative, bool singular, size_t depth) {
  query *grown = EE_NEW(g->arena, query);
  grown->relative = relative;
  add(g, relative ? "@" : "$");
  for (grown->count = 0; grown->count < 4 && below(g, 4) > 0; grown->count++) {
    segment *one = &grown->segments[grown->count];
    one->descendants = !singular && below(g, 4) == 3;
    one->count = 1;
    size_t form = below(g, 4);
    if (form == 0) {
      static const char *const plain[] = {"a", "b", "c", "id"};
      one->selectors[0] = (selector){.kind = NAME, .name = ee_str_from(plain[below(g, 4)])};
      ee_buffer_addf(g->out, "%s%s", one->descendants ? ".." : ".", one->selectors[0].name.data);
      continue;
    }
    if (form == 1 && !singular) {
      one->selectors[0] = (selector){.kind = ALL};
      add(g, one->descendants ? "..*" : ".*");
      continue;
    }
    if (one->descendants) add(g, "..");
    add(g, "[");
    if (!singular) one->count += below(g, 3);
    for (size_t i = 0; i < one->count; i++) {
      if (i > 0) add(g, ",");
      space(g);
      grow_selector(g, &one->selectors[i], singular, depth);
      space(g);
    }
    add(g, "]");
  }
  return grown;
}

static const ee_value *grow_literal(grower *g) {
  static const double numbers[] = {0, 1, 2, 3, -1, 0.5, 1e300, 5};
  switch (below(g, 6)) {
  case 0: add(g, "null"); return ee_value_new(g->arena, EE_NULL);
  case 1: add(g, "true"); return ee_value_new_bool(g->arena, true);
  case 2: add(g, "false"); return ee_value_new_bool(g->arena, false);
  case 3: {
    ee_str text = ee_str_from(FUZZ_PICK(&g->source, texts));
    add_string(g, text);
    return ee_value_new_string(g->arena, text);
  }
  default: {
    double number = FUZZ_PICK(&g->source, numbers);
    ee_buffer_addf(g->out, "%g", number);
    return ee_value_new_number(g->arena, number);
  }
  }
}

static void grow_operand(grower *g, operand *one, size_t depth) {
  one->kind = (operand_kind)below(g, VALUE + 1);
  if (one->kind == LENGTH && ++g->lengths > 20) one->kind = LITERAL;
  if (one->kind == LITERAL) {
    one->literal = grow_literal(g);
    return;
  }
  if (one->kind == LENGTH) {
    operand *inner = EE_NEW(g->arena, operand);
    one->inner = inner;
    add(g, "length(");
    space(g);
    grow_operand(g, inner, depth);
    space(g);
    add(g, ")");
    return;
  }
  bool function = one->kind != SINGULAR;
  if (function) add(g, one->kind == COUNT ? "count(" : "value(");
  one->query = grow_query(g, below(g, 4) > 0, !function, depth);
  if (function) add(g, ")");
}

static const expression *grow_basic(grower *g, size_t depth) {
  expression *one = EE_NEW(g->arena, expression);
  size_t kind = below(g, 6);
  if (kind == 0 && depth > 0) {
    bool negated = below(g, 2);
    add(g, negated ? "!(" : "(");
    space(g);
    one->left = grow_expression(g, depth - 1);
    space(g);
    add(g, ")");
    one->kind = NOT;
    return negated ? one : one->left;
  }
  if (kind == 1) {
    one->kind = EXISTS;
    expression *around = EE_NEW(g->arena, expression);
    *around = (expression){.kind = NOT, .left = one};
    bool negated = below(g, 3) == 2;
    if (negated) add(g, "!");
    one->query = grow_query(g, below(g, 4) > 0, false, depth);
    return negated ? around : one;
  }
#ifdef EE_WITH_PCRE2
  if (kind == 2) {
    one->kind = MATCHES;
    one->whole = below(g, 2);
    add(g, one->whole ? "match(" : "search(");
    grow_operand(g, &one->first, depth);
    space(g);
    add(g, ",");
    space(g);
    ee_buffer text = {0};
    one->pattern = grow_pattern(g, 2, &text);
    add_string(g, fuzz_buffer_text(&text));
    ee_buffer_fini(&text);
    add(g, ")");
    return one;
  }
#endif
  static const char *const signs[] = {"==", "!=", "<", "<=", ">", ">="};
  one->kind = COMPARES;
  one->sign = (sign)below(g, 6);
  grow_operand(g, &one->first, depth);
  space(g);
  add(g, signs[one->sign]);
  space(g);
  grow_operand(g, &one->second, depth);
  return one;
}

static const expression *grow_joined(grower *g, expression_kind kind, size_t depth) {
  const expression *left = kind == AND ? grow_basic(g, depth) : grow_joined(g, AND, depth);
  while (below(g, 5) == 4) {
    space(g);
    add(g, kind == AND ? "&&" : "||");
    space(g);
    expression *both = EE_NEW(g->arena, expression);
    *both = (expression){.kind = kind, .left = left};
    both->right = kind == AND ? grow_basic(g, depth) : grow_joined(g, AND, depth);
    left = both;
  }
  return left;
}

static const expression *grow_expression(grower *g, size_t depth) { return grow_joined(g, OR, depth); }

/* The twin ------------------------------------------------------------------------------------- */

typedef struct twin {
  ee_arena *arena;
  const ee_value *root;
} twin;

static node_list find(const twin *t, const query *q, const ee_value *start);
static bool holds(const twin *t, const expression *test, const ee_value *current);

static bool same(const ee_value *a, const ee_value *b) {
  if (a == NULL || b == NULL) return a == b;
  if (ee_type_of(a) != ee_type_of(b)) return false;
  if (ee_type_of(a) == EE_NUMBER) return ee_value_number(a) == ee_value_number(b);
  if (ee_type_of(a) == EE_STRING) return ee_str_equal(ee_value_text(a), ee_value_text(b));
  if (ee_type_of(a) < EE_ARRAY) return true;
  if (ee_value_count(a) != ee_value_count(b)) return false;
  const ee_value *other = ee_value_child(b);
  for (const ee_value *child = ee_value_child(a); child != NULL; child = ee_value_next(child)) {
    if (ee_type_of(a) == EE_OBJECT) {
      for (other = ee_value_child(b); other != NULL && !ee_str_equal(ee_value_key(other), ee_value_key(child));)
        other = ee_value_next(other);
      if (other == NULL || !same(child, other)) return false;
    } else {
      if (!same(child, other)) return false;
      other = ee_value_next(other);
    }
  }
  return true;
}

static bool is_less(const ee_value *a, const ee_value *b) {
  if (a == NULL || b == NULL || ee_type_of(a) != ee_type_of(b)) return false;
  if (ee_type_of(a) == EE_NUMBER) return ee_value_number(a) < ee_value_number(b);
  if (ee_type_of(a) != EE_STRING) return false;
  /* The order of UTF-8's bytes is that of the code points. */
  ee_str x = ee_value_text(a), y = ee_value_text(b);
  int order = memcmp(x.data, y.data, x.length < y.length ? x.length : y.length);
  return order < 0 || (order == 0 && x.length < y.length);
}

static const ee_value *value_of(const twin *t, const operand *one, const ee_value *current) {
  if (one->kind == LITERAL) return one->literal;
  if (one->kind == LENGTH) {
    const ee_value *value = value_of(t, one->inner, current);
    if (value == NULL || ee_type_of(value) < EE_STRING) return NULL;
    size_t length = ee_value_count(value);
    if (ee_type_of(value) == EE_STRING) {
      length = 0;
      ee_str text = ee_value_text(value);
      for (size_t i = 0; i < text.length; i++) length += ((unsigned char)text.data[i] & 0xc0) != 0x80;
    }
    return ee_value_new_number(t->arena, (double)length);
  }
  node_list nodes = find(t, one->query, current);
  if (one->kind == COUNT) return ee_value_new_number(t->arena, (double)nodes.count);
  return nodes.count == 1 ? nodes.items[0] : NULL;
}

static bool holds(const twin *t, const expression *test, const ee_value *current) {
  if (test->kind == OR) return holds(t, test->left, current) || holds(t, test->right, current);
  if (test->kind == AND) return holds(t, test->left, current) && holds(t, test->right, current);
  if (test->kind == NOT) return !holds(t, test->left, current);
  if (test->kind == EXISTS) return find(t, test->query, current).count > 0;
  const ee_value *a = value_of(t, &test->first, current);
  if (test->kind == MATCHES)
    return a != NULL && ee_type_of(a) == EE_STRING && is_found(test->pattern, ee_value_text(a), test->whole);
  const ee_value *b = value_of(t, &test->second, current);
  switch (test->sign) {
  case EQUAL: return same(a, b);
  case UNEQUAL: return !same(a, b);
  case LESS: return is_less(a, b);
  case GREATER: return is_less(b, a);
  case LESS_EQUAL: return is_less(a, b) || same(a, b);
  default: return is_less(b, a) || same(a, b);
  }
}

static void select_slice(const twin *t, const selector *s, const ee_value *array, node_list *out) {
  int count = (int)ee_value_count(array);
  /* RFC 9535, 2.3.4.2.2, word for word. */
  int start = s->has_start   ? s->start
              : s->step >= 0 ? 0
                             : count - 1,
      end = s->has_end     ? s->end
            : s->step >= 0 ? count
                           : -count - 1;
  int n_start = start >= 0 ? start : count + start, n_end = end >= 0 ? end : count + end;
  if (s->step > 0) {
    int lower = n_start < 0       ? 0
                : n_start > count ? count
                                  : n_start,
        upper = n_end < 0       ? 0
                : n_end > count ? count
                                : n_end;
    for (int i = lower; i < upper; i += s->step) *EE_LIST_ADD(out, t->arena) = ee_value_element(array, (size_t)i);
  } else if (s->step < 0) {
    int upper = n_start < -1 ? -1 : n_start > count - 1 ? count - 1 : n_start;
    int lower = n_end < -1 ? -1 : n_end > count - 1 ? count - 1 : n_end;
    for (int i = upper; lower < i; i += s->step) *EE_LIST_ADD(out, t->arena) = ee_value_element(array, (size_t)i);
  }
}

static void apply(const twin *t, const segment *one, const ee_value *node, node_list *out) {
  ee_type type = ee_type_of(node);
  for (size_t i = 0; i < one->count; i++) {
    const selector *s = &one->selectors[i];
    if (s->kind == SLICE && type == EE_ARRAY) select_slice(t, s, node, out);
    int at = 0, count = type >= EE_ARRAY ? (int)ee_value_count(node) : 0;
    for (const ee_value *child = count > 0 ? ee_value_child(node) : NULL; child != NULL;
         child = ee_value_next(child), at++) {
      bool taken = s->kind == ALL || (s->kind == FILTER && holds(t, s->filter, child));
      if (s->kind == NAME) taken = type == EE_OBJECT && ee_str_equal(ee_value_key(child), s->name);
      if (s->kind == INDEX) taken = type == EE_ARRAY && at == (s->index < 0 ? s->index + count : s->index);
      if (taken) *EE_LIST_ADD(out, t->arena) = child;
    }
  }
  if (!one->descendants || type < EE_ARRAY) return;
  for (const ee_value *child = ee_value_child(node); child != NULL; child = ee_value_next(child))
    apply(t, one, child, out);
}

static node_list find(const twin *t, const query *q, const ee_value *start) {
  node_list nodes = {0};
  *EE_LIST_ADD(&nodes, t->arena) = q->relative ? start : t->root;
  for (size_t i = 0; i < q->count; i++) {
    node_list next = {0};
    for (size_t k = 0; k < nodes.count; k++) apply(t, &q->segments[i], nodes.items[k], &next);
    nodes = next;
  }
  return nodes;
}

/* ---------------------------------------------------------------------------------------------- */

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  fuzz_source source = fuzz_source_of(data, size);
  ee_str line = fuzz_line(&source);
  ee_buffer text = {0}, document = {0};
  grower g = {fuzz_source_of((const uint8_t *)line.data, line.length), &arena, &text, 0};
  const query *grown = grow_query(&g, false, false, 2);
  ee_json_write_value(&document, fuzz_line_document(&source, &arena));
  const ee_value *root = ee_json_read(&arena, fuzz_buffer_text(&document), NULL, NULL);
  fuzz_require(root != NULL);
  ee_error error = {0};
  const ee_json_query *parsed = ee_json_query_parse(&arena, fuzz_buffer_text(&text), &error);
  if (parsed == NULL) fprintf(stderr, "%.*s: %s\n", (int)text.length, text.data, error.message);
  fuzz_require(parsed != NULL);
  twin t = {&arena, root};
  ee_query_nodes nodes = {0};
  ee_json_query_find(parsed, root, &arena, &nodes);
  node_list wanted = find(&t, grown, root);
  bool equal = nodes.count == wanted.count;
  for (size_t i = 0; i < nodes.count && equal; i++) equal = nodes.items[i].value == wanted.items[i];
  if (!equal)
    fprintf(stderr, "%.*s in %.*s: %zu, not %zu nodes\n", (int)text.length, text.data, (int)document.length,
            document.data, nodes.count, wanted.count);
  fuzz_require(equal);
  fuzz_require(!ee_json_query_is_singular(parsed) || nodes.count <= 1);
  for (size_t i = 0; i < nodes.count && i < 20; i++) {
    const ee_path *path = ee_path_parse(&arena, ee_query_place_text(nodes.items[i].place, &arena), NULL);
    fuzz_require(path != NULL && ee_path_get(path, root, &arena) == nodes.items[i].value);
  }
  ee_buffer_fini(&text);
  ee_buffer_fini(&document);
  ee_arena_fini(&arena);
  return 0;
}

EE_FUZZ_TARGET(400)
