/* test_json_query.c: JSONPath: the examples of RFC 9535, what is not well-formed and where, random documents.
 *
 * The whole compliance suite: make suites JSONPATH=FOLDER. */
#include <stdlib.h>
#include <string.h>

#include "base/work.h"
#include "data/json/i_regexp.h"
#include "data/json/json_query.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/path.h"
#include "support/arena.h"
#include "support/random.h"

static const ee_value *document_of(const char *text) {
  ee_error error = {0};
  const ee_value *value = ee_json_read(&arena, ee_str_from(text), NULL, &error);
  if (value == NULL) fail_msg("%s: %s", text, error.message);
  return value;
}

/* "place=value place=value". */
static const char *nodes_of(const char *query, const ee_value *root) {
  ee_error error = {0};
  const ee_json_query *parsed = ee_json_query_parse(&arena, ee_str_from(query), &error);
  if (parsed == NULL) fail_msg("%s: %s", query, error.message);
  ee_query_nodes nodes = {0};
  ee_json_query_find(parsed, root, &arena, &nodes);
  if (ee_json_query_is_singular(parsed)) assert_true(nodes.count <= 1);
  ee_buffer out = {0};
  for (size_t i = 0; i < nodes.count; i++) {
    ee_str place = ee_query_place_text(nodes.items[i].place, &arena);
    ee_buffer_addf(&out, "%s%.*s=", i > 0 ? " " : "", (int)place.length, place.data);
    ee_json_write_value(&out, nodes.items[i].value);
  }
  char *text = ee_arena_copy(&arena, out.length > 0 ? out.data : "", out.length);
  ee_buffer_fini(&out);
  return text;
}

typedef struct example {
  const char *query, *nodes;
} example;

#define CHECK(document, examples)                                                                                      \
  for (size_t i = 0; i < sizeof(examples) / sizeof *(examples); i++)                                                   \
  assert_string_equal(nodes_of((examples)[i].query, document_of(document)), (examples)[i].nodes)

/* The tables of RFC 9535, sections 2.3 to 2.5. */
static void test_selectors(void **state) {
  (void)state;
  static const example names[] = {
      {"$.o['j j']['k.k']", "o.j j[\"k.k\"]=3"},
      {"$.o[\"j j\"][\"k.k\"]", "o.j j[\"k.k\"]=3"},
      {"$[\"'\"][\"@\"]", "'.@=2"},
      {"$.none", ""},
      {"$", "$={\"o\":{\"j j\":{\"k.k\":3}},\"'\":{\"@\":2}}"},
  };
  static const example wildcards[] = {
      {"$[*]", "o={\"j\":1,\"k\":2} a=[5,3]"},
      {"$.o[*]", "o.j=1 o.k=2"},
      {"$.o[*, *]", "o.j=1 o.k=2 o.j=1 o.k=2"},
      {"$.a[*]", "a[0]=5 a[1]=3"},
      {"$.a[0]['j'] [*]", ""},
  };
  static const example indices[] = {{"$[1]", "[1]=\"b\""}, {"$[-2]", "[0]=\"a\""}, {"$[2]", ""}, {"$[-3]", ""}};
  static const example slices[] = {
      {"$[1:3]", "[1]=1 [2]=2"},
      {"$[5:]", "[5]=5 [6]=6"},
      {"$[1:5:2]", "[1]=1 [3]=3"},
      {"$[5:1:-2]", "[5]=5 [3]=3"},
      {"$[-1::-2]", "[6]=6 [4]=4 [2]=2 [0]=0"},
      {"$[::0]", ""},
      {"$[2:4:]", "[2]=2 [3]=3"},
      {"$[6:: ]", "[6]=6"},
      {"$[-2:]", "[5]=5 [6]=6"},
      {"$[:2]", "[0]=0 [1]=1"},
      {"$[3:1]", ""},
      {"$[1:-4]", "[1]=1 [2]=2"},
      {"$[9007199254740991:]", ""},
      {"$[0,0]", "[0]=0 [0]=0"},
      {"$[0:2,5]", "[0]=0 [1]=1 [5]=5"},
      {"$[ 1 : 3 : 1 ]", "[1]=1 [2]=2"},
      {"$[:-9007199254740991:-3]", "[6]=6 [3]=3 [0]=0"},
  };
  static const example descendants[] = {
      {"$..j", "o.j=1 a[2][0].j=4"},
      {"$..[0]", "a[0]=5 a[2][0]={\"j\":4}"},
      {"$.a..[0, 1]", "a[0]=5 a[1]=3 a[2][0]={\"j\":4} a[2][1]={\"k\":6}"},
      {"$.o..[*, *]", "o.j=1 o.k=2 o.j=1 o.k=2"},
  };
  CHECK("{\"o\":{\"j j\":{\"k.k\":3}},\"'\":{\"@\":2}}", names);
  CHECK("{\"o\":{\"j\":1,\"k\":2},\"a\":[5,3]}", wildcards);
  CHECK("[\"a\",\"b\"]", indices);
  CHECK("[0,1,2,3,4,5,6]", slices);
  CHECK("{\"o\":{\"j\":1,\"k\":2},\"a\":[5,3,[{\"j\":4},{\"k\":6}]]}", descendants);
}

static void test_filters(void **state) {
  (void)state;
  static const char document[] = "{\"a\":[3,5,1,2,4,6,{\"b\":\"j\"},{\"b\":\"k\"},{\"b\":{}},{\"b\":\"kilo\"}],"
                                 "\"o\":{\"p\":1,\"q\":2,\"r\":3,\"s\":5,\"t\":{\"u\":6}},\"e\":\"f\"}";
  static const example filters[] = {
      {"$.a[?@.b == 'kilo']", "a[9]={\"b\":\"kilo\"}"},
      {"$.a[?(@.b == 'kilo')]", "a[9]={\"b\":\"kilo\"}"},
      {"$.a[?@>3.5]", "a[1]=5 a[4]=4 a[5]=6"},
      {"$.a[?@.b]", "a[6]={\"b\":\"j\"} a[7]={\"b\":\"k\"} a[8]={\"b\":{}} a[9]={\"b\":\"kilo\"}"},
      {"$[?@.*]", "a=[3,5,1,2,4,6,{\"b\":\"j\"},{\"b\":\"k\"},{\"b\":{}},{\"b\":\"kilo\"}] "
                  "o={\"p\":1,\"q\":2,\"r\":3,\"s\":5,\"t\":{\"u\":6}}"},
      {"$.o[?@<3, ?@<3]", "o.p=1 o.q=2 o.p=1 o.q=2"},
      {"$.a[?@<2 || @.b == \"k\"]", "a[2]=1 a[7]={\"b\":\"k\"}"},
      {"$.a[?match(@.b, \"[jk]\")]", "a[6]={\"b\":\"j\"} a[7]={\"b\":\"k\"}"},
      {"$.a[?search(@.b, \"[jk]\")]", "a[6]={\"b\":\"j\"} a[7]={\"b\":\"k\"} a[9]={\"b\":\"kilo\"}"},
      {"$.o[?@>1 && @<4]", "o.q=2 o.r=3"},
      {"$.o[?@.u || @.x]", "o.t={\"u\":6}"},
      {"$.a[?@.b == $.x]", "a[0]=3 a[1]=5 a[2]=1 a[3]=2 a[4]=4 a[5]=6"},
      {"$.a[?@ == @ && !@.b && @ != 3 && @ >= 5]", "a[1]=5 a[5]=6"},
      {"$.a[?!(@ > 1) && !@.b]", "a[2]=1"},
      {"$.a[?length(@.b) == 4]", "a[9]={\"b\":\"kilo\"}"},
      {"$[?count(@.*) > 9]", "a=[3,5,1,2,4,6,{\"b\":\"j\"},{\"b\":\"k\"},{\"b\":{}},{\"b\":\"kilo\"}]"},
      {"$.a[?value(@..b) == 'j']", "a[6]={\"b\":\"j\"}"},
      {"$[?@ == 'f']", "e=\"f\""},
      {"$.o[?@ <= 1.0 || @ == 5e0]", "o.p=1 o.s=5"},
  };
#ifndef EE_WITH_PCRE2
  skip();
#endif
  CHECK(document, filters);
  static const example texts[] = {
      {"$[?@ < '\xc3\xa9']", "[0]=\"a\""},
      {"$[?@ == '\\u00e9' || @ == '\\ud83d\\ude00']", "[1]=\"\xc3\xa9\" [2]=\"\xf0\x9f\x98\x80\""},
      {"$[?length(@) == 1]", "[0]=\"a\" [1]=\"\xc3\xa9\" [2]=\"\xf0\x9f\x98\x80\""},
      {"$[?@ == 9007199254740993]", "[3]=9007199254740993"},
      {"$[?@ > 9007199254740992]", "[3]=9007199254740993"},
  };
  CHECK("[\"a\",\"\xc3\xa9\",\"\xf0\x9f\x98\x80\",9007199254740993,9007199254740992]", texts);
}

static void test_mistakes(void **state) {
  (void)state;
  static const struct {
    const char *query;
    size_t column;
    const char *message;
  } cases[] = {
      {"a", 1, "expected '$'"},
      {"$ ", 2, "expected '.' or '['"},
      {"$a", 2, "expected '.' or '['"},
      {"$.", 3, "expected a key or '*'"},
      {"$.1", 3, "expected a key or '*'"},
      {"$..", 4, "expected a key or '*'"},
      {"$[", 2, "unclosed '['"},
      {"$[]", 3, "expected a quoted key, an index, a slice, '*' or '?'"},
      {"$[0", 2, "unclosed '['"},
      {"$[0 1]", 5, "expected ',' or ']'"},
      {"$[01]", 3, "leading zero"},
      {"$[-0]", 3, "a minus before 0"},
      {"$[9007199254740992]", 3, "index beyond 2^53 - 1"},
      {"$['a", 3, "unclosed quote"},
      {"$['\\x']", 4, "unknown escape in a string"},
      {"$['\\ud800']", 6, "half a surrogate pair"},
      {"$['\\u12g4']", 8, "expected four hexadecimal digits after '\\u'"},
      {"$['\t']", 4, "control character in a string"},
      {"$[?@.a]x", 8, "expected '.' or '['"},
      {"$[?1]", 4, "a value alone is not a test"},
      {"$[?length(@)]", 4, "a function whose value must be compared"},
      {"$[?@.* == 1]", 4, "query of several values compared"},
#ifdef EE_WITH_PCRE2
      {"$[?match(@,'a') == true]", 4, "true or false compared"},
#endif
      {"$[?!@.a == 1]", 4, "'!' before a comparison without brackets"},
      {"$[?lenght(@) == 1]", 4, "unknown function 'lenght' (did you mean 'length'?)"},
      {"$[?length(@.*) == 1]", 11, "expected a query of one value"},
      {"$[?count(1) == 1]", 10, "expected a query"},
      {"$[?count(@, @) == 1]", 14, "length, count and value take one argument"},
      {"$[?match(@)]", 11, "match and search take two arguments"},
      {"$[?total == 1]", 4, "expected a value, a query that begins with '@' or '$', or a function"},
      {"$[?(@.a]", 8, "expected ')'"},
      {"$[?@.a == 1.]", 11, "not a number"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_error error = {0};
    assert_null(ee_json_query_parse(&arena, ee_str_from(cases[i].query), &error));
    size_t length = strlen(cases[i].message);
    if (strncmp(error.message, cases[i].message, length) != 0)
      fail_msg("%s: %s, not %s", cases[i].query, error.message, cases[i].message);
    assert_memory_equal(error.message + length, " in path '", 10);
    assert_int_equal(error.column, cases[i].column);
  }
  /* Nesting is bounded, chains are not. */
  ee_buffer deep = {0}, chain = {0};
  ee_buffer_add_text(&deep, "$");
  ee_buffer_add_text(&chain, "$[?@==0");
  for (int i = 0; i < 100; i++) ee_buffer_add_text(&deep, "[?@");
  for (int i = 0; i < 100000; i++) ee_buffer_add_text(&chain, "||@==1");
  ee_buffer_add_text(&chain, "]");
  ee_error error = {0};
  assert_null(ee_json_query_parse(&arena, (ee_str){deep.data, deep.length}, &error));
  assert_non_null(strstr(error.message, "too many filters or brackets within each other"));
  const ee_json_query *query = ee_json_query_parse(&arena, (ee_str){chain.data, chain.length}, &error);
  ee_query_nodes nodes = {0};
  ee_json_query_find(query, document_of("[0,2,1]"), &arena, &nodes);
  assert_int_equal(nodes.count, 2);
  ee_buffer_fini(&deep);
  ee_buffer_fini(&chain);
}

static void test_patterns(void **state) {
  (void)state;
#ifndef EE_WITH_PCRE2
  skip();
#endif
  static const struct {
    const char *pattern, *matches, *differs;
  } good[] = {
      {"a.c",
       "a\xe2\x80\xa8"
       "c",
       "a\nc"},
      {"[a-c]{2,3}", "abc", "abca"},
      {"(ab|cd)+", "abcd", "abc"},
      {"\\p{Lu}\\P{L}", "A1", "a1"},
      {"[^a]", "b", "a"},
      {"[-a]", "-", "b"},
      {"[a-]", "-", "b"},
      {"[\\]]", "]", "["},
      {"\\.", ".", "x"},
      {"x{2}", "xx", "x"},
      {"x{2,}", "xxxx", "x"},
      {"", "", "x"},
      {"#~", "#~", "#"},
      {"[\\p{Nd}_]", "_", "a"},
      {"a|", "", "b"},
      {"\xc3\xa9?", "\xc3\xa9", "e"},
      {"[A-Z_0-9a-z]{0,3}", "zZ_", "zZ_9"},
      {"[a-b-]+", "ab-", "c"},
      {"[^-a]", "b", "-"},
      {"[\\--\\]]", "5", "^"},
      {"[!-/]", "#", "0"},
      {"[\\P{L}a]+", "a1", "b"},
      {"a{2,3}b", "aaab", "ab"},
      {"^a$", "a", "b"},
      {"(a)?b|c", "b", "ac"},
      {"[a^]", "^", "b"},
  };
  static const char *const bad[] = {
      "(",       ")",       "[",     "[]",      "a**",        "a*?",        "a++",   "(?i)a",    "\\d",   "\\w",
      "\\1",     "a{",      "a{,2}", "{2}",     "*",          "\\p{Greek}", "\\p",   "[[a]",     "]",     "a}",
      "[a--b]",  "\\",      "[a-",   "[a-b-c]", "[a-\\p{L}]", "[a-\\P{L}]", "[a-[]", "[--a]",    "[^]",   "[",
      "[^",      "a{2}{3}", "a?{2}", "[a]**",   "\\n??",      "\\q",        "()**",  "\\p{L}++", "\\p{L", "[\\p{X}]",
      "[a-\\q]", "[\\q]",   "a{1",   "a{1,",    "a{1,2",      "{"};
  for (size_t i = 0; i < sizeof good / sizeof *good; i++) {
    const char *why = NULL;
    const ee_pattern *pattern = ee_i_regexp_compile(&arena, ee_str_from(good[i].pattern), true, &why);
    if (pattern == NULL) fail_msg("%s: %s", good[i].pattern, why);
    ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
    if (ee_pattern_find(matcher, pattern, ee_str_from(good[i].matches)) != EE_PATTERN_FOUND ||
        ee_pattern_find(matcher, pattern, ee_str_from(good[i].differs)) != EE_PATTERN_ABSENT)
      fail_msg("%s", good[i].pattern);
  }
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    const char *why = NULL;
    char *exact = malloc(strlen(bad[i])); /* of its very size, for sanitizers */
    memcpy(exact, bad[i], strlen(bad[i]));
    if (ee_i_regexp_compile(&arena, (ee_str){exact, strlen(bad[i])}, true, &why) != NULL)
      fail_msg("%s is read", bad[i]);
    free(exact);
    assert_non_null(why);
  }
  ee_error error = {0};
  assert_null(ee_json_query_parse(&arena, EE_STR("$[?match(@, '\\\\d')]"), &error));
  assert_non_null(strstr(error.message, "pattern that is not I-Regexp"));
}

/* A search that backtracks far takes memory in the middle of a filter, which later searches use again. */
static void test_memory_of_searches(void **state) {
  (void)state;
#ifndef EE_WITH_PCRE2
  skip();
#endif
  enum { TEXTS = 200, LETTERS = 6000 };
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "[\"c\"");
  for (int i = 0; i < TEXTS; i++) {
    ee_buffer_add_text(&text, ",\"");
    for (int k = 0; k < LETTERS; k++) ee_buffer_add_char(&text, k % 2 == 0 ? 'a' : 'b');
    ee_buffer_add_text(&text, i % 4 == 0 ? "\"" : "c\"");
  }
  ee_buffer_add_char(&text, ']');
  const ee_value *root = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
  const ee_json_query *query = ee_json_query_parse(&arena, EE_STR("$[?match(@, '(a|b)*c') || @ == 1]"), NULL);
  ee_query_nodes nodes = {0};
  ee_json_query_find(query, root, &arena, &nodes);
  assert_int_equal(nodes.count, 1 + TEXTS - TEXTS / 4);
  size_t at = 0;
  for (const ee_value *child = ee_value_child(root); child != NULL; child = ee_value_next(child)) {
    ee_str one = ee_value_text(child);
    if (one.data[one.length - 1] == 'c') assert_ptr_equal(nodes.items[at++].value, child);
  }
  ee_buffer_fini(&text);
}

/* What else is not well-formed; where is in test_mistakes. */
static void test_more_mistakes(void **state) {
  (void)state;
  static const char *const bad[] = {"$['\\ud800']",
                                    "$['\\ud800\\u0041']",
                                    "$['\\ud800\\u12']",
                                    "$['\\udc00']",
                                    "$['\\u12",
                                    "$['a\\",
                                    "$['\\q']",
                                    "$[-]",
                                    "$[1:-]",
                                    "$[1:2:-]",
                                    "$[1:01]",
                                    "$[?length()==1]",
                                    "$[?length(]",
                                    "$[?length(@,@)==1]",
                                    "$[?length(1 2)==1]",
                                    "$[?length(match(@,'a'))==1]",
                                    "$[?match(@,search(@,'a'))]",
                                    "$[?match(@,'(')]",
                                    "$[?match(@,'a',1)]",
                                    "$[?@.a==1.]",
                                    "$[?@==-]",
                                    "$[?@==trueish]",
                                    "$[?@=='a]",
                                    "$[?(@.a]",
                                    "$[?(@.a==]",
                                    "$[?@.a||]",
                                    "$[?@.a&&]",
                                    "$[?@.*==1]",
                                    "$[?1==@.*]",
                                    "$.a["};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ee_error error = {0};
    if (ee_json_query_parse(&arena, ee_str_from(bad[i]), &error) != NULL) fail_msg("%s is read", bad[i]);
    assert_true(error.message[0] != '\0' && error.column >= 1 && error.column <= strlen(bad[i]) + 1);
    assert_null(ee_json_query_parse(&arena, ee_str_from(bad[i]), NULL));
  }
#ifdef EE_WITH_PCRE2
  static const char *const patterns[] = {"\\p{L", "\\p{",  "[\\p{Lx}]", "[a-\\p{L}]", "[a-[]", "[a-]]",
                                         "a{1x",  "[\\q]", "(a",        "[a\\d]",     "a{1",   "\\"};
  const char *why;
  for (size_t i = 0; i < sizeof patterns / sizeof *patterns; i++)
    if (ee_i_regexp_compile(&arena, ee_str_from(patterns[i]), false, &why) != NULL) fail_msg("%s is read", patterns[i]);
  /* A NUL is a character; a pattern has a largest length. */
  ee_pattern_matcher *matcher = ee_pattern_matcher_new(&arena);
  const ee_pattern *nul = ee_i_regexp_compile(&arena, (ee_str){"a\0+b", 4}, true, &why);
  assert_int_equal(ee_pattern_find(matcher, nul, (ee_str){"a\0\0b", 4}), EE_PATTERN_FOUND);
  assert_int_equal(ee_pattern_find(matcher, nul, EE_STR("ab")), EE_PATTERN_ABSENT);
  const ee_pattern *after = ee_i_regexp_compile(&arena, (ee_str){"a*\0", 3}, true, &why);
  assert_int_equal(ee_pattern_find(matcher, after, (ee_str){"aa\0", 3}), EE_PATTERN_FOUND);
  assert_int_equal(ee_pattern_find(matcher, after, EE_STR("aa")), EE_PATTERN_ABSENT);
  char *text = ee_arena_alloc(&arena, EE_I_REGEXP_LIMIT + 1);
  memset(text, 'a', EE_I_REGEXP_LIMIT + 1);
  assert_non_null(ee_i_regexp_compile(&arena, (ee_str){text, EE_I_REGEXP_LIMIT}, true, &why));
  assert_null(ee_i_regexp_compile(&arena, (ee_str){text, EE_I_REGEXP_LIMIT + 1}, true, &why));
  assert_string_equal(why, "a very long pattern");
#endif
}

static void search_long(void *root) {
  ee_query_nodes nodes = {0};
  ee_json_query_find(ee_json_query_parse(&arena, EE_STR("$[?search(@, '(a|aa)+[bc]')]"), NULL), root, &arena, &nodes);
}

/* Names without quotes, escapes in quoted ones, and white space. */
static void test_names(void **state) {
  (void)state;
  static const example names[] = {
      {"$.aZ_9\xc3\xa4", "aZ_9\xc3\xa4=1"},
      {"$.z", "z=2"},
      {"$.A", "A=3"},
      {"$.Z", "Z=4"},
      {"$._", "_=5"},
      {"$.\xf0\x9f\x98\x80", "\xf0\x9f\x98\x80=6"},
      {"$['\\b\\f\\n\\r\\t\\/\\\\\\'\"']", "\b\f\n\r\t/\\'\"=7"},
      {"$[\"\\b\\f\\n\\r\\t\\/\\\\'\\\"\"]", "\b\f\n\r\t/\\'\"=7"},
      {"$[\"\\u007a\"]", "z=2"},
      {"$['\\uD83D\\uDe00']", "\xf0\x9f\x98\x80=6"},
      {"$['\\ud7ff']", "\xed\x9f\xbf=8"},
      {"$['\\ue000']", "\xee\x80\x80=9"},
  };
  CHECK("{\"aZ_9\xc3\xa4\":1,\"z\":2,\"A\":3,\"Z\":4,\"_\":5,\"\xf0\x9f\x98\x80\":6,\"\\b\\f\\n\\r\\t/\\\\'\\\"\":7,"
        "\"\xed\x9f\xbf\":8,\"\xee\x80\x80\":9}",
        names);
  static const char *const bad[] = {"$.{",
                                    "$.@",
                                    "$.`",
                                    "$.[",
                                    "$.9",
                                    "$.^",
                                    "$['\\\"']",
                                    "$[\"\\'\"]",
                                    "$['\\ud83d\\ue000']",
                                    "$['\\ud83d\\udbff']",
                                    "$['\\udfff']",
                                    "$['\\ud83d\\n']"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (ee_json_query_parse(&arena, ee_str_from(bad[i]), NULL) != NULL) fail_msg("%s is read", bad[i]);
}

/* Order is of numbers and of strings; what is not there equals only what is not there. */
static void test_comparisons(void **state) {
  (void)state;
  static const example comparisons[] = {
      {"$[?@ <= true]", "[0]=true"},
      {"$[?@ < true || @ > true]", ""},
      {"$[?@ >= null]", "[2]=null"},
      {"$[?@ <= 'b']", "[3]=\"a\" [4]=\"b\""},
      {"$[?@ >= 'b']", "[4]=\"b\""},
      {"$[?@ <= 1]", "[5]=1"},
      {"$[?@ < @]", ""},
      {"$[?@.x <= 1]", ""},
      {"$[?@.x <= @.y && @ == 1]", "[5]=1"},
      {"$[?@.x != 1 && @ == 1]", "[5]=1"},
      {"$[?@ == [1] || @ == -0]", ""},
      {"$[?-1e0 < @ && @ < 2E+0]", "[5]=1"},
      {"$[?!(@ == 1 || @ == 'a' || @ == 'b')]", "[0]=true [1]=false [2]=null [6]=[1,2]"},
      {"$[?length(@) == length('ab')]", "[6]=[1,2]"},
      {"$[?length(value(@[0:1])) == 1]", ""},
      {"$[?value(@[0:1]) == 1]", "[6]=[1,2]"},
      {"$[?value(@[*]) == 1]", ""},
      {"$[?count(@[*]) == 2]", "[6]=[1,2]"},
      {"$[?length(@) == 1]", "[3]=\"a\" [4]=\"b\""},
  };
  for (size_t i = 0; i < sizeof comparisons / sizeof *comparisons; i++) {
    if (strstr(comparisons[i].query, "[1] ||") != NULL) continue;
    assert_string_equal(nodes_of(comparisons[i].query, document_of("[true,false,null,\"a\",\"b\",1,[1,2]]")),
                        comparisons[i].nodes);
  }
  static const char *const bad[] = {"$[?@==[1]]", "$[?true",   "$[?true(1)]", "$[?nullx==1]",
                                    "$[?@==1",    "$[?@==1e]", "$[?null]",    "$[?@<]"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
    if (ee_json_query_parse(&arena, ee_str_from(bad[i]), NULL) != NULL) fail_msg("%s is read", bad[i]);
  /* Nesting is bounded for brackets and calls, too. */
  for (int kind = 0; kind < 2; kind++)
    for (int deep = 10; deep <= 100; deep += 90) {
      ee_buffer text = {0};
      ee_buffer_add_text(&text, "$[?");
      for (int i = 0; i < deep; i++) ee_buffer_add_text(&text, kind == 0 ? "(" : "length(");
      ee_buffer_add_text(&text, "@");
      for (int i = 0; i < deep; i++) ee_buffer_add_text(&text, ")");
      ee_buffer_add_text(&text, kind == 0 ? "]" : "==1]");
      ee_error error = {0};
      bool read = ee_json_query_parse(&arena, (ee_str){text.data, text.length}, &error) != NULL;
      assert_int_equal(read, deep == 10);
      if (!read) assert_non_null(strstr(error.message, "within each other"));
      ee_buffer_fini(&text);
    }
  ee_query_nodes nodes = {0};
  ee_json_query_find(ee_json_query_parse(&arena, EE_STR("$.a"), NULL), NULL, &arena, &nodes);
  assert_int_equal(nodes.count, 0);
}

/* Patterns that the document has. */
static void test_patterns_of_data(void **state) {
  (void)state;
#ifndef EE_WITH_PCRE2
  skip();
#endif
  static const example examples[] = {
      {"$.l[?match(@, $.p)]", "l[0]=\"ab\""},
      {"$.l[?search(@, $.p)]", "l[0]=\"ab\" l[1]=\"xab\""},
      {"$.l[?match(@, $.bad)]", ""},
      {"$.l[?match(@, $.none)]", ""},
      {"$.l[?match(@, $.l)]", ""},
      {"$.l[?match(@, 7)]", ""},
      {"$.l[?match('ab', $.p) && @ == 3]", "l[2]=3"},
      {"$.l[?!search(@, 'b')]", "l[2]=3"},
  };
  CHECK("{\"p\":\"a.\",\"bad\":\"(\",\"l\":[\"ab\",\"xab\",3]}", examples);
  /* A search that takes too many steps gives the value up. */
  ee_buffer text = {0};
  ee_buffer_add_text(&text, "[\"");
  for (int i = 0; i < 5000; i++) ee_buffer_add_char(&text, 'a');
  ee_buffer_add_text(&text, "\"]");
  const ee_value *root = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
  assert_int_equal(ee_work_try(UINT64_C(1) << 40, search_long, (void *)(uintptr_t)root), EE_WORK_GIVEN_UP);
  ee_buffer_fini(&text);
}

/* The steps of queries that name one value, or with `all` those of arrays. */
static void walk_key(void *user, ee_str key) { ee_buffer_addf(user, "'%.*s'", EE_STR_ARG(key)); }
static void walk_index(void *user, uint32_t index) { ee_buffer_addf(user, "[%u]", index); }
static void walk_all(void *user) { ee_buffer_add_text(user, "*"); }

static void test_walks(void **state) {
  (void)state;
  static const struct {
    const char *query, *steps, *with_all; /* NULL: several values */
  } facts[] = {{"$", "", ""},
               {"$.a[0]['b']", "'a'[0]'b'", "'a'[0]'b'"},
               {"$['']", "''", "''"},
               {"$[4294967294]", "[4294967294]", "[4294967294]"},
               {"$.a[*].b", NULL, "'a'*'b'"},
               {"$.*", NULL, "*"},
               {"$[4294967295]", NULL, NULL},
               {"$.a[-1]", NULL, NULL},
               {"$..a", NULL, NULL},
               {"$['a','b']", NULL, NULL},
               {"$[0:1]", NULL, NULL},
               {"$[?@.a]", NULL, NULL}};
  for (size_t i = 0; i < sizeof facts / sizeof *facts; i++)
    for (int all = 0; all < 2; all++) {
      ee_buffer text = {0};
      const ee_query_steps steps = {walk_key, walk_index, all ? walk_all : NULL, &text};
      const ee_json_query *query = ee_json_query_parse(&arena, ee_str_from(facts[i].query), NULL);
      const char *wanted = all ? facts[i].with_all : facts[i].steps;
      bool walked = ee_json_query_walk(query, &steps);
      if (walked != (wanted != NULL)) fail_msg("%s with %d", facts[i].query, all);
      if (walked) assert_string_equal(ee_buffer_terminate(&text), wanted);
      ee_buffer_fini(&text);
    }
}

/* Random documents ----------------------------------------------------------------------------- */

static test_random chance;

static const ee_value *random_value(int depth) {
  static const char *const keys[] = {"a", "b", "a.b", "", "$", "*"};
  unsigned kind = (unsigned)test_random_below(&chance, depth > 0 ? 6 : 4);
  if (kind == 0) return ee_value_new_number(&arena, (double)(int64_t)test_random_below(&chance, 4));
  if (kind == 1) return ee_value_new_string(&arena, ee_str_from(keys[test_random_below(&chance, 6)]));
  if (kind < 4) return ee_value_new(&arena, (ee_type)(EE_NULL + (int)test_random_below(&chance, 3)));
  ee_value *value = ee_value_new(&arena, kind == 4 ? EE_ARRAY : EE_OBJECT);
  size_t count = test_random_below(&chance, 6);
  for (size_t i = 0; i < count; i++) {
    ee_value *child = (ee_value *)(uintptr_t)random_value(depth - 1);
    if (kind == 4)
      ee_value_append(value, child);
    else if (i < 6)
      ee_value_set(&arena, value, ee_str_from(keys[i]), child);
  }
  return value;
}

static size_t count_below(const ee_value *value) {
  size_t count = 0;
  if (ee_type_of(value) >= EE_ARRAY)
    for (const ee_value *child = ee_value_child(value); child != NULL; child = ee_value_next(child))
      count += 1 + count_below(child);
  return count;
}

/* The elements of a slice as the RFC's pseudo code of 2.3.4.2.2 has them. */
static size_t slow_slice(int64_t count, const int64_t *start, const int64_t *end, int64_t step, int64_t *out) {
  if (step == 0) return 0;
  int64_t from = start != NULL ? *start : step >= 0 ? 0 : count - 1;
  int64_t to = end != NULL ? *end : step >= 0 ? count : -count - 1;
  int64_t n_from = from >= 0 ? from : count + from, n_to = to >= 0 ? to : count + to;
  size_t found = 0;
#define MIN(a, b) ((a) < (b) ? (a) : (b))
#define MAX(a, b) ((a) > (b) ? (a) : (b))
  if (step > 0) {
    int64_t lower = MIN(MAX(n_from, 0), count), upper = MIN(MAX(n_to, 0), count);
    for (int64_t i = lower; i < upper; i += step) out[found++] = i;
  } else {
    int64_t upper = MIN(MAX(n_from, -1), count - 1), lower = MIN(MAX(n_to, -1), count - 1);
    for (int64_t i = upper; lower < i; i += step) out[found++] = i;
  }
  return found;
}

static void test_random_documents(void **state) {
  (void)state;
  chance = test_random_start("test_json_query", 20261124);
  ee_arena_mark begin = ee_arena_get_mark(&arena);
  for (int round = 0; round < 3000; round++) {
    const ee_value *root = random_value(4);
    ee_query_nodes nodes = {0};
    ee_json_query_find(ee_json_query_parse(&arena, EE_STR("$..*"), NULL), root, &arena, &nodes);
    assert_int_equal(nodes.count, count_below(root));
    for (size_t i = 0; i < nodes.count; i++) {
      const ee_path *path = ee_path_parse(&arena, ee_query_place_text(nodes.items[i].place, &arena), NULL);
      assert_non_null(path);
      assert_ptr_equal(ee_path_get(path, root, &arena), nodes.items[i].value);
    }
    ee_arena_rewind(&arena, begin);
  }
  for (int round = 0; round < 5000; round++) {
    int64_t count = (int64_t)test_random_below(&chance, 8), start = (int64_t)test_random_below(&chance, 20) - 10,
            end = (int64_t)test_random_below(&chance, 20) - 10, step = (int64_t)test_random_below(&chance, 9) - 4,
            wanted[16];
    bool has_start = test_random_below(&chance, 3) > 0, has_end = test_random_below(&chance, 3) > 0;
    ee_value *root = ee_value_new(&arena, EE_ARRAY);
    for (int64_t i = 0; i < count; i++) ee_value_append(root, ee_value_new_number(&arena, (double)i));
    ee_buffer text = {0};
    ee_buffer_add_text(&text, "$[");
    if (has_start) ee_buffer_addf(&text, "%d", (int)start);
    ee_buffer_add_text(&text, ":");
    if (has_end) ee_buffer_addf(&text, "%d", (int)end);
    ee_buffer_addf(&text, ":%d]", (int)step);
    size_t many = slow_slice(count, has_start ? &start : NULL, has_end ? &end : NULL, step, wanted);
    ee_query_nodes nodes = {0};
    const ee_json_query *query = ee_json_query_parse(&arena, (ee_str){text.data, text.length}, NULL);
    assert_non_null(query);
    ee_json_query_find(query, root, &arena, &nodes);
    assert_int_equal(nodes.count, many);
    for (size_t i = 0; i < many; i++) assert_true(ee_value_number(nodes.items[i].value) == (double)wanted[i]);
    ee_buffer_fini(&text);
  }
}

/* Work is charged: nested descendants of a wide document end at the limit. */
static void find_much(void *root) {
  ee_query_nodes nodes = {0};
  ee_json_query_find(ee_json_query_parse(&arena, EE_STR("$..[?@..[?@ == $.x]]..*"), NULL), root, &arena, &nodes);
}

static void test_work(void **state) {
  (void)state;
  ee_buffer text = {0};
  for (int i = 0; i < 60; i++) ee_buffer_add_text(&text, "[1,2,");
  ee_buffer_add_text(&text, "3");
  for (int i = 0; i < 60; i++) ee_buffer_add_text(&text, "]");
  const ee_value *root = ee_json_read(&arena, (ee_str){text.data, text.length}, NULL, NULL);
  assert_int_equal(ee_work_try(100000, find_much, (void *)(uintptr_t)root), EE_WORK_GIVEN_UP);
  ee_buffer_fini(&text);
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_selectors), cmocka_unit_test(test_filters),
             cmocka_unit_test(test_mistakes), cmocka_unit_test(test_patterns), cmocka_unit_test(test_names),
             cmocka_unit_test(test_comparisons), cmocka_unit_test(test_patterns_of_data),
             cmocka_unit_test(test_memory_of_searches), cmocka_unit_test(test_walks),
             cmocka_unit_test(test_more_mistakes), cmocka_unit_test(test_random_documents),
             cmocka_unit_test(test_work));
