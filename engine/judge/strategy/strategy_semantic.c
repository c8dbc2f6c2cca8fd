/* strategy_semantic.c: texts that mean the same, by a provider of similarity or a function of the rule file.
 *
 * What was answered for a pair of values is kept for the rest of the case: in line items matching and scoring ask for
 * the same pairs, and neither a model nor a function should be asked twice. */
#include "judge/provider_session.h"

#include "base/hash_index.h"
#include "base/list.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"

/* Pairs of a case whose answers are kept; further ones are asked for again. */
#define MEMO_LIMIT ((size_t)1 << 18)

static const ee_option semantic_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.8",
     .help = "The lowest similarity that matches, inclusive.",
     .min = 0,
     .max = 1},
    EE_SIMILARITY_SCORE_OPTION,
    {.name = "similarity",
     .lua_type = "fun(expected: any, candidate: any): boolean|number",
     .type = EE_OPTION_FUNCTION,
     .default_text = "the provider",
     .help = "A function of the expected and the candidate value that returns true, false or 0..1, instead of the "
             "provider; it gets the values after 'normalize'."},
    {.name = NULL},
};

static void semantic_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  (void)builder;
  strategy->graded = ee_option_is(node, "score", "similarity");
  strategy->function = ee_option_function(node, "similarity");
}

/* Answers of the case ---------------------------------------------------------------- */

/* Why a pair has no similarity, and the path that was last reported for it. */
typedef struct failure {
  ee_str reason; /* "no answer: ..." */
  ee_str path;
} failure;

typedef struct pair {
  uint64_t hash;
  const ee_value *expected, *candidate; /* after normalize */
  double similarity;
  failure *failure; /* NULL: the similarity is known */
  int function;     /* or EE_NO_FUNCTION: the provider */
} pair;

/* In the case's arena. */
struct ee_similarity_memo {
  EE_LIST(pair);
  ee_hash_index index; /* by pair_hash() */
};

static uint64_t pair_hash(int function, const ee_value *expected, const ee_value *candidate) {
  return ee_hash_mix(ee_hash_mix(ee_value_hash(expected) + (uint64_t)(unsigned)function) ^ ee_value_hash(candidate));
}

static const pair *find_pair(const ee_context *context, const pair *wanted) {
  const struct ee_similarity_memo *memo = context->memo;
  size_t at = 0, number;
  while (memo != NULL && ee_hash_index_next(&memo->index, wanted->hash, &at, &number)) {
    const pair *found = &memo->items[number];
    if (found->function == wanted->function && ee_values_same(found->expected, wanted->expected) &&
        ee_values_same(found->candidate, wanted->candidate))
      return found;
  }
  return NULL;
}

/* Keeps an answered pair, unless there are too many. */
static void add_pair(ee_context *context, const pair *answered) {
  if (context->memo == NULL) {
    context->memo = EE_NEW(context->arena, struct ee_similarity_memo);
    context->memo->index.arena = context->arena;
  }
  struct ee_similarity_memo *memo = context->memo;
  if (memo->count == MEMO_LIMIT) return;
  ee_hash_index_add(&memo->index, answered->hash, memo->count);
  *EE_LIST_ADD(memo, context->arena) = *answered;
}

/* Comparing ------------------------------------------------------------------------------------ */

static void conclude(const ee_strategy *strategy, double similarity, ee_comparison *result) {
  if (ee_score_reaches(similarity, strategy->threshold)) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result,
                       (ee_reason){.kind = EE_REASON_SIMILARITY, .first = similarity, .second = strategy->threshold});
  }
  if (strategy->graded) result->score = similarity;
  result->similarity = similarity;
}

/* Reports a value without an answer once, although matching and scoring both compare it. */
static void fail(ee_context *context, failure *failed, ee_comparison *result) {
  ee_str path = context->place != NULL ? context->place->path : EE_STR("");
  if (failed->path.data == NULL || !ee_str_equal(failed->path, path)) {
    static const size_t prefix = sizeof "no answer: " - 1;
    ee_context_no_answer(context, path, (ee_str){failed->reason.data + prefix, failed->reason.length - prefix});
    failed->path = path;
  }
  ee_comparison_fail(result, (ee_reason){.kind = EE_REASON_TEXT, .text = failed->reason});
  result->similarity = -1;
}

static void fail_first(ee_context *context, pair *asked, ee_str why, ee_comparison *result) {
  asked->failure = EE_NEW(context->arena, failure);
  asked->failure->reason =
      ee_str_from(ee_arena_printf(context->arena, "no answer: %.*s", (int)why.length, why.length > 0 ? why.data : ""));
  /* A dry run reports nothing, so nothing counts as reported. */
  if (!context->dry_run) add_pair(context, asked);
  fail(context, asked->failure, result);
}

static void ask_provider(const ee_strategy *strategy, ee_context *context, pair *asked, ee_comparison *result) {
  if (context->session == NULL) {
    fail_first(context, asked, EE_STR("no provider"), result);
    return;
  }
  ee_answer answer = {.state = EE_ANSWER_FAILED};
  context->session->vtable->similarity(context->session, ee_value_text(asked->expected),
                                       ee_value_text(asked->candidate), context->arena, &answer);
  switch (answer.state) {
  case EE_ANSWER_GIVEN:
    asked->similarity = answer.similarity;
    add_pair(context, asked);
    conclude(strategy, answer.similarity, result);
    break;
  case EE_ANSWER_PENDING:
    if (context->is_final_round) {
      /* All earlier requests were answered, so this time judging requests something new. */
      fail_first(context, asked, EE_STR("not requested in time (does a function of the rule file keep state?)"),
                 result);
      break;
    }
    context->pending_answers++;
    ee_comparison_fail(result, EE_REASON_OF("no answer yet"));
    result->similarity = -1;
    break;
  case EE_ANSWER_FAILED: fail_first(context, asked, answer.text, result); break;
  }
}

/* An error is not kept: like with ee.custom each value that loses its score reports it. */
static void call_function(const ee_strategy *strategy, ee_context *context, pair *asked, ee_comparison *result) {
  ee_error error = {0};
  double similarity = 0;
  ee_status status = context->plan->vtable->similarity(context->script, strategy->function, asked->expected,
                                                       asked->candidate, &similarity, &error);
  if (status == EE_OK && !ee_score_round(&similarity)) {
    status = ee_error_at(&error, EE_ERROR_RULES, strategy->node->file, strategy->node->line, 0,
                         "a similarity outside 0..1: %.17g", similarity);
  }
  if (status != EE_OK) {
    ee_comparison_script_error(result, context, &error);
    return;
  }
  asked->similarity = similarity;
  add_pair(context, asked);
  conclude(strategy, similarity, result);
}

static void semantic_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                             const ee_value *candidate, ee_comparison *result) {
  bool by_function = strategy->function != EE_NO_FUNCTION;
  if (ee_strategy_same(strategy, context, expected, candidate)) {
    ee_comparison_match(result);
    return;
  }
  if (!by_function && (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING)) {
    ee_comparison_differ(result, expected, candidate);
    return;
  }
  pair asked = {.hash = pair_hash(strategy->function, expected, candidate),
                .expected = expected,
                .candidate = candidate,
                .function = strategy->function};
  const pair *known = find_pair(context, &asked);
  if (known != NULL && known->failure != NULL) {
    fail(context, known->failure, result);
  } else if (known != NULL) {
    conclude(strategy, known->similarity, result);
  } else if (by_function) {
    call_function(strategy, context, &asked, result);
  } else {
    ask_provider(strategy, context, &asked, result);
  }
}

static void semantic_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                             const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  (void)strategy, (void)expected, (void)candidate;
  if (result->reason.kind == EE_REASON_TYPE_MISMATCH) return;
  how->measure = "similarity";
  how->value = result->similarity;
  ee_explanation_decide(how, NULL, EE_LIMIT_MIN, result->matched, context->arena);
}

const ee_strategy_type ee_semantic_strategy = {
    .name = "semantic",
    .help = "texts that mean the same",
    .options = semantic_options,
    .threshold = 0.8,
    .equal_matches = true,
    .compile = semantic_compile,
    .compare = semantic_compare,
    .explain = semantic_explain,
    .uses_provider = true,
};
