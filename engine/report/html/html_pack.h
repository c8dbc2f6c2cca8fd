/* html_pack.h: packed texts on their way into a page of HTML: deflated by several threads, and kept in a temporary
 * file.
 *
 * The file does not depend on the number of threads. In memory is one text for each of them. */
#ifndef EE_REPORT_HTML_HTML_PACK_H
#define EE_REPORT_HTML_HTML_PACK_H

#include <stdint.h>

#include "base/buffer.h"
#include "base/error.h"
#include "base/str.h"

/* Where the file goes. */
typedef struct ee_html_sink {
  void *user;
  ee_status (*write)(void *user, const char *data, size_t length, ee_error *error);
} ee_html_sink;

typedef struct ee_html_pack ee_html_pack;

/* `jobs` threads; 0: as many as there are processors. NULL with EE_ERROR_SYSTEM if no temporary file can be made. */
ee_html_pack *ee_html_pack_new(unsigned jobs, ee_error *error);
/* NULL is ignored. */
void ee_html_pack_free(ee_html_pack *pack);

/* Adds an element of class `kind` (static) with the cases `first` to `first` + `count` - 1. The text, JSON, is taken:
 * `text` is an empty buffer then. EE_ERROR_SYSTEM when the temporary file cannot be written. */
ee_status ee_html_pack_add(ee_html_pack *pack, const char *kind, uint64_t first, size_t count, ee_buffer *text,
                           ee_error *error);

/* Writes all elements, in order. */
ee_status ee_html_pack_write(ee_html_pack *pack, ee_html_sink sink, ee_error *error);

/* Appends `json`, valid JSON text, with every "<" as \u003c. */
void ee_html_add_json(ee_str json, ee_buffer *out);

#endif
