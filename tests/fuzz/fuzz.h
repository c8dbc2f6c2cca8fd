/* fuzz.h: what the fuzzers share.
 *
 * A target is a file fuzz_NAME.c with one function, `ee_fuzz_one`, that takes any bytes, and EE_FUZZ_TARGET at its end.
 * The same file is built twice: with clang as a libFuzzer program of its own (fuzz_driver.c; `make fuzz`), and with any
 * compiler into one program that runs every target over its seeds in corpus/NAME and over mutations of them
 * (fuzz_runner.c; `make test`). A broken promise ends the program, and the input that broke it is kept. */
#ifndef EE_TESTS_FUZZ_FUZZ_H
#define EE_TESTS_FUZZ_FUZZ_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/str.h"

typedef struct fuzz_target {
  const char *file;  /* "fuzz_json.c", with or without folders */
  size_t max_length; /* longer inputs are not tried */
  int (*one)(const uint8_t *data, size_t size);
  struct fuzz_target *next;
} fuzz_target;

void fuzz_add_target(fuzz_target *target);

/* Ends a target file: its `ee_fuzz_one`, for inputs of at most `bytes`. */
#define EE_FUZZ_TARGET(bytes)                                                                                          \
  static fuzz_target fuzz_this = {__FILE__, bytes, ee_fuzz_one, NULL};                                                 \
  __attribute__((constructor)) static void fuzz_add_this(void) { fuzz_add_target(&fuzz_this); }

/* Ends the program where a promise is broken. */
#define fuzz_require(promise)                                                                                          \
  do {                                                                                                                 \
    if (!(promise)) fuzz_fail(__FILE__, __LINE__, #promise);                                                           \
  } while (0)
static inline _Noreturn void fuzz_fail(const char *file, int line, const char *promise) {
  fprintf(stderr, "%s:%d: broken promise: %s\n", file, line, promise);
  abort();
}

static inline ee_str fuzz_text(const uint8_t *data, size_t size) { return (ee_str){(const char *)data, size}; }
static inline ee_str fuzz_buffer_text(const ee_buffer *buffer) { return (ee_str){buffer->data, buffer->length}; }

/* Bytes as a source of choices: for targets that make documents, rules or commands of them. At the end every choice is
 * the first one, so that short inputs give small things. */
typedef struct fuzz_source {
  const uint8_t *at, *end;
} fuzz_source;

static inline fuzz_source fuzz_source_of(const uint8_t *data, size_t size) {
  return (fuzz_source){data, size > 0 ? data + size : data};
}
static inline bool fuzz_is_empty(const fuzz_source *source) { return source->at == source->end; }
static inline uint8_t fuzz_byte(fuzz_source *source) { return fuzz_is_empty(source) ? 0 : *source->at++; }
/* 0..limit-1; limit > 0. */
static inline size_t fuzz_below(fuzz_source *source, size_t limit) {
  size_t value = fuzz_byte(source);
  if (limit > 256) value = value << 8 | fuzz_byte(source);
  return value % limit;
}
/* True once in `times`, and at the end of the bytes never. */
static inline bool fuzz_once_in(fuzz_source *source, size_t times) { return fuzz_below(source, times) == times - 1; }
/* The bytes up to a newline or the end, without it. */
static inline ee_str fuzz_line(fuzz_source *source) {
  size_t left = (size_t)(source->end - source->at);
  const uint8_t *newline = left > 0 ? memchr(source->at, '\n', left) : NULL;
  ee_str line = {(const char *)source->at, newline != NULL ? (size_t)(newline - source->at) : left};
  source->at = newline != NULL ? newline + 1 : source->end;
  return line;
}
static inline ee_str fuzz_rest(fuzz_source *source) {
  ee_str rest = {(const char *)source->at, (size_t)(source->end - source->at)};
  source->at = source->end;
  return rest;
}
/* The bytes up to the first that is not valid UTF-8: for functions that take text. */
static inline ee_str fuzz_utf8(ee_str text) {
  return (ee_str){text.data, ee_utf8_valid_prefix(text.data, text.length)};
}

/* A file with these bytes, by a name that can be opened for as long as `descriptor` is open. */
typedef struct fuzz_file {
  int descriptor;
  char name[48];
} fuzz_file;
void fuzz_file_make(fuzz_file *file, ee_str bytes);
void fuzz_file_close(fuzz_file *file);

#endif
