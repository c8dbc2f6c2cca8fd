/* schema_refs.c: resolves references, with the dynamic scope, and refuses those that go round in circles.
 *
 * The dynamic scope decides what $dynamicRef and $recursiveRef mean: of all resources that were entered on the way to a
 * schema, the outermost one that has the anchor counts. A scope that has an anchor keeps it, so there are few scopes,
 * and each schema is compiled once for each scope that it is met in: then these references lead to one schema, as $ref
 * does, and validating knows nothing of them. */
#include "data/schema/schema_compiler.h"
#include "data/schema/schema_uri.h"
#include "prim/sort.h"

/* Rounds in which references are tried that led nowhere: what a reference leads to may hold further anchors. */
#define ROUNDS 16
/* Anchors in all scopes together. */

/* Scopes --------------------------------------------------------------------------------------- */

static const ee_schema_anchor *find_binding(const ee_schema_scope *scope, ee_str name) {
  size_t low = 0, high = scope->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    int order = ee_str_compare(name, scope->items[middle].name);
    if (order == 0) return &scope->items[middle];
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static bool binding_before(const ee_schema_anchor *a, const ee_schema_anchor *b) {
  return ee_str_compare(a->name, b->name) < 0;
}
EE_DEFINE_SORT(sort_bindings, ee_schema_anchor, binding_before)

static bool same_bindings(const ee_schema_scope *a, const ee_schema_scope *b) {
  if (a->count != b->count) return false; /* unreached: two scopes of one hash */
  for (size_t i = 0; i < a->count; i++)
    if (a->items[i].target.value != b->items[i].target.value) return false; /* unreached: two scopes of one hash */
  return true;
}

/* The number of a scope that has these bindings. */
static uint32_t number_of(ee_schema_compiler *self, const ee_schema_scope *scope) {
  uint64_t hash = scope->count;
  for (size_t i = 0; i < scope->count; i++)
    hash = ee_hash_mix(hash ^ (uint64_t)(uintptr_t)scope->items[i].target.value);
  size_t at = 0, number;
  while (ee_hash_index_next(&self->scopes_index, hash, &at, &number))
    if (same_bindings(&self->scopes.items[number], scope)) /* unreached: two scopes of one hash */
      return (uint32_t)number;
  self->bindings += scope->count;
  ee_hash_index_add(&self->scopes_index, hash, self->scopes.count);
  *EE_LIST_ADD(&self->scopes, self->arena) = *scope;
  return (uint32_t)(self->scopes.count - 1);
}

static uint32_t enter(ee_schema_compiler *self, uint32_t from, const ee_schema_resource *resource) {
  ee_schema_scope scope = self->scopes.items[from];
  ee_schema_anchor *items = EE_NEW_ARRAY(self->arena, ee_schema_anchor, scope.count + resource->dynamic.count);
  size_t count = 0;
  for (size_t i = 0; i < resource->dynamic.count; i++) {
    const ee_schema_anchor *anchor = &resource->dynamic.items[i];
    if (find_binding(&scope, anchor->name) == NULL) items[count++] = *anchor;
  }
  if (count == 0) return from;
  if (self->bindings + scope.count + count > EE_SCHEMA_BINDINGS) {
    if (!self->is_full) ee_schema_mistake(self, resource->place, "too many dynamic anchors and scopes");
    self->is_full = true;
    return from;
  }
  if (scope.count > 0) memcpy(items + count, scope.items, scope.count * sizeof *items);
  scope = (ee_schema_scope){items, count + scope.count};
  sort_bindings(items, scope.count, self->arena);
  return number_of(self, &scope);
}

uint32_t ee_schema_scope_enter(ee_schema_compiler *self, uint32_t scope, ee_schema_resource *resource) {
  if (resource->dynamic.count == 0) return scope;
  const ee_value *key = (const ee_value *)(const void *)resource;
  uint64_t known = ee_schema_memo_get(&self->entered, key, scope);
  if (known != 0) return (uint32_t)known - 1;
  uint32_t entered = enter(self, scope, resource);
  ee_schema_memo_put(&self->entered, key, scope, (uint64_t)entered + 1);
  return entered;
}

/* References ----------------------------------------------------------------------------------- */

ee_schema_target ee_schema_resolve(ee_schema_compiler *self, const ee_schema_ref *ref, const char **why) {
  const ee_schema_target nothing = {NULL, NULL, NULL};
  ee_str fragment, uri = ee_uri_split(ee_uri_resolve(self->arena, ref->resource->uri, ref->text), &fragment);
  ee_schema_resource *resource = ee_schema_find_resource(self, ref->resource, uri, why);
  if (resource == NULL) return nothing;
  bool is_dynamic;
  ee_schema_target found = ee_schema_find_fragment(self, resource, fragment, &is_dynamic);
  if (found.value == NULL) {
    *why = ee_arena_printf(self->arena, "'%.*s' refers to nothing", ee_schema_shown(ref->text), ref->text.data);
    return nothing;
  }
  ee_str name = is_dynamic ? ee_uri_decode(self->arena, fragment) : EE_STR("");
  if (ref->kind == EE_REFERENCE_RECURSIVE) {
    for (size_t i = 0; i < resource->dynamic.count; i++) is_dynamic |= resource->dynamic.items[i].name.length == 0;
  }
  const ee_schema_anchor *binding = NULL;
  if (ref->kind != EE_REFERENCE_PLAIN && is_dynamic) binding = find_binding(&self->scopes.items[ref->scope], name);
  return binding != NULL ? binding->target : found;
}

/* False if the reference leads nowhere, with `*why`. */
static bool resolve(ee_schema_compiler *self, const ee_schema_ref *ref, const char **why) {
  ee_schema_target target = ee_schema_resolve(self, ref, why);
  if (target.value == NULL) return false;
  const ee_schema_node *found = ee_schema_compile_node(self, &target, ref->scope);
  ref->keyword->as.schema = found;
  self->nodes.items[found->id].uses++;
  return true;
}

static void resolve_all(ee_schema_compiler *self) {
  const char *why;
  for (int round = 0; round < ROUNDS && self->refs.count > 0; round++) {
    size_t left = 0, tried = 0;
    for (; tried < self->refs.count; tried++) { /* resolving adds further ones */
      ee_schema_ref ref = self->refs.items[tried];
      if (!resolve(self, &ref, &why)) self->refs.items[left++] = ref;
    }
    self->refs.count = left;
    if (left == tried) break;
  }
  /* Once more: a reference that the last round has made good is not a mistake, and must get its schema. */
  for (size_t i = 0; i < self->refs.count; i++) {
    ee_schema_ref ref = self->refs.items[i];
    if (!resolve(self, &ref, &why)) ee_schema_mistake(self, ref.keyword->place, "%s", why);
  }
}

/* Cycles --------------------------------------------------------------------------------------- */

/* The schema number `index` that a keyword applies to the same value, or NULL. */
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

/* The next schema that a node's keywords apply to the same value; advances `*keyword` and `*index`. NULL at the end. */
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

/* A schema on the path of the walk and the keyword that the path takes. */
typedef struct walk_step {
  const ee_schema_node *node;
  size_t keyword, index;
} walk_step;

/* The path ends where it came back: reports the last $ref, which every cycle has. */
static void report_cycle(ee_schema_compiler *self, const walk_step *last) {
  while (last->node->keywords[last->keyword].kind != EE_KEYWORD_REF) last--;
  ee_schema_mistake(self, last->node->keywords[last->keyword].place, "refers to itself without entering the instance");
}

/* Depth first with a stack of its own, because a chain of references may be as long as the document. */
static void check_cycles(ee_schema_compiler *self) {
  enum { NEW = 0, ON_PATH, DONE };
  unsigned char *states = EE_NEW_ARRAY(self->arena, unsigned char, self->nodes.count);
  walk_step *path = EE_NEW_ARRAY(self->arena, walk_step, self->nodes.count);
  for (size_t start = 0; start < self->nodes.count; start++) {
    if (states[start] != NEW) continue;
    size_t length = 0;
    states[start] = ON_PATH;
    path[length++] = (walk_step){self->nodes.items[start].node, 0, 0};
    while (length > 0) {
      walk_step *step = &path[length - 1];
      const ee_schema_node *next = next_same_value(step->node, &step->keyword, &step->index);
      if (next == NULL) {
        states[step->node->id] = DONE;
        length--;
      } else if (states[next->id] == NEW) {
        states[next->id] = ON_PATH;
        path[length++] = (walk_step){next, 0, 0};
      } else if (states[next->id] == ON_PATH) {
        report_cycle(self, step);
      }
    }
  }
}

void ee_schema_resolve_all(ee_schema_compiler *self) {
  resolve_all(self);
  check_cycles(self);
}
