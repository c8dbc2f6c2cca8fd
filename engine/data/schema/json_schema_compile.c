/* json_schema_compile.c: from a schema's document to nodes. Keywords are read in schema_value_keywords.c and
 * schema_inner_keywords.c, lookups of $ref are in schema_refs.c. */
#include <stdio.h>

#include "data/schema/schema_reading.h"

/* Mistakes past this many are counted only, and so are warnings. */
#define MISTAKES_TOLD 100
/* Bytes of a place and of a text in a message. */
#define PLACE_SHOWN 200
#define TEXT_SHOWN 100
/* Bytes of a name that may be a slip of a keyword. */
#define LONGEST_SLIP 40

void *ee_schema_grow(ee_arena *arena, void *items, size_t count, size_t *room, size_t size) {
  if (count < *room) return items;
  size_t wanted = *room < 8 ? 16 : *room * 2;
  void *larger = ee_arena_calloc(arena, wanted, size);
  if (count > 0) memcpy(larger, items, count * size);
  *room = wanted;
  return larger;
}

/* Telling -------------------------------------------------------------------------------------- */

/* A long place keeps its end. */
static const char *place_shown(ee_arena *arena, const ee_schema_place *place) {
  ee_str text = ee_schema_place_text(arena, place);
  if (text.length <= PLACE_SHOWN) return text.data;
  size_t from = text.length - PLACE_SHOWN;
  while (((unsigned char)text.data[from] & 0xc0) == 0x80) from++;
  return ee_arena_printf(arena, "...%s", text.data + from);
}

static void tell(ee_schema_compiler *compiler, ee_status status, const ee_schema_place *place, const char *message) {
  ee_error_list_addf(compiler->errors, status, NULL, 0, "%s: %s", place_shown(compiler->arena, place), message);
}

void ee_schema_mistake(ee_schema_compiler *compiler, const ee_schema_place *place, const char *format, ...) {
  if (compiler->mistakes++ >= MISTAKES_TOLD) return;
  char message[500];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  tell(compiler, EE_ERROR_RULES, place, message);
}

void ee_schema_warn(ee_schema_compiler *compiler, const ee_schema_place *place, const char *message) {
  if (compiler->warnings++ < MISTAKES_TOLD) tell(compiler, EE_OK, place, message);
}

int ee_schema_shown(ee_str text) { return (int)ee_utf8_cut(text, TEXT_SHOWN); }

/* Whether `value` is of the type that is told as `wanted`. */
bool ee_schema_expect(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place, ee_type type,
                      const char *wanted) {
  if (ee_type_of(value) == type) return true;
  ee_schema_mistake(self->compiler, place, "expected %s, got %s", wanted, ee_schema_describe(value));
  return false;
}

const ee_schema_place *ee_schema_below(ee_schema_reading *self, const ee_schema_place *place, ee_str step) {
  return ee_schema_place_below(self->compiler->arena, place, step);
}

ee_schema_keyword *ee_schema_add_keyword(ee_schema_reading *self, ee_keyword_kind kind, uint16_t applies,
                                         const ee_schema_place *place) {
  ee_schema_keyword *keyword = &self->node->keywords[self->node->count++];
  *keyword = (ee_schema_keyword){.kind = kind, .applies = applies, .place = place};
  return keyword;
}

/* Keywords ------------------------------------------------------------------------------------- */

/* Definitions apply to nothing, but their mistakes are told. */
static void read_definitions(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_OBJECT, "an object of schemas")) return;
  for (const ee_value *item = ee_value_child(value); item != NULL; item = ee_value_next(item))
    ee_schema_compile_node(self->compiler, item, ee_schema_below(self, place, ee_value_key(item)));
}

static bool is_anchor(ee_str text) {
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    bool other = (c >= '0' && c <= '9') || c == '-' || c == '.';
    if (!letter && !(other && i > 0)) return false;
  }
  return text.length > 0;
}

static void read_anchor(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_STRING, "a name")) return;
  ee_schema_compiler *compiler = self->compiler;
  ee_str name = ee_value_text(value);
  if (!is_anchor(name)) {
    ee_schema_mistake(compiler, place, "'%.*s' is no name of an anchor", ee_schema_shown(name), name.data);
    return;
  }
  compiler->anchors = ee_schema_grow(compiler->arena, compiler->anchors, compiler->anchor_count, &compiler->anchor_room,
                                     sizeof *compiler->anchors);
  compiler->anchors[compiler->anchor_count++] = (ee_schema_anchor){name, self->node};
}

static void read_id(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_STRING, "a URI")) return;
  if (self->source != self->compiler->document) {
    ee_schema_mistake(self->compiler, place, "'$id' below the root is not supported");
    return;
  }
  ee_str text = ee_value_text(value);
  const char *fragment = text.length > 0 ? memchr(text.data, '#', text.length) : NULL;
  if (fragment != NULL && fragment + 1 < text.data + text.length)
    ee_schema_mistake(self->compiler, place, "'$id' has a fragment ('$anchor' names a part)");
  if (fragment != NULL) text.length = (size_t)(fragment - text.data);
  self->compiler->base = text;
}

/* Older drafts are read as this one, which tells what it does not know; a dialect of somebody's own may leave out
 * anything. */
static void read_dialect(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  static const char *const known[] = {"https://json-schema.org/", "http://json-schema.org/"};
  if (!ee_schema_expect(self, value, place, EE_STRING, "a URI")) return;
  for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
    if (strncmp(value->json.valuestring, known[i], strlen(known[i])) == 0) return;
  }
  ee_schema_warn(self->compiler, place, "an unknown dialect, read as draft 2020-12");
}

static void read_ref(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (!ee_schema_expect(self, value, place, EE_STRING, "a reference")) return;
  ee_schema_compiler *compiler = self->compiler;
  self->node->has_inner = true;
  compiler->refs =
      ee_schema_grow(compiler->arena, compiler->refs, compiler->ref_count, &compiler->ref_room, sizeof *compiler->refs);
  compiler->refs[compiler->ref_count++] =
      (ee_schema_ref){ee_schema_add_keyword(self, EE_KEYWORD_REF, EE_TYPE_BIT_ALL, place), ee_value_text(value)};
}

static void refuse_keyword(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  (void)value;
  ee_schema_mistake(self->compiler, place, "'%.*s' is not supported", ee_schema_shown(place->step), place->step.data);
}

/* The others, sorted by name. */
static const ee_schema_row other_rows[] = {
    {"$anchor", read_anchor, NULL},
    {"$comment", NULL, NULL},
    {"$defs", read_definitions, NULL},
    {"$dynamicAnchor", read_anchor, NULL},
    {"$dynamicRef", refuse_keyword, NULL},
    {"$id", read_id, NULL},
    {"$recursiveAnchor", refuse_keyword, NULL},
    {"$recursiveRef", refuse_keyword, NULL},
    {"$ref", read_ref, NULL},
    {"$schema", read_dialect, NULL},
    {"$vocabulary", refuse_keyword, NULL},
    {"additionalItems", NULL, "'prefixItems' and 'items' say that today"},
    {"contentEncoding", NULL, NULL},
    {"contentMediaType", NULL, NULL},
    {"contentSchema", NULL, NULL},
    {"default", NULL, NULL},
    {"definitions", read_definitions, NULL},
    {"dependencies", NULL, "'dependentRequired' and 'dependentSchemas' say that today"},
    {"deprecated", NULL, NULL},
    {"description", NULL, NULL},
    {"disallow", NULL, "'not' says that today"},
    {"divisibleBy", NULL, "'multipleOf' says that today"},
    {"examples", NULL, NULL},
    {"extends", NULL, "'allOf' says that today"},
    {"format", NULL, NULL},
    {"nullable", NULL, "'type' takes a list with \"null\" in it"},
    {"readOnly", NULL, NULL},
    {"title", NULL, NULL},
    {"unevaluatedItems", refuse_keyword, NULL},
    {"unevaluatedProperties", refuse_keyword, NULL},
    {"writeOnly", NULL, NULL},
    {NULL, NULL, NULL},
};

static const ee_schema_row *const tables[] = {ee_schema_value_rows, ee_schema_inner_rows, other_rows};
enum { TABLE_COUNT = sizeof tables / sizeof *tables, MOST_ROWS = 100 };

static const ee_schema_row *find_row(ee_str name) {
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    for (const ee_schema_row *row = tables[i]; row->name != NULL; row++) {
      int order = ee_str_compare(name, ee_str_from(row->name));
      if (order == 0) return row;
      if (order < 0) break;
    }
  }
  return NULL;
}

/* An unknown keyword is an annotation; one that is nearly a keyword which would have said something is told. */
static void warn_unknown(ee_schema_reading *self, const ee_value *value, const ee_schema_place *place) {
  if (value->key_length > LONGEST_SLIP || self->compiler->warnings >= MISTAKES_TOLD) return;
  const char *names[MOST_ROWS] = {NULL};
  size_t count = 0;
  for (size_t i = 0; i < TABLE_COUNT; i++) {
    for (const ee_schema_row *row = tables[i]; row->name != NULL && count < MOST_ROWS - 1; row++)
      names[count++] = row->name;
  }
  const char *near = ee_did_you_mean(value->json.string, names);
  if (near == NULL || find_row(ee_str_from(near))->read == NULL) return;
  char message[200];
  snprintf(message, sizeof message, "unknown keyword (did you mean '%s'?)", near);
  ee_schema_warn(self->compiler, place, message);
}

static void read_keywords(ee_schema_reading *self) {
  for (const ee_value *item = ee_value_child(self->source); item != NULL; item = ee_value_next(item)) {
    const ee_schema_place *place = ee_schema_below(self, self->place, ee_value_key(item));
    const ee_schema_row *row = find_row(ee_value_key(item));
    if (row == NULL) {
      warn_unknown(self, item, place);
    } else if (row->warning != NULL) {
      char message[200];
      snprintf(message, sizeof message, "'%s' says nothing in draft 2020-12: %s", row->name, row->warning);
      ee_schema_warn(self->compiler, place, message);
    } else if (row->read != NULL) {
      row->read(self, item, place);
    }
  }
}

ee_schema_node *ee_schema_compile_node(ee_schema_compiler *compiler, const ee_value *source,
                                       const ee_schema_place *place) {
  uint64_t known = ee_schema_memo_get(&compiler->by_source, source, 0);
  if (known != 0) return compiler->nodes[known - 1];
  ee_schema_node *node = EE_NEW(compiler->arena, ee_schema_node);
  size_t room = compiler->node_room;
  compiler->nodes = ee_schema_grow(compiler->arena, compiler->nodes, compiler->node_count, &compiler->node_room,
                                   sizeof *compiler->nodes);
  compiler->uses = ee_schema_grow(compiler->arena, compiler->uses, compiler->node_count, &room, sizeof *compiler->uses);
  node->id = (uint32_t)compiler->node_count;
  node->place = place;
  compiler->nodes[compiler->node_count++] = node;
  ee_schema_memo_put(&compiler->by_source, source, 0, compiler->node_count);
  ee_type type = ee_type_of(source);
  if (type == EE_FALSE) node->form = EE_SCHEMA_NOTHING;
  if (type == EE_OBJECT) {
    node->keywords = EE_NEW_ARRAY(compiler->arena, ee_schema_keyword, ee_value_count(source));
    ee_schema_reading self = {.compiler = compiler, .source = source, .place = place, .node = node};
    read_keywords(&self);
  } else if (type != EE_TRUE && type != EE_FALSE) {
    ee_schema_mistake(compiler, place, "expected a schema (an object or a boolean), got %s",
                      ee_schema_describe(source));
  }
  return node;
}

ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, ee_error_list *errors) {
  ee_schema_compiler compiler = {.arena = arena, .errors = errors, .document = schema, .by_source = {.arena = arena}};
  if (schema == NULL) {
    ee_schema_mistake(&compiler, NULL, "expected a schema (an object or a boolean), got nothing");
    return NULL;
  }
  ee_schema_node *root = ee_schema_compile_node(&compiler, schema, NULL);
  compiler.uses[root->id]++;
  ee_schema_resolve(&compiler);
  if (compiler.mistakes > MISTAKES_TOLD) {
    ee_error_list_addf(errors, EE_ERROR_RULES, NULL, 0, ": %zu more mistakes", compiler.mistakes - MISTAKES_TOLD);
  }
  if (compiler.mistakes > 0) return NULL;
  /* A schema that asks no other costs less than looking up what it said. */
  for (size_t i = 0; i < compiler.node_count; i++) {
    ee_schema_node *node = compiler.nodes[i];
    node->remembered = node->has_inner && (node->remembered || compiler.uses[i] > 1);
  }
  ee_json_schema *result = EE_NEW(arena, ee_json_schema);
  *result = (ee_json_schema){root, compiler.node_count};
  return result;
}
