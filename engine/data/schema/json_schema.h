/* json_schema.h: JSON Schema, drafts 2020-12, 2019-09, 07, 06 and 04.
 *
 * A schema is of the draft that its $schema names, else of the draft in the options. $schema may also name a metaschema
 * of the registry, whose $vocabulary then says which keywords count. Everything that a draft requires is there, except
 * for 1.0, which is an integer in draft 04, too. `format` asserts only on wish (ee_schema_options.formats, or a
 * vocabulary that says so). OpenAPI documents: of 3.1 the schemas are of jsonSchemaDialect, else 2020-12; of 3.0 they
 * are of draft 04 with `nullable`.
 *
 * References: to parts of the document, by pointer, anchor and $id; to the drafts' metaschemas, which are built in; to
 * the documents of a registry; to files, as far as ee_schema_options.load gives them. Nothing comes from a network. A
 * reference that leads nowhere is a mistake, and so is a vocabulary that is required and not known.
 *
 * Unknown keywords are annotations, as the standard says. Warnings: a misspelt keyword ("reqired"), a keyword of
 * another draft, keywords beside $ref where the draft ignores them, a $schema that is not known.
 *
 * Values: 1, 1.0 and 10e-1 are one number and an integer. {"x":null} and {} differ, unlike elsewhere in judging.
 *
 * Cost of a validation: at most the schema's size times the instance's, however schemas nest in anyOf or refer to each
 * other, and that once more for each unevaluatedItems and unevaluatedProperties; uniqueItems sorts by hash; searches
 * for patterns are bounded (EE_PATTERN_STEPS). $dynamicRef and $recursiveRef are resolved when the schema is compiled:
 * each schema is compiled once for every dynamic scope that it is met in. */
#ifndef EE_DATA_SCHEMA_JSON_SCHEMA_H
#define EE_DATA_SCHEMA_JSON_SCHEMA_H

#include "base/arena.h"
#include "base/error.h"
#include "data/json/value.h"

typedef struct ee_json_schema ee_json_schema;

/* From the newest on. */
typedef enum ee_schema_draft {
  EE_DRAFT_2020_12,
  EE_DRAFT_2019_09,
  EE_DRAFT_07,
  EE_DRAFT_06,
  EE_DRAFT_04,
  EE_DRAFT_OPENAPI_30 /* draft 04 with `nullable` and without `id` */
} ee_schema_draft;

/* A document that references may lead to. */
typedef struct ee_schema_source {
  const ee_value *document; /* must outlive the compiled schema */
  ee_str uri;               /* absolute, without fragment: the base of its references; empty: not known */
  ee_str location;          /* where it is, for what is beside it; empty: not known */
  const char *name;         /* for messages and violations: "common.json" */
} ee_schema_source;

/* Documents by URI. Immutable once filled; threads may share it. */
typedef struct ee_schema_registry ee_schema_registry;
ee_schema_registry *ee_schema_registry_new(ee_arena *arena);
/* Adds `source` under `uri` (without fragment; may be relative), or under its own URI if that is empty, and under each
 * absolute $id in it. `draft`: of documents without $schema. False, with the other one's name in `*other`, if `uri` or
 * the root's $id is another document's; that keeps it. The document must be frozen. */
bool ee_schema_registry_add(ee_schema_registry *registry, ee_str uri, const ee_schema_source *source,
                            ee_schema_draft draft, const char **other);

typedef struct ee_schema_options {
  ee_schema_draft draft;              /* of documents without $schema */
  bool formats;                       /* `format` asserts */
  ee_str at;                          /* a reference to the schema in the document: "#/$defs/a"; empty: the root */
  ee_str location;                    /* where the document is, absolute: the base of its references; or empty */
  const ee_schema_registry *registry; /* NULL: none */
  /* Gives the document at `uri` (absolute, without fragment), which the registry does not have. False if it cannot,
   * with
   * `*why` (in `arena`, or static), or NULL where it has nothing to say. NULL: only the registry. */
  bool (*load)(void *user, ee_arena *arena, ee_str uri, ee_schema_source *source, const char **why);
  void *user;
} ee_schema_options;

/* Compiles `schema`, a document that must outlive the result, into `arena`. `options` may be NULL: all defaults. The
 * result is immutable; threads may share it. Adds at most 100 mistakes (EE_ERROR_RULES) and 100 warnings (EE_OK) to
 * `errors`, without a file; a message begins with the JSON Pointer into the schema ("/properties/total/minimum: ...",
 * ": ..." for the root; "common.json#/type: ..." in another document). NULL when there was a mistake. Schemas may be
 * recursive, but a reference that leads to itself without entering the instance is a mistake; so is a pattern in a
 * program without PCRE2. Linear except for sorting and dynamic scopes, which are bounded. */
ee_json_schema *ee_json_schema_compile(ee_arena *arena, const ee_value *schema, const ee_schema_options *options,
                                       ee_error_list *errors);

/* The number of schemas in it, those that references lead to included. */
size_t ee_json_schema_size(const ee_json_schema *schema);

typedef struct ee_violation {
  ee_str place;   /* JSON Pointer into the instance; "" is the root */
  ee_str keyword; /* JSON Pointer into the schema, of the keyword: "/properties/total/type"; in another document
                     "common.json#/type" */
  ee_str message; /* "expected a number, got a string", printable, bounded */
} ee_violation;

/* Violations that are listed. */
#define EE_VIOLATIONS_LISTED 50

/* Limit of schemas that apply each other, over all levels of the instance. The reader's nesting limit of 512 leaves
 * eight for each level. */
#define EE_SCHEMA_DEPTH 4096
/* Limit of the schemas in one that is compiled, those that references lead to included. */
#define EE_SCHEMA_NODES ((size_t)1 << 22)
/* Limit of dynamic anchors, counted once for each dynamic scope that has them. */
#define EE_SCHEMA_BINDINGS ((size_t)1 << 20)

typedef struct ee_schema_result {
  bool valid;
  const ee_violation *violations; /* in the order of the instance's document */
  size_t count;                   /* listed */
  size_t total;
} ee_schema_result;

/* Validates; the result is in `arena`. `instance` NULL (missing) fits only `true` and schemas without assertions.
 * Several threads may validate at a time, each with its own arena.
 *
 * If a value fits no branch of anyOf or oneOf, the violations are those of the best branch. Branches rank, from worst
 * to best: the value has another type; it violates const or enum; one of its members violates const or enum; others. Of
 * equal rank the fewest violations win, then the first branch. If all branches fail by the value's type, const or enum,
 * there is one violation that says what would fit.
 *
 * Two things make an instance invalid wherever they happen, even below `not` or in one branch of several, and are
 * violations of their own: a search for a pattern that takes too many steps (EE_PATTERN_STEPS), and more than
 * EE_SCHEMA_DEPTH schemas that apply each other.
 *
 * Charges work (base/work.h): within ee_work_try() it may not return. */
void ee_json_schema_validate(const ee_json_schema *schema, const ee_value *instance, ee_arena *arena,
                             ee_schema_result *result);

#endif
