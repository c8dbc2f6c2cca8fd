/* buffer.c: a growing array of bytes. */
#include "base/buffer.h"

#include <stdio.h>

#include "base/memory.h"

void ee_buffer_init(ee_buffer *buffer) { *buffer = (ee_buffer){NULL, 0, 0}; }

void ee_buffer_fini(ee_buffer *buffer) {
  ee_free(buffer->data);
  ee_buffer_init(buffer);
}

/* NULL without memory; the buffer is then unchanged. */
static char *try_grow(ee_buffer *buffer, size_t extra) {
  size_t needed;
  if (__builtin_add_overflow(buffer->length, extra, &needed) || needed >= SIZE_MAX / 2) return NULL;
  needed += 1; /* so that a NUL always fits */
  if (needed > buffer->capacity) {
    size_t capacity = buffer->capacity * 2;
    if (capacity < 256) capacity = 256;
    if (capacity < needed) capacity = needed;
    char *data = ee_try_realloc(buffer->data, capacity);
    if (data == NULL) return NULL;
    buffer->data = data;
    buffer->capacity = capacity;
  }
  return buffer->data + buffer->length;
}

char *ee_buffer_grow(ee_buffer *buffer, size_t extra) {
  char *at = try_grow(buffer, extra);
  if (at == NULL) ee_out_of_memory();
  return at;
}

bool ee_buffer_try_add(ee_buffer *buffer, const void *data, size_t length) {
  char *at = try_grow(buffer, length);
  if (at == NULL) return false;
  if (length > 0) memcpy(at, data, length);
  buffer->length += length;
  return true;
}

void ee_buffer_addv(ee_buffer *buffer, const char *format, va_list arguments) {
  va_list again;
  va_copy(again, arguments);
  char *to = ee_buffer_reserve(buffer, 128);
  size_t room = buffer->capacity - buffer->length;
  int written = vsnprintf(to, room, format, arguments);
  if (written > 0) {
    size_t length = (size_t)written;
    if (length >= room) vsnprintf(ee_buffer_reserve(buffer, length), length + 1, format, again);
    buffer->length += length;
  }
  va_end(again);
}

void ee_buffer_addf(ee_buffer *buffer, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  ee_buffer_addv(buffer, format, arguments);
  va_end(arguments);
}

void ee_buffer_add_u64(ee_buffer *buffer, unsigned long long value) {
  char digits[20];
  char *at = digits + sizeof(digits);
  do {
    *--at = (char)('0' + value % 10);
    value /= 10;
  } while (value > 0);
  ee_buffer_add(buffer, at, (size_t)(digits + sizeof(digits) - at));
}

const char *ee_buffer_terminate(ee_buffer *buffer) {
  *ee_buffer_reserve(buffer, 0) = '\0';
  return buffer->data;
}
