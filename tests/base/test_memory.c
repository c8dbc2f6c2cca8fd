/* test_memory.c: allocation that does not fail, and how it ends when it must. */

#include <string.h>

#include "base/exits.h"
#include "base/memory.h"

static void test_zero_bytes_are_a_block(void **state) {
  (void)state;
  void *a = ee_malloc(0);
  void *b = ee_calloc(0, 8);
  void *c = ee_realloc(NULL, 0, 8);
  assert_non_null(a);
  assert_non_null(b);
  assert_non_null(c);
  ee_free(a);
  ee_free(b);
  ee_free(c);
}

static void test_calloc_is_zero(void **state) {
  (void)state;
  for (size_t count = 1; count < 200; count += 13) {
    unsigned char *memory = ee_malloc(count * 24);
    memset(memory, 0xff, count * 24);
    ee_free(memory); /* likely to be handed out again */
    memory = ee_calloc(count, 24);
    for (size_t i = 0; i < count * 24; i++) assert_int_equal(memory[i], 0);
    ee_free(memory);
  }
}

static void test_realloc_keeps_the_bytes(void **state) {
  (void)state;
  unsigned char *memory = NULL;
  for (size_t count = 1; count <= 4096; count *= 2) {
    memory = ee_realloc(memory, count, 1);
    for (size_t i = 0; i < count / 2; i++) assert_int_equal(memory[i], i % 251);
    for (size_t i = 0; i < count; i++) memory[i] = (unsigned char)(i % 251);
  }
  ee_free(memory);
}

/* Sanitizers would abort on a request that large, unless set to fail like malloc. */
__attribute__((visibility("default"))) const char *__asan_default_options(void);
__attribute__((visibility("default"))) const char *__tsan_default_options(void);
const char *__asan_default_options(void) { return "allocator_may_return_null=1"; }
const char *__tsan_default_options(void) { return "allocator_may_return_null=1"; }

static void too_large(void) {
  volatile size_t size = SIZE_MAX / 2; /* hidden from the compiler, which would warn */
  ee_free(ee_malloc(size));
}
static void too_many_cells(void) { ee_free(ee_calloc(SIZE_MAX / 2, 3)); }
static void too_many_items(void) { ee_free(ee_realloc(NULL, SIZE_MAX / 4 + 1, 4)); }
static void nothing_left(void) { ee_out_of_memory(); }

static void test_without_memory_the_process_ends(void **state) {
  (void)state;
  assert_ends_without_memory(nothing_left);
  assert_ends_without_memory(too_large);
  assert_ends_without_memory(too_many_cells);
  assert_ends_without_memory(too_many_items);
}

EE_TEST_FILE(NULL, NULL, cmocka_unit_test(test_zero_bytes_are_a_block), cmocka_unit_test(test_calloc_is_zero),
             cmocka_unit_test(test_realloc_keeps_the_bytes), cmocka_unit_test(test_without_memory_the_process_ends));
