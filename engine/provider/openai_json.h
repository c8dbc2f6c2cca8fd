/* openai_json.h: the JSON sent to a server with OpenAI's interface, and the JSON of its replies.
 *
 * Pure functions. A reply may be any bytes; one that is not exactly as expected is refused with a reason. Texts to
 * write must be valid UTF-8. */
#ifndef EE_PROVIDER_OPENAI_JSON_H
#define EE_PROVIDER_OPENAI_JSON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"

/* Requests: each appends to `out`. */

/* The body of POST /embeddings for `count` texts. */
void ee_openai_write_embeddings(ee_buffer *out, ee_str model, const ee_str *texts, size_t count);

/* The chat messages (a JSON array) that ask how similar two texts are in meaning, and those of a prompt; `system`
 * empty: there is no message of the system. */
void ee_openai_write_comparison(ee_buffer *out, ee_str expected, ee_str candidate);
void ee_openai_write_prompt(ee_buffer *out, ee_str system, ee_str prompt);

/* How a request asks for the form of its answer. Not every server knows all of these ways. */
typedef enum ee_answer_format {
  EE_FORMAT_SCHEMA, /* it fits a JSON Schema */
  EE_FORMAT_OBJECT, /* it is a JSON object */
  EE_FORMAT_ANY     /* nothing */
} ee_answer_format;

/* The body of POST /chat/completions. `members`: as in ee_chat. `messages` as written above. `schema`: of
 * EE_FORMAT_SCHEMA, as JSON. */
void ee_openai_write_chat(ee_buffer *out, ee_str model, ee_str members, ee_answer_format format, ee_str schema,
                          ee_str messages);

/* Replies: each function returns whether the reply is usable. If not, it appends the reason to `why`: one line of valid
 * UTF-8, with "***" in place of `secret` (empty: none). `scratch` is used and rewound. */

/* Bytes that a usable reply has at most: of embeddings for `texts` texts, or, with 0, of a chat completion. */
size_t ee_openai_max_reply(size_t texts);

/* The tokens that a reply cost, by its `usage`. */
typedef struct ee_openai_usage {
  bool given; /* the reply has whole numbers there */
  uint64_t input, output;
} ee_openai_usage;

/* The embedding of one text. All numbers are finite. */
typedef struct ee_embedding {
  const float *numbers;
  size_t count; /* at least 1; the same for all texts of a reply */
} ee_embedding;

/* Reads the reply to ee_openai_write_embeddings(): fills embeddings[0..count) in the order of the texts, with numbers
 * in `arena`. Each index must occur exactly once. Memory is bounded by 16,384 numbers per text. Sets `*usage`
 * (may be NULL), also of a reply that is not usable. */
bool ee_openai_read_embeddings(ee_str body, size_t count, ee_arena *arena, ee_arena *scratch, ee_embedding *embeddings,
                               ee_openai_usage *usage, ee_str secret, ee_buffer *why);

/* The text of the first choice of a chat completion, in `arena`, with "***" in place of `secret`. A refusal, an empty
 * text and a truncated one are not usable. Sets `*usage` and `*declined` (each may be NULL), also of a reply that is
 * not usable: `declined` says that it is so by the model, not by a failure of the server. */
bool ee_openai_read_completion(ee_str body, ee_arena *arena, ee_arena *scratch, ee_str *text, ee_openai_usage *usage,
                               bool *declined, ee_str secret, ee_buffer *why);

/* The similarity 0..1 in a completion of ee_openai_write_comparison(): one JSON object, alone or in one ```json fence.
 */
bool ee_openai_read_similarity(ee_str completion, ee_arena *scratch, double *similarity, ee_str secret, ee_buffer *why);

/* Appends the server's error message (error.message of the body, or the string at error, message or detail, which other
 * servers use) unchanged; nothing when the body has none. */
void ee_openai_read_refusal(ee_str body, ee_buffer *out);

/* Embeddings in the cache: 32-bit floats, little-endian. False for any other bytes. */
void ee_openai_pack(ee_buffer *out, ee_embedding embedding);
bool ee_openai_unpack(ee_str bytes, ee_arena *arena, ee_embedding *embedding);

#endif
