/* test_edit_portable.c: test_edit.c again, with what edit.c does on processors without vector instructions. */
#define EE_EDIT_PORTABLE
#define ee_edit_limit portable_edit_limit
#define ee_jaro portable_jaro
#define ee_jaro_winkler portable_jaro_winkler
#define ee_lcs_length portable_lcs_length
#define ee_letters_distance portable_letters_distance
#define ee_levenshtein portable_levenshtein
#define ee_levenshtein_similarity portable_levenshtein_similarity
#define ee_narrow portable_narrow
#define ee_narrow_others portable_narrow_others
#define ee_ratio portable_ratio
#define ee_ratio_reaches portable_ratio_reaches
#define ee_symbols_of portable_symbols_of
#define ee_winkler_prefix portable_winkler_prefix
#include "prim/edit.c"
#include "prim/jaro.c"
#include "prim/narrow.c"
#include "prim/test_edit.c"

EE_TEST_FILE(make_arena, free_arena, EDIT_TESTS);
