/* yaml_reader.c: from a YAML text to the document model.
 *
 * A text that is JSON is read by the JSON reader; all others by libyaml, whose events become nodes. Open containers are
 * on an explicit stack. Aliases of containers and merge keys are only noted while the text is read. What they will add
 * is counted at once, so that a text that explodes is refused before anything is copied. The copying is done at the
 * end, in the order of the notes: what a note copies comes before it in the text, so the notes in there are done by
 * then. */
#include "data/yaml/yaml_reader.h"

#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/hash_index.h"
#include "base/memory.h"
#include "base/pool.h"
#include "data/json/json_reader.h"
#include "data/json/json_scan.h"
#include "data/yaml/yaml_parts.h"

/* Errors ---------------------------------------------------------------------------------------- */

bool ee_yaml_fail(ee_error *error, ee_yaml_spot spot, const char *format, ...) {
  if (error == NULL) return false;
  char message[sizeof error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  ee_error_at(error, EE_ERROR_DATA, NULL, spot.line, spot.column, "%s", message);
  error->offset = spot.offset;
  return false;
}

const char *ee_yaml_shown(ee_str text, char out[64]) {
  size_t length = ee_utf8_cut(text, 40);
  for (size_t i = 0; i < length; i++)
    out[i] = (unsigned char)text.data[i] < 0x20 || text.data[i] == 0x7f ? '?' : text.data[i];
  memcpy(out + length, length < text.length ? "..." : "", length < text.length ? 4 : 1);
  return out;
}

/* Places of nodes ------------------------------------------------------------------------------- */

static void put_place(ee_arena *arena, ee_yaml_places *places, const ee_value *value, ee_yaml_spot spot) {
  if (places == NULL) return;
  places->index.arena = arena;
  ee_hash_index_add(&places->index, ee_hash_mix((uint64_t)(uintptr_t)value), places->count);
  *EE_LIST_ADD(places, arena) = (struct ee_yaml_place){value, (uint32_t)spot.line, (uint32_t)spot.column};
}

struct ee_yaml_place ee_yaml_place_of(const ee_yaml_places *places, const ee_value *value) {
  size_t at = 0, number;
  /* The mixed pointers are all different. */
  if (ee_hash_index_next(&places->index, ee_hash_mix((uint64_t)(uintptr_t)value), &at, &number))
    return places->items[number];
  return (struct ee_yaml_place){NULL, 0, 0};
}

/* Places in the text ---------------------------------------------------------------------------- */

static void start_over(ee_yaml_cursor *cursor) {
  cursor->at = cursor->line_start = cursor->start;
  cursor->index = 0;
  cursor->line = 1;
}

/* Moves over one code point. A line ends after LF, CR LF, or a CR alone. */
static inline void step(ee_yaml_cursor *cursor) {
  const char *at = cursor->at++;
  if (*at == '\n' || (*at == '\r' && (cursor->at == cursor->end || *cursor->at != '\n'))) {
    cursor->line += 1;
    cursor->line_start = cursor->at;
  } else if ((unsigned char)*at >= 0x80) {
    while (cursor->at < cursor->end && ((unsigned char)*cursor->at & 0xc0) == 0x80) cursor->at += 1;
  }
  cursor->index += 1;
}

static ee_yaml_spot spot_of(const ee_yaml_cursor *cursor) {
  return (ee_yaml_spot){cursor->line, (size_t)(cursor->at - cursor->line_start) + 1,
                        (size_t)(cursor->at - cursor->first)};
}

/* The same for the code point `index`. */
static ee_yaml_spot seek_index(ee_yaml_cursor *cursor, size_t index) {
  if (index < cursor->index) start_over(cursor);
  while (cursor->index < index && cursor->at < cursor->end) step(cursor);
  return spot_of(cursor);
}

ee_yaml_spot ee_yaml_seek_byte(ee_yaml_cursor *cursor, const char *at) {
  while (cursor->at < at) step(cursor);
  return spot_of(cursor);
}

/* JSON ------------------------------------------------------------------------------------------ */

/* Returns the end of the string whose quote is at `at`. The text is known to be JSON here and below. */
static const char *skip_string(const char *at, const char *end) {
  at++;
  for (;;) {
    at += ee_json_plain_length(at, (size_t)(end - at));
    if (*at == '"') return at + 1;
    at += 2; /* a backslash and what it escapes */
  }
}

static const char *skip_scalar(const char *at, const char *end) {
  if (*at == '"') return skip_string(at, end);
  while (at < end && *at != ',' && *at != ']' && *at != '}' && !ee_json_is_space(*at)) at++;
  return at;
}

/* Returns the start of the value whose key is at `at`. */
static const char *skip_key(const char *at, const char *end) {
  at = ee_json_skip_space(skip_string(at, end), end);
  return ee_json_skip_space(at + 1, end);
}

/* Walks through the text and its tree together. False with `error` past the bound on nodes. */
static bool note_places(ee_arena *arena, ee_value *root, ee_yaml_cursor *cursor, ee_yaml_places *places,
                        ee_error *error) {
  const ee_value *parents[EE_JSON_DEPTH_LIMIT], *node = root;
  size_t depth = 0, nodes = 0;
  const char *end = cursor->end, *at = ee_json_skip_space(cursor->at, end);
  for (;;) {
    ee_yaml_spot spot = {0};
    if (places != NULL || nodes == EE_YAML_NODES) spot = ee_yaml_seek_byte(cursor, at);
    if (nodes++ == EE_YAML_NODES) return ee_yaml_fail(error, spot, "more than %zu nodes", EE_YAML_NODES);
    put_place(arena, places, node, spot);
    const ee_value *next = ee_value_child(node);
    if (next != NULL) {
      at = ee_json_skip_space(at + 1, end);
      parents[depth++] = node;
    } else {
      at = *at == '[' || *at == '{' ? ee_json_skip_space(at + 1, end) + 1 : skip_scalar(at, end);
      while (depth > 0 && (next = ee_value_next(node)) == NULL) {
        at = ee_json_skip_space(at, end) + 1;
        node = parents[--depth];
      }
      if (next == NULL) return true;
      at = ee_json_skip_space(ee_json_skip_space(at, end) + 1, end);
    }
    node = next;
    if (ee_type_of(parents[depth - 1]) == EE_OBJECT) at = skip_key(at, end);
  }
}

typedef struct duplicate {
  bool found;
  size_t offset; /* of the first repeated key */
} duplicate;

static void on_duplicate(void *user, ee_str key, size_t offset) {
  (void)key;
  duplicate *first = user;
  if (!first->found) *first = (duplicate){true, offset};
}

/* Returns the place after the innermost bracket that is open at `stop`, which is not in a string. */
static const char *find_open_bracket(const char *at, const char *end, const char *stop) {
  const char *open[EE_JSON_DEPTH_LIMIT + 1] = {NULL};
  size_t depth = 0;
  while (at < stop) {
    if (*at == '"') {
      at = skip_string(at, end);
      continue;
    }
    if (*at == '{' || *at == '[') open[depth++] = at + 1;
    if (*at == '}' || *at == ']') depth -= 1;
    at++;
  }
  return open[depth - 1];
}

/* The key's text, decoded. */
static ee_str read_key(ee_arena *arena, const char *quote, const char *end) {
  size_t length;
  return ee_value_text(
      ee_json_read_prefix(arena, (ee_str){quote, (size_t)(skip_string(quote, end) - quote)}, &length, NULL));
}

static void report_duplicate(ee_yaml_cursor *cursor, size_t offset, ee_error *error) {
  const char *start = cursor->at, *end = cursor->end, *second = start + offset;
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_str key = read_key(&arena, second, end);
  ee_json_scan scan = ee_json_scan_of((ee_str){start, (size_t)(end - start)});
  const char *at = find_open_bracket(start, end, second);
  for (bool first = true;; first = false) {
    ee_arena_mark mark = ee_arena_get_mark(&arena);
    ee_str source;
    bool done;
    at = ee_json_next_member(&scan, at, first, &source, &done);
    bool same = ee_str_equal(read_key(&arena, source.data - 1, end), key);
    ee_arena_rewind(&arena, mark);
    if (same) {
      size_t line = ee_yaml_seek_byte(cursor, source.data - 1).line;
      char shown[64];
      ee_yaml_fail(error, ee_yaml_seek_byte(cursor, second), "duplicate key '%s' (first on line %zu)",
                   ee_yaml_shown(key, shown), line);
      break;
    }
    at = ee_json_skip_value(&scan, at);
  }
  ee_arena_fini(&arena);
}

typedef enum json_outcome { IS_JSON, IS_NOT_JSON, IS_BAD_JSON } json_outcome;

/* Every JSON text is YAML 1.2, but libyaml does not read all of them (tabs before the root, a line break or more than
 * 1024 characters before a colon). If `text` is JSON, fills `*root` and `places`. IS_BAD_JSON with `error`: duplicate
 * keys or too many nodes. */
static json_outcome read_json(ee_arena *arena, ee_str text, ee_yaml_cursor *cursor, ee_yaml_places *places,
                              ee_value **root, ee_error *error) {
  /* Most YAML differs from JSON in its first character: no memory is needed to see it. */
  const char *end = text.data + text.length, *at = ee_json_skip_space(text.data, end);
  if (at == end || memchr("{[\"-0123456789tfn", *at, 17) == NULL) return IS_NOT_JSON;
  duplicate second = {0};
  ee_json_options options = {.on_duplicate_key = on_duplicate, .user = &second};
  ee_arena_mark mark = ee_arena_get_mark(arena);
  *root = ee_json_read(arena, text, &options, NULL);
  if (*root == NULL) {
    ee_arena_rewind(arena, mark);
    return IS_NOT_JSON;
  }
  if (!second.found) return note_places(arena, *root, cursor, places, error) ? IS_JSON : IS_BAD_JSON;
  report_duplicate(cursor, second.offset, error);
  return IS_BAD_JSON;
}

/* The reader ------------------------------------------------------------------------------------ */

/* The type of a node that is an alias of a container, until the alias is followed; `child` is the target. */
#define ALIAS_TYPE cJSON_Invalid

/* An open container. */
typedef struct frame {
  ee_value *container;
  ee_str key;        /* of the next value; data NULL: a key comes next */
  ee_value *merge;   /* the value of the merge key; NULL: none */
  uint32_t key_line; /* of `key` */
  uint32_t line;     /* of the start of the container */
  uint32_t height;   /* of its highest child */
  size_t merge_line; /* 0: no merge key yet */
  bool is_merge;     /* `key` is the merge key */
  bool in_brackets;
  size_t anchor;       /* the number of its anchor, from 1; 0: none */
  size_t nodes, bytes; /* of the whole tree before it */
} frame;

typedef struct anchor {
  ee_str name;
  ee_str text;     /* of a scalar, for use as a key; data NULL: a container */
  ee_value *value; /* NULL: not closed yet */
  size_t nodes, bytes;
  size_t current; /* in the first anchor of a name: the number, from 1, of the latest one */
  uint32_t height;
} anchor;

/* Work for the end of reading. FOLLOW_ALIAS: `node` becomes a copy of the container `source`. MERGE: the members of
 * `source`, an object or an array of objects, are added to the object `node`: the members themselves if `source` is a
 * copy made for an alias (MERGE_OWN), else copies of them, because other aliases may refer into it (MERGE_COPY). */
typedef enum note_kind { FOLLOW_ALIAS, MERGE_COPY, MERGE_OWN } note_kind;
typedef struct note {
  ee_value *node, *source;
  note_kind kind;
} note;

typedef struct reader {
  ee_arena *arena;
  ee_yaml_places *places;
  ee_error *error;
  ee_yaml_text text;
  ee_yaml_cursor cursor;
  yaml_parser_t parser;
  yaml_event_t event; /* all zero between two */
  ee_cleanup cleanup; /* of both */
  ee_value *root;
  size_t nodes, bytes;                   /* of the tree so far, with aliases expanded; bytes of keys and strings */
  size_t repeated_nodes, repeated_bytes; /* of these, from aliases and merges */
  struct {
    EE_LIST(anchor);
  } anchors;
  ee_hash_index names; /* the first anchor of each name */
  struct {
    EE_LIST(note);
  } notes;
  size_t depth, brackets;
  frame stack[EE_YAML_DEPTH];
} reader;

static frame *top_of(reader *r) { return r->depth > 0 ? &r->stack[r->depth - 1] : NULL; }

/* Counting -------------------------------------------------------------------------------------- */

static bool count(reader *r, size_t nodes, size_t bytes, ee_yaml_spot spot) {
  r->nodes += nodes;
  r->bytes += bytes;
  if (r->nodes > EE_YAML_NODES) /* unreached: four million nodes that are not JSON; those of JSON are counted before */
    return ee_yaml_fail(r->error, spot, "more than %zu nodes", EE_YAML_NODES); /* unreached: the same */
  return true;
}

/* Counts repeated nodes. No sum overflows: each part and the sum before are below their bounds. */
static bool count_again(reader *r, size_t nodes, size_t bytes, ee_yaml_spot spot) {
  r->repeated_nodes += nodes;
  r->repeated_bytes += bytes;
  if (r->repeated_nodes > EE_YAML_REPEATED_NODES)
    return ee_yaml_fail(r->error, spot, "aliases repeat more than %zu nodes", EE_YAML_REPEATED_NODES);
  if (r->repeated_bytes > EE_YAML_REPEATED_BYTES)
    return ee_yaml_fail(r->error, spot, "aliases repeat more than %zu MiB of strings", EE_YAML_REPEATED_BYTES >> 20);
  return count(r, nodes, bytes, spot);
}

/* Anchors --------------------------------------------------------------------------------------- */

/* The first anchor of a name, or NULL. */
static anchor *find_name(const reader *r, ee_str name, uint64_t hash) {
  size_t at = 0, number;
  while (ee_hash_index_next(&r->names, hash, &at, &number))
    if (ee_str_equal(r->anchors.items[number].name, name)) /* unreached: two names of one hash */
      return &r->anchors.items[number];
  return NULL;
}

/* Adds an anchor, from now on the current one of its name, and returns its number, from 1; 0 without a name. */
static size_t add_anchor(reader *r, const yaml_char_t *name) {
  if (name == NULL) return 0;
  ee_str text = ee_str_from((const char *)name);
  uint64_t hash = ee_hash_bytes(text.data, text.length, 0);
  size_t number = r->anchors.count + 1;
  anchor *first = find_name(r, text, hash);
  if (first != NULL) {
    first->current = number;
  } else {
    ee_hash_index_add(&r->names, hash, number - 1);
  }
  text.data = ee_arena_copy(r->arena, text.data, text.length);
  *EE_LIST_ADD(&r->anchors, NULL) = (anchor){.name = text, .current = number};
  return number;
}

/* The closed anchor of an alias, or NULL with the error set. */
static const anchor *find_anchor(reader *r, const yaml_char_t *name, ee_yaml_spot spot) {
  ee_str text = ee_str_from((const char *)name);
  const anchor *named = find_name(r, text, ee_hash_bytes(text.data, text.length, 0));
  if (named != NULL) named = &r->anchors.items[named->current - 1];
  char shown[64];
  if (named == NULL) {
    ee_yaml_fail(r->error, spot, "unknown alias '*%s'", ee_yaml_shown(text, shown));
  } else if (named->value == NULL) {
    ee_yaml_fail(r->error, spot, "alias '*%s' inside its own anchor", ee_yaml_shown(text, shown));
  } else {
    return named;
  }
  return NULL;
}

static void add_note(reader *r, ee_value *node, ee_value *source, note_kind kind) {
  *EE_LIST_ADD(&r->notes, NULL) = (note){node, source, kind};
}

/* Links ----------------------------------------------------------------------------------------- */

/* Appends `child`; as in cJSON, the first child's prev is the last child. */
static void link_child(ee_arena *arena, ee_value *container, ee_value *child) {
  cJSON *first = container->json.child;
  child->json.next = NULL;
  if (first == NULL) {
    container->json.child = child->json.prev = &child->json;
  } else {
    child->json.prev = first->prev;
    first->prev->next = &child->json;
    first->prev = &child->json;
  }
  container->length += 1;
  if (child->json.string == NULL) return;
  if (container->index != NULL) {
    ee_value_index_add(container, child);
  } else if (container->length == EE_INDEX_ABOVE + 1) {
    ee_value_index_members(arena, container);
  }
}

/* While an object is open, the hashes of its members hold the lines of their keys. */
static void forget_lines(ee_value *object) {
  for (cJSON *member = object->json.child; member != NULL; member = member->next) ((ee_value *)member)->hash = 0;
}

/* Sets the key of the next value; false if the object has it already. */
static bool take_key(reader *r, ee_str key, bool is_merge, ee_yaml_spot spot) {
  frame *top = top_of(r);
  size_t first = is_merge ? top->merge_line : 0;
  if (!is_merge) {
    const ee_value *before = ee_value_member(top->container, key, r->arena);
    if (before != NULL) first = (size_t)before->hash;
  }
  char shown[64];
  if (first != 0)
    return ee_yaml_fail(r->error, spot, "duplicate key '%s' (first on line %zu)", ee_yaml_shown(key, shown), first);
  top->key = key;
  top->is_merge = is_merge;
  top->key_line = (uint32_t)spot.line;
  if (is_merge) top->merge_line = spot.line;
  return count(r, 0, key.length, spot);
}

static bool wants_key(const frame *top) {
  return top != NULL && ee_type_of(top->container) == EE_OBJECT && top->key.data == NULL;
}

/* Adds a new node to the tree: as the root, at the end of an array, or under the current key. */
static void attach(reader *r, ee_value *node, ee_yaml_spot spot) {
  frame *top = top_of(r);
  put_place(r->arena, r->places, node, spot);
  if (top == NULL) {
    r->root = node;
  } else if (ee_type_of(top->container) == EE_ARRAY) {
    link_child(r->arena, top->container, node);
  } else if (top->is_merge) {
    top->merge = node;
  } else {
    node->json.string = (char *)(uintptr_t)top->key.data;
    node->key_length = (uint32_t)top->key.length;
    node->hash = top->key_line;
    link_child(r->arena, top->container, node);
  }
}

static bool is_alias(const ee_value *node) { return (node->json.type & 0xff) == ALIAS_TYPE; }

static bool is_object(const ee_value *node) {
  return ee_type_of(is_alias(node) ? ee_value_child(node) : node) == EE_OBJECT;
}

/* An object, or an array of objects. */
static bool may_be_merged(const ee_value *node) {
  if (is_object(node)) return true;
  if (is_alias(node)) node = ee_value_child(node);
  if (ee_type_of(node) != EE_ARRAY) return false;
  for (const ee_value *element = ee_value_child(node); element != NULL; element = ee_value_next(element))
    if (!is_object(element)) return false;
  return true;
}

/* Called when a value is complete, with the counts before it and its height. */
static bool finish_value(reader *r, size_t nodes, size_t bytes, uint32_t height, ee_yaml_spot spot) {
  frame *top = top_of(r);
  if (top == NULL) return true;
  if (height > top->height) top->height = height;
  if (ee_type_of(top->container) != EE_OBJECT) return true;
  top->key = (ee_str){NULL, 0};
  if (!top->is_merge) return true;
  if (!may_be_merged(top->merge)) return ee_yaml_fail(r->error, spot, "'<<' must be an object or an array of objects");
  return is_alias(top->merge) || count_again(r, r->nodes - nodes, r->bytes - bytes, spot);
}

/* Events ---------------------------------------------------------------------------------------- */

/* For a libyaml that drops the tag "!" of a scalar, as 0.2.5 does not: it is still in the text, before or after the
 * anchor. */
static bool has_plain_tag(const reader *r) {
  const char *at = r->cursor.at, *end = r->cursor.end;
  if (at < end && *at == '&') {
    while (at < end && *at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') at++;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  }
  return at < end && *at == '!'; /* unreached: libyaml 0.2.5 keeps the tag */
}

static bool refuse_tag(reader *r, const yaml_char_t *tag, ee_yaml_spot spot) {
  static const char core[] = "tag:yaml.org,2002:";
  const char *name = (const char *)tag;
  char shown[64];
  bool is_core = strncmp(name, core, sizeof core - 1) == 0;
  ee_yaml_shown(ee_str_from(is_core ? name + sizeof core - 1 : name), shown);
  return ee_yaml_fail(r->error, spot, "unknown tag '%s%s'", is_core ? "!!" : "", shown);
}

static ee_yaml_tag tag_of_scalar(const reader *r, const yaml_event_t *event) {
  if (event->data.scalar.tag != NULL) return ee_yaml_tag_of((const char *)event->data.scalar.tag);
  bool plain = event->data.scalar.style == YAML_PLAIN_SCALAR_STYLE;
  return plain && !has_plain_tag(r) ? EE_YAML_UNTAGGED : EE_YAML_STR; /* unreached: libyaml 0.2.5 keeps the tag */
}

static ee_yaml_style style_of(const yaml_event_t *event) {
  switch (event->data.scalar.style) {
  case YAML_SINGLE_QUOTED_SCALAR_STYLE: return EE_YAML_SINGLE;
  case YAML_DOUBLE_QUOTED_SCALAR_STYLE: return EE_YAML_DOUBLE;
  default: return EE_YAML_BARE;
  }
}

static bool take_scalar(reader *r, const yaml_event_t *event, ee_yaml_spot spot) {
  ee_yaml_tag tag = tag_of_scalar(r, event);
  if (tag == EE_YAML_UNKNOWN) return refuse_tag(r, event->data.scalar.tag, spot);
  ee_str text = {(const char *)event->data.scalar.value, event->data.scalar.length};
  text = ee_yaml_restore(&r->text, r->arena, text, style_of(event), &r->cursor, r->error);
  if (text.data == NULL) return false;
  bool is_key = wants_key(top_of(r));
  if (is_key || event->data.scalar.anchor != NULL) text.data = ee_arena_copy(r->arena, text.data, text.length);
  size_t number = add_anchor(r, event->data.scalar.anchor);
  size_t nodes = r->nodes, bytes = r->bytes;
  ee_value *node = NULL;
  if (!is_key || number != 0 || (tag != EE_YAML_UNTAGGED && tag != EE_YAML_STR)) {
    node = ee_yaml_scalar(r->arena, text, tag, spot, r->error);
    if (node == NULL) return false;
  }
  if (number != 0) {
    size_t length = ee_type_of(node) == EE_STRING ? text.length : 0;
    anchor *named = &r->anchors.items[number - 1];
    named->text = text;
    named->value = node;
    named->nodes = 1;
    named->bytes = length;
  }
  if (is_key) return take_key(r, text, tag == EE_YAML_UNTAGGED && ee_str_is(text, "<<"), spot);
  attach(r, node, spot);
  size_t length = ee_type_of(node) == EE_STRING ? text.length : 0;
  if (!count(r, 1, length, spot)) return false; /* unreached: see count() */
  return finish_value(r, nodes, bytes, 0, spot);
}

static bool take_alias(reader *r, const yaml_event_t *event, ee_yaml_spot spot) {
  const anchor *named = find_anchor(r, event->data.alias.anchor, spot);
  if (named == NULL) return false;
  if (wants_key(top_of(r))) {
    if (named->text.data == NULL) return ee_yaml_fail(r->error, spot, "a key is an object or an array");
    return take_key(r, named->text, false, spot);
  }
  if (r->depth + named->height > EE_YAML_DEPTH)
    return ee_yaml_fail(r->error, spot, "nesting deeper than %d", EE_YAML_DEPTH);
  size_t nodes = r->nodes, bytes = r->bytes;
  if (!count_again(r, named->nodes, named->bytes, spot)) return false;
  ee_value *node = EE_NEW(r->arena, ee_value);
  if (named->text.data != NULL) {
    /* A scalar: the same value under another key. */
    node->json.type = named->value->json.type;
    node->json.valueint = named->value->json.valueint;
    node->json.valuedouble = named->value->json.valuedouble;
    node->json.valuestring = named->value->json.valuestring;
    node->length = named->value->length;
  } else {
    node->json.type = ALIAS_TYPE;
    node->json.child = &named->value->json;
    add_note(r, node, named->value, FOLLOW_ALIAS);
  }
  attach(r, node, spot);
  return finish_value(r, nodes, bytes, named->height, spot);
}

static bool open_container(reader *r, const yaml_event_t *event, ee_yaml_spot spot) {
  bool is_array = event->type == YAML_SEQUENCE_START_EVENT;
  const yaml_char_t *tag = is_array ? event->data.sequence_start.tag : event->data.mapping_start.tag;
  bool in_brackets = is_array ? event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                              : event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
  if (wants_key(top_of(r))) return ee_yaml_fail(r->error, spot, "a key is an object or an array");
  if (r->depth == EE_YAML_DEPTH) return ee_yaml_fail(r->error, spot, "nesting deeper than %d", EE_YAML_DEPTH);
  if (in_brackets && r->brackets == EE_YAML_BRACKETS)
    return ee_yaml_fail(r->error, spot, "brackets nested deeper than %d", EE_YAML_BRACKETS);
  if (tag != NULL && strcmp((const char *)tag, "!") != 0) {
    ee_yaml_tag kind = ee_yaml_tag_of((const char *)tag);
    if (kind == EE_YAML_UNKNOWN) return refuse_tag(r, tag, spot);
    if (kind != (is_array ? EE_YAML_SEQ : EE_YAML_MAP))
      return ee_yaml_fail(r->error, spot, "%s with a tag of another type", is_array ? "an array" : "an object");
  }
  ee_value *node = ee_value_new(r->arena, is_array ? EE_ARRAY : EE_OBJECT);
  size_t nodes = r->nodes, bytes = r->bytes;
  attach(r, node, spot);
  size_t number = add_anchor(r, is_array ? event->data.sequence_start.anchor : event->data.mapping_start.anchor);
  r->stack[r->depth++] = (frame){.container = node,
                                 .line = (uint32_t)spot.line,
                                 .in_brackets = in_brackets,
                                 .anchor = number,
                                 .nodes = nodes,
                                 .bytes = bytes};
  r->brackets += in_brackets;
  return count(r, 1, 0, spot);
}

static bool close_container(reader *r, ee_yaml_spot spot) {
  frame closed = r->stack[r->depth - 1];
  uint32_t height = closed.height + 1;
  r->depth -= 1;
  r->brackets -= closed.in_brackets;
  forget_lines(closed.container);
  if (closed.merge != NULL)
    add_note(r, closed.container, closed.merge, is_alias(closed.merge) ? MERGE_OWN : MERGE_COPY);
  if (closed.anchor != 0) {
    anchor *named = &r->anchors.items[closed.anchor - 1];
    named->value = closed.container;
    named->nodes = r->nodes - closed.nodes;
    named->bytes = r->bytes - closed.bytes;
    named->height = height;
  }
  return finish_value(r, closed.nodes, closed.bytes, height, spot);
}

/* In brackets libyaml reads "?a" as the key "a", as in YAML 1.1; in YAML 1.2 it is text. It is refused to avoid the
 * wrong meaning. */
static bool follows_question_mark(const reader *r) { return r->brackets > 0 && r->cursor.at[-1] == '?'; }

static const yaml_char_t *anchor_of(const yaml_event_t *event) {
  switch (event->type) {
  case YAML_SCALAR_EVENT: return event->data.scalar.anchor;
  case YAML_SEQUENCE_START_EVENT: return event->data.sequence_start.anchor;
  case YAML_MAPPING_START_EVENT: return event->data.mapping_start.anchor;
  case YAML_ALIAS_EVENT: return event->data.alias.anchor;
  default: return NULL;
  }
}

/* libyaml ends the name of an anchor before ':', as in YAML 1.1, and reads "&a:b" as the text ":b" with the anchor "a";
 * in YAML 1.2 it is the anchor "a:b". It is refused to avoid the wrong meaning. So is "*a:b", but not "*a: b", a key.
 */
static bool has_colon_in_name(const reader *r, const yaml_event_t *event) {
  const yaml_char_t *name = anchor_of(event);
  if (name == NULL) return false;
  bool alias = event->type == YAML_ALIAS_EVENT;
  const char *at = r->cursor.at, *end = r->cursor.end;
  /* A tag may come before the anchor; comments and line breaks between them. */
  while (at < end && *at != (alias ? '*' : '&')) { /* unreached: the end; libyaml has read it */
    const char stop = *at == '#' ? '\n' : ' ';
    if (*at == '#' || *at == '!')
      while (*at != stop && *at != '\n' && *at != '\r' && *at != '\t') at++; /* a name follows */
    else
      at++;
  }
  at += 1 + strlen((const char *)name);
  if (at >= end || *at != ':') return false;
  bool blank_follows = at + 1 >= end || strchr(" \t\r\n", at[1]) != NULL;
  return !alias || !blank_follows;
}

static bool take_event(reader *r, const yaml_event_t *event) {
  ee_yaml_spot spot = seek_index(&r->cursor, event->start_mark.index);
  if (has_colon_in_name(r, event))
    return ee_yaml_fail(r->error, spot, "the name of an anchor or alias has a ':' (leave a space before it)");
  if (event->type == YAML_SCALAR_EVENT && event->start_mark.index < event->end_mark.index && follows_question_mark(r)) {
    spot = (ee_yaml_spot){spot.line, spot.column - 1, spot.offset - 1};
    return ee_yaml_fail(r->error, spot, "a string in brackets begins with '?' (put it in quotes)");
  }
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    if (r->root == NULL) return true;
    return ee_yaml_fail(r->error, spot, "a second document (only one is allowed)");
  case YAML_SCALAR_EVENT: return take_scalar(r, event, spot);
  case YAML_ALIAS_EVENT: return take_alias(r, event, spot);
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: return open_container(r, event, spot);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return close_container(r, spot);
  default: return true;
  }
}

/* Aliases and merges ---------------------------------------------------------------------------- */

static ee_value *copy_tree(reader *r, const ee_value *from);

/* Copies share strings. The recursion is bounded by EE_YAML_DEPTH. */
static void copy_children(reader *r, ee_value *to, const ee_value *from) {
  for (const ee_value *child = ee_value_child(from); child != NULL; child = ee_value_next(child))
    link_child(r->arena, to, copy_tree(r, child));
}

static ee_value *copy_tree(reader *r, const ee_value *from) {
  ee_value *copy = ee_arena_alloc(r->arena, sizeof *copy);
  *copy = *from;
  copy->json.next = copy->json.prev = NULL;
  if (r->places != NULL) {
    struct ee_yaml_place place = ee_yaml_place_of(r->places, from);
    put_place(r->arena, r->places, copy, (ee_yaml_spot){place.line, place.column, 0});
  }
  if (from->json.child == NULL) return copy;
  copy->json.child = NULL;
  copy->index = NULL;
  copy->length = 0;
  copy_children(r, copy, from);
  return copy;
}

static void follow_alias(reader *r, ee_value *node, const ee_value *source) {
  node->json.type = source->json.type;
  node->json.child = NULL;
  copy_children(r, node, source);
}

/* Adds the members of `source` whose keys `object` lacks: the members themselves if `own`, else copies. */
static void merge_object(reader *r, ee_value *object, ee_value *source, bool own) {
  for (cJSON *item = source->json.child, *next; item != NULL; item = next) {
    ee_value *member = (ee_value *)item;
    next = item->next;
    if (ee_value_member(object, ee_value_key(member), r->arena) != NULL) continue;
    link_child(r->arena, object, own ? member : copy_tree(r, member));
  }
}

static void follow_notes(reader *r) {
  for (size_t i = 0; i < r->notes.count; i++) {
    note *n = &r->notes.items[i];
    bool own = n->kind == MERGE_OWN;
    if (n->kind == FOLLOW_ALIAS) {
      follow_alias(r, n->node, n->source);
    } else if (ee_type_of(n->source) == EE_OBJECT) {
      merge_object(r, n->node, n->source, own);
    } else {
      for (cJSON *element = n->source->json.child; element != NULL; element = element->next)
        merge_object(r, n->node, (ee_value *)element, own);
    }
  }
}

/* Reading --------------------------------------------------------------------------------------- */

static void report_problem(reader *r, bool begun) {
  const yaml_parser_t *parser = &r->parser;
  if (parser->error == YAML_MEMORY_ERROR) ee_out_of_memory();
  ee_yaml_problem problem = {.problem = parser->problem, .context = parser->context, .text = &r->text, .begun = begun};
  if (parser->context != NULL) problem.since = seek_index(&r->cursor, parser->context_mark.index);
  problem.at = seek_index(&r->cursor, parser->problem_mark.index);
  problem.place = r->cursor.at;
  const frame *top = top_of(r);
  if (top != NULL && top->in_brackets) {
    problem.open_line = top->line;
    problem.open_list = ee_type_of(top->container) == EE_ARRAY;
  }
  ee_yaml_report(&problem, r->error);
}

static bool read_events(reader *r) {
  bool begun = false;
  for (;;) {
    if (!yaml_parser_parse(&r->parser, &r->event)) {
      report_problem(r, begun);
      return false;
    }
    bool good = take_event(r, &r->event);
    yaml_event_type_t type = r->event.type;
    yaml_event_delete(&r->event);
    if (!good) return false;
    if (type == YAML_DOCUMENT_START_EVENT) begun = true;
    if (type == YAML_STREAM_END_EVENT) return true;
  }
}

static void delete_parser(void *user) {
  reader *r = user;
  yaml_event_delete(&r->event);
  yaml_parser_delete(&r->parser);
}

static bool read_yaml(reader *r) {
  if (!yaml_parser_initialize(&r->parser)) ee_out_of_memory();
  ee_cleanup_add(&r->cleanup, delete_parser, r);
  yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text.fed.data, r->text.fed.length);
  bool good = read_events(r);
  ee_cleanup_remove(&r->cleanup);
  delete_parser(r);
  if (!good) return false;
  follow_notes(r);
  if (r->root == NULL) {
    r->root = ee_value_new(r->arena, EE_NULL);
    put_place(r->arena, r->places, r->root, (ee_yaml_spot){1, 1, 0});
  }
  return true;
}

static bool read_text(reader *r, ee_str text) {
  if (!ee_yaml_text_init(&r->text, text, &r->cursor, r->error)) return false;
  json_outcome json = read_json(r->arena, r->text.source, &r->cursor, r->places, &r->root, r->error);
  if (json != IS_NOT_JSON) return json == IS_JSON;
  return ee_yaml_text_prepare(&r->text, &r->cursor, r->error) && read_yaml(r);
}

ee_value *ee_yaml_read(ee_arena *arena, ee_str text, ee_yaml_places *places, ee_error *error) {
  reader *r = ee_malloc(sizeof *r);
  /* The stack, most of the reader, needs no clearing. */
  memset(r, 0, offsetof(reader, stack));
  r->arena = arena;
  r->places = places;
  r->error = error;
  bool good = read_text(r, text);
  ee_value *root = good ? r->root : NULL;
  ee_yaml_text_fini(&r->text);
  EE_LIST_FINI(&r->anchors);
  ee_hash_index_fini(&r->names);
  EE_LIST_FINI(&r->notes);
  ee_free(r);
  return root;
}

static bool ends_with(const char *text, size_t length, const char *ending) {
  size_t tail = strlen(ending);
  return length >= tail && memcmp(text + length - tail, ending, tail) == 0;
}

bool ee_is_yaml_name(const char *file) {
  size_t length = strlen(file);
  if (ends_with(file, length, ".gz")) length -= 3;
  return ends_with(file, length, ".yaml") || ends_with(file, length, ".yml");
}
