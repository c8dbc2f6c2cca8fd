/* test_path.c: paths that are understood, paths that are not and where, and what they lead to. */
#include <stdlib.h>
#include <string.h>

#include "data/json/json_equal.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"
#include "data/json/path.h"
#include "support/arena.h"
#include "support/random.h"

/* A path's steps as text: k:name, i:0, x:0 (key or index), *. */
static const char *steps_of(const ee_path *path) {
  ee_buffer out = {0};
  for (size_t i = 0; i < path->count; i++) {
    const ee_step *step = &path->steps[i];
    if (i > 0) ee_buffer_add_char(&out, ' ');
    switch (step->kind) {
    case EE_STEP_KEY: ee_buffer_addf(&out, "k:%.*s", (int)step->key.length, step->key.data); break;
    case EE_STEP_INDEX: ee_buffer_addf(&out, "i:%u", step->index); break;
    case EE_STEP_KEY_OR_INDEX:
      ee_buffer_addf(&out, "x:%.*s=%u", (int)step->key.length, step->key.data, step->index);
      break;
    case EE_STEP_ALL: ee_buffer_add_char(&out, '*'); break;
    }
  }
  char *text = ee_arena_copy(&arena, out.length > 0 ? out.data : "", out.length);
  ee_buffer_fini(&out);
  return text;
}

static void test_good_paths(void **state) {
  (void)state;
  static const struct {
    const char *text, *steps;
    size_t wildcards;
  } cases[] = {
      {"a", "k:a", 0},
      {"a.b", "k:a k:b", 0},
      {"a.b[0].c", "k:a k:b i:0 k:c", 0},
      {"a[\"key.with.dots\"]", "k:a k:key.with.dots", 0},
      {"a['b']", "k:a k:b", 0},
      {"items[*].price", "k:items * k:price", 1},
      {"[*][*]", "* *", 2},
      {"[0]", "i:0", 0},
      {"[\"a\"].b", "k:a k:b", 0},
      {"[4294967295]", "i:4294967295", 0},
      {"a.1", "k:a x:1=1", 0},
      {"1.a", "x:1=1 k:a", 0},
      {"a.01", "k:a k:01", 0},
      {"a.0", "k:a x:0=0", 0},
      {"a.4294967296", "k:a k:4294967296", 0},
      {"a b.c-d", "k:a b k:c-d", 0},
      {"\xc3\xa4.\xe6\x97\xa5", "k:\xc3\xa4 k:\xe6\x97\xa5", 0},
      {"a[\"\"]", "k:a k:", 0},
      {"a[\"\\\"\\\\\"]", "k:a k:\"\\", 0},
      {"a['it\\'s \"x\"']", "k:a k:it's \"x\"", 0},
      {"a[\"]\"][0]", "k:a k:] i:0", 0},
      {"a/b", "k:a/b", 0},
      {"*", "k:*", 0},
      {"a[0][1][2]", "k:a i:0 i:1 i:2", 0},
      {"/a/b", "k:a k:b", 0},
      {"/", "k:", 0},
      {"//", "k: k:", 0},
      {"/a/0/-", "k:a x:0=0 k:-", 0},
      {"/a~1b/m~0n", "k:a/b k:m~n", 0},
      {"/~01", "k:~1", 0},
      {"/a.b/[0]", "k:a.b k:[0]", 0},
      {"/01", "k:01", 0},
      {"/a/", "k:a k:", 0},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char *text = strdup(cases[i].text);
    ee_error error = {0};
    const ee_path *path = ee_path_parse(&arena, ee_str_from(text), &error);
    free(text); /* the path must not borrow from it */
    if (path == NULL) print_error("%s: %s\n", cases[i].text, error.message);
    assert_non_null(path);
    assert_string_equal(steps_of(path), cases[i].steps);
    assert_int_equal(path->wildcards, cases[i].wildcards);
    assert_true(ee_str_is(path->text, cases[i].text));
  }
}

static void test_bad_paths(void **state) {
  (void)state;
  static const struct {
    const char *text;
    size_t column;
    const char *message;
  } cases[] = {
      {"", 1, "empty path"},
      {".", 1, "empty step in path '.'"},
      {".a", 1, "empty step in path '.a'"},
      {"a.", 3, "empty step in path 'a.'"},
      {"a..b", 3, "empty step in path 'a..b'"},
      {"a[", 2, "unclosed '[' in path 'a['"},
      {"a[0", 2, "unclosed '[' in path 'a[0'"},
      {"a.b[1", 4, "unclosed '[' in path 'a.b[1'"},
      {"a]", 2, "']' without '[' in path 'a]'"},
      {"]", 1, "']' without '[' in path ']'"},
      {"a[0]]", 5, "']' without '[' in path 'a[0]]'"},
      {"a[]", 3, "expected an index, '*' or a quoted key in path 'a[]'"},
      {"a[-1]", 3, "expected an index, '*' or a quoted key in path 'a[-1]'"},
      {"a[x]", 3, "expected an index, '*' or a quoted key in path 'a[x]'"},
      {"a[01]", 3, "expected an index, '*' or a quoted key in path 'a[01]'"},
      {"a[4294967296]", 3, "expected an index, '*' or a quoted key in path 'a[4294967296]'"},
      {"a[0]b", 5, "expected '.' or '[' in path 'a[0]b'"},
      {"a[\"b", 2, "unclosed quote after '[' in path 'a[\"b'"},
      {"a[\"b\\", 2, "unclosed quote after '[' in path 'a[\"b\\'"},
      {"a[\"b\"", 2, "unclosed '[' in path 'a[\"b\"'"},
      {"a[\"b\"x]", 6, "expected ']' after the quoted key in path 'a[\"b\"x]'"},
      {"a[\"\\n\"]", 4, "unknown escape in key in path 'a[\"\\n\"]'"},
      {"a.[0]", 3, "empty step in path 'a.[0]'"},
      {"/a~", 3, "expected '0' or '1' after '~' in path '/a~'"},
      {"/~2", 2, "expected '0' or '1' after '~' in path '/~2'"},
      {"a[0].", 6, "empty step in path 'a[0].'"},
      {"a\xff", 2, "invalid UTF-8 in path"},
  };
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_error error = {0};
    assert_null(ee_path_parse(&arena, ee_str_from(cases[i].text), &error));
    assert_string_equal(error.message, cases[i].message);
    assert_int_equal(error.column, cases[i].column);
    assert_int_equal(error.status, EE_ERROR_RULES);
    assert_null(ee_path_parse(&arena, ee_str_from(cases[i].text), NULL));
  }
  /* NUL is a byte like any other. */
  const ee_path *path = ee_path_parse(&arena, EE_STR("a\0b.c"), NULL);
  assert_int_equal(path->count, 2);
  assert_int_equal(path->steps[0].key.length, 3);
}

static void test_get(void **state) {
  (void)state;
  static const char document[] = "{\"a\":{\"b\":[{\"c\":1},{\"c\":null},[10,20]],\"1\":\"one\"},\"key.with.dots\":true,"
                                 "\"\":\"empty\",\"a/b\":2,\"m~n\":3,\"list\":[0,[1,2],{\"1\":\"x\"}]}";
  static const struct {
    const char *path, *value; /* NULL: missing */
  } cases[] = {
      {"a.b[0].c", "1"},
      {"a.b[1].c", "null"},
      {"a.b[1].c.d", NULL},
      {"a.b[2][1]", "20"},
      {"a.b[2].1", "20"},
      {"a.b[3]", NULL},
      {"a.b.0.c", "1"},
      {"a.1", "\"one\""},
      {"a[1]", NULL},
      {"a[\"1\"]", "\"one\""},
      {"[\"key.with.dots\"]", "true"},
      {"key.with.dots", NULL},
      {"a.b.c", NULL},
      {"a.b[\"0\"]", NULL},
      {"/a/b/0/c", "1"},
      {"/a~1b", "2"},
      {"/m~0n", "3"},
      {"/", "\"empty\""},
      {"/a/b/-", NULL},
      {"/a/1", "\"one\""},
      {"list.2.1", "\"x\""},
      {"list[1][0]", "1"},
      {"list[0][0]", NULL},
      {"A", NULL},
      {"a.b[*]", NULL},
      {"/key.with.dots", "true"},
      {"[0]", NULL},
  };
  ee_value *root = ee_json_read(&arena, EE_STR(document), NULL, NULL);
  assert_non_null(root);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_path *path = ee_path_parse(&arena, ee_str_from(cases[i].path), NULL);
    assert_non_null(path);
    const ee_value *value = ee_path_get(path, root, &arena);
    if ((value != NULL) != (cases[i].value != NULL)) print_error("%s\n", cases[i].path);
    assert_int_equal(value != NULL, cases[i].value != NULL);
    if (value != NULL)
      assert_true(ee_value_equal(value, ee_json_read(&arena, ee_str_from(cases[i].value), NULL, NULL)));
    assert_null(ee_path_get(path, NULL, &arena));
  }
  /* Piece by piece around a wildcard. */
  const ee_path *path = ee_path_parse(&arena, EE_STR("a.b[*].c"), NULL);
  const ee_value *list = ee_path_get_steps(path, 0, 2, root, &arena);
  assert_int_equal(ee_value_count(list), 3);
  assert_true(ee_value_number(ee_path_get_steps(path, 3, 4, ee_value_element(list, 0), &arena)) == 1.0);
  assert_ptr_equal(ee_path_get_steps(path, 1, 1, list, &arena), list);
}

/* JSONPath: what is steps only is a path, the rest is a query; the values of both. */
static void test_queries(void **state) {
  (void)state;
  static const struct {
    const char *text, *steps;
    bool query;
    const char *value, *array; /* NULL: missing */
  } cases[] = {
      {"$", "", false, "{\"a\":{\"l\":[1,2,{\"c\":3}],\"c\":null},\"$\":5}",
       "{\"a\":{\"l\":[1,2,{\"c\":3}],\"c\":null},\"$\":5}"},
      {"$.a.l[2].c", "k:a k:l i:2 k:c", false, "3", "3"},
      {"$ .a['l'] [0]", "k:a k:l i:0", false, "1", "1"},
      {"$\t\r\n['a']", "k:a", false, "{\"l\":[1,2,{\"c\":3}],\"c\":null}", "{\"l\":[1,2,{\"c\":3}],\"c\":null}"},
      {"$.a.none", "k:a k:none", false, NULL, NULL},
      /* One value, but from the end. */
      {"$.a.l[-2]", "", true, "2", "2"},
      {"$.a.l[-4]", "", true, NULL, NULL},
      /* Several. */
      {"$.a.l[*]", "k:a k:l *", true, "[1,2,{\"c\":3}]", "[1,2,{\"c\":3}]"},
      {"$.a.l[*].c", "k:a k:l * k:c", true, "3", "[3]"},
      {"$..c", "", true, "[null,3]", "[null,3]"},
      {"$.a['l','c']", "", true, "[[1,2,{\"c\":3}],null]", "[[1,2,{\"c\":3}],null]"},
      {"$.a.l[:1]", "", true, "1", "[1]"},
      {"$.a.l[?@ == 2]", "", true, "2", "[2]"},
      {"$..none", "", true, NULL, NULL},
      /* No queries, though they begin so. */
      {"$a", "k:$a", false, NULL, NULL},
      {"$ ", "k:$ ", false, NULL, NULL},
      {"$ a.b", "k:$ a k:b", false, NULL, NULL},
      {"[\"$\"]", "k:$", false, "5", "5"},
  };
  const ee_value *root = ee_json_read(&arena, ee_str_from(cases[0].value), NULL, NULL);
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    ee_error error = {0};
    const ee_path *path = ee_path_parse(&arena, ee_str_from(cases[i].text), &error);
    if (path == NULL) fail_msg("%s: %s", cases[i].text, error.message);
    assert_string_equal(steps_of(path), cases[i].steps);
    if ((path->query != NULL) != cases[i].query) fail_msg("%s", cases[i].text);
    for (int array = 0; array < 2; array++) {
      const ee_value *found = (array ? ee_path_get_array : ee_path_get)(path, root, &arena);
      const char *wanted = array ? cases[i].array : cases[i].value;
      if ((found == NULL) != (wanted == NULL) ||
          (found != NULL && !ee_json_equal(found, ee_json_read(&arena, ee_str_from(wanted), NULL, NULL))))
        fail_msg("%s, %d", cases[i].text, array);
    }
  }
  static const char *const bad[] = {"$.", "$[", "$..", "$.a[", "$ [", "$.a[?]"};
  for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
    ee_error error = {0};
    assert_null(ee_path_parse(&arena, ee_str_from(bad[i]), &error));
    assert_true(error.column > 0);
  }
}

/* A path with others: an array of what is there, of which a query may be one. */
static void test_others(void **state) {
  (void)state;
  const ee_value *root = ee_json_read(&arena, EE_STR("{\"a\":1,\"b\":null,\"l\":[{\"c\":2},{\"c\":3}]}"), NULL, NULL);
  static const struct {
    const char *paths[3], *values; /* NULL: nothing */
  } cases[] = {{{"a", "$..c", "x"}, "[1,[2,3]]"},
               {{"$..c", "a", "l[0].c"}, "[[2,3],1,2]"},
               {{"x", "b", "$..d"}, NULL},
               {{"$.l[-1].c", "b", "b"}, "[3]"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    const ee_path *others[2];
    for (size_t k = 0; k < 2; k++) others[k] = ee_path_parse(&arena, ee_str_from(cases[i].paths[k + 1]), NULL);
    ee_path path = *ee_path_parse(&arena, ee_str_from(cases[i].paths[0]), NULL);
    path.others = others;
    path.other_count = 2;
    const ee_value *found[2] = {ee_path_get(&path, root, &arena), ee_path_get_array(&path, root, &arena)};
    for (size_t k = 0; k < 2; k++) {
      assert_int_equal(found[k] == NULL, cases[i].values == NULL);
      if (found[k] != NULL)
        assert_true(ee_json_equal(found[k], ee_json_read(&arena, ee_str_from(cases[i].values), NULL, NULL)));
    }
  }
}

/* What is written for keys, indices and [*] is read back as these. */
static void test_random_texts(void **state) {
  (void)state;
  test_random random = test_random_start("texts of paths", 20261124);
  static const char *const bytes[] = {"a",  "$", " ", "\t", ".", "[", "]",        "\"", "'",
                                      "\\", "*", "/", "~",  "0", "1", "\xc3\xa4", "@",  "?"};
  for (int round = 0; round < 20000; round++) {
    ee_arena_reset(&arena, 0);
    ee_path_text text = {.arena = &arena};
    ee_buffer wanted = {0};
    size_t count = 1 + test_random_below(&random, 4);
    for (size_t i = 0; i < count; i++) {
      size_t kind = test_random_below(&random, 6);
      if (i > 0) ee_buffer_add_char(&wanted, ' ');
      if (kind == 0) {
        ee_path_text_add_all(&text);
        ee_buffer_add_char(&wanted, '*');
      } else if (kind == 1) {
        ee_path_text_add_index(&text, 7);
        ee_buffer_add_text(&wanted, "i:7");
      } else {
        char key[16] = "";
        for (size_t k = test_random_below(&random, 5); k > 0; k--)
          strcat(key, bytes[test_random_below(&random, sizeof bytes / sizeof *bytes)]);
        ee_path_text_add_key(&text, ee_str_from(key));
        ee_buffer_addf(&wanted, "k:%s", key);
      }
    }
    ee_error error = {0};
    const ee_path *path = ee_path_parse(&arena, ee_path_text_get(&text), &error);
    if (path == NULL) fail_msg("%.*s: %s", EE_STR_ARG(ee_path_text_get(&text)), error.message);
    ee_buffer steps = {0};
    for (size_t i = 0; i < path->count; i++) {
      const ee_step *step = &path->steps[i];
      if (i > 0) ee_buffer_add_char(&steps, ' ');
      /* A key of digits is read as what it is below an object. */
      if (step->kind == EE_STEP_KEY || step->kind == EE_STEP_KEY_OR_INDEX)
        ee_buffer_addf(&steps, "k:%.*s", EE_STR_ARG(step->key));
      else
        ee_buffer_add_text(&steps, step->kind == EE_STEP_ALL ? "*" : "i:7");
    }
    if (path->query != NULL || strcmp(ee_buffer_terminate(&steps), ee_buffer_terminate(&wanted)) != 0)
      fail_msg("%.*s: %s, not %s", EE_STR_ARG(ee_path_text_get(&text)), ee_buffer_terminate(&steps),
               ee_buffer_terminate(&wanted));
    /* And once more, from the parsed path. */
    assert_true(ee_str_equal(ee_path_text_of(path, &arena), ee_path_text_get(&text)));
    ee_buffer_fini(&wanted);
    ee_buffer_fini(&steps);
  }
}

/* Any bytes are a path or a message with a place in them; long ones take linear memory. */
static void test_random_paths(void **state) {
  (void)state;
  test_random random = test_random_start("paths", 41);
  static const char bytes[] = "ab.[]\"'\\*01~/\xc3\xa4";
  size_t good = 0;
  for (int i = 0; i < 50000; i++) {
    char text[16];
    size_t length = test_random_below(&random, sizeof text);
    for (size_t k = 0; k < length; k++) text[k] = bytes[test_random_below(&random, sizeof bytes - 1)];
    ee_arena_reset(&arena, 0);
    ee_error error = {0};
    const ee_path *path = ee_path_parse(&arena, (ee_str){text, length}, &error);
    if (path == NULL) {
      assert_true(error.column >= 1 && error.column <= length + 1 && error.message[0] != '\0');
    } else {
      assert_true(path->count >= 1 && path->count <= length + 1);
      good++;
    }
  }
  assert_true(good > 1000);
  char *text = malloc(200000);
  for (size_t i = 0; i < 200000; i++) text[i] = i % 2 == 0 ? '/' : 'a';
  const ee_path *path = ee_path_parse(&arena, (ee_str){text, 200000}, NULL);
  assert_int_equal(path->count, 100000);
  assert_true(ee_arena_held(&arena) < 32u * 1024 * 1024);
  free(text);
}

static void test_texts_of_paths(void **state) {
  (void)state;
  static const char *const keys[] = {"a", "a\"b", "a.\"\\b", "[x]", "$", "/x", ""};
  static const char *const texts[] = {"a", "a\"b", "[\"a.\\\"\\\\b\"]", "[\"[x]\"]", "[\"$\"]", "[\"/x\"]", "[\"\"]"};
  for (size_t i = 0; i < sizeof keys / sizeof *keys; i++) {
    ee_path_text text = {.arena = &arena};
    ee_path_text_add_key(&text, ee_str_from(keys[i]));
    assert_true(ee_str_is(ee_path_text_get(&text), texts[i]));
    /* Longer than the first piece of memory. */
    static char name[5000];
    memset(name, 'a', sizeof name);
    ee_path_text with_name = {.arena = &arena};
    ee_path_text_add_key(&with_name, (ee_str){name, sizeof name});
    assert_int_equal(ee_path_text_get(&with_name).length, sizeof name);
    for (int k = 0; k < 100; k++) ee_path_text_add_index(&text, 4294967295u);
    assert_int_equal(ee_path_text_get(&text).length, strlen(texts[i]) + 1200);
  }
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_good_paths), cmocka_unit_test(test_bad_paths),
             cmocka_unit_test(test_get), cmocka_unit_test(test_queries), cmocka_unit_test(test_others),
             cmocka_unit_test(test_random_texts), cmocka_unit_test(test_random_paths),
             cmocka_unit_test(test_texts_of_paths));
