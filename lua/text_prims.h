/* text_prims.h: ee.prim.*: distances, similarities and normal forms of texts. prims.c has their rows. */
#ifndef EE_LUA_TEXT_PRIMS_H
#define EE_LUA_TEXT_PRIMS_H

#include <lua.h>
#include <stddef.h>

#include "base/str.h"

/* The string at `index`, borrowed from the stack; raises for another value and for what is not UTF-8. */
ee_str ee_lua_check_text(lua_State *L, int index);

/* Pushes a list of `rows` lists of `columns` numbers. */
void ee_lua_push_matrix(lua_State *L, const double *matrix, size_t rows, size_t columns);

int ee_lua_levenshtein(lua_State *L);
int ee_lua_levenshtein_similarity(lua_State *L);
int ee_lua_damerau(lua_State *L);
int ee_lua_osa(lua_State *L);
int ee_lua_hamming(lua_State *L);
int ee_lua_jaro(lua_State *L);
int ee_lua_jaro_winkler(lua_State *L);
int ee_lua_lcs_length(lua_State *L);
int ee_lua_lcs(lua_State *L);
int ee_lua_ratio(lua_State *L);
int ee_lua_partial_ratio(lua_State *L);
int ee_lua_token_sort(lua_State *L);
int ee_lua_token_set(lua_State *L);
int ee_lua_token_f1(lua_State *L);
int ee_lua_partial_token_sort(lua_State *L);
int ee_lua_partial_token_set(lua_State *L);
int ee_lua_dice(lua_State *L);
int ee_lua_chrf(lua_State *L);
int ee_lua_chrf_counts(lua_State *L);
int ee_lua_corpus_chrf(lua_State *L);
int ee_lua_bleu(lua_State *L);
int ee_lua_bleu_counts(lua_State *L);
int ee_lua_corpus_bleu(lua_State *L);
int ee_lua_rouge_l(lua_State *L);
int ee_lua_wer(lua_State *L);
int ee_lua_cer(lua_State *L);
int ee_lua_tokens(lua_State *L);
int ee_lua_similarity(lua_State *L);
int ee_lua_similarity_matrix(lua_State *L);
int ee_lua_normalize(lua_State *L);

#endif
