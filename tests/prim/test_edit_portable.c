/* test_edit_portable.c: test_edit.c with what is done on processors without SSE2. */
#define EE_EDIT_PORTABLE
#define EDIT_AGAIN portable
#include "prim/edit_again.h"

EE_TEST_FILE(make_arena, free_arena, EDIT_TESTS);
