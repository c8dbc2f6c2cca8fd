/* request_book.c: the questions that an asker noted, and their answers. */
#include "provider/request_book.h"

#include <math.h>
#include <stdlib.h>

#include "base/hash.h"
#include "base/memory.h"

/* What is kept of the memory of a large block. */
#define ARENA_KEPT ((size_t)8 << 20)
#define FIRST_SLOTS 64

void ee_request_book_init(ee_request_book *book) {
  *book = (ee_request_book){0};
  ee_arena_init(&book->arena, 0);
}

void ee_request_book_fini(ee_request_book *book) {
  ee_arena_fini(&book->arena);
  free(book->questions);
  free(book->slots);
  ee_request_book_init(book);
}

void ee_request_book_clear(ee_request_book *book) {
  if (book->count == 0) return;
  ee_arena_reset(&book->arena, ARENA_KEPT);
  memset(book->slots, 0, (book->slot_mask + 1) * sizeof *book->slots);
  book->count = book->open = 0;
}

static uint64_t hash_question(ee_request_kind kind, ee_str first, ee_str second) {
  uint64_t hash = ee_hash_bytes(first.data, first.length, kind);
  return kind == EE_REQUEST_PAIR ? ee_hash_bytes(second.data, second.length, hash) : hash;
}

/* The slot of the question, or the free one where it belongs. */
static size_t find_slot(const ee_request_book *book, const ee_provider_request *question) {
  size_t at = (size_t)question->hash & book->slot_mask;
  for (; book->slots[at] != 0; at = (at + 1) & book->slot_mask) {
    const ee_provider_request *other = &book->questions[book->slots[at] - 1];
    if (other->hash == question->hash && other->kind == question->kind && ee_str_equal(other->first, question->first) &&
        ee_str_equal(other->second, question->second))
      break;
  }
  return at;
}

/* Keeps at least half of the slots free. */
static void make_room(ee_request_book *book) {
  if (book->count == book->capacity) {
    book->capacity = book->capacity > 0 ? book->capacity * 2 : FIRST_SLOTS / 2;
    book->questions = ee_realloc(book->questions, book->capacity, sizeof *book->questions);
  }
  if (book->slot_mask > 0 && book->count < (book->slot_mask + 1) / 2) return;
  size_t slots = book->slot_mask > 0 ? (book->slot_mask + 1) * 2 : FIRST_SLOTS;
  free(book->slots);
  book->slots = ee_calloc(slots, sizeof *book->slots);
  book->slot_mask = slots - 1;
  for (size_t i = 0; i < book->count; i++) book->slots[find_slot(book, &book->questions[i])] = (uint32_t)(i + 1);
}

size_t ee_request_book_note(ee_request_book *book, ee_request_kind kind, ee_str first, ee_str second) {
  ee_provider_request question = {.kind = kind,
                                  .state = EE_ANSWER_PENDING,
                                  .first = first,
                                  .second = second,
                                  .hash = hash_question(kind, first, second)};
  make_room(book);
  size_t slot = find_slot(book, &question);
  if (book->slots[slot] != 0) return book->slots[slot] - 1;
  if (book->count == UINT32_MAX) ee_out_of_memory();
  question.first.data = ee_arena_copy(&book->arena, first.data, first.length);
  question.second.data = ee_arena_copy(&book->arena, second.data, second.length);
  book->questions[book->count] = question;
  book->slots[slot] = (uint32_t)++book->count;
  book->open++;
  return book->count - 1;
}

static void close_question(ee_request_book *book, ee_provider_request *question, ee_answer_state state) {
  question->state = state;
  book->open--;
}

void ee_request_give_embedding(ee_request_book *book, ee_provider_request *question, ee_embedding embedding) {
  question->embedding = embedding;
  question->square = 0;
  for (size_t i = 0; i < embedding.count; i++)
    question->square += (double)embedding.numbers[i] * (double)embedding.numbers[i];
  close_question(book, question, EE_ANSWER_GIVEN);
}

void ee_request_give_similarity(ee_request_book *book, ee_provider_request *question, double similarity) {
  question->similarity = similarity;
  close_question(book, question, EE_ANSWER_GIVEN);
}

void ee_request_give_text(ee_request_book *book, ee_provider_request *question, ee_str text) {
  question->text = text;
  close_question(book, question, EE_ANSWER_GIVEN);
}

void ee_request_fail(ee_request_book *book, ee_provider_request *question, ee_str why) {
  question->text = (ee_str){ee_arena_copy(&book->arena, why.data, why.length), why.length};
  close_question(book, question, EE_ANSWER_FAILED);
}

void ee_request_compare(const ee_provider_request *expected, const ee_provider_request *candidate, ee_answer *answer) {
  *answer = (ee_answer){.state = EE_ANSWER_FAILED};
  const ee_embedding *a = &expected->embedding, *b = &candidate->embedding;
  if (a->count != b->count) {
    answer->text = EE_STR("the embeddings of the two texts have different lengths");
    return;
  }
  /* Of floats, neither a square nor the product of two sums of squares leaves the range of a double, upwards or
   * downwards, and the root of a square is exact: equal embeddings give 1. */
  if (expected->square == 0 || candidate->square == 0) {
    answer->text = EE_STR("the embedding of a text is zero in all of its numbers");
    return;
  }
  double product = 0;
  for (size_t i = 0; i < a->count; i++) product += (double)a->numbers[i] * (double)b->numbers[i];
  double cosine = product / sqrt(expected->square * candidate->square);
  answer->state = EE_ANSWER_GIVEN;
  answer->similarity = cosine <= 0 ? 0 : cosine >= 1 ? 1 : cosine;
}
