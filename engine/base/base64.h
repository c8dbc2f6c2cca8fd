/* base64.h: bytes as text, RFC 4648, with padding, on one line. */
#ifndef EE_BASE_BASE64_H
#define EE_BASE_BASE64_H

#include <stdbool.h>
#include <stddef.h>

#include "base/buffer.h"

/* Appends the text of `length` bytes. */
void ee_base64_write(ee_buffer *out, const void *data, size_t length);
/* Appends the bytes of `text`. False, and nothing is appended, unless ee_base64_write() can write that text: other
 * characters, white space, missing padding and bits that are set beyond the last byte are mistakes. */
bool ee_base64_read(ee_buffer *out, ee_str text);

#endif
