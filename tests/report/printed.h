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

#endif
