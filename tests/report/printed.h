/* printed.h: reports as text, for tests. */
#ifndef EE_TESTS_REPORT_PRINTED_H
#define EE_TESTS_REPORT_PRINTED_H

#include "report/formats.h"

#define TABLE ee_report_format_find(EE_STR("table"))
#define MARKDOWN ee_report_format_find(EE_STR("markdown"))

#define assert_has(text, part)                                                                                         \
  do {                                                                                                                 \
    if (strstr((text), (part)) == NULL) fail_msg("'%s' is not in %s", (part), (text));                                 \
  } while (0)
#define assert_has_not(text, part)                                                                                     \
  do {                                                                                                                 \
    if (strstr((text), (part)) != NULL) fail_msg("'%s' is in %s", (part), (text));                                     \
  } while (0)

/* Cuts the signature off the end, so that a test of something else need not know it. */
static inline void cut_signature(ee_buffer *out) {
  const char *found = NULL;
  for (const char *at = ee_buffer_terminate(out); (at = strstr(at, "evalengine|")) != NULL; at++) found = at;
  if (found == NULL) return;
  while (found > out->data && found[-1] != '\n') found--;
  out->length = (size_t)(found - out->data) - 1; /* and the empty line before it */
}

#endif
