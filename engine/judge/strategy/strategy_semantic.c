/* strategy_semantic.c: texts that mean the same, by a provider of similarity or a function of the rule file.
 *
 * What was answered for a pair of values is kept for the rest of the case: in line items matching and scoring ask for
 * the same pairs, and neither a model nor a function should be asked twice. */
#include "judge/provider_session.h"

#include "base/hash_index.h"
#include "judge/plan.h"
#include "judge/strategy/strategy.h"
#include "prim/number.h"

#define SCORES "match|similarity"
/* Pairs of a case whose answers are kept, of 48 bytes each; further ones are asked for again. */
#define MEMO_LIMIT ((size_t)1 << 18)

static const ee_option semantic_options[] = {
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.8",
     .help = "The least similarity that matches, inclusive.",
     .min = 0,
     .max = 1},
    {.name = "score",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"match\"",
     .help = "\"match\" scores 1 or 0; \"similarity\" scores the similarity itself.",
     .choices = SCORES},
    {.name = "similarity",
     .type = EE_OPTION_FUNCTION,
     .default_text = "the provider",
     .help = "A function of the expected and the candidate value that returns true, false or 0..1, instead of the "
             "provider; it gets them after 'normalize'."},
    {.name = NULL},
};

static void semantic_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  (void)builder;
  strategy->graded = ee_option_choice(node, "score", SCORES, "match") == 1;
  strategy->function = ee_option_function(node, "similarity");
}

/* What was answered in the case ---------------------------------------------------------------- */

/* Why a pair has no similarity, and the path of the value for which it was last reported. */
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
  pair *pairs;
  size_t count, capacity;
  uint32_t *slots; /* twice the capacity, a power of two; 0: free, else an index into pairs + 1 */
};

static uint64_t pair_hash(int function, const ee_value *expected, const ee_value *candidate) {
  return ee_hash_mix(ee_hash_mix(ee_value_hash(expected) + (uint64_t)(unsigned)function) ^ ee_value_hash(candidate));
}

static pair *find_pair(const ee_context *context, int function, uint64_t hash, const ee_value *expected,
                       const ee_value *candidate) {
  const struct ee_similarity_memo *memo = context->memo;
  if (memo == NULL) return NULL;
  size_t mask = 2 * memo->capacity - 1;
  for (size_t at = hash & mask; memo->slots[at] != 0; at = (at + 1) & mask) {
    pair *found = &memo->pairs[memo->slots[at] - 1];
    if (found->hash == hash && found->function == function && ee_values_same(found->expected, expected) &&
        ee_values_same(found->candidate, candidate)) {
      return found;
    }
  }
  return NULL;
}

static void enter_pair(struct ee_similarity_memo *memo, size_t index) {
  size_t mask = 2 * memo->capacity - 1, at = memo->pairs[index].hash & mask;
  while (memo->slots[at] != 0) at = (at + 1) & mask;
  memo->slots[at] = (uint32_t)index + 1;
}

static void grow_memo(struct ee_similarity_memo *memo, ee_arena *arena) {
  memo->capacity = memo->capacity == 0 ? 16 : 2 * memo->capacity;
  pair *pairs = ee_arena_alloc(arena, memo->capacity * sizeof *pairs);
  if (memo->count > 0) memcpy(pairs, memo->pairs, memo->count * sizeof *pairs);
  memo->pairs = pairs;
  memo->slots = EE_NEW_ARRAY(arena, uint32_t, 2 * memo->capacity);
  for (size_t i = 0; i < memo->count; i++) enter_pair(memo, i);
}

/* Keeps what was answered; NULL when no more is kept. The pair stays where it is until the next one is added. */
static pair *add_pair(ee_context *context, const pair *answered) {
  if (context->memo == NULL) context->memo = EE_NEW(context->arena, struct ee_similarity_memo);
  struct ee_similarity_memo *memo = context->memo;
  if (memo->count == MEMO_LIMIT) return NULL;
  if (memo->count == memo->capacity) grow_memo(memo, context->arena);
  memo->pairs[memo->count] = *answered;
  enter_pair(memo, memo->count);
  return &memo->pairs[memo->count++];
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

/* Reports a value without an answer, once per value although matching and scoring both compare it. */
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
  /* A dry run reports nothing, so the pair must not be remembered as reported. */
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
      /* All that judging needs was asked before, so this time it needs something else. */
      fail_first(context, asked, EE_STR("not asked for in time (does a function of the rule file keep state?)"),
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

/* Errors are not cached: as with ee.custom, each value that scores 0 because of one reports it. */
static void call_function(const ee_strategy *strategy, ee_context *context, pair *asked, ee_comparison *result) {
  ee_error error = {0};
  double similarity = 0;
  ee_status status = context->plan->vtable->similarity(context->script, strategy->function, asked->expected,
                                                       asked->candidate, &similarity, &error);
  if (status == EE_OK && !(similarity >= 0 && similarity <= 1)) {
    status = ee_error_at(&error, EE_ERROR_RULES, strategy->node->file, strategy->node->line, 0,
                         "a similarity outside 0..1: %g", similarity);
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
  if (ee_values_same(expected, candidate)) {
    ee_comparison_match(result);
    return;
  }
  if (!by_function && (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING)) {
    ee_comparison_differ(result, expected, candidate);
    return;
  }
  uint64_t hash = pair_hash(strategy->function, expected, candidate);
  const pair *known = find_pair(context, strategy->function, hash, expected, candidate);
  if (known != NULL && known->failure != NULL) {
    fail(context, known->failure, result);
  } else if (known != NULL) {
    conclude(strategy, known->similarity, result);
  } else {
    pair asked = {.hash = hash, .expected = expected, .candidate = candidate, .function = strategy->function};
    if (by_function) {
      call_function(strategy, context, &asked, result);
    } else {
      ask_provider(strategy, context, &asked, result);
    }
  }
}

const ee_strategy_type ee_semantic_strategy = {
    .name = "semantic",
    .help = "texts that mean the same",
    .options = semantic_options,
    .threshold = 0.8,
    .equal_matches = true,
    .compile = semantic_compile,
    .compare = semantic_compare,
    .uses_provider = true,
};
