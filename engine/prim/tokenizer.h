/* tokenizer.h: texts as tokens, by the rules of the tools whose numbers they are for. */
#ifndef EE_PRIM_TOKENIZER_H
#define EE_PRIM_TOKENIZER_H

#include <stddef.h>

#include "base/arena.h"
#include "base/str.h"
#include "prim/narrow.h"

typedef enum ee_token_kind {
  EE_TOKEN_WHITESPACE, /* runs of code points that are not white space (Unicode White_Space) */
  EE_TOKEN_WORDS,      /* runs of letters, marks and digits (Unicode L*, M*, N*) */
  EE_TOKEN_CHARACTERS, /* each code point that is not white space; sacrebleu's "char" */
  EE_TOKEN_NGRAMS,     /* each run of n code points; a text of fewer is one token */
  EE_TOKEN_SQUAD,      /* white space, after the normal form "squad" */
  EE_TOKEN_ROUGE,      /* words in folded case; rouge-score's default, which keeps a-z and 0-9 only */
  EE_TOKEN_13A,        /* mteval-v13a, the default of sacrebleu's BLEU: punctuation apart, not within numbers */
  EE_TOKEN_INTL        /* mteval-v14, sacrebleu's "intl": the same with Unicode's punctuation and symbols */
} ee_token_kind;

/* Their names in data, in the order of the enum. */
#define EE_TOKENIZERS "whitespace|words|characters|ngrams|squad|rouge|13a|intl"

typedef struct ee_tokenizer {
  ee_token_kind kind;
  size_t n; /* of EE_TOKEN_NGRAMS, at least 1 */
} ee_tokenizer;

#define EE_WHITESPACE_TOKENS ((ee_tokenizer){EE_TOKEN_WHITESPACE, 0})

/* Splits valid UTF-8 `text` into tokens, none of them empty, in order. The array lives in `arena`; the tokens borrow
 * `text` or text in `arena`. Returns the count. O(length). */
size_t ee_tokens(ee_str text, ee_tokenizer tokenizer, ee_arena *arena, ee_str **tokens);

/* The tokens of two texts as numbers, equal ones for equal tokens, in `arena`. Expected O(length). */
void ee_token_symbols(ee_str a, ee_str b, ee_tokenizer tokenizer, ee_arena *arena, ee_symbols *x, ee_symbols *y);

/* Tokens as numbers: as ee_token_symbols(), of two arrays. */
void ee_number_tokens(const ee_str *a, size_t a_count, const ee_str *b, size_t b_count, ee_arena *arena, ee_symbols *x,
                      ee_symbols *y);

#endif
