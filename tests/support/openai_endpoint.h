/* openai_endpoint.h: a handler for http_server.h that answers as servers with OpenAI's interface do.
 *
 * Embeddings are hashed bags of words in 64 dimensions, so that cosines mean something; chat completions answer
 * {"similarity": x} by a rule of the test. */
#ifndef EE_TESTS_OPENAI_ENDPOINT_H
#define EE_TESTS_OPENAI_ENDPOINT_H

#include <stdatomic.h>

#include "base/str.h"
#include "support/http_server.h"

enum { TEST_DIMENSIONS = 64 };

/* 0..1, for a chat model. */
typedef double test_similarity(ee_str expected, ee_str candidate);

/* All zero but `similarity` (NULL: test_share_of_words) is a good server. Written by the handler under the server's
 * lock: to be read when nothing is on its way. */
typedef struct test_openai {
  test_similarity *similarity;
  unsigned delay_ms;
  bool reversed; /* embeddings come in reversed order, with their indexes */
  test_failures failures;
  _Atomic(const test_attack *) attack; /* NULL: none. The next request is answered so, and sets it to NULL again */
  size_t texts;                        /* that were embedded */
  size_t largest_batch;                /* texts of one request */
  size_t comparisons;
  size_t completions;          /* chat completions that were no comparisons; they answer "You said: " and the message */
  bool no_schemas, no_objects; /* chats that ask for a JSON Schema, or for a JSON object, get 400 */
  bool no_usage;               /* replies do not say what they cost; else 10 tokens and 2 */
  size_t formats[3];           /* chats that asked for a schema, for an object, for nothing; refused ones too */
  size_t mistakes;             /* requests that a good server refuses, with 400 */
} test_openai;

test_http_handler test_openai_answer; /* `user`: test_openai */

/* The vector of a text: how often each word (split at white space, case counts) comes, added up by hash. */
void test_embed(ee_str text, double vector[TEST_DIMENSIONS]);
/* The cosine of two such vectors. */
double test_cosine(ee_str expected, ee_str candidate);
/* Words of `expected` that stand in `candidate`, divided by all of them. */
double test_share_of_words(ee_str expected, ee_str candidate);

#endif
