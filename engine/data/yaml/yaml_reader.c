/* yaml_reader.c: libyaml's events to the document model.
 *
 * Open containers stand on an explicit stack. Aliases of containers and merge keys are only noted while the text is
 * read: what they will add is counted at once, so that a text that explodes is refused before anything is copied, and
 * the copying is done at the end, in the order of the notes. What a note copies stands before it in the text, so its
 * own notes have been worked off by then. */
#include "data/yaml/yaml_reader.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <yaml.h>

#include "base/error.h"
#include "base/hash.h"
#include "base/memory.h"
#include "data/json/value.h"
#include "data/yaml/yaml_parts.h"

/* The type of a node that stands for a container until its alias is followed: cJSON_Invalid; `child` is the target. */
#define ALIAS_TYPE cJSON_Invalid

/* An open container. */
typedef struct frame {
  ee_value *container;
  ee_str key;        /* of the value that comes next; data NULL: a key comes next */
  ee_value *merge;   /* the value of the merge key; NULL: none */
  uint32_t key_line; /* of `key` */
  uint32_t line;     /* where the container begins */
  uint32_t height;   /* of its highest child */
  size_t merge_line; /* 0: no merge key yet */
  bool is_merge;     /* `key` is the merge key */
  bool in_brackets;
  size_t anchor;       /* number of its anchor, from 1; 0: none */
  size_t nodes, bytes; /* of the whole tree before it */
} frame;

typedef struct anchor {
  ee_str name;
  ee_str text;     /* of a scalar, as a key would have it; data NULL: a container */
  ee_value *value; /* NULL: not closed yet */
  size_t nodes, bytes;
  uint32_t height;
} anchor;

/* An alias of a container: `node` becomes a copy of `source`. Or a merge: the mapping or list of mappings `source`
 * joins the mapping `node`, itself when it is a copy that an alias brought, else a copy of it, because other aliases
 * may look into what stands there. */
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
  ee_value *root;
  size_t nodes, bytes;                   /* of the tree so far, aliases followed; bytes of keys and texts */
  size_t repeated_nodes, repeated_bytes; /* of these, what aliases and merges add */
  anchor *anchors;
  size_t anchor_count, anchor_capacity;
  size_t *names; /* open addressing: the number, from 1, of the latest anchor of a name; 0: free */
  size_t name_capacity;
  note *notes;
  size_t note_count, note_capacity;
  size_t depth, brackets;
  frame stack[EE_YAML_DEPTH];
} reader;

static frame *top_of(reader *r) { return r->depth > 0 ? &r->stack[r->depth - 1] : NULL; }

/* Counting ----------------------------------------------------------------------------------------------------------
 */

static bool count(reader *r, size_t nodes, size_t bytes, ee_yaml_spot spot) {
  r->nodes += nodes;
  r->bytes += bytes;
  if (r->nodes > EE_YAML_NODES) return ee_yaml_fail(r->error, spot, "more than %zu nodes", EE_YAML_NODES);
  return true;
}

/* Counts nodes that stand in the tree once more. No sum overflows: each part is below its bound, and so was the sum. */
static bool count_again(reader *r, size_t nodes, size_t bytes, ee_yaml_spot spot) {
  r->repeated_nodes += nodes;
  r->repeated_bytes += bytes;
  if (r->repeated_nodes > EE_YAML_REPEATED_NODES)
    return ee_yaml_fail(r->error, spot, "aliases repeat more than %zu nodes", EE_YAML_REPEATED_NODES);
  if (r->repeated_bytes > EE_YAML_REPEATED_BYTES)
    return ee_yaml_fail(r->error, spot, "aliases repeat more than %zu MiB of text", EE_YAML_REPEATED_BYTES >> 20);
  return count(r, nodes, bytes, spot);
}

/* Anchors -----------------------------------------------------------------------------------------------------------
 */

static size_t *find_name(const reader *r, ee_str name) {
  size_t at = (size_t)ee_hash_bytes(name.data, name.length, 0) & (r->name_capacity - 1);
  while (r->names[at] != 0 && !ee_str_equal(r->anchors[r->names[at] - 1].name, name))
    at = (at + 1) & (r->name_capacity - 1);
  return &r->names[at];
}

static void grow_names(reader *r) {
  r->name_capacity = r->name_capacity > 0 ? r->name_capacity * 2 : 64;
  free(r->names);
  r->names = ee_calloc(r->name_capacity, sizeof *r->names);
  for (size_t i = 0; i < r->anchor_count; i++) *find_name(r, r->anchors[i].name) = i + 1;
}

/* Adds an anchor, from now on the one of its name, and returns its number; 0 when there is no name. */
static size_t add_anchor(reader *r, const yaml_char_t *name) {
  if (name == NULL) return 0;
  if (r->anchor_count * 2 >= r->name_capacity) grow_names(r);
  if (r->anchor_count == r->anchor_capacity) {
    r->anchor_capacity = r->anchor_capacity > 0 ? r->anchor_capacity * 2 : 32;
    r->anchors = ee_realloc(r->anchors, r->anchor_capacity, sizeof *r->anchors);
  }
  ee_str text = ee_str_from((const char *)name);
  text.data = ee_arena_copy(r->arena, text.data, text.length);
  *find_name(r, text) = r->anchor_count + 1;
  r->anchors[r->anchor_count++] = (anchor){.name = text};
  return r->anchor_count;
}

/* The closed anchor that an alias names, or NULL with the mistake told. */
static const anchor *find_anchor(reader *r, const yaml_char_t *name, ee_yaml_spot spot) {
  ee_str text = ee_str_from((const char *)name);
  size_t number = r->name_capacity > 0 ? *find_name(r, text) : 0;
  char shown[64];
  if (number == 0) {
    ee_yaml_fail(r->error, spot, "unknown alias '*%s'", ee_yaml_shown(text, shown));
  } else if (r->anchors[number - 1].value == NULL) {
    ee_yaml_fail(r->error, spot, "alias '*%s' inside of what its anchor names", ee_yaml_shown(text, shown));
  } else {
    return &r->anchors[number - 1];
  }
  return NULL;
}

static void add_note(reader *r, ee_value *node, ee_value *source, note_kind kind) {
  if (r->note_count == r->note_capacity) {
    r->note_capacity = r->note_capacity > 0 ? r->note_capacity * 2 : 32;
    r->notes = ee_realloc(r->notes, r->note_capacity, sizeof *r->notes);
  }
  r->notes[r->note_count++] = (note){node, source, kind};
}

/* Links -------------------------------------------------------------------------------------------------------------
 */

/* Puts `child` behind the last child; as in cJSON, the first child's prev is the last child. */
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

/* While a mapping is open, the hashes of its members hold the lines of their keys. */
static void forget_lines(ee_value *mapping) {
  for (cJSON *member = mapping->json.child; member != NULL; member = member->next) ((ee_value *)member)->hash = 0;
}

/* Notes a key; false when the mapping has it already. */
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

/* Puts a new node where it belongs: at the root, at the end of a list, or under the key that came before. */
static void attach(reader *r, ee_value *node, ee_yaml_spot spot) {
  frame *top = top_of(r);
  ee_yaml_places_put(r->arena, r->places, node, spot);
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

static bool is_mapping(const ee_value *node) {
  return ee_type_of(is_alias(node) ? ee_value_child(node) : node) == EE_OBJECT;
}

/* A mapping, or a list of mappings. */
static bool may_be_merged(const ee_value *node) {
  if (is_mapping(node)) return true;
  if (is_alias(node)) node = ee_value_child(node);
  if (ee_type_of(node) != EE_ARRAY) return false;
  for (const ee_value *element = ee_value_child(node); element != NULL; element = ee_value_next(element))
    if (!is_mapping(element)) return false;
  return true;
}

/* Called when a value is complete, with what the tree held before it, and how high it is. */
static bool finish_value(reader *r, size_t nodes, size_t bytes, uint32_t height, ee_yaml_spot spot) {
  frame *top = top_of(r);
  if (top == NULL) return true;
  if (height > top->height) top->height = height;
  if (ee_type_of(top->container) != EE_OBJECT) return true;
  top->key = (ee_str){NULL, 0};
  if (!top->is_merge) return true;
  if (!may_be_merged(top->merge)) return ee_yaml_fail(r->error, spot, "'<<' wants a mapping or a list of mappings");
  return is_alias(top->merge) || count_again(r, r->nodes - nodes, r->bytes - bytes, spot);
}

/* Events ------------------------------------------------------------------------------------------------------------
 */

/* libyaml forgets the tag "!" of a scalar; the text still has it, before the anchor or behind it. */
static bool has_plain_tag(const reader *r) {
  const char *at = r->cursor.at, *end = r->cursor.end;
  if (at < end && *at == '&') {
    while (at < end && *at != ' ' && *at != '\t' && *at != '\n' && *at != '\r') at++;
    while (at < end && (*at == ' ' || *at == '\t' || *at == '\n' || *at == '\r')) at++;
  }
  return at < end && *at == '!';
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
  return plain && !has_plain_tag(r) ? EE_YAML_UNTAGGED : EE_YAML_STR;
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
    anchor *named = &r->anchors[number - 1];
    *named = (anchor){.name = named->name, .text = text, .value = node, .nodes = 1, .bytes = length};
    /* The node of a key is no part of the tree. */
  }
  if (is_key) return take_key(r, text, tag == EE_YAML_UNTAGGED && ee_str_is(text, "<<"), spot);
  attach(r, node, spot);
  if (!count(r, 1, ee_type_of(node) == EE_STRING ? text.length : 0, spot)) return false;
  return finish_value(r, nodes, bytes, 0, spot);
}

static bool take_alias(reader *r, const yaml_event_t *event, ee_yaml_spot spot) {
  const anchor *named = find_anchor(r, event->data.alias.anchor, spot);
  if (named == NULL) return false;
  if (wants_key(top_of(r))) {
    if (named->text.data == NULL) return ee_yaml_fail(r->error, spot, "a key that is a mapping or a list");
    return take_key(r, named->text, false, spot);
  }
  if (r->depth + named->height > EE_YAML_DEPTH)
    return ee_yaml_fail(r->error, spot, "nesting deeper than %d", EE_YAML_DEPTH);
  size_t nodes = r->nodes, bytes = r->bytes;
  if (!count_again(r, named->nodes, named->bytes, spot)) return false;
  ee_value *node = EE_NEW(r->arena, ee_value);
  if (named->text.data != NULL) {
    /* A scalar: the same text under another key. */
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
  bool list = event->type == YAML_SEQUENCE_START_EVENT;
  const yaml_char_t *tag = list ? event->data.sequence_start.tag : event->data.mapping_start.tag;
  bool in_brackets = list ? event->data.sequence_start.style == YAML_FLOW_SEQUENCE_STYLE
                          : event->data.mapping_start.style == YAML_FLOW_MAPPING_STYLE;
  if (wants_key(top_of(r))) return ee_yaml_fail(r->error, spot, "a key that is a mapping or a list");
  if (r->depth == EE_YAML_DEPTH) return ee_yaml_fail(r->error, spot, "nesting deeper than %d", EE_YAML_DEPTH);
  if (in_brackets && r->brackets == EE_YAML_BRACKETS)
    return ee_yaml_fail(r->error, spot, "brackets nested deeper than %d", EE_YAML_BRACKETS);
  if (tag != NULL && strcmp((const char *)tag, "!") != 0) {
    ee_yaml_tag kind = ee_yaml_tag_of((const char *)tag);
    if (kind == EE_YAML_UNKNOWN) return refuse_tag(r, tag, spot);
    if (kind != (list ? EE_YAML_SEQ : EE_YAML_MAP))
      return ee_yaml_fail(r->error, spot, "a %s under the tag of something else", list ? "list" : "mapping");
  }
  ee_value *node = ee_value_new(r->arena, list ? EE_ARRAY : EE_OBJECT);
  size_t nodes = r->nodes, bytes = r->bytes;
  attach(r, node, spot);
  size_t number = add_anchor(r, list ? event->data.sequence_start.anchor : event->data.mapping_start.anchor);
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
  frame closed = *top_of(r);
  uint32_t height = closed.height + 1;
  r->depth -= 1;
  r->brackets -= closed.in_brackets;
  forget_lines(closed.container);
  if (closed.merge != NULL)
    add_note(r, closed.container, closed.merge, is_alias(closed.merge) ? MERGE_OWN : MERGE_COPY);
  if (closed.anchor != 0) {
    anchor *named = &r->anchors[closed.anchor - 1];
    named->value = closed.container;
    named->nodes = r->nodes - closed.nodes;
    named->bytes = r->bytes - closed.bytes;
    named->height = height;
  }
  return finish_value(r, closed.nodes, closed.bytes, height, spot);
}

/* In brackets libyaml takes "?a" for the key "a", as YAML 1.1 did; in YAML 1.2 it is text. Rather than read the one as
 * the other, it is refused. */
static bool follows_question_mark(const reader *r) {
  return r->brackets > 0 && r->cursor.at > r->cursor.start && r->cursor.at[-1] == '?';
}

static bool take_event(reader *r, const yaml_event_t *event) {
  ee_yaml_spot spot = ee_yaml_seek_index(&r->cursor, event->start_mark.index);
  if (event->type == YAML_SCALAR_EVENT && event->start_mark.index < event->end_mark.index && follows_question_mark(r)) {
    spot = (ee_yaml_spot){spot.line, spot.column - 1, spot.offset - 1};
    return ee_yaml_fail(r->error, spot, "text that begins with '?' in brackets (put it in quotes)");
  }
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    return r->root == NULL || ee_yaml_fail(r->error, spot, "a second document (a text holds one)");
  case YAML_SCALAR_EVENT: return take_scalar(r, event, spot);
  case YAML_ALIAS_EVENT: return take_alias(r, event, spot);
  case YAML_SEQUENCE_START_EVENT:
  case YAML_MAPPING_START_EVENT: return open_container(r, event, spot);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT: return close_container(r, spot);
  default: return true;
  }
}

/* Aliases and merges ------------------------------------------------------------------------------------------------
 */

static ee_value *copy_tree(reader *r, const ee_value *from);

/* Copies share their texts. The recursion is bounded by EE_YAML_DEPTH. */
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
    ee_yaml_places_put(r->arena, r->places, copy, (ee_yaml_spot){place.line, place.column, 0});
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

/* Members of `source` whose keys `mapping` does not have join it: themselves, when `source` is nobody else's. */
static void merge_mapping(reader *r, ee_value *mapping, ee_value *source, bool own) {
  for (cJSON *item = source->json.child, *next; item != NULL; item = next) {
    ee_value *member = (ee_value *)item;
    next = item->next;
    if (ee_value_member(mapping, ee_value_key(member), r->arena) != NULL) continue;
    link_child(r->arena, mapping, own ? member : copy_tree(r, member));
  }
}

static void work_off_notes(reader *r) {
  for (size_t i = 0; i < r->note_count; i++) {
    note *n = &r->notes[i];
    bool own = n->kind == MERGE_OWN;
    if (n->kind == FOLLOW_ALIAS) {
      follow_alias(r, n->node, n->source);
    } else if (ee_type_of(n->source) == EE_OBJECT) {
      merge_mapping(r, n->node, n->source, own);
    } else {
      for (cJSON *element = n->source->json.child; element != NULL; element = element->next)
        merge_mapping(r, n->node, (ee_value *)element, own);
    }
  }
}

/* Texts -------------------------------------------------------------------------------------------------------------
 */

static void report_problem(reader *r, bool begun) {
  const yaml_parser_t *parser = &r->parser;
  if (parser->error == YAML_MEMORY_ERROR) ee_out_of_memory();
  ee_yaml_problem problem = {.problem = parser->problem, .context = parser->context, .text = &r->text, .begun = begun};
  if (parser->context != NULL) problem.since = ee_yaml_seek_index(&r->cursor, parser->context_mark.index);
  problem.at = ee_yaml_seek_index(&r->cursor, parser->problem_mark.index);
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
    yaml_event_t event;
    if (!yaml_parser_parse(&r->parser, &event)) {
      report_problem(r, begun);
      return false;
    }
    bool good = take_event(r, &event);
    yaml_event_type_t type = event.type;
    yaml_event_delete(&event);
    if (!good) return false;
    if (type == YAML_DOCUMENT_START_EVENT) begun = true;
    if (type == YAML_STREAM_END_EVENT) return true;
  }
}

static bool read_yaml(reader *r) {
  if (!yaml_parser_initialize(&r->parser)) ee_out_of_memory();
  yaml_parser_set_encoding(&r->parser, YAML_UTF8_ENCODING);
  yaml_parser_set_input_string(&r->parser, (const unsigned char *)r->text.fed.data, r->text.fed.length);
  bool good = read_events(r);
  yaml_parser_delete(&r->parser);
  if (!good) return false;
  work_off_notes(r);
  if (r->root == NULL) {
    r->root = ee_value_new(r->arena, EE_NULL);
    ee_yaml_places_put(r->arena, r->places, r->root, (ee_yaml_spot){1, 1, 0});
  }
  return true;
}

static bool read_text(reader *r, ee_str text) {
  if (!ee_yaml_text_init(&r->text, text, &r->cursor, r->error)) return false;
  ee_yaml_json json = ee_yaml_read_json(r->arena, r->text.source, &r->cursor, r->places, &r->root, r->error);
  if (json != EE_YAML_NO_JSON) return json == EE_YAML_IS_JSON;
  return ee_yaml_text_prepare(&r->text, &r->cursor, r->error) && read_yaml(r);
}

ee_value *ee_yaml_read(ee_arena *arena, ee_str text, ee_yaml_places *places, ee_error *error) {
  reader *r = ee_malloc(sizeof *r);
  /* The stack is not cleared: it is most of the reader. */
  memset(r, 0, offsetof(reader, stack));
  r->arena = arena;
  r->places = places;
  r->error = error;
  bool good = read_text(r, text);
  ee_value *root = good ? r->root : NULL;
  ee_yaml_text_fini(&r->text);
  free(r->anchors);
  free(r->names);
  free(r->notes);
  free(r);
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
