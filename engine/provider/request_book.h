/* request_book.h: the questions that an asker noted, and their answers.
 *
 * Each question stands in it once. */
#ifndef EE_PROVIDER_REQUEST_BOOK_H
#define EE_PROVIDER_REQUEST_BOOK_H

#include "base/arena.h"
#include "judge/provider_session.h"
#include "provider/openai_json.h"

typedef enum ee_request_kind {
  EE_REQUEST_TEXT,  /* the embedding of `first` */
  EE_REQUEST_PAIR,  /* a chat model's similarity of `first` (expected) and `second` (candidate) */
  EE_REQUEST_PROMPT /* a chat model's answer to `first` */
} ee_request_kind;

typedef struct ee_provider_request {
  ee_request_kind kind;
  ee_answer_state state;
  ee_str first, second; /* in the book's arena, as is the rest */
  uint64_t hash;
  ee_str text;            /* of a given PROMPT: the completion; of one that failed: why */
  double similarity;      /* of a given PAIR */
  ee_embedding embedding; /* of a given TEXT */
  double square;          /* of it: the sum of its squared numbers, in order */
} ee_provider_request;

typedef struct ee_request_book {
  ee_arena arena;
  ee_provider_request *questions; /* in the order in which they were noted */
  size_t count, capacity;
  size_t open;      /* how many are not answered */
  uint32_t *slots;  /* open addressing: the number of a question + 1, 0 when free */
  size_t slot_mask; /* number of slots - 1; 0: none */
} ee_request_book;

void ee_request_book_init(ee_request_book *book);
void ee_request_book_fini(ee_request_book *book);
/* Forgets everything. */
void ee_request_book_clear(ee_request_book *book);

/* The number of the question, which is noted (its texts copied) and open when it was not there. `second` is empty but
 * for pairs. */
size_t ee_request_book_note(ee_request_book *book, ee_request_kind kind, ee_str first, ee_str second);

/* Answers an open question. What is handed over must live in the book's arena; `why` is copied. */
void ee_request_give_embedding(ee_request_book *book, ee_provider_request *question, ee_embedding embedding);
void ee_request_give_similarity(ee_request_book *book, ee_provider_request *question, double similarity);
void ee_request_give_text(ee_request_book *book, ee_provider_request *question, ee_str text);
void ee_request_fail(ee_request_book *book, ee_provider_request *question, ee_str why);

/* The cosine of two given TEXTs, 0 below 0; fails where it is not defined. Computed in double in the order of the
 * numbers: the same on every machine. */
void ee_request_compare(const ee_provider_request *expected, const ee_provider_request *candidate, ee_answer *answer);

#endif
