/* References against a base: the examples of RFC 3986, section 5.4, and others. */
#include "data/schema/schema_uri.h"

#include "support/arena.h"

static const char *resolve(const char *base, const char *reference) {
  return ee_uri_resolve(&arena, ee_str_from(base), ee_str_from(reference)).data;
}

static void test_rfc(void **state) {
  (void)state;
  static const char *const rows[][2] = {
      {"g:h", "g:h"},
      {"g", "http://a/b/c/g"},
      {"./g", "http://a/b/c/g"},
      {"g/", "http://a/b/c/g/"},
      {"/g", "http://a/g"},
      {"//g", "http://g"},
      {"?y", "http://a/b/c/d;p?y"},
      {"g?y", "http://a/b/c/g?y"},
      {"#s", "http://a/b/c/d;p?q#s"},
      {"g#s", "http://a/b/c/g#s"},
      {"g?y#s", "http://a/b/c/g?y#s"},
      {";x", "http://a/b/c/;x"},
      {"g;x", "http://a/b/c/g;x"},
      {"g;x?y#s", "http://a/b/c/g;x?y#s"},
      {"", "http://a/b/c/d;p?q"},
      {".", "http://a/b/c/"},
      {"./", "http://a/b/c/"},
      {"..", "http://a/b/"},
      {"../", "http://a/b/"},
      {"../g", "http://a/b/g"},
      {"../..", "http://a/"},
      {"../../", "http://a/"},
      {"../../g", "http://a/g"},
      {"../../../g", "http://a/g"},
      {"../../../../g", "http://a/g"},
      {"/./g", "http://a/g"},
      {"/../g", "http://a/g"},
      {"g.", "http://a/b/c/g."},
      {".g", "http://a/b/c/.g"},
      {"g..", "http://a/b/c/g.."},
      {"..g", "http://a/b/c/..g"},
      {"./../g", "http://a/b/g"},
      {"./g/.", "http://a/b/c/g/"},
      {"g/./h", "http://a/b/c/g/h"},
      {"g/../h", "http://a/b/c/h"},
      {"g;x=1/./y", "http://a/b/c/g;x=1/y"},
      {"g;x=1/../y", "http://a/b/c/y"},
      {"g?y/./x", "http://a/b/c/g?y/./x"},
      {"g#s/../x", "http://a/b/c/g#s/../x"},
      {"http:g", "http:g"},
  };
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    assert_string_equal(resolve("http://a/b/c/d;p?q", rows[i][0]), rows[i][1]);
}

static void test_others(void **state) {
  (void)state;
  assert_string_equal(resolve("", "a/b#c"), "a/b#c");
  assert_string_equal(resolve("", "#"), "#");
  assert_string_equal(resolve("", ""), "");
  assert_string_equal(resolve("a/b", "c"), "a/c");
  assert_string_equal(resolve("a/b", "../c"), "c");
  assert_string_equal(resolve("a/b", "../../c"), "c");
  assert_string_equal(resolve("a/b", "./.."), "");
  assert_string_equal(resolve("", "."), "");
  assert_string_equal(resolve("", "a/b/.."), "a/");
  assert_string_equal(resolve("a", "./b"), "b");
  assert_string_equal(resolve("http://x", "a"), "http://x/a");
  assert_string_equal(resolve("http://x?q", "a"), "http://x/a");
  assert_string_equal(resolve("urn:a:b", "#c"), "urn:a:b#c");
  assert_string_equal(resolve("urn:a:b", "c"), "urn:c");
  assert_string_equal(resolve("HTTP://X.Test/A", "b"), "http://x.test/b");
  assert_string_equal(resolve("file:///a/b.json", "c.json"), "file:///a/c.json");
  assert_string_equal(resolve("http://a/b", "//x/../y"), "http://x/y");
  assert_string_equal(resolve("1:a", "b"), "b");
  /* A NUL and other bytes stay. */
  ee_str odd = ee_uri_resolve(&arena, EE_STR("http://a/b"), EE_STR("c\0d\xff"));
  assert_true(ee_str_equal(odd, EE_STR("http://a/c\0d\xff")));
}

static void test_parts(void **state) {
  (void)state;
  ee_str fragment;
  assert_true(ee_str_is(ee_uri_split(EE_STR("a#b#c"), &fragment), "a"));
  assert_true(ee_str_is(fragment, "b#c"));
  assert_true(ee_str_is(ee_uri_split(EE_STR("a"), &fragment), "a"));
  assert_null(fragment.data);
  ee_uri_split((ee_str){NULL, 0}, &fragment);
  assert_null(fragment.data);
  assert_true(ee_uri_is_absolute(EE_STR("a+1.-:")));
  assert_false(ee_uri_is_absolute(EE_STR("")));
  assert_false(ee_uri_is_absolute(EE_STR("1a:")));
  assert_false(ee_uri_is_absolute(EE_STR("a/b:c")));
  assert_false(ee_uri_is_absolute(EE_STR("abc")));
  assert_true(ee_str_is(ee_uri_folder(EE_STR("http://a/b/c?d/e#f/g")), "http://a/b/"));
  assert_true(ee_str_is(ee_uri_folder(EE_STR("http://a")), ""));
  assert_true(ee_str_is(ee_uri_folder(EE_STR("b")), ""));
}

static void test_texts(void **state) {
  (void)state;
  assert_true(ee_str_is(ee_uri_decode(&arena, EE_STR("a%20%c3%A9b")), "a \xc3\xa9"
                                                                      "b"));
  assert_null(ee_uri_decode(&arena, EE_STR("%4")).data);
  assert_null(ee_uri_decode(&arena, EE_STR("%4g")).data);
  assert_null(ee_uri_decode(&arena, EE_STR("%g4")).data);
  assert_null(ee_uri_decode(&arena, EE_STR("%ff")).data);
  assert_true(ee_str_is(ee_uri_of_file(&arena, "/a b/\xc3\xa9#%~1.json"), "file:///a%20b/%C3%A9%23%25~1.json"));
  assert_string_equal(ee_uri_file(&arena, EE_STR("file:///a%20b/%C3%A9%23%25~.json")), "/a b/\xc3\xa9#%~.json");
  assert_null(ee_uri_file(&arena, EE_STR("http:///a")));
  assert_null(ee_uri_file(&arena, EE_STR("file://host/a")));
  assert_null(ee_uri_file(&arena, EE_STR("file:///a?b")));
  assert_null(ee_uri_file(&arena, EE_STR("file:a")));
  assert_null(ee_uri_file(&arena, EE_STR("file:")));
  assert_null(ee_uri_file(&arena, EE_STR("file:///a%00b")));
  assert_null(ee_uri_file(&arena, EE_STR("file:///a%zz")));
}

EE_TEST_FILE(make_arena, free_arena, cmocka_unit_test(test_rfc), cmocka_unit_test(test_others),
             cmocka_unit_test(test_parts), cmocka_unit_test(test_texts));
