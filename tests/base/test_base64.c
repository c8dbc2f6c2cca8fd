/* test_base64.c: bytes as text, and back. */
#include "base/base64.h"
#include "support/random.h"

static ee_buffer text, bytes;

static int tear_down(void **state) {
  (void)state;
  ee_buffer_fini(&text);
  ee_buffer_fini(&bytes);
  return 0;
}

static bool reads(const char *from) {
  ee_buffer_clear(&bytes);
  return ee_base64_read(&bytes, ee_str_from(from));
}

/* RFC 4648, section 10. */
static void test_vectors(void **state) {
  (void)state;
  static const char *const vectors[][2] = {{"", ""},
                                           {"f", "Zg=="},
                                           {"fo", "Zm8="},
                                           {"foo", "Zm9v"},
                                           {"foob", "Zm9vYg=="},
                                           {"fooba", "Zm9vYmE="},
                                           {"foobar", "Zm9vYmFy"}};
  for (size_t i = 0; i < sizeof vectors / sizeof *vectors; i++) {
    ee_buffer_clear(&text);
    ee_base64_write(&text, vectors[i][0], strlen(vectors[i][0]));
    assert_string_equal(ee_buffer_terminate(&text), vectors[i][1]);
    assert_true(reads(vectors[i][1]));
    assert_string_equal(ee_buffer_terminate(&bytes), vectors[i][0]);
  }
}

static void test_mistakes(void **state) {
  (void)state;
  static const char *const mistakes[] = {"Z",    "Zg",   "Zg=",         "Zh==",   "Zm9=",      "=",
                                         "====", "Z===", "Zg==Zg==",    "Zm9v\n", "Zm 9vYQ==", "Zm9-",
                                         "Zm9{", "Zm9_", "Zm\xc3\xa9v", "Zm=v"};
  for (size_t i = 0; i < sizeof mistakes / sizeof *mistakes; i++) {
    if (reads(mistakes[i])) fail_msg("%s", mistakes[i]);
    assert_int_equal(bytes.length, 0);
  }
}

static void test_round_trips(void **state) {
  (void)state;
  test_random random = test_random_start("test_base64", 1);
  unsigned char data[300];
  for (int round = 0; round < 2000; round++) {
    size_t length = test_random_below(&random, sizeof data);
    for (size_t i = 0; i < length; i++) data[i] = (unsigned char)test_random_bits(&random);
    ee_buffer_clear(&text);
    ee_buffer_clear(&bytes);
    ee_base64_write(&text, data, length);
    assert_true(ee_base64_read(&bytes, (ee_str){text.data, text.length}));
    assert_int_equal(bytes.length, length);
    if (length > 0) assert_memory_equal(bytes.data, data, length);
  }
}

EE_TEST_FILE(NULL, tear_down, cmocka_unit_test(test_vectors), cmocka_unit_test(test_mistakes),
             cmocka_unit_test(test_round_trips));
