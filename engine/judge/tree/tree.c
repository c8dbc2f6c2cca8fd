/* tree.c: ee.tree, one case: both documents are read into nodes and compared; then details. */
#include "judge/tree/tree.h"

#include "judge/details.h"
#include "judge/formula.h"
#include "judge/outcome.h"
#include "judge/strategy_usage.h"

static const char *plural(uint64_t count) { return count == 1 ? "" : "s"; }

/* "17/20 leaves correct, 1 incorrect, 2 missing, 0 spurious". */
static ee_str reasoning(const ee_tree_sum *total, const ee_context *context) {
  ee_arena *arena = context->arena;
  uint64_t expected = (uint64_t)total->right + total->wrong + total->missing;
  const uint64_t counts[] = {total->right, expected, total->wrong, total->missing, total->spurious};
  ee_str usual = ee_findings_text(arena, "#/# values correct, # incorrect, # missing, # spurious", counts);
  if (context->fallbacks == 0) return usual;
  return ee_str_from(ee_arena_printf(arena, "%.*s; %zu array%s paired by greedy, since optimal would be too much work",
                                     EE_STR_ARG(usual), (size_t)context->fallbacks, plural(context->fallbacks)));
}

/* "17.5/20 = 0.875", in full detail. */
static ee_str formula_of(const ee_tree_result *details, double score, ee_arena *arena) {
  if (!details->by_leaves || details->total.size.units == 0) return EE_STR("");
  return ee_str_from(ee_arena_printf(arena, "%s/%s = %s", ee_formula_operand(ee_fixed_value(details->total.sum), arena),
                                     ee_formula_operand(ee_fixed_value(details->total.size), arena),
                                     ee_formula_result(score, arena)));
}

static void tree_judge_case(const ee_judge *judge, ee_context *context, ee_judge_result *result) {
  const ee_tree *tree = judge->data;
  const ee_case *current = context->current;
  ee_arena *arena = context->arena;
  bool *found = ee_arena_calloc(arena, judge->expected_path_count, sizeof *found);
  ee_tree_places places = {.tree = tree, .arena = arena, .found = found};
  const ee_value *expected = ee_list_path_get(tree->paths.expected, current->expected, arena);
  const ee_value *candidate = ee_list_path_get(tree->paths.candidate, current->candidate, arena);
  bool no_candidate = current->candidate_state != EE_CANDIDATE_READ;
  ee_findings findings;
  ee_findings_start(&findings, arena, 0);
  if (no_candidate) ee_findings_no_candidate(&findings, current->candidate_state);
  bool one_of_array = tree->alternatives && ee_value_is_flat(expected) && !no_candidate && candidate != NULL &&
                      ee_type_of(candidate) < EE_ARRAY;
  const ee_tree_node *left =
      one_of_array ? ee_tree_read_options(&places, expected) : ee_tree_read(&places, EE_EXPECTED, expected);
  const ee_tree_node *right = ee_tree_read(&places, EE_CANDIDATE, no_candidate ? NULL : candidate);
  size_t named = tree->leaf_count + tree->array_count + tree->weight_count;
  if (judge->expected_path_count > named) found[named] = expected != NULL || candidate != NULL;
  ee_tree_result *details = EE_NEW(arena, ee_tree_result);
  ee_tree_comparison comparison = ee_tree_compare(judge, context, &places, left, right, &findings, details, result);
  ee_findings_finish(&findings, result);
  result->found = found;
  result->details = details;
  if (!no_candidate) {
    result->score = comparison.score;
    result->vacuous = comparison.vacuous;
    if (ee_context_keeps_outcomes(context)) result->formula = formula_of(details, comparison.score, arena);
  }
  result->reasoning = no_candidate ? EE_STR("no candidate document") : reasoning(&details->total, context);
}

/* Values shown before the run ------------------------------------------------------------------- */

static void show_node(const ee_tree_node *node, ee_document_side document, struct ee_decimal_votes *votes,
                      ee_arena *arena) {
  uint32_t count = node->option_count > 0 ? node->option_count : node->count;
  if (count == 0) ee_strategy_vote(node->leaf->field.strategy, document, node->value, votes, arena);
  for (uint32_t i = 0; i < count; i++) show_node(&node->children[i], document, votes, arena);
}

static void tree_show_values(const ee_judge *judge, ee_document_side document, const ee_value *root,
                             struct ee_decimal_votes *votes, ee_arena *arena) {
  const ee_tree *tree = judge->data;
  if (!tree->votes) return;
  const ee_path *path = document == EE_EXPECTED ? tree->paths.expected : tree->paths.candidate;
  ee_arena_mark mark = ee_arena_get_mark(arena);
  ee_tree_places places = {.tree = tree, .arena = arena};
  const ee_tree_node *node = ee_tree_read(&places, document, ee_list_path_get(path, root, arena));
  if (node != NULL) show_node(node, document, votes, arena);
  ee_arena_rewind(arena, mark);
}

/* What `evalengine check RULES DATA` lists: which strategy each place gets, and why. */
static void observe_node(const ee_tree *tree, ee_tree_places *places, const ee_tree_node *node,
                         struct ee_strategy_usage *usage) {
  uint32_t count = node->option_count > 0 ? node->option_count : node->count;
  for (uint32_t i = 0; i < count; i++) observe_node(tree, places, &node->children[i], usage);
  if (count > 0 || node->empty) return;
  const ee_tree_leaf *leaf = node->leaf;
  const char *why = ee_str_is(leaf->field.name, "default") ? "default" : leaf->field.name.data;
  ee_strategy_usage_add(usage, ee_tree_place_name(places, node->place), leaf->field.strategy->name.data, why);
}

static void tree_observe(const ee_judge *judge, ee_context *context, struct ee_strategy_usage *usage) {
  const ee_tree *tree = judge->data;
  ee_tree_places places = {.tree = tree, .arena = context->arena};
  const ee_value *value = ee_list_path_get(tree->paths.expected, context->current->expected, context->arena);
  const ee_tree_node *node = ee_tree_read(&places, EE_EXPECTED, value);
  if (node != NULL) observe_node(tree, &places, node, usage);
}

/* Details --------------------------------------------------------------------------------------- */

static void add_count(ee_buffer *out, const char *before, uint64_t count) {
  ee_buffer_add_text(out, before);
  ee_json_write_count(out, count);
}

/* {"path", "method", "expected", "candidate", "pairs": [[expected, candidate, score], ...]}. Returns whether it was
 * cut. */
static bool add_array(ee_buffer *out, const ee_judge_result *result, const ee_tree_alignment *array) {
  EE_JSON_ADD(out, "{\"path\":");
  ee_json_write_string(out, array->path);
  EE_JSON_ADD(out, ",\"method\":");
  ee_json_write_string(out, ee_str_from(array->fell_back ? "greedy" : ee_tree_method_name(array->method)));
  add_count(out, ",\"expected\":", array->expected_count);
  add_count(out, ",\"candidate\":", array->candidate_count);
  EE_JSON_ADD(out, ",\"pairs\":[");
  size_t shown = ee_details_shown(result, array->pair_count);
  for (size_t i = 0; i < shown; i++) {
    add_count(out, i > 0 ? ",{\"expected\":" : "{\"expected\":", array->pairs[2 * i]);
    add_count(out, ",\"candidate\":", array->pairs[2 * i + 1]);
    EE_JSON_ADD(out, ",\"score\":");
    ee_json_write_score(out, array->scores[i]);
    ee_buffer_add_char(out, '}');
  }
  EE_JSON_ADD(out, "]}");
  return shown < array->pair_count;
}

static void tree_write_details(const ee_judge_result *result, ee_arena *scratch, ee_buffer *out) {
  const ee_tree_result *details = result->details;
  if (details == NULL) {
    ee_details_write_plain(result, scratch, out);
    return;
  }
  ee_details_open(result, out);
  const ee_tree_sum *total = &details->total;
  add_count(out, ",\"leaves\":{\"correct\":", total->right);
  add_count(out, ",\"incorrect\":", total->wrong);
  add_count(out, ",\"missing\":", total->missing);
  add_count(out, ",\"spurious\":", total->spurious);
  add_count(out, ",\"empty\":", total->nothing);
  EE_JSON_ADD(out, ",\"sum\":");
  ee_json_write_score(out, ee_fixed_value(total->sum));
  EE_JSON_ADD(out, ",\"size\":");
  ee_json_write_score(out, ee_fixed_value(total->size));
  EE_JSON_ADD(out, "},\"arrays\":[");
  size_t shown = ee_details_shown(result, details->arrays.count);
  bool cut = shown < details->arrays.count;
  for (size_t i = 0; i < shown; i++) {
    if (i > 0) ee_buffer_add_char(out, ',');
    cut |= add_array(out, result, &details->arrays.items[i]);
  }
  ee_buffer_add_char(out, ']');
  size_t choices = ee_details_shown(result, details->choices.count);
  cut |= choices < details->choices.count;
  for (size_t i = 0; i < choices; i++) {
    const ee_tree_choice *choice = &details->choices.items[i];
    ee_buffer_add_text(out, i == 0 ? ",\"alternatives\":[{\"path\":" : ",{\"path\":");
    ee_json_write_string(out, choice->path);
    add_count(out, ",\"chosen\":", choice->option);
    add_count(out, ",\"of\":", choice->count);
    ee_buffer_add_char(out, '}');
  }
  if (choices > 0) ee_buffer_add_char(out, ']');
  ee_details_add_fallback(result, out);
  ee_details_close(result, cut, scratch, out);
}

const ee_judge_type ee_tree_judge = {
    .name = "tree",
    .help = "A whole document against a whole document: every value, without declared paths.",
    .positional = "[1] string?",
    .options = ee_tree_options,
    .compile = ee_tree_compile,
    .takes_path = true,
    .lists_values = true,
    .judge_case = tree_judge_case,
    .write_details = tree_write_details,
    .show_values = tree_show_values,
    .observe = tree_observe,
    .print = ee_tree_print,
};
