/* limits_list.c: the rows of base/limits.c, and the bounds that no option sets, from the headers that define them. */
#include "cli/limits_list.h"

#include <inttypes.h>

#include "base/limits.h"
#include "base/list.h"
#include "data/files/case_file.h"
#include "data/files/dataset.h"
#include "data/files/table_reader.h"
#include "data/json/i_regexp.h"
#include "data/json/json_query.h"
#include "data/json/json_reader.h"
#include "data/schema/json_schema.h"
#include "data/schema/schema_pattern.h"
#include "data/yaml/yaml_reader.h"
#include "judge/case.h"
#include "judge/compile.h"
#include "judge/details.h"
#include "judge/detection/detection.h"
#include "judge/error_kind.h"
#include "judge/geometry/shape_pairs.h"
#include "judge/label_matrix.h"
#include "judge/outcome.h"
#include "judge/outside/schema_files.h"
#include "judge/pairing/pairs.h"
#include "judge/provider_session.h"
#include "judge/spans/spans.h"
#include "lua/state.h"
#include "prim/number.h"
#include "report/comparison_inside.h"
#include "report/merged_results.h"
#include "run/totals.h"
#include "run/worker.h"

/* How a number is written. */
typedef enum number_unit { BYTES, COUNT, PART } number_unit;

/* A bound that no option of the command line sets, or one of another kind. */
typedef struct fixed_limit {
  const char *group;
  const char *option; /* NULL: fixed */
  uint64_t value;
  number_unit unit;
  const char *things; /* after the number: "levels"; "" for bytes */
  const char *what, *beyond;
} fixed_limit;

#define ERROR_OF_RECORD "the record is in error, exit status 4"
#define ERROR_OF_FILE "the file is in error; of data, exit status 4"
#define ERROR_OF_RULES "the rule file is refused, exit status 3"
#define ERROR_OF_JUDGE "the judge scores 0 with the reason, exit status 4"
#define COUNTED "the rest is only counted"

static const fixed_limit fixed[] = {
    {"Input", NULL, EE_JSON_DEPTH_LIMIT, COUNT, "levels", "nesting of JSON and YAML", ERROR_OF_RECORD},
    {"Input", NULL, UINT32_MAX, COUNT, "bytes", "one JSON text, whatever --max-record says", ERROR_OF_RECORD},
    {"Input", NULL, EE_TABLE_COLUMNS, COUNT, "columns", "a table (CSV, TSV)", ERROR_OF_FILE},
    {"Input", NULL, (uint64_t)64 << 10, BYTES, "", "what is looked at to know whether a file is a table",
     "a longer first line is not one of a table"},
    {"Input", NULL, (uint64_t)128 << 20, BYTES, "", "the window of a .zst file", ERROR_OF_FILE},
    {"Input", NULL, EE_YAML_NODES, COUNT, "nodes", "a YAML file, with aliases expanded", ERROR_OF_FILE},
    {"Input", NULL, EE_YAML_REPEATED_NODES, COUNT, "nodes", "what aliases and merge keys of YAML repeat",
     ERROR_OF_FILE},
    {"Input", NULL, EE_YAML_REPEATED_BYTES, BYTES, "", "texts that aliases and merge keys of YAML repeat",
     ERROR_OF_FILE},
    {"Input", NULL, EE_YAML_BRACKETS, COUNT, "levels", "brackets of YAML that are open", ERROR_OF_FILE},
    {"Input", NULL, EE_YAML_BLANKS, COUNT, "bytes", "white space of YAML in one piece", ERROR_OF_FILE},
    {"Input", NULL, EE_CASE_FILE_EVALUATORS, COUNT, "evaluators", "a YAML data set, over all cases", ERROR_OF_FILE},
    {"Input", NULL, 32, COUNT, "levels", "folders inside a folder of data", "exit status 5"},
    {"Rules and Lua", "--lua-budget", EE_LUA_INSTRUCTIONS, COUNT, "instructions", "one call of a Lua function",
     "the call is an error of the rule: its value or judge scores 0, exit status 4; at load " ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_LUA_MEMORY, BYTES, "", "memory of each Lua state; a rule file must fit in it",
     "an error of the rule, as above"},
    {"Rules and Lua", NULL, 10000, COUNT, "files", "rule files that require one another", ERROR_OF_RULES},
    {"Rules and Lua", NULL, 32, COUNT, "levels", "rule files that require one another", ERROR_OF_RULES},
    {"Rules and Lua", NULL, 100, COUNT, "levels", "tables of a rule file, and values that functions return",
     ERROR_OF_RULES ", or an error of the rule"},
    {"Rules and Lua", NULL, 1000000, COUNT, "values", "a table in a rule file", ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_COMPILE_FILE_LIMIT, BYTES, "", "a file that rules name, such as a JSON Schema",
     ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_PATTERN_LIMIT, BYTES, "", "a pattern of JSON Schema", ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_PATTERN_STEPS, COUNT, "steps", "a search for a pattern of JSON Schema",
     "a violation: the pattern takes too many steps"},
    {"Rules and Lua", NULL, EE_SCHEMA_NODES, COUNT, "schemas",
     "a JSON Schema, with those that references lead to; a schema counts once for each dynamic scope", ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_SCHEMA_BINDINGS, COUNT, "anchors",
     "$dynamicAnchor of a JSON Schema, once for each dynamic scope", ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_REGISTRY_FILES, COUNT, "files", "a registry of JSON Schemas", ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_REGISTRY_BYTES, BYTES, "", "files of a registry of JSON Schemas, together",
     ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_QUERY_DEPTH, COUNT, "levels",
     "filters and brackets of a JSONPath query within each other", ERROR_OF_RULES},
    {"Rules and Lua", NULL, EE_I_REGEXP_LIMIT, BYTES, "", "a pattern of match() and search() in JSONPath",
     ERROR_OF_RULES "; a pattern from the data matches nothing"},
    {"Rules and Lua", NULL, EE_PATTERN_STEPS, COUNT, "steps", "a search for a pattern of JSONPath",
     "the value is given up: it scores 0 with the reason, exit status 4"},
    {"Rules and Lua", NULL, EE_DIVISOR_DIGITS, COUNT, "digits", "a number of multipleOf", ERROR_OF_RULES},
    {"Judging", NULL, EE_SCHEMA_DEPTH, COUNT, "schemas", "schemas that apply one another while a value is validated",
     "a violation: schemas inside each other"},
    {"Judging", NULL, EE_SHAPE_STEPS, COUNT, "steps", "the polygons of a case, for each judge", ERROR_OF_JUDGE},
    {"Judging", NULL, EE_SHAPE_LOOK_LIMIT, COUNT, "pairs", "pairs of boxes of ee.iou_score that are looked at",
     ERROR_OF_JUDGE},
    {"Judging", NULL, EE_DETECTION_PAIR_LIMIT, COUNT, "pairs", "objects and detections of an image", ERROR_OF_JUDGE},
    {"Judging", NULL, EE_PAIRS_DEFAULT_MAX, COUNT, "pairs", "optimal pairing: the option max_pairs of a judge",
     "greedy pairing is used instead, and the report says so"},
    {"Judging", NULL, EE_LABEL_LIMIT, COUNT, "labels", "the matrix of a judge's labels (ee.confusion, ee.spans)",
     "the other labels count as one, (other), and the report says so"},
    {"Judging", NULL, EE_SPAN_MARKS_OPEN, COUNT, "marks", "marks of ee.spans that are open at one place of a text",
     "the mark cannot be used: the record is in error, or the candidate's span is spurious"},
    {"Judging", NULL, 16, COUNT, "schemas", "parts of the schema of ee.tree that apply to one path",
     "further ones choose no strategy"},
    {"Judging", NULL, (uint64_t)8 << 20, COUNT, "items x keys",
     "keys of line items without declared fields, beyond 256 keys", ERROR_OF_JUDGE},
    {"Judging", NULL, (uint64_t)64 << 20, BYTES, "", "paths of ee.quality with depth = \"leaves\"", ERROR_OF_JUDGE},
    {"Judging", NULL, EE_AFTERWARDS_PART, PART, "of --timeout",
     "work for the kinds of errors of a case, and for a score that a function of the rule file computes",
     "the other errors have no kind, or the case scores 0; exit status 4"},
    {"Judging", NULL, EE_ERROR_KIND_VALUES, COUNT, "values",
     "a document that is searched for values of other fields and rows", "kinds of errors that say so are not found"},
    {"Judging", NULL, EE_ERROR_KIND_TEXT_BYTES, COUNT, "bytes", "a text that all kinds of errors are tried on",
     "only kinds that need no comparing (--help-on kinds)"},
    {"Programs and servers", NULL, (uint64_t)16 << 20, BYTES, "", "an answer of a program (ee.exec)",
     "that case of the judge is an error, exit status 4"},
    {"Programs and servers", NULL, 60, COUNT, "seconds", "an answer of a program: the option timeout_ms of ee.exec",
     "that case of the judge is an error, exit status 4"},
    {"Programs and servers", NULL, (uint64_t)256 << 20, BYTES, "", "a reply of a server",
     "that request fails; its values have no answer, exit status 4"},
    {"Programs and servers", NULL, (uint64_t)256 << 10, BYTES, "", "the headers of a reply of a server",
     "that request fails; its values have no answer, exit status 4"},
    {"Programs and servers", NULL, EE_PROVIDER_ROUNDS, COUNT, "rounds", "requests of a case that depend on replies",
     "the case is judged with what there is"},
    {"Reports", NULL, EE_UNSPLIT_LISTED, COUNT, "errors", "text of a file that is not a record", COUNTED},
    {"Reports", NULL, EE_RULE_ERRORS_LISTED, COUNT, "errors",
     "errors of rules in a block of records, and missing answers", COUNTED},
    {"Reports", NULL, EE_OUTCOMES_KEPT, COUNT, "values", "how values were judged, in rows with --detail full",
     "the row says that it is cut"},
    {"Reports", NULL, EE_DETAILS_SHOWN, COUNT, "entries", "a list in the details of a row (with --detail full: 10000)",
     "the row says that it is cut"},
    {"Reports", NULL, EE_SLICE_VALUES, COUNT, "values", "values of a slice", "the rest is one slice, other values"},
    {"Reports", NULL, EE_DATA_ATTRIBUTES, COUNT, "attributes", "attributes that come from keys of the data",
     "further ones are only counted"},
    {"Reports", NULL, EE_COMPARED_FIELDS, COUNT, "fields", "fields that a comparison keeps",
     "further ones are not compared"},
};

static const char *text_of(const fixed_limit *row, ee_arena *arena) {
  char size[EE_BOUND_TEXT];
  if (row->unit == BYTES) return ee_arena_printf(arena, "%s", ee_size_text(row->value, size));
  const char *format = row->unit == PART ? "1/%" PRIu64 " %s" : "%" PRIu64 " %s";
  return ee_arena_printf(arena, format, row->value, row->things);
}

static ee_listed_limit listed(ee_bound bound, ee_arena *arena) {
  const ee_bound_row *row = &ee_bound_rows[bound];
  static const ee_limits defaults = EE_LIMITS_DEFAULT;
  uint64_t value = *(const uint64_t *)((const char *)&defaults + row->offset);
  char size[EE_BOUND_TEXT];
  const char *text = row->unit == EE_UNIT_BYTES
                         ? ee_arena_printf(arena, "%s", ee_size_text(value, size))
                         : ee_arena_printf(arena, "%" PRIu64 "%s", value, row->unit == EE_UNIT_SECONDS ? " s" : "");
  return (ee_listed_limit){.group = "Options",
                           .option = ee_arena_printf(arena, "--%s", row->option),
                           .value = text,
                           .what = row->what,
                           .beyond = row->beyond};
}

const ee_listed_limit *ee_limits_list(ee_arena *arena, size_t *count) {
  struct {
    EE_LIST(ee_listed_limit);
  } list = {0};
  for (int bound = 0; bound < EE_BOUND_COUNT; bound++) *EE_LIST_ADD(&list, arena) = listed((ee_bound)bound, arena);
  for (size_t i = 0; i < sizeof fixed / sizeof *fixed; i++)
    *EE_LIST_ADD(&list, arena) = (ee_listed_limit){.group = fixed[i].group,
                                                   .option = fixed[i].option,
                                                   .value = text_of(&fixed[i], arena),
                                                   .what = fixed[i].what,
                                                   .beyond = fixed[i].beyond};
  *count = list.count;
  return list.items;
}
