/* text_prims.c: ee.prim.*: distances, similarities and normal forms of texts. */
#include "lua/text_prims.h"

#include <lauxlib.h>
#include <math.h>

#include "data/json/value.h"
#include "lua/values.h"
#include "prim/damerau.h"
#include "prim/edit.h"
#include "prim/normalize.h"
#include "prim/text_measure.h"
#include "prim/token.h"

#define MAX_PAIRS ((size_t)4000000)

ee_str ee_lua_check_text(lua_State *L, int index) {
  size_t length;
  const char *text = luaL_checklstring(L, index, &length);
  if (ee_utf8_valid_prefix(text, length) != length) luaL_argerror(L, index, "not valid UTF-8");
  return (ee_str){text, length};
}

void ee_lua_push_matrix(lua_State *L, const double *matrix, size_t rows, size_t columns) {
  lua_createtable(L, (int)rows, 0);
  for (size_t i = 0; i < rows; i++) {
    lua_createtable(L, (int)columns, 0);
    for (size_t k = 0; k < columns; k++) {
      lua_pushnumber(L, matrix[i * columns + k]);
      lua_rawseti(L, -2, (lua_Integer)k + 1);
    }
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
}

/* Options ---------------------------------------------------------------------------------------- */

/* What may be among the options of a call besides those of the algorithm. */
typedef struct option_set {
  unsigned measure; /* of ee_measure_option */
  bool normalize;
} option_set;

static const struct {
  const char *name;
  ee_measure_option option;
} measure_options[] = {{"tokenizer", EE_MEASURE_TOKENIZER},
                       {"n", EE_MEASURE_N},
                       {"word_order", EE_MEASURE_WORD_ORDER},
                       {"beta", EE_MEASURE_BETA}};

#define MEASURE_OPTIONS (sizeof measure_options / sizeof *measure_options)

static bool takes(option_set set, ee_str name) {
  if (set.normalize && ee_str_is(name, "normalize")) return true;
  for (size_t i = 0; i < MEASURE_OPTIONS; i++) {
    if ((set.measure & measure_options[i].option) != 0 && ee_str_is(name, measure_options[i].name)) return true;
  }
  return false;
}

/* Raises for the first key, in byte order, of the table at `index` that is not in `set`. */
static void refuse_others(lua_State *L, int index, option_set set) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  const char *names[MEASURE_OPTIONS + 2];
  size_t count = 0;
  ee_str wrong = {NULL, 0};
  for (lua_pushnil(L); lua_next(L, index) != 0; lua_pop(L, 1)) {
    if (lua_type(L, -2) != LUA_TSTRING) luaL_argerror(L, index, "options expected: a table with names");
    ee_str name = {lua_tostring(L, -2), lua_rawlen(L, -2)};
    if (!takes(set, name) && (wrong.data == NULL || ee_str_compare(name, wrong) < 0)) wrong = name;
  }
  if (wrong.data == NULL) return;
  for (size_t i = 0; i < MEASURE_OPTIONS; i++) {
    if ((set.measure & measure_options[i].option) != 0) names[count++] = measure_options[i].name;
  }
  if (set.normalize) names[count++] = "normalize";
  names[count] = NULL;
  lua_pushfstring(L, "unknown option '%s'%s", wrong.data, ee_suggestion(arena, wrong, names));
  luaL_argerror(L, index, lua_tostring(L, -1));
}

/* The number of the string at the top of the stack among the choices "a|b|c". */
static int check_choice(lua_State *L, int index, const char *what, const char *choices) {
  ee_arena *arena = ee_lua_scratch_arena(L);
  const char *names[64];
  size_t count = 0;
  char *rest = ee_arena_copy(arena, choices, strlen(choices));
  for (char *name = rest; name != NULL; name = rest) {
    rest = strchr(name, '|');
    if (rest != NULL) *rest++ = '\0';
    names[count++] = name;
  }
  names[count] = NULL;
  if (lua_type(L, -1) != LUA_TSTRING) luaL_argerror(L, index, lua_pushfstring(L, "%s must be a string", what));
  ee_str text = {lua_tostring(L, -1), lua_rawlen(L, -1)};
  for (size_t i = 0; i < count; i++) {
    if (ee_str_is(text, names[i])) return (int)i;
  }
  lua_pushfstring(L, "unknown %s '%s'%s", what, text.data, ee_suggestion(arena, text, names));
  luaL_argerror(L, index, lua_tostring(L, -1));
  return 0; /* unreached: luaL_argerror() does not return */
}

/* The whole number `name` of the options at `index`. */
static size_t check_whole(lua_State *L, int index, const char *name, size_t min, size_t max, size_t fallback) {
  if (lua_getfield(L, index, name) == LUA_TNIL) {
    lua_pop(L, 1);
    return fallback;
  }
  double number = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
  if (!(number >= (double)min && number <= (double)max && number == floor(number)))
    luaL_argerror(L, index,
                  lua_pushfstring(L, "option '%s' must be a whole number from %d to %d", name, (int)min, (int)max));
  lua_pop(L, 1);
  return (size_t)number;
}

/* Reads the options at `index`, which may be left out, into `measure`. */
static void check_options(lua_State *L, int index, ee_text_measure *measure, bool normalize) {
  if (lua_isnoneornil(L, index)) return;
  luaL_checktype(L, index, LUA_TTABLE);
  if (lua_getfield(L, index, "tokenizer") != LUA_TNIL &&
      (ee_text_measure_options(measure->algorithm, measure->tokenizer.kind) & EE_MEASURE_TOKENIZER) != 0)
    measure->tokenizer.kind = (ee_token_kind)check_choice(L, index, "tokenizer", EE_TOKENIZERS);
  lua_pop(L, 1);
  if (measure->algorithm == EE_BLEU && measure->tokenizer.kind == EE_TOKEN_NGRAMS)
    luaL_argerror(L, index, "tokenizer 'ngrams' does not apply to bleu");
  unsigned taken = ee_text_measure_options(measure->algorithm, measure->tokenizer.kind);
  refuse_others(L, index, (option_set){taken, normalize});
  measure->n = measure->tokenizer.n = check_whole(L, index, "n", 1, EE_NGRAM_LIMIT, measure->n);
  measure->word_order = check_whole(L, index, "word_order", 0, EE_NGRAM_LIMIT, measure->word_order);
  if (lua_getfield(L, index, "beta") != LUA_TNIL) {
    measure->beta = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
    if (!(measure->beta >= 0 && measure->beta <= EE_BETA_LIMIT))
      luaL_argerror(L, index, "option 'beta' must be a number from 0 to 100");
  }
  lua_pop(L, 1);
}

/* Distances -------------------------------------------------------------------------------------- */

int ee_lua_levenshtein(lua_State *L) {
  ee_str a = ee_lua_check_text(L, 1), b = ee_lua_check_text(L, 2);
  lua_Integer limit = luaL_optinteger(L, 3, LUA_MAXINTEGER);
  luaL_argcheck(L, limit >= 0, 3, "a whole number from 0 expected");
  size_t distance =
      ee_levenshtein(a, b, limit == LUA_MAXINTEGER ? EE_NO_LIMIT : (size_t)limit, ee_lua_scratch_arena(L));
  lua_pushinteger(L, (lua_Integer)distance);
  return 1;
}

static int distance_of(lua_State *L, size_t (*distance)(ee_str, ee_str, ee_arena *)) {
  ee_str a = ee_lua_check_text(L, 1), b = ee_lua_check_text(L, 2);
  lua_pushinteger(L, (lua_Integer)distance(a, b, ee_lua_scratch_arena(L)));
  return 1;
}
int ee_lua_damerau(lua_State *L) { return distance_of(L, ee_damerau); }
int ee_lua_osa(lua_State *L) { return distance_of(L, ee_osa); }
int ee_lua_lcs_length(lua_State *L) { return distance_of(L, ee_lcs_length); }

int ee_lua_hamming(lua_State *L) {
  ee_str a = ee_lua_check_text(L, 1), b = ee_lua_check_text(L, 2);
  lua_pushinteger(L, (lua_Integer)ee_hamming(a, b));
  return 1;
}

/* Similarities ----------------------------------------------------------------------------------- */

/* (a, b [, options]) -> number */
static int measured(lua_State *L, ee_text_algorithm algorithm) {
  ee_str a = ee_lua_check_text(L, 1), b = ee_lua_check_text(L, 2);
  ee_text_measure measure = ee_text_measure_of(algorithm);
  if (ee_text_measure_options(algorithm, EE_TOKEN_WHITESPACE) != 0) check_options(L, 3, &measure, false);
  lua_pushnumber(L, ee_text_measure_score(&measure, a, b, ee_lua_scratch_arena(L)).value);
  return 1;
}
int ee_lua_levenshtein_similarity(lua_State *L) { return measured(L, EE_LEVENSHTEIN); }
int ee_lua_jaro_winkler(lua_State *L) { return measured(L, EE_JARO_WINKLER); }
int ee_lua_lcs(lua_State *L) { return measured(L, EE_LCS); }
int ee_lua_ratio(lua_State *L) { return measured(L, EE_RATIO); }
int ee_lua_partial_ratio(lua_State *L) { return measured(L, EE_PARTIAL_RATIO); }
int ee_lua_token_sort(lua_State *L) { return measured(L, EE_TOKEN_SORT); }
int ee_lua_token_set(lua_State *L) { return measured(L, EE_TOKEN_SET); }
int ee_lua_token_f1(lua_State *L) { return measured(L, EE_TOKEN_F1); }
int ee_lua_partial_token_sort(lua_State *L) { return measured(L, EE_PARTIAL_TOKEN_SORT); }
int ee_lua_partial_token_set(lua_State *L) { return measured(L, EE_PARTIAL_TOKEN_SET); }
int ee_lua_dice(lua_State *L) { return measured(L, EE_DICE); }
int ee_lua_chrf(lua_State *L) { return measured(L, EE_CHRF); }
int ee_lua_bleu(lua_State *L) { return measured(L, EE_BLEU); }
int ee_lua_rouge_l(lua_State *L) { return measured(L, EE_ROUGE_L); }

int ee_lua_jaro(lua_State *L) {
  ee_str a = ee_lua_check_text(L, 1), b = ee_lua_check_text(L, 2);
  lua_pushnumber(L, ee_jaro(a, b, ee_lua_scratch_arena(L)));
  return 1;
}

/* Error rates ------------------------------------------------------------------------------------ */

/* Pushes the rate, and what it is made of. */
static int push_rate(lua_State *L, size_t edits, size_t expected) {
  lua_pushnumber(L, expected > 0 ? (double)edits / (double)expected : (double)edits);
  lua_pushinteger(L, (lua_Integer)edits);
  lua_pushinteger(L, (lua_Integer)expected);
  return 3;
}

/* wer(expected, candidate [, options]) -> rate, edits, tokens expected */
int ee_lua_wer(lua_State *L) {
  ee_str expected = ee_lua_check_text(L, 1), candidate = ee_lua_check_text(L, 2);
  ee_text_measure measure = ee_text_measure_of(EE_WER);
  size_t edits, tokens;
  check_options(L, 3, &measure, false);
  ee_wer_parts(expected, candidate, measure.tokenizer, ee_lua_scratch_arena(L), &edits, &tokens);
  return push_rate(L, edits, tokens);
}

/* cer(expected, candidate) -> rate, edits, code points expected */
int ee_lua_cer(lua_State *L) {
  ee_str expected = ee_lua_check_text(L, 1), candidate = ee_lua_check_text(L, 2);
  size_t edits, points;
  ee_cer_parts(expected, candidate, ee_lua_scratch_arena(L), &edits, &points);
  return push_rate(L, edits, points);
}

/* Counts, which are added up over a data set ------------------------------------------------------ */

#define A_LIST_OF_COUNTS "a list of counts expected"
#define CHRF_COUNTS 3
#define BLEU_LENGTHS 2
#define BLEU_COUNTS 2

static void push_count(lua_State *L, size_t count) {
  lua_pushinteger(L, (lua_Integer)count);
  lua_rawseti(L, -2, (lua_Integer)lua_rawlen(L, -2) + 1);
}

/* The whole number at `position` of the list at 1. */
static size_t check_count(lua_State *L, size_t position) {
  lua_rawgeti(L, 1, (lua_Integer)position);
  double number = lua_type(L, -1) == LUA_TNUMBER ? lua_tonumber(L, -1) : -1;
  luaL_argcheck(L, number >= 0 && number <= 0x1p53 && number == floor(number), 1, A_LIST_OF_COUNTS);
  lua_pop(L, 1);
  return (size_t)number;
}

/* chrf_counts(expected, candidate [, options]) -> { expected, candidate, common, ... } of each order */
int ee_lua_chrf_counts(lua_State *L) {
  ee_str expected = ee_lua_check_text(L, 1), candidate = ee_lua_check_text(L, 2);
  ee_text_measure measure = ee_text_measure_of(EE_CHRF);
  check_options(L, 3, &measure, false);
  ee_chrf chrf = {.order = measure.n, .word_order = measure.word_order};
  ee_chrf_count(&chrf, expected, candidate, ee_lua_scratch_arena(L));
  lua_createtable(L, (int)(CHRF_COUNTS * (chrf.order + chrf.word_order)), 0);
  for (size_t i = 0; i < chrf.order + chrf.word_order; i++) {
    push_count(L, chrf.counts[i].expected);
    push_count(L, chrf.counts[i].candidate);
    push_count(L, chrf.counts[i].common);
  }
  return 1;
}

/* corpus_chrf(counts [, beta]) -> number */
int ee_lua_corpus_chrf(lua_State *L) {
  ee_chrf chrf = {.beta = luaL_optnumber(L, 2, 2)};
  luaL_checktype(L, 1, LUA_TTABLE);
  luaL_argcheck(L, chrf.beta >= 0 && chrf.beta <= EE_BETA_LIMIT, 2, "a number from 0 to 100 expected");
  size_t count = lua_rawlen(L, 1);
  luaL_argcheck(L, count > 0 && count % CHRF_COUNTS == 0 && count <= CHRF_COUNTS * 2 * EE_NGRAM_LIMIT, 1,
                A_LIST_OF_COUNTS ", as chrf_counts gives it");
  chrf.order = count / CHRF_COUNTS;
  for (size_t i = 0; i < chrf.order; i++) {
    ee_ngram_count *at = &chrf.counts[i];
    *at = (ee_ngram_count){check_count(L, CHRF_COUNTS * i + 1), check_count(L, CHRF_COUNTS * i + 2),
                           check_count(L, CHRF_COUNTS * i + 3)};
    luaL_argcheck(L, at->common <= at->expected && at->common <= at->candidate, 1, "more common than counted");
  }
  lua_pushnumber(L, ee_chrf_score(&chrf));
  return 1;
}

/* bleu_counts(expected, candidate [, options]) -> { tokens expected, of the candidate, common, n-grams, ... } */
int ee_lua_bleu_counts(lua_State *L) {
  ee_str expected = ee_lua_check_text(L, 1), candidate = ee_lua_check_text(L, 2);
  ee_text_measure measure = ee_text_measure_of(EE_BLEU);
  check_options(L, 3, &measure, false);
  ee_bleu bleu = {.order = measure.n};
  ee_bleu_count(&bleu, expected, candidate, measure.tokenizer, ee_lua_scratch_arena(L));
  lua_createtable(L, (int)(BLEU_LENGTHS + BLEU_COUNTS * bleu.order), 0);
  push_count(L, bleu.expected);
  push_count(L, bleu.candidate);
  for (size_t i = 0; i < bleu.order; i++) {
    push_count(L, bleu.counts[i].common);
    push_count(L, bleu.counts[i].candidate);
  }
  return 1;
}

/* corpus_bleu(counts) -> number */
int ee_lua_corpus_bleu(lua_State *L) {
  luaL_checktype(L, 1, LUA_TTABLE);
  size_t count = lua_rawlen(L, 1);
  luaL_argcheck(
      L, count > BLEU_LENGTHS && count % BLEU_COUNTS == 0 && count <= BLEU_LENGTHS + BLEU_COUNTS * EE_NGRAM_LIMIT, 1,
      A_LIST_OF_COUNTS ", as bleu_counts gives it");
  ee_bleu bleu = {
      .order = (count - BLEU_LENGTHS) / BLEU_COUNTS, .expected = check_count(L, 1), .candidate = check_count(L, 2)};
  for (size_t i = 0; i < bleu.order; i++) {
    ee_ngram_count *at = &bleu.counts[i];
    at->common = check_count(L, BLEU_LENGTHS + BLEU_COUNTS * i + 1);
    at->candidate = check_count(L, BLEU_LENGTHS + BLEU_COUNTS * i + 2);
    luaL_argcheck(L, at->common <= at->candidate, 1, "more common than counted");
  }
  lua_pushnumber(L, ee_bleu_score(&bleu, false));
  return 1;
}

/* Tokens, forms ---------------------------------------------------------------------------------- */

/* tokens(text [, tokenizer [, n]]) -> list */
int ee_lua_tokens(lua_State *L) {
  ee_str text = ee_lua_check_text(L, 1), *tokens;
  ee_tokenizer tokenizer = {EE_TOKEN_WHITESPACE, 2};
  lua_Integer n = luaL_optinteger(L, 3, 2);
  luaL_argcheck(L, n >= 1 && n <= EE_NGRAM_LIMIT, 3, "a whole number from 1 to 16 expected");
  tokenizer.n = (size_t)n;
  if (!lua_isnoneornil(L, 2)) {
    lua_pushvalue(L, 2);
    tokenizer.kind = (ee_token_kind)check_choice(L, 2, "tokenizer", EE_TOKENIZERS);
  }
  size_t count = ee_tokens(text, tokenizer, ee_lua_scratch_arena(L), &tokens);
  lua_createtable(L, count < 1000000 ? (int)count : 0, 0);
  for (size_t i = 0; i < count; i++) {
    lua_pushlstring(L, tokens[i].data, tokens[i].length);
    lua_rawseti(L, -2, (lua_Integer)i + 1);
  }
  return 1;
}

#define MAX_FORMS 32

/* The normal form that the string at `index` names, for argument `argument`. */
static uint8_t check_form(lua_State *L, int index, int argument) {
  ee_str name = ee_lua_check_text(L, index);
  int form = ee_normal_form_find(name);
  if (form < 0) {
    lua_pushfstring(L, "unknown normal form '%s'%s", name.data,
                    ee_suggestion(ee_lua_scratch_arena(L), name, ee_normal_form_names));
    luaL_argerror(L, argument, lua_tostring(L, -1));
  }
  return (uint8_t)form;
}

/* normalize(text, form, ...) */
int ee_lua_normalize(lua_State *L) {
  ee_str text = ee_lua_check_text(L, 1);
  uint8_t forms[MAX_FORMS];
  int count = lua_gettop(L) - 1;
  luaL_argcheck(L, count <= MAX_FORMS, MAX_FORMS + 2, "more than 32 normal forms");
  for (int i = 0; i < count; i++) forms[i] = check_form(L, i + 2, i + 2);
  ee_str out = ee_normalize(text, forms, (size_t)count, ee_lua_scratch_arena(L));
  lua_pushlstring(L, out.data, out.length);
  return 1;
}

/* Any algorithm ---------------------------------------------------------------------------------- */

/* What similarity() and similarity_matrix() compute. */
typedef struct call_options {
  ee_text_measure measure;
  uint8_t forms[MAX_FORMS];
  size_t form_count;
} call_options;

/* Reads `normalize` of the options at `index`: a form, or a list of them. */
static void check_normalize(lua_State *L, int index, call_options *call) {
  if (lua_isnoneornil(L, index)) return;
  int type = lua_getfield(L, index, "normalize");
  if (type == LUA_TSTRING) call->forms[call->form_count++] = check_form(L, lua_gettop(L), index);
  if (type != LUA_TSTRING && type != LUA_TNIL) {
    luaL_argcheck(L, type == LUA_TTABLE && lua_rawlen(L, -1) <= MAX_FORMS, index,
                  "option 'normalize' must be a normal form or a list of them");
    for (size_t count = lua_rawlen(L, -1); call->form_count < count; call->form_count++) {
      lua_rawgeti(L, -1, (lua_Integer)call->form_count + 1);
      luaL_argcheck(L, lua_type(L, -1) == LUA_TSTRING, index,
                    "option 'normalize' must be a normal form or a list of them");
      call->forms[call->form_count] = check_form(L, lua_gettop(L), index);
      lua_pop(L, 1);
    }
  }
  lua_pop(L, 1);
}

/* Reads the algorithm at 3 and the options at 4; both may be left out. */
static void check_call(lua_State *L, call_options *call) {
  call->form_count = 0;
  lua_settop(L, 4);
  ee_text_algorithm algorithm = EE_LEVENSHTEIN;
  if (!lua_isnil(L, 3)) {
    lua_pushvalue(L, 3);
    algorithm = (ee_text_algorithm)check_choice(L, 3, "algorithm", EE_TEXT_ALGORITHMS);
    lua_pop(L, 1);
  }
  call->measure = ee_text_measure_of(algorithm);
  check_options(L, 4, &call->measure, true);
  check_normalize(L, 4, call);
}

static ee_str normalized(const call_options *call, ee_str text, ee_arena *arena) {
  return ee_normalize(text, call->forms, call->form_count, arena);
}

/* similarity(expected, candidate [, algorithm [, options]]) -> number */
int ee_lua_similarity(lua_State *L) {
  call_options call;
  ee_str a = ee_lua_check_text(L, 1), b = ee_lua_check_text(L, 2);
  check_call(L, &call);
  ee_arena *arena = ee_lua_scratch_arena(L);
  lua_pushnumber(
      L, ee_text_measure_score(&call.measure, normalized(&call, a, arena), normalized(&call, b, arena), arena).value);
  return 1;
}

/* The strings of the list at `index`, normalized; a table, read without calling metamethods, or an array of a document.
 */
static ee_str *check_texts(lua_State *L, int index, const call_options *call, ee_arena *arena, size_t *count) {
  const ee_value *item = NULL;
  const char *why;
  if (lua_istable(L, index)) {
    *count = lua_rawlen(L, index);
  } else {
    const ee_value *list = lua_isuserdata(L, index) ? ee_lua_to_value(ee_lua_of(L), index, arena, &why) : NULL;
    luaL_argcheck(L, ee_type_of(list) == EE_ARRAY, index, "a list of strings expected");
    *count = ee_value_count(list);
    item = ee_value_child(list);
  }
  luaL_argcheck(L, *count <= MAX_PAIRS, index, "more than 4,000,000 pairs");
  ee_str *texts = ee_arena_alloc(arena, *count * sizeof *texts);
  for (size_t i = 0; i < *count; i++) {
    ee_str text = {NULL, 0};
    if (item != NULL) {
      if (ee_type_of(item) == EE_STRING) text = ee_value_text(item);
      item = ee_value_next(item);
    } else if (lua_rawgeti(L, index, (lua_Integer)i + 1) == LUA_TSTRING) {
      text = (ee_str){lua_tostring(L, -1), lua_rawlen(L, -1)};
    }
    if (text.data == NULL) luaL_argerror(L, index, lua_pushfstring(L, "item %d is not a string", (int)i + 1));
    if (ee_utf8_valid_prefix(text.data, text.length) != text.length)
      luaL_argerror(L, index, lua_pushfstring(L, "item %d is not valid UTF-8", (int)i + 1));
    if (lua_istable(L, index)) lua_pop(L, 1); /* the table still holds the string */
    texts[i] = normalized(call, text, arena);
  }
  return texts;
}

/* similarity_matrix(expected, candidate [, algorithm [, options]]) -> list of rows */
int ee_lua_similarity_matrix(lua_State *L) {
  call_options call;
  check_call(L, &call);
  ee_arena *arena = ee_lua_scratch_arena(L);
  size_t rows, columns;
  const ee_str *a = check_texts(L, 1, &call, arena, &rows), *b = check_texts(L, 2, &call, arena, &columns);
  luaL_argcheck(L, rows == 0 || columns <= MAX_PAIRS / rows, 2, "more than 4,000,000 pairs");
  double *matrix = ee_arena_alloc(arena, (rows * columns + 1) * sizeof *matrix);
  ee_text_measure_matrix(&call.measure, a, rows, b, columns, matrix, arena);
  ee_lua_push_matrix(L, matrix, rows, columns);
  return 1;
}
