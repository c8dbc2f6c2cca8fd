/* test_text_prims.c: ee.prim.* of texts against the C functions, and wrong arguments. */
#include "lua/rule_text.h"

#include "data/json/json_reader.h"
#include "lua/text_prims.h"
#include "lua/values.h"
#include "prim/damerau.h"
#include "prim/text_measure.h"
#include "prim/token.h"
#include "support/random.h"

enum { ROUNDS = 400 };

static void push_str(ee_lua *lua, ee_str text) { lua_pushlstring(lua->L, text.data, text.length); }

/* Words of few letters, accents, CJK, NUL. */
static ee_str random_text(test_random *random, ee_arena *arena) {
  static const char *const pieces[] = {"a", "b", "A", " ", " ", "ab", "\xc3\xa9", "\xe6\x9d\xb1", "\xf0\x9f\x98\x80",
                                       "1", "."};
  ee_buffer out;
  ee_buffer_init(&out);
  for (size_t left = test_random_below(random, 14); left > 0; left--) {
    size_t piece = test_random_below(random, sizeof pieces / sizeof *pieces + 1);
    if (piece == sizeof pieces / sizeof *pieces)
      ee_buffer_add_char(&out, '\0');
    else
      ee_buffer_add_text(&out, pieces[piece]);
  }
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

/* Leaves the results of prim[name](a, b) above PRIM. */
enum { PRIM = 2 };
static void call(ee_lua *lua, const char *name, ee_str a, ee_str b, int results) {
  lua_settop(lua->L, PRIM);
  lua_getfield(lua->L, PRIM, name);
  push_str(lua, a);
  push_str(lua, b);
  ee_error error;
  if (ee_lua_call(lua, 2, results, &error) != EE_OK) fail_msg("%s: %s", name, error_text(&error));
}

static size_t hamming(ee_str a, ee_str b, ee_arena *arena) {
  (void)arena;
  return ee_hamming(a, b);
}

static void test_pairs(void **state) {
  (void)state;
  static const struct {
    const char *name;
    size_t (*function)(ee_str, ee_str, ee_arena *);
  } distances[] = {{"damerau", ee_damerau}, {"osa", ee_osa}, {"hamming", hamming}};
  static const struct {
    const char *name;
    ee_text_algorithm algorithm;
  } measures[] = {{"token_sort", EE_TOKEN_SORT},
                  {"token_set", EE_TOKEN_SET},
                  {"token_f1", EE_TOKEN_F1},
                  {"partial_token_sort", EE_PARTIAL_TOKEN_SORT},
                  {"partial_token_set", EE_PARTIAL_TOKEN_SET},
                  {"lcs", EE_LCS},
                  {"dice", EE_DICE},
                  {"chrf", EE_CHRF},
                  {"bleu", EE_BLEU},
                  {"rouge_l", EE_ROUGE_L}};
  test_random random = test_random_start("text prims: pairs", 41);
  ee_lua *lua = new_state();
  run_text(lua, "return ee.prim");
  ee_arena arena;
  ee_arena_init(&arena, 0);
  for (int round = 0; round < ROUNDS; round++) {
    ee_arena_reset(&arena, 0);
    ee_str a = random_text(&random, &arena), b = random_text(&random, &arena);
    for (size_t i = 0; i < sizeof distances / sizeof *distances; i++) {
      call(lua, distances[i].name, a, b, 1);
      assert_true(lua_isinteger(lua->L, -1));
      assert_int_equal((size_t)lua_tointeger(lua->L, -1), distances[i].function(a, b, &arena));
    }
    for (size_t i = 0; i < sizeof measures / sizeof *measures; i++) {
      ee_text_measure measure = ee_text_measure_of(measures[i].algorithm);
      call(lua, measures[i].name, a, b, 1);
      assert_true(lua_tonumber(lua->L, -1) == ee_text_measure_score(&measure, a, b, &arena).value);
    }
    size_t edits, expected;
    ee_wer_parts(a, b, EE_WHITESPACE_TOKENS, &arena, &edits, &expected);
    call(lua, "wer", a, b, 3);
    assert_true(lua_tonumber(lua->L, -3) == (double)edits / (double)(expected > 0 ? expected : 1));
    assert_int_equal((size_t)lua_tointeger(lua->L, -2), edits);
    assert_int_equal((size_t)lua_tointeger(lua->L, -1), expected);
    ee_cer_parts(a, b, &arena, &edits, &expected);
    call(lua, "cer", a, b, 3);
    assert_int_equal((size_t)lua_tointeger(lua->L, -2), edits);
    assert_int_equal((size_t)lua_tointeger(lua->L, -1), expected);
  }
  ee_arena_fini(&arena);
  ee_lua_free(lua);
}

static void test_options(void **state) {
  (void)state;
  assert_result(
      "return ee.json { ee.prim.token_f1('The cat.', 'a cat', { tokenizer = 'squad' }),\n"
      "ee.prim.token_f1('abc', 'abd', { tokenizer = 'ngrams', n = 1 }), ee.prim.dice('abc', 'abd', { n = 3 }),\n"
      "ee.prim.similarity('Ab ', 'ab', 'hamming', { normalize = { 'trim', 'casefold' } }),\n"
      "ee.prim.similarity('A', 'a', 'levenshtein', { normalize = 'casefold' }), ee.prim.similarity('a', 'a'),\n"
      "ee.prim.similarity('a', 'b', nil, nil), ee.prim.wer('a b', 'a', { tokenizer = 'characters' }),\n"
      "(ee.prim.cer('', 'abc')) }",
      "[1,0.6666666666666666,0,1,1,1,0,0.5,3]");
  assert_result("return ee.json { ee.prim.chrf('ab c', 'ab d', { n = 2, word_order = 1, beta = 1 }),\n"
                "ee.prim.corpus_chrf(ee.prim.chrf_counts('ab c', 'ab d', { n = 2, word_order = 1 }), 1),\n"
                "ee.prim.bleu('a b', 'a b'), ee.prim.corpus_bleu(ee.prim.bleu_counts('a b', 'a b')),\n"
                "ee.prim.corpus_bleu(ee.prim.bleu_counts('a b', 'a b', { n = 2 })) }",
                "[0.5555555555555555,0.5555555555555555,1,0,1]");
  assert_result(
      "return ee.json { ee.prim.tokens('a b'), ee.prim.tokens('ab', 'ngrams'), ee.prim.tokens('abc', 'ngrams', 3),\n"
      "ee.prim.tokens('a-b', 'words'), ee.prim.tokens('') }",
      "[[\"a\",\"b\"],[\"ab\"],[\"abc\"],[\"a\",\"b\"],{}]");
}

/* Tables and arrays of a document; all algorithms. */
static void test_matrix(void **state) {
  (void)state;
  assert_result("return ee.json { ee.prim.similarity_matrix({}, { 'a' }), ee.prim.similarity_matrix({ 'a' }, {}),\n"
                "ee.prim.similarity_matrix({ 'ab', 'cd' }, { 'AB', 'ax' }, 'osa', { normalize = 'casefold' }) }",
                "[{},[{}],[[1,0.5],[0,0]]]");
  static const char *const algorithms =
      "local names = {} for name in ([[levenshtein jaro_winkler token_sort token_set token_f1 ratio partial_ratio "
      "partial_token_sort partial_token_set damerau osa hamming lcs dice chrf bleu rouge_l wer cer]]):gmatch '%S+' do "
      "names[#names + 1] = name end\n"
      "local a, b = { 'ab c', '', 'x', 'ab' }, { 'ab', 'c ab', 'é' }\n"
      "for _, name in ipairs(names) do local m = ee.prim.similarity_matrix(a, b, name)\n"
      "  for i = 1, #a do for k = 1, #b do assert(m[i][k] == ee.prim.similarity(a[i], b[k], name), name) end end end\n"
      "return 'same ' .. #names";
  assert_result(algorithms, "same 19");
  ee_arena arena;
  ee_arena_init(&arena, 0);
  ee_error error;
  ee_lua *lua = new_state();
  run_text(lua, "return function(list) return ee.json(ee.prim.similarity_matrix(list, list)) end");
  lua->arena = &arena;
  ee_lua_push_value(lua, ee_json_read(&arena, EE_STR("[\"ab\", \"ax\"]"), NULL, &error));
  assert_int_equal(ee_lua_call(lua, 1, 1, &error), EE_OK);
  assert_string_equal(lua_tostring(lua->L, -1), "[[1,0.5],[0.5,1]]");
  ee_lua_free(lua);
  ee_arena_fini(&arena);
}

static void test_wrong_arguments(void **state) {
  (void)state;
  static const struct {
    const char *call, *message;
  } cases[] = {
      {"damerau('a')", "bad argument #2 to 'damerau' (string expected, got no value)"},
      {"hamming('a', '\\xff')", "bad argument #2 to 'hamming' (not valid UTF-8)"},
      {"similarity('a', 'b', 'osaa')",
       "bad argument #3 to 'similarity' (unknown algorithm 'osaa' (did you mean 'osa'?))"},
      {"similarity('a', 'b', 1)", "bad argument #3 to 'similarity' (algorithm must be a string)"},
      {"similarity('a', 'b', 'bleu', { toknizer = 'intl' })",
       "bad argument #4 to 'similarity' (unknown option 'toknizer' (did you mean 'tokenizer'?))"},
      {"similarity('a', 'b', 'osa', { n = 2 })", "bad argument #4 to 'similarity' (unknown option 'n')"},
      {"similarity('a', 'b', 'osa', { b = 1, a = 2, c = 3 })", "bad argument #4 to 'similarity' (unknown option 'a')"},
      {"similarity('a', 'b', 'osa', { 'x' })",
       "bad argument #4 to 'similarity' (options expected: a table with names)"},
      {"similarity('a', 'b', 'osa', 'x')", "bad argument #4 to 'similarity' (table expected, got string)"},
      {"similarity('a', 'b', 'osa', { normalize = 'trimm' })",
       "bad argument #4 to 'similarity' (unknown normal form 'trimm' (did you mean 'trim'?))"},
      {"similarity('a', 'b', 'osa', { normalize = { 1 } })",
       "bad argument #4 to 'similarity' (option 'normalize' must be a normal form or a list of them)"},
      {"similarity('a', 'b', 'osa', { normalize = true })",
       "bad argument #4 to 'similarity' (option 'normalize' must be a normal form or a list of them)"},
      {"token_f1('a', 'b', { tokenizer = 'word' })",
       "bad argument #3 to 'token_f1' (unknown tokenizer 'word' (did you mean 'words'?))"},
      {"token_f1('a', 'b', { tokenizer = 1 })", "bad argument #3 to 'token_f1' (tokenizer must be a string)"},
      {"token_f1('a', 'b', { n = 2 })", "bad argument #3 to 'token_f1' (unknown option 'n')"},
      {"dice('a', 'b', { n = 0 })", "bad argument #3 to 'dice' (option 'n' must be a whole number from 1 to 16)"},
      {"dice('a', 'b', { n = 1.5 })", "bad argument #3 to 'dice' (option 'n' must be a whole number from 1 to 16)"},
      {"dice('a', 'b', { n = 0/0 })", "bad argument #3 to 'dice' (option 'n' must be a whole number from 1 to 16)"},
      {"chrf('a', 'b', { beta = -1 })", "bad argument #3 to 'chrf' (option 'beta' must be a number from 0 to 100)"},
      {"chrf('a', 'b', { word_order = 17 })",
       "bad argument #3 to 'chrf' (option 'word_order' must be a whole number from 0 to 16)"},
      {"bleu('a', 'b', { tokenizer = 'ngrams' })",
       "bad argument #3 to 'bleu' (tokenizer 'ngrams' does not apply to bleu)"},
      {"corpus_bleu { 1, 1 }", "bad argument #1 to 'corpus_bleu' (a list of counts expected, as bleu_counts gives it)"},
      {"corpus_bleu { 1, 1, 2, 1 }", "bad argument #1 to 'corpus_bleu' (more common than counted)"},
      {"corpus_bleu { 1, 1, 'x', 1 }", "bad argument #1 to 'corpus_bleu' (a list of counts expected)"},
      {"corpus_chrf { 1 }", "bad argument #1 to 'corpus_chrf' (a list of counts expected, as chrf_counts gives it)"},
      {"corpus_chrf { 1, 1, 2 }", "bad argument #1 to 'corpus_chrf' (more common than counted)"},
      {"corpus_chrf({ 1, 1, 1 }, -1)", "bad argument #2 to 'corpus_chrf' (a number from 0 to 100 expected)"},
      {"tokens('a', 'x')", "bad argument #2 to 'tokens' (unknown tokenizer 'x')"},
      {"tokens('a', 'ngrams', 0)", "bad argument #3 to 'tokens' (a whole number from 1 to 16 expected)"},
      {"similarity_matrix({ 'a', 1 }, {})", "bad argument #1 to 'similarity_matrix' (item 2 is not a string)"},
      {"similarity_matrix({}, { '\\xff' })", "bad argument #2 to 'similarity_matrix' (item 1 is not valid UTF-8)"},
      {"corpus_bleu { 1, 1, 0/0, 1 }", "bad argument #1 to 'corpus_bleu' (a list of counts expected)"},
      {"corpus_bleu { 1, 1, 1.5, 1 }", "bad argument #1 to 'corpus_bleu' (a list of counts expected)"},
      {"corpus_bleu { 1, 1, -1, 1 }", "bad argument #1 to 'corpus_bleu' (a list of counts expected)"},
      {"corpus_bleu { 1, 1, 1e300, 1 }", "bad argument #1 to 'corpus_bleu' (a list of counts expected)"},
      {"corpus_bleu {}", "bad argument #1 to 'corpus_bleu' (a list of counts expected, as bleu_counts gives it)"},
      {"corpus_chrf {}", "bad argument #1 to 'corpus_chrf' (a list of counts expected, as chrf_counts gives it)"},
      {"corpus_chrf { 1, 2, 1 , 1 }",
       "bad argument #1 to 'corpus_chrf' (a list of counts expected, as chrf_counts gives it)"},
      {"corpus_chrf { 2, 1, 2 }", "bad argument #1 to 'corpus_chrf' (more common than counted)"},
      {"corpus_chrf({ 1, 1, 1 }, 101)", "bad argument #2 to 'corpus_chrf' (a number from 0 to 100 expected)"},
      {"corpus_chrf({ 1, 1, 1 }, 0/0)", "bad argument #2 to 'corpus_chrf' (a number from 0 to 100 expected)"},
      {"tokens('a', 'ngrams', 17)", "bad argument #3 to 'tokens' (a whole number from 1 to 16 expected)"},
      {"dice('a', 'b', { n = 'x' })", "bad argument #3 to 'dice' (option 'n' must be a whole number from 1 to 16)"},
      {"chrf('a', 'b', { beta = 'x' })", "bad argument #3 to 'chrf' (option 'beta' must be a number from 0 to 100)"},
      {"chrf('a', 'b', { beta = 101 })", "bad argument #3 to 'chrf' (option 'beta' must be a number from 0 to 100)"},
      {"levenshtein('a', 'b', -1)", "bad argument #3 to 'levenshtein' (a whole number from 0 expected)"},
      {"similarity_matrix('a', {})", "bad argument #1 to 'similarity_matrix' (a list of strings expected)"},
      {"similarity_matrix(ee.null, {})", "bad argument #1 to 'similarity_matrix' (a list of strings expected)"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[256], expected[512];
    snprintf(text, sizeof text, "\nlocal x = ee.prim.%s", cases[i].call);
    snprintf(expected, sizeof expected, "rules.lua:2: %s", cases[i].message);
    assert_run_fails(text, expected);
  }
}

EE_TEST_FILE(rule_text_setup, rule_text_teardown, cmocka_unit_test(test_pairs), cmocka_unit_test(test_options),
             cmocka_unit_test(test_matrix), cmocka_unit_test(test_wrong_arguments));
