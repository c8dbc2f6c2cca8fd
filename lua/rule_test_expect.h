/* rule_test_expect.h: expect(value):equals(...) and the other checks of rule tests. */
#ifndef EE_LUA_RULE_TEST_EXPECT_H
#define EE_LUA_RULE_TEST_EXPECT_H

#include "base/buffer.h"
#include "lua/state.h"

/* What the checks of a test file know and count. */
typedef struct ee_expectations {
  ee_buffer text;                   /* of the failure that is being written */
  const ee_error_list *rule_errors; /* of the case that was judged last */
  size_t unchecked;                 /* calls of expect without a check, in the current test */
  const char *unchecked_file;       /* the last one; NULL when unknown */
  size_t unchecked_line;
} ee_expectations;

/* Defines the global `expect`; may raise. `expectations` must outlive the state. */
void ee_expect_open(lua_State *L, ee_expectations *expectations);

#endif
