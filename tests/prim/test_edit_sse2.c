/* test_edit_sse2.c: test_edit.c with what is done on processors that have SSE2 and not SSSE3. */
#define EE_EDIT_NO_SSSE3
#define EDIT_AGAIN sse2
#include "prim/edit_again.h"

EE_TEST_FILE(make_arena, free_arena, EDIT_TESTS);
