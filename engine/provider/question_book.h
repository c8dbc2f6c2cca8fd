/* question_book.h: the questions that an asker noted, and their answers.
 *
 * Layer: provider, and private to openai.c. Each question stands in it once. */
#ifndef EE_PROVIDER_QUESTION_BOOK_H
#define EE_PROVIDER_QUESTION_BOOK_H

#include "base/arena.h"
#include "judge/asking.h"
#include "provider/openai_json.h"

typedef enum ee_question_kind {
  EE_QUESTION_TEXT,  /* the embedding of `first` */
  EE_QUESTION_PAIR,  /* a chat model's similarity of `first` (expected) and `second` (candidate) */
  EE_QUESTION_PROMPT /* a chat model's answer to `first` */
} ee_question_kind;

typedef struct ee_question {
  ee_question_kind kind;
  ee_answer_state state;
  ee_str first, second; /* in the book's arena, as is the rest */
  uint64_t hash;
  ee_str text;            /* of a given PROMPT: the completion; of one that failed: why */
  double similarity;      /* of a given PAIR */
  ee_embedding embedding; /* of a given TEXT */
  double square;          /* of it: the sum of its squared numbers, in order */
} ee_question;

typedef struct ee_question_book {
  ee_arena arena;
  ee_question *questions; /* in the order in which they were noted */
  size_t count, capacity;
  size_t open;      /* how many are not answered */
  uint32_t *slots;  /* open addressing: the number of a question + 1, 0 when free */
  size_t slot_mask; /* number of slots - 1; 0: none */
} ee_question_book;

void ee_question_book_init(ee_question_book *book);
void ee_question_book_fini(ee_question_book *book);
/* Forgets everything. */
void ee_question_book_clear(ee_question_book *book);

/* The number of the question, which is noted (its texts copied) and open when it was not there. `second` is empty but
 * for pairs. */
size_t ee_question_book_note(ee_question_book *book, ee_question_kind kind, ee_str first, ee_str second);

/* Answers an open question. What is handed over must live in the book's arena; `why` is copied. */
void ee_question_give_embedding(ee_question_book *book, ee_question *question, ee_embedding embedding);
void ee_question_give_similarity(ee_question_book *book, ee_question *question, double similarity);
void ee_question_give_text(ee_question_book *book, ee_question *question, ee_str text);
void ee_question_fail(ee_question_book *book, ee_question *question, ee_str why);

/* The cosine of two given TEXTs, 0 below 0; fails where it is not defined. Computed in double in the order of the
 * numbers: the same on every machine. */
void ee_question_compare(const ee_question *expected, const ee_question *candidate, ee_answer *answer);

#endif
