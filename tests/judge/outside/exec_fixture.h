/* exec_fixture.h: rule files with one ee.exec that calls the test program. */
#ifndef EE_TESTS_JUDGE_EXEC_FIXTURE_H
#define EE_TESTS_JUDGE_EXEC_FIXTURE_H

#include <stdio.h>

/* A rule tree as JSON (plan_fixture.h): the judge "external" on line 4, with the program's arguments and further
 * options, as they stand in JSON. */
static inline const char *exec_rules(char *text, size_t size, const char *arguments, const char *options) {
  snprintf(text, size,
           "{\"ee\": \"rules\", \"items\": [{\"ee\": \"exec\", \"line\": 4, \"items\": [\"external\"], \"command\": "
           "[\"%s\"%s%s]%s%s}]}",
           test_judge_program, *arguments != '\0' ? ", " : "", arguments, *options != '\0' ? ", " : "", options);
  return text;
}

#endif
