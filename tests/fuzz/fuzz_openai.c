/* fuzz_openai.c: replies of a server with OpenAI's interface, and the numbers that its cache keeps.
 *
 * The first byte says how many texts were asked about. A reply that is used has as many embeddings, of one length, all
 * finite; a refusal says why in one line, without the key, which the reply may repeat. */
#include <math.h>

#include "data/json/json_reader.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"
#include "provider/openai_json.h"

#define SECRET "sk-7Q"

static void check_why(const ee_buffer *why, bool good) {
  ee_str text = fuzz_buffer_text(why);
  fuzz_require(good == (text.length == 0));
  fuzz_check_message(text);
  fuzz_require(text.length == 0 || memmem(text.data, text.length, SECRET, strlen(SECRET)) == NULL);
}

static void check_embeddings(ee_str body, size_t count, ee_arena *arena, ee_arena *scratch) {
  ee_buffer why = {0}, packed = {0};
  ee_embedding embeddings[16] = {{0}};
  bool good = ee_openai_read_embeddings(body, count, arena, scratch, embeddings, NULL, EE_STR(SECRET), &why);
  check_why(&why, good);
  for (size_t i = 0; good && i < count; i++) {
    fuzz_require(embeddings[i].count >= 1 && embeddings[i].count == embeddings[0].count);
    for (size_t k = 0; k < embeddings[i].count; k++) fuzz_require(isfinite(embeddings[i].numbers[k]));
    ee_embedding again;
    ee_buffer_clear(&packed);
    ee_openai_pack(&packed, embeddings[i]);
    fuzz_require(ee_openai_unpack(fuzz_buffer_text(&packed), arena, &again) && again.count == embeddings[i].count);
    fuzz_require(memcmp(again.numbers, embeddings[i].numbers, again.count * sizeof(float)) == 0);
  }
  ee_buffer_fini(&why);
  ee_buffer_fini(&packed);
}

static void check_completion(ee_str body, ee_arena *arena, ee_arena *scratch) {
  ee_buffer why = {0};
  ee_str text = {0};
  bool good = ee_openai_read_completion(body, arena, scratch, &text, NULL, NULL, EE_STR(SECRET), &why);
  check_why(&why, good);
  if (good) fuzz_require(text.length > 0 && ee_utf8_valid_prefix(text.data, text.length) == text.length);
  ee_buffer_clear(&why);
  double similarity = -1;
  good = ee_openai_read_similarity(good ? text : fuzz_utf8(body), scratch, &similarity, EE_STR(SECRET), &why);
  check_why(&why, good);
  if (good) fuzz_require(similarity >= 0 && similarity <= 1);
  ee_buffer_fini(&why);
}

static void check_requests(ee_str body) {
  ee_str text = fuzz_utf8(body), texts[2] = {text, {"x", 1}};
  ee_buffer out = {0}, messages = {0};
  ee_openai_write_embeddings(&out, EE_STR("model"), texts, 2);
  fuzz_check_json(fuzz_buffer_text(&out));
  ee_buffer_clear(&out);
  ee_openai_write_comparison(&messages, text, text);
  fuzz_check_json(fuzz_buffer_text(&messages));
  ee_openai_write_chat(&out, text, EE_STR(""), EE_FORMAT_OBJECT, EE_STR(""), fuzz_buffer_text(&messages));
  fuzz_check_json(fuzz_buffer_text(&out));
  ee_buffer_fini(&out);
  ee_buffer_fini(&messages);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_arena arena, scratch;
  ee_arena_init(&arena, 0);
  ee_arena_init(&scratch, 0);
  fuzz_source source = fuzz_source_of(data, size);
  size_t count = fuzz_below(&source, 16) + 1;
  ee_str body = fuzz_rest(&source);
  ee_buffer refusal = {0};
  check_embeddings(body, count, &arena, &scratch);
  check_completion(body, &arena, &scratch);
  ee_openai_read_refusal(body, &refusal);
  ee_embedding any;
  if (ee_openai_unpack(body, &arena, &any))
    for (size_t i = 0; i < any.count; i++) fuzz_require(isfinite(any.numbers[i]));
  check_requests(body);
  ee_buffer_fini(&refusal);
  ee_arena_fini(&arena);
  ee_arena_fini(&scratch);
  return 0;
}

EE_FUZZ_TARGET(8192)
