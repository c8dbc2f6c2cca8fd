/* fuzz_driver.c: one target as a libFuzzer program. */
#include "fuzz/fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static const fuzz_target *only;

void fuzz_add_target(fuzz_target *target) { only = target; }

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  return size <= only->max_length ? only->one(data, size) : 0;
}
