/* strategy_fuzzy.c: texts that are similar enough. */
#include "judge/strategy/strategy.h"
#include "prim/ascii_digit.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/number.h"
#include "prim/text_measure.h"
#include "prim/token.h"

/* Longest string, in code points, for which a miss computes the similarity for its reason. */
#define REPORTED_LENGTH 4096

static const ee_option fuzzy_options[] = {
    {.name = "algorithm",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"levenshtein\"",
     .help = "The similarity of two strings, 0 to 1; lengths and distances count code points.",
     .choices = EE_TEXT_ALGORITHMS},
    {.name = "threshold",
     .type = EE_OPTION_NUMBER,
     .default_text = "0.85",
     .help = "The lowest similarity that matches, inclusive.",
     .min = 0,
     .max = 1},
    EE_SIMILARITY_SCORE_OPTION,
    {.name = "normalize",
     .type = EE_OPTION_NORMALIZE,
     .default_text = "{ \"trim\", \"casefold\" }",
     .help = "Applied to both texts first: " EE_NORMAL_FORM_LIST ", an array of them, or a function; {} for nothing."},
    {.name = "tokenizer",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"whitespace\"; bleu \"13a\", rouge_l \"rouge\"",
     .help = "What a token is, for token_*, partial_token_*, bleu, rouge_l and wer.",
     .choices = EE_TOKENIZERS},
    {.name = "n",
     .type = EE_OPTION_NUMBER,
     .default_text = "2; bleu 4, chrf 6",
     .help = "The length of n-grams: of dice and of tokenizer \"ngrams\"; the longest of bleu and chrf.",
     .min = 1,
     .max = EE_NGRAM_LIMIT},
    {.name = "word_order",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "chrf: the longest n-grams of words; 2 makes it chrF++.",
     .min = 0,
     .max = EE_NGRAM_LIMIT},
    {.name = "beta",
     .type = EE_OPTION_NUMBER,
     .default_text = "2",
     .help = "chrf: how much more recall counts than precision.",
     .min = 0,
     .max = EE_BETA_LIMIT},
    {.name = "same_digits",
     .type = EE_OPTION_BOOL,
     .default_text = "false",
     .help = "If the expected text has digits, the candidate must have the same ones in the same order."},
    {.name = NULL},
};

typedef struct fuzzy_data {
  ee_text_measure measure;
  bool same_digits;
} fuzzy_data;

/* Reads a whole number; `fallback` where it is not given or was wrong. */
static size_t whole_number(ee_plan_builder *builder, const ee_rule_node *node, const char *name, size_t fallback) {
  double number = ee_option_number(node, name, (double)fallback);
  if (number == (double)(size_t)number && number >= 0) return (size_t)number;
  ee_compile_error(builder, node, "option '%s' of ee.fuzzy must be a whole number", name);
  return fallback;
}

static bool is_given(const ee_rule_node *node, const char *name) {
  return ee_rule_node_get(node, name).type != EE_RULE_NONE;
}

/* An option that does nothing would let a reader of the rules expect another number. */
static void check_measure(ee_plan_builder *builder, const ee_rule_node *node, const ee_text_measure *measure) {
  static const struct {
    const char *name;
    ee_measure_option option;
  } own[] = {{"tokenizer", EE_MEASURE_TOKENIZER},
             {"n", EE_MEASURE_N},
             {"word_order", EE_MEASURE_WORD_ORDER},
             {"beta", EE_MEASURE_BETA}};
  unsigned taken = ee_text_measure_options(measure->algorithm, measure->tokenizer.kind);
  ee_str algorithm = ee_option_text(node, "algorithm", "levenshtein");
  for (size_t i = 0; i < sizeof own / sizeof *own; i++) {
    if (!is_given(node, own[i].name) || (taken & own[i].option) != 0) continue;
    ee_compile_error(
        builder, node, "option '%s' of ee.fuzzy does not apply to algorithm '%.*s'%s", own[i].name,
        EE_STR_ARG(algorithm),
        own[i].option == EE_MEASURE_N && (taken & EE_MEASURE_TOKENIZER) != 0 ? " without tokenizer = \"ngrams\"" : "");
  }
  if (measure->algorithm == EE_BLEU && measure->tokenizer.kind == EE_TOKEN_NGRAMS)
    ee_compile_error(builder, node, "tokenizer 'ngrams' does not apply to algorithm 'bleu'");
}

static void fuzzy_compile(ee_plan_builder *builder, const ee_rule_node *node, ee_strategy *strategy) {
  static const uint8_t default_forms[] = {EE_NORMAL_TRIM, EE_NORMAL_CASEFOLD};
  fuzzy_data *data = EE_NEW(builder->arena, fuzzy_data);
  ee_text_measure *measure = &data->measure;
  *measure =
      ee_text_measure_of((ee_text_algorithm)ee_option_choice(node, "algorithm", EE_TEXT_ALGORITHMS, "levenshtein"));
  if (is_given(node, "tokenizer"))
    measure->tokenizer.kind = (ee_token_kind)ee_option_choice(node, "tokenizer", EE_TOKENIZERS, "whitespace");
  measure->n = measure->tokenizer.n = whole_number(builder, node, "n", measure->n);
  measure->word_order = whole_number(builder, node, "word_order", 0);
  measure->beta = ee_option_number(node, "beta", measure->beta);
  check_measure(builder, node, measure);
  data->same_digits = ee_option_bool(node, "same_digits", false);
  strategy->graded = ee_option_is(node, "score", "similarity");
  strategy->data = data;
  if (ee_rule_node_get(node, "normalize").type == EE_RULE_NONE) {
    strategy->forms = default_forms;
    strategy->form_count = sizeof default_forms;
  }
}

/* The value of the next decimal digit of any script in valid UTF-8 from `*at` on, or -1. */
static int next_digit(ee_str text, size_t *at) {
  while (*at < text.length) {
    if ((unsigned char)text.data[*at] < 0x80) {
      char c = text.data[(*at)++];
      if (ee_is_ascii_digit(c)) return c - '0';
      continue;
    }
    uint32_t code_point;
    *at += ee_utf8_decode(text.data + *at, text.length - *at, &code_point);
    int digit = ee_decimal_digit(code_point);
    if (digit >= 0) return digit;
  }
  return -1;
}

/* Whether `a` has no digit, or both texts have the same digits one after the other: "1,200 kg" and "1200kg". */
static bool has_its_digits(ee_str a, ee_str b) {
  size_t a_at = 0, b_at = 0;
  int digit = next_digit(a, &a_at);
  if (digit < 0) return true;
  while (digit >= 0 && digit == next_digit(b, &b_at)) digit = next_digit(a, &a_at);
  return digit < 0 && next_digit(b, &b_at) < 0;
}

/* Fills `result` from a decision and its similarity (negative: not known). */
static void conclude(const ee_strategy *strategy, bool matched, double similarity, ee_comparison *result) {
  if (matched) {
    ee_comparison_match(result);
  } else {
    ee_comparison_miss(result,
                       (ee_reason){.kind = EE_REASON_SIMILARITY, .first = similarity, .second = strategy->threshold});
  }
  if (strategy->graded) result->score = similarity;
  result->similarity = similarity;
}

/* Decided on the distance, an integer. Unless the similarity is the score, the distance is computed only up to the
 * limit of a match, and of a miss in full only for short strings. */
static void levenshtein(const ee_strategy *strategy, ee_arena *arena, ee_str a, ee_str b, ee_comparison *result) {
  size_t a_length = ee_utf8_count(a.data, a.length), b_length = ee_utf8_count(b.data, b.length);
  size_t longer = a_length > b_length ? a_length : b_length;
  if (longer == 0) {
    conclude(strategy, true, 1, result);
    return;
  }
  size_t limit = ee_edit_limit(strategy->threshold, longer);
  bool reported = strategy->graded || longer <= REPORTED_LENGTH;
  size_t distance = ee_levenshtein(a, b, strategy->graded ? EE_NO_LIMIT : limit, arena);
  bool matched = distance <= limit;
  if (!matched && reported && !strategy->graded) distance = ee_levenshtein(a, b, EE_NO_LIMIT, arena);
  double similarity = ee_edit_similarity(distance < longer ? distance : longer, longer);
  conclude(strategy, matched, matched || reported ? similarity : -1, result);
}

static void fuzzy_compare(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, ee_comparison *result) {
  if (ee_strategy_same(strategy, context, expected, candidate)) {
    ee_comparison_match(result);
    return;
  }
  if (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) {
    ee_comparison_differ(result, expected, candidate);
    return;
  }
  const fuzzy_data *data = strategy->data;
  ee_str a = ee_value_text(expected), b = ee_value_text(candidate);
  if (data->same_digits && !has_its_digits(a, b)) {
    ee_comparison_miss(result, EE_REASON_OF("other digits"));
    return;
  }
  if (data->measure.algorithm == EE_LEVENSHTEIN) {
    levenshtein(strategy, context->arena, a, b, result);
    return;
  }
  ee_text_score score = ee_text_measure_score(&data->measure, a, b, context->arena);
  bool matched = score.is_ratio ? ee_ratio_reaches(score.parts, score.whole, strategy->threshold)
                                : ee_score_reaches(score.value, strategy->threshold);
  conclude(strategy, matched, score.value, result);
}

/* What a formula is of: the strings, or what was made of them. */
typedef struct fuzzy_texts {
  const ee_text_measure *measure;
  ee_str a, b;
  ee_arena *arena;
} fuzzy_texts;

/* The bytes of the code points `start` to `start` + `length` of valid UTF-8. */
static ee_str part_of(ee_str text, size_t start, size_t length) {
  size_t from = 0, point = 0;
  for (size_t at = 0; at <= text.length; at++) {
    if (at < text.length && ((unsigned char)text.data[at] & 0xc0) == 0x80) continue;
    if (point == start) from = at;
    if (point == start + length) return (ee_str){text.data + from, at - from};
    point++;
  }
  return text;
}

/* Replaces the longer text by the part of it that was compared. */
static void take_part(fuzzy_texts *texts) {
  ee_part best = ee_best_part(texts->a, texts->b, texts->arena);
  if (best.common == 0) return;
  if (best.of_a)
    texts->a = part_of(texts->a, best.start, best.length);
  else
    texts->b = part_of(texts->b, best.start, best.length);
}

/* Replaces the texts by what the algorithm compares letter by letter. */
static void take_compared(fuzzy_texts *texts) {
  ee_text_algorithm algorithm = texts->measure->algorithm;
  if (algorithm == EE_TOKEN_SORT || algorithm == EE_PARTIAL_TOKEN_SORT) {
    texts->a = ee_token_sorted(texts->a, texts->measure->tokenizer, texts->arena);
    texts->b = ee_token_sorted(texts->b, texts->measure->tokenizer, texts->arena);
  }
  if (algorithm == EE_PARTIAL_TOKEN_SET) {
    ee_str a, b;
    if (ee_token_set_rests(texts->a, texts->b, texts->measure->tokenizer, texts->arena, &a, &b) >= 0) return;
    texts->a = a;
    texts->b = b;
  }
  if (algorithm == EE_PARTIAL_RATIO || algorithm == EE_PARTIAL_TOKEN_SORT || algorithm == EE_PARTIAL_TOKEN_SET)
    take_part(texts);
}

static const char *chrf_expression(const fuzzy_texts *texts) {
  ee_chrf chrf = {.order = texts->measure->n, .word_order = texts->measure->word_order, .beta = texts->measure->beta};
  double precision, recall, factor = chrf.beta * chrf.beta;
  ee_chrf_count(&chrf, texts->a, texts->b, texts->arena);
  if (!ee_chrf_means(&chrf, &precision, &recall) || precision == 0) return NULL;
  const char *p = ee_formula_result(precision, texts->arena), *r = ee_formula_result(recall, texts->arena);
  return ee_arena_printf(texts->arena, "(1 + %s) * %s * %s/(%s * %s + %s)", ee_formula_operand(factor, texts->arena), p,
                         r, ee_formula_operand(factor, texts->arena), p, r);
}

static const char *bleu_expression(const fuzzy_texts *texts) {
  ee_bleu bleu = {.order = texts->measure->n};
  ee_bleu_parts parts;
  double smoothed = 1;
  ee_bleu_count(&bleu, texts->a, texts->b, texts->measure->tokenizer, texts->arena);
  ee_bleu_parts_of(&bleu, true, &parts);
  if (parts.orders == 0) return NULL;
  const char *expression = "";
  if (parts.penalty < 1)
    expression = ee_arena_printf(texts->arena, "exp(1 - %zu/%zu) * ", bleu.expected, bleu.candidate);
  for (size_t n = 0; n < parts.orders; n++) {
    const ee_ngram_count *count = &bleu.counts[n];
    const char *before = n == 0 ? "(" : " * ";
    if (count->common > 0) {
      expression = ee_arena_printf(texts->arena, "%s%s%zu/%zu", expression, before, count->common, count->candidate);
    } else {
      smoothed *= 2;
      expression = ee_arena_printf(texts->arena, "%s%s1/(%.0f * %zu)", expression, before, smoothed, count->candidate);
    }
  }
  return ee_arena_printf(texts->arena, "%s)^(1/%zu)", expression, parts.orders);
}

static const char *set_expression(const fuzzy_texts *texts) {
  double ratios[3];
  ee_token_set_ratios(texts->a, texts->b, texts->measure->tokenizer, texts->arena, ratios);
  return ee_arena_printf(texts->arena, "max(%s, %s, %s)", ee_formula_result(ratios[0], texts->arena),
                         ee_formula_result(ratios[1], texts->arena), ee_formula_result(ratios[2], texts->arena));
}

static const char *ratio_expression(const fuzzy_texts *texts) {
  size_t a_length = ee_utf8_count(texts->a.data, texts->a.length);
  size_t b_length = ee_utf8_count(texts->b.data, texts->b.length);
  return ee_arena_printf(texts->arena, "2 * %zu/(%zu + %zu)", ee_lcs_length(texts->a, texts->b, texts->arena), a_length,
                         b_length);
}

static const char *error_rate_expression(const fuzzy_texts *texts) {
  size_t edits, expected;
  if (texts->measure->algorithm == EE_CER)
    ee_cer_parts(texts->a, texts->b, texts->arena, &edits, &expected);
  else
    ee_wer_parts(texts->a, texts->b, texts->measure->tokenizer, texts->arena, &edits, &expected);
  if (expected == 0) return NULL;
  return ee_arena_printf(texts->arena, "max(0, 1 - %zu/%zu)", edits, expected);
}

static const char *jaro_expression(const fuzzy_texts *texts) {
  const char *jaro = ee_formula_result(ee_jaro(texts->a, texts->b, texts->arena), texts->arena);
  return ee_arena_printf(texts->arena, "%s + %zu * 0.1 * (1 - %s)", jaro, ee_winkler_prefix(texts->a, texts->b), jaro);
}

/* The similarity as an expression of lengths and distances, or NULL where there is nothing to count. */
static const char *expression_of(const fuzzy_texts *texts, const ee_comparison *result) {
  ee_text_score score = {.value = result->similarity};
  if (texts->measure->algorithm != EE_LEVENSHTEIN)
    score = ee_text_measure_score(texts->measure, texts->a, texts->b, texts->arena);
  switch (texts->measure->algorithm) {
  case EE_LEVENSHTEIN: {
    /* The distance, a whole number, follows from the similarity. */
    size_t a_length = ee_utf8_count(texts->a.data, texts->a.length);
    size_t b_length = ee_utf8_count(texts->b.data, texts->b.length);
    size_t longer = a_length > b_length ? a_length : b_length;
    return ee_arena_printf(texts->arena, "1 - %.0f/%zu", (1 - result->similarity) * (double)longer, longer);
  }
  case EE_DAMERAU:
  case EE_OSA:
  case EE_HAMMING: return ee_arena_printf(texts->arena, "1 - %zu/%zu", score.whole - score.parts, score.whole);
  case EE_LCS: return ee_arena_printf(texts->arena, "%zu/%zu", score.parts, score.whole);
  case EE_JARO_WINKLER: return jaro_expression(texts);
  case EE_TOKEN_SET: return set_expression(texts);
  case EE_TOKEN_F1:
  case EE_DICE:
  case EE_ROUGE_L: return ee_arena_printf(texts->arena, "2 * %zu/%zu", score.parts / 2, score.whole);
  case EE_CHRF: return chrf_expression(texts);
  case EE_BLEU: return bleu_expression(texts);
  case EE_WER:
  case EE_CER: return error_rate_expression(texts);
  default: return ratio_expression(texts); /* of the sorted texts, of a part */
  }
}

static void fuzzy_explain(const ee_strategy *strategy, ee_context *context, const ee_value *expected,
                          const ee_value *candidate, const ee_comparison *result, ee_explanation *how) {
  if (ee_type_of(expected) != EE_STRING || ee_type_of(candidate) != EE_STRING) return;
  const fuzzy_data *data = strategy->data;
  ee_arena *arena = context->arena;
  fuzzy_texts texts = {&data->measure, ee_value_text(expected), ee_value_text(candidate), arena};
  const ee_str a = texts.a, b = texts.b;
  /* Of long texts that do not match the similarity is not known. */
  if (result->similarity < 0 || (data->same_digits && !has_its_digits(texts.a, texts.b))) return;
  const bool is_decided = data->measure.algorithm == EE_PARTIAL_TOKEN_SET && result->similarity == 1;
  if (!is_decided) take_compared(&texts);
  if (texts.a.data != a.data || texts.a.length != a.length) how->expected = ee_value_new_string(arena, texts.a);
  if (texts.b.data != b.data || texts.b.length != b.length) how->candidate = ee_value_new_string(arena, texts.b);
  how->measure = "similarity";
  how->value = result->similarity;
  const char *expression = texts.a.length + texts.b.length > 0 && !is_decided ? expression_of(&texts, result) : NULL;
  ee_explanation_decide(how, expression, EE_LIMIT_MIN, result->matched, arena);
}

const ee_strategy_type ee_fuzzy_strategy = {
    .name = "fuzzy",
    .help = "texts that are similar enough",
    .options = fuzzy_options,
    .threshold = 0.85,
    .equal_matches = true,
    .compile = fuzzy_compile,
    .compare = fuzzy_compare,
    .explain = fuzzy_explain,
};
