/* test_late_library.c: a library of the system that is loaded late, and what is said of those that cannot be. */
#include "base/late_library.h"

#include <math.h>
#include <pthread.h>

#define FUNCTIONS(FUNCTION) FUNCTION(hypot, hypot) FUNCTION(sqrt, root)
typedef struct table {
  FUNCTIONS(EE_LATE_MEMBER)
} table;

static void test_functions_are_called(void **state) {
  (void)state;
  table maths = {0};
  ee_late_library library = {"libm.so.6", "libc6", {FUNCTIONS(EE_LATE_NAME)}, &maths, false};
  ee_error error = {0};
  for (int i = 0; i < 2; i++) {
    assert_int_equal(ee_late_library_load(&library, &error), EE_OK);
    assert_true(maths.hypot(3, 4) == 5.0);
    assert_true(maths.root(9) == 3.0);
  }
  assert_string_equal(error.message, "");
}

static void test_what_is_missing(void **state) {
  (void)state;
  table maths = {0};
  ee_error error = {0};
  ee_late_library nothing = {"libnothing.so.7", "libnothing7", {FUNCTIONS(EE_LATE_NAME)}, &maths, false};
  for (int i = 0; i < 2; i++) { /* it is tried again */
    assert_int_equal(ee_late_library_load(&nothing, &error), EE_ERROR_SYSTEM);
    assert_string_equal(error.message, "cannot load libnothing.so.7: libnothing.so.7: cannot open shared object file: "
                                       "No such file or directory (Debian's package libnothing7 has it)");
  }
  assert_int_equal(ee_late_library_load(&nothing, NULL), EE_ERROR_SYSTEM);

  /* Another version of the library. */
  ee_late_library older = {"libm.so.6", "libc6", {"hypot", "hypot_of_tomorrow"}, &maths, false};
  assert_int_equal(ee_late_library_load(&older, &error), EE_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "cannot load libm.so.6: "));
  assert_non_null(strstr(error.message, "undefined symbol: hypot_of_tomorrow (Debian's package libc6 has it)"));
}

enum { THREADS = 8 };

static void *load_and_call(void *library) {
  ee_late_library *self = library;
  const table *maths = self->table;
  bool good = ee_late_library_load(self, NULL) == EE_OK && maths->root(4) == 2.0;
  return good ? library : NULL;
}

static void test_many_threads(void **state) {
  (void)state;
  for (int i = 0; i < 50; i++) {
    table maths = {0};
    ee_late_library library = {"libm.so.6", "libc6", {FUNCTIONS(EE_LATE_NAME)}, &maths, false};
    pthread_t threads[THREADS];
    for (int k = 0; k < THREADS; k++) assert_int_equal(pthread_create(&threads[k], NULL, load_and_call, &library), 0);
    for (int k = 0; k < THREADS; k++) {
      void *good;
      pthread_join(threads[k], &good);
      assert_ptr_equal(good, &library);
    }
  }
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_functions_are_called), cmocka_unit_test(test_what_is_missing),
             cmocka_unit_test(test_many_threads));
