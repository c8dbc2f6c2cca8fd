/* buffer.h: a growing array of bytes for output.
 *
 * Buffers are kept across cases, so appending needs no malloc after warm-up. */
#ifndef EE_BASE_BUFFER_H
#define EE_BASE_BUFFER_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

#include "base/str.h"

/* `data[0..length)`; not NUL-terminated unless ee_buffer_terminate() was called. All zero is an empty buffer. */
typedef struct ee_buffer {
  char *data;
  size_t length;
  size_t capacity;
} ee_buffer;

void ee_buffer_init(ee_buffer *buffer);
void ee_buffer_fini(ee_buffer *buffer);

/* Makes room for `extra` more bytes, plus one for a NUL, and returns a pointer to it; the caller adds to `length` what
 * it wrote. */
char *ee_buffer_grow(ee_buffer *buffer, size_t extra) __attribute__((returns_nonnull));
static inline char *ee_buffer_reserve(ee_buffer *buffer, size_t extra) {
  if (buffer->capacity - buffer->length > extra) return buffer->data + buffer->length;
  return ee_buffer_grow(buffer, extra);
}

static inline void ee_buffer_add(ee_buffer *buffer, const void *data, size_t length) {
  if (length == 0) return;
  memcpy(ee_buffer_reserve(buffer, length), data, length);
  buffer->length += length;
}
/* The same, but false, with the buffer unchanged, when there is no memory. */
bool ee_buffer_try_add(ee_buffer *buffer, const void *data, size_t length);
static inline void ee_buffer_add_str(ee_buffer *buffer, ee_str text) { ee_buffer_add(buffer, text.data, text.length); }
static inline void ee_buffer_add_text(ee_buffer *buffer, const char *text) {
  ee_buffer_add(buffer, text, strlen(text));
}
static inline void ee_buffer_add_char(ee_buffer *buffer, char c) {
  *ee_buffer_reserve(buffer, 1) = c;
  buffer->length += 1;
}
void ee_buffer_addf(ee_buffer *buffer, const char *format, ...) __attribute__((format(printf, 2, 3)));
void ee_buffer_addv(ee_buffer *buffer, const char *format, va_list arguments) __attribute__((format(printf, 2, 0)));
void ee_buffer_add_u64(ee_buffer *buffer, unsigned long long value);

/* Writes a NUL after the last byte, not counted in `length`, and returns `data`. */
const char *ee_buffer_terminate(ee_buffer *buffer);

static inline void ee_buffer_clear(ee_buffer *buffer) { buffer->length = 0; }

#endif
