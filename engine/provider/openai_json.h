/* openai_json.h: the JSON that is sent to a server with OpenAI's interface, and the JSON that it sends back.
 *
 * Pure functions. What a server sends may be any bytes: whatever is not exactly as expected is refused
 * with a reason, and nothing of it is believed. Texts that are written must be valid UTF-8. */
#ifndef EE_PROVIDER_OPENAI_JSON_H
#define EE_PROVIDER_OPENAI_JSON_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/str.h"

/* Requests: each appends to `out`. */

/* The body of POST /embeddings for `count` texts. */
void ee_openai_write_embeddings(ee_buffer *out, ee_str model, const ee_str *texts, size_t count);

/* The messages (a JSON array) that ask how alike two texts are in what they say, and those that hand a prompt on. */
void ee_openai_write_comparison(ee_buffer *out, ee_str expected, ee_str candidate);
void ee_openai_write_prompt(ee_buffer *out, ee_str prompt);

/* The body of POST /chat/completions. `messages` as written above; `object`: the model is held to answer with a JSON
 * object. */
void ee_openai_write_chat(ee_buffer *out, ee_str model, ee_str messages, bool object);

/* Answers: each returns whether the answer is usable; when not, it appends the reason to `why`: one line of valid
 * UTF-8, in which `secret` (empty: none) is replaced by "***". `scratch` is used and rewound. */

/* What one text is to a model: numbers in 32 bits, all finite. */
typedef struct ee_embedding {
  const float *numbers;
  size_t count; /* of an answer: the same for all of its texts, at least 1 */
} ee_embedding;

/* Reads the answer to ee_openai_write_embeddings(): fills embeddings[0..count) in the order of the texts; their numbers
 * live in `arena`. Each index must be there exactly once. Memory is bounded by 16,384 numbers a text, whatever the
 * server sends. */
bool ee_openai_read_embeddings(ee_str body, size_t count, ee_arena *arena, ee_arena *scratch, ee_embedding *embeddings,
                               ee_str secret, ee_buffer *why);

/* The text of the first choice of a chat completion, in `arena`. A refusal, an empty text and one that was cut are no
 * answers. */
bool ee_openai_read_completion(ee_str body, ee_arena *arena, ee_arena *scratch, ee_str *text, ee_str secret,
                               ee_buffer *why);

/* The number that a completion of ee_openai_write_comparison() holds, 0..1: one JSON object, which may stand in one
 * fence of ```json, and nothing else. */
bool ee_openai_read_similarity(ee_str completion, ee_arena *scratch, double *similarity, ee_str secret, ee_buffer *why);

/* Appends what the server says about its refusal (error.message of the body, or the text at error, message or detail,
 * which other servers use), raw; nothing when the body says nothing. */
void ee_openai_read_refusal(ee_str body, ee_buffer *out);

/* Embeddings as they are kept in the cache: 32-bit floats, little-endian. False for bytes that are none. */
void ee_openai_pack(ee_buffer *out, ee_embedding embedding);
bool ee_openai_unpack(ee_str bytes, ee_arena *arena, ee_embedding *embedding);

#endif
