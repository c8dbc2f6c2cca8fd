/* schema_refs.c: what every $ref of a schema means, and whether each gets anywhere. */
#include "data/schema/schema_compiler.h"
#include "prim/sort.h"

/* Bytes of a reference in a message. */
#define TEXT_SHOWN 100
/* Elements of a list that is walked. */
#define SHORT_LIST 16

static int shown_length(ee_str text) { return (int)ee_utf8_cut(text, TEXT_SHOWN); }

/* Looking up ----------------------------------------------------------------------------------- */

static int hex_value(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/* A URI's fragment without its %XX; data NULL when one of them is broken, or the result is no UTF-8. */
static ee_str decode_fragment(ee_arena *arena, ee_str text) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '%') {
      if (i + 2 >= text.length) return (ee_str){NULL, 0};
      int high = hex_value(text.data[i + 1]), low = hex_value(text.data[i + 2]);
      if (high < 0 || low < 0) return (ee_str){NULL, 0};
      c = (char)(high * 16 + low);
      i += 2;
    }
    out[length++] = c;
  }
  out[length] = '\0';
  if (ee_utf8_valid_prefix(out, length) != length) return (ee_str){NULL, 0};
  return (ee_str){out, length};
}

/* One step of a JSON Pointer without its ~0 and ~1; data NULL when it has another ~. */
static ee_str decode_step(ee_arena *arena, ee_str text) {
  char *out = ee_arena_alloc(arena, text.length + 1);
  size_t length = 0;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    if (c == '~') {
      if (++i == text.length || (text.data[i] != '0' && text.data[i] != '1')) return (ee_str){NULL, 0};
      c = text.data[i] == '0' ? '~' : '/';
    }
    out[length++] = c;
  }
  out[length] = '\0';
  return (ee_str){out, length};
}

/* Elements of a list that is no short one are looked up in a table from the first time on: a schema may have as many
 * pointers into a list as the list has elements. */
static const ee_value *find_element(ee_schema_compiler *compiler, const ee_value *array, size_t index) {
  if (index >= ee_value_count(array)) return NULL;
  if (ee_value_count(array) <= SHORT_LIST) return ee_value_element(array, index);
  ee_schema_memo *elements = &compiler->elements;
  elements->arena = compiler->arena;
  if (ee_schema_memo_get(elements, array, 0) == 0) {
    uint32_t at = 0;
    for (const ee_value *item = ee_value_child(array); item != NULL; item = ee_value_next(item), at++)
      ee_schema_memo_put(elements, array, at, (uint64_t)(uintptr_t)item);
  }
  return (const ee_value *)(uintptr_t)ee_schema_memo_get(elements, array, (uint32_t)index);
}

static const ee_value *element_at(ee_schema_compiler *compiler, const ee_value *array, ee_str step) {
  if (step.length == 0 || step.length > 9 || (step.data[0] == '0' && step.length > 1)) return NULL;
  size_t index = 0;
  for (size_t i = 0; i < step.length; i++) {
    if (step.data[i] < '0' || step.data[i] > '9') return NULL;
    index = index * 10 + (size_t)(step.data[i] - '0');
  }
  return find_element(compiler, array, index);
}

/* What stands at `pointer` in the document, and its place; NULL when there is nothing. */
static const ee_value *find_pointer(ee_schema_compiler *compiler, ee_str pointer, const ee_schema_place **place) {
  const ee_value *value = compiler->document;
  *place = NULL;
  const char *at = pointer.data, *end = pointer.data + pointer.length;
  while (at < end && value != NULL) {
    const char *from = ++at; /* the slash */
    while (at < end && *at != '/') at++;
    ee_str step = decode_step(compiler->arena, (ee_str){from, (size_t)(at - from)});
    if (step.data == NULL) return NULL;
    value = ee_type_of(value) == EE_ARRAY ? element_at(compiler, value, step) : ee_value_member(value, step, NULL);
    *place = ee_schema_place_below(compiler->arena, *place, step);
  }
  return value;
}

static bool anchor_before(const ee_schema_anchor *a, const ee_schema_anchor *b) {
  return ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_anchors, ee_schema_anchor, anchor_before)

/* Among the anchors, which are sorted by now. */
static const ee_schema_node *find_anchor(const ee_schema_compiler *compiler, ee_str name) {
  size_t low = 0, high = compiler->anchor_count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (ee_str_compare(compiler->anchors[middle].name, name) < 0)
      low = middle + 1;
    else
      high = middle;
  }
  bool found = low < compiler->anchor_count && ee_str_equal(compiler->anchors[low].name, name);
  return found ? compiler->anchors[low].node : NULL;
}

/* The part of `text` behind # when it means this document; data NULL when it means another. */
static ee_str fragment_of(const ee_schema_compiler *compiler, ee_str text) {
  const char *hash = text.length > 0 ? memchr(text.data, '#', text.length) : NULL;
  ee_str document = {text.data, hash != NULL ? (size_t)(hash - text.data) : text.length};
  if (document.length > 0 && !ee_str_equal(document, compiler->base)) return (ee_str){NULL, 0};
  if (hash == NULL) return (ee_str){"", 0};
  return (ee_str){hash + 1, (size_t)(text.data + text.length - hash - 1)};
}

/* The schema that a reference means; NULL when there is none, which is told. */
static const ee_schema_node *look_up(ee_schema_compiler *compiler, const ee_schema_ref *ref) {
  const ee_schema_place *at = ref->keyword->place;
  ee_str fragment = fragment_of(compiler, ref->text);
  if (fragment.data == NULL) {
    ee_schema_mistake(compiler, at, "'%.*s' is outside of the document", shown_length(ref->text), ref->text.data);
    return NULL;
  }
  ee_str decoded = decode_fragment(compiler->arena, fragment);
  const ee_schema_node *found = NULL;
  if (decoded.data != NULL && (decoded.length == 0 || decoded.data[0] == '/')) {
    const ee_schema_place *place;
    const ee_value *value = find_pointer(compiler, decoded, &place);
    if (value != NULL) found = ee_schema_compile_node(compiler, value, place);
  } else if (decoded.data != NULL) {
    found = find_anchor(compiler, decoded);
  }
  if (found == NULL)
    ee_schema_mistake(compiler, at, "'%.*s' leads to nothing", shown_length(ref->text), ref->text.data);
  return found;
}

static bool is_anchor(const ee_schema_compiler *compiler, const ee_schema_ref *ref) {
  ee_str fragment = fragment_of(compiler, ref->text);
  return fragment.length > 0 && fragment.data[0] != '/' && fragment.data[0] != '%';
}

static void resolve(ee_schema_compiler *compiler, size_t index) {
  ee_schema_ref ref = compiler->refs[index];
  const ee_schema_node *found = look_up(compiler, &ref);
  ref.keyword->as.schema = found;
  if (found != NULL) compiler->uses[found->id]++;
}

/* Anchors come last: schemas that are compiled only because a pointer leads there have some too. */
static void resolve_all(ee_schema_compiler *compiler) {
  for (size_t i = 0; i < compiler->ref_count; i++) {
    if (!is_anchor(compiler, &compiler->refs[i])) resolve(compiler, i);
  }
  sort_anchors(compiler->anchors, compiler->anchor_count, compiler->arena);
  for (size_t i = 0; i < compiler->ref_count; i++) {
    if (is_anchor(compiler, &compiler->refs[i])) resolve(compiler, i);
  }
}

static void check_anchors(ee_schema_compiler *compiler) {
  for (size_t i = 1; i < compiler->anchor_count; i++) {
    const ee_schema_anchor *anchor = &compiler->anchors[i];
    if (!ee_str_equal(anchor[-1].name, anchor->name)) continue;
    ee_schema_mistake(compiler, anchor->node->place, "a second anchor '%.*s'", shown_length(anchor->name),
                      anchor->name.data);
  }
}

/* Cycles --------------------------------------------------------------------------------------- */

/* The schemas that a keyword asks about the same value, one after the other. */
static const ee_schema_node *same_value(const ee_schema_keyword *keyword, size_t index) {
  switch (keyword->kind) {
  case EE_KEYWORD_REF:
  case EE_KEYWORD_NOT: return index == 0 ? keyword->as.schema : NULL;
  case EE_KEYWORD_ALL_OF:
  case EE_KEYWORD_ANY_OF:
  case EE_KEYWORD_ONE_OF: return index < keyword->as.list.count ? keyword->as.list.items[index] : NULL;
  case EE_KEYWORD_DEPENDENT_SCHEMAS:
    return index < keyword->as.dependent.count ? keyword->as.dependent.items[index].schema : NULL;
  default: return NULL;
  }
}

/* The same over all keywords of a node; moves on. The three of an if may be missing one by one. */
static const ee_schema_node *next_same_value(const ee_schema_node *node, size_t *keyword, size_t *index) {
  for (; *keyword < node->count; ++*keyword, *index = 0) {
    const ee_schema_keyword *here = &node->keywords[*keyword];
    if (here->kind == EE_KEYWORD_IF) {
      const ee_schema_node *parts[] = {here->as.conditional.condition, here->as.conditional.then,
                                       here->as.conditional.otherwise};
      while (*index < 3 && parts[*index] == NULL) ++*index;
      if (*index < 3) return parts[(*index)++];
    } else {
      const ee_schema_node *found = same_value(here, *index);
      if (found != NULL) {
        ++*index;
        return found;
      }
    }
  }
  return NULL;
}

/* A schema on the way that is being walked, with the keyword that was taken from it. */
typedef struct walk_step {
  const ee_schema_node *node;
  size_t keyword, index;
} walk_step;

/* The way came back to `again`: the last $ref on the round is told. */
static void tell_cycle(ee_schema_compiler *compiler, const walk_step *way, size_t length, const ee_schema_node *again) {
  for (size_t i = length; i > 0; i--) {
    const walk_step *step = &way[i - 1];
    const ee_schema_keyword *keyword = &step->node->keywords[step->keyword];
    if (keyword->kind == EE_KEYWORD_REF) {
      ee_schema_mistake(compiler, keyword->place, "leads back to itself without entering the instance");
      return;
    }
    if (step->node == again) return;
  }
}

/* Depth first, on a list of its own: a chain of references may be as long as the document. */
static void check_cycles(ee_schema_compiler *compiler) {
  enum { NEW = 0, ON_WAY, DONE };
  unsigned char *states = EE_NEW_ARRAY(compiler->arena, unsigned char, compiler->node_count);
  walk_step *way = EE_NEW_ARRAY(compiler->arena, walk_step, compiler->node_count);
  for (size_t start = 0; start < compiler->node_count; start++) {
    if (states[start] != NEW) continue;
    size_t length = 0;
    states[start] = ON_WAY;
    way[length++] = (walk_step){compiler->nodes[start], 0, 0};
    while (length > 0) {
      walk_step *step = &way[length - 1];
      const ee_schema_node *next = next_same_value(step->node, &step->keyword, &step->index);
      if (next == NULL) {
        states[step->node->id] = DONE;
        length--;
      } else if (states[next->id] == NEW) {
        states[next->id] = ON_WAY;
        way[length++] = (walk_step){next, 0, 0};
      } else if (states[next->id] == ON_WAY) {
        tell_cycle(compiler, way, length, next);
      }
    }
  }
}

void ee_schema_resolve(ee_schema_compiler *compiler) {
  resolve_all(compiler);
  check_anchors(compiler);
  check_cycles(compiler);
}
