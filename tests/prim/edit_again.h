/* edit_again.h: test_edit.c again, with other code of edit.c, jaro.c and narrow.c than what this processor takes; their
 * functions get names that begin with EDIT_AGAIN. */
#define EDIT_PASTE(prefix, name) prefix##_##name
#define EDIT_NAME(prefix, name) EDIT_PASTE(prefix, name)
#define ee_best_part EDIT_NAME(EDIT_AGAIN, best_part)
#define ee_edit_limit EDIT_NAME(EDIT_AGAIN, edit_limit)
#define ee_jaro EDIT_NAME(EDIT_AGAIN, jaro)
#define ee_jaro_winkler EDIT_NAME(EDIT_AGAIN, jaro_winkler)
#define ee_lcs_length EDIT_NAME(EDIT_AGAIN, lcs_length)
#define ee_letters_distance EDIT_NAME(EDIT_AGAIN, letters_distance)
#define ee_levenshtein EDIT_NAME(EDIT_AGAIN, levenshtein)
#define ee_levenshtein_similarity EDIT_NAME(EDIT_AGAIN, levenshtein_similarity)
#define ee_narrow EDIT_NAME(EDIT_AGAIN, narrow)
#define ee_narrow_others EDIT_NAME(EDIT_AGAIN, narrow_others)
#define ee_partial_ratio EDIT_NAME(EDIT_AGAIN, partial_ratio)
#define ee_ratio EDIT_NAME(EDIT_AGAIN, ratio)
#define ee_ratio_reaches EDIT_NAME(EDIT_AGAIN, ratio_reaches)
#define ee_symbols_distance EDIT_NAME(EDIT_AGAIN, symbols_distance)
#define ee_symbols_lcs EDIT_NAME(EDIT_AGAIN, symbols_lcs)
#define ee_symbols_of EDIT_NAME(EDIT_AGAIN, symbols_of)
#define ee_trim_symbols EDIT_NAME(EDIT_AGAIN, trim_symbols)
#define ee_winkler_prefix EDIT_NAME(EDIT_AGAIN, winkler_prefix)
#include "prim/edit.c"
#include "prim/jaro.c"
#include "prim/narrow.c"
#include "prim/test_edit.c"
