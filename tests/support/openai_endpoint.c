/* openai_endpoint.c: reads requests strictly, answers as asked. */
#include "support/openai_endpoint.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash_index.h"
#include "data/json/json_reader.h"
#include "data/json/json_writer.h"

/* Cuts the next word off `text`; false when there is none. */
static bool next_word(ee_str *text, ee_str *word) {
  while (text->length > 0 && strchr(" \t\r\n", text->data[0]) != NULL)
    *text = (ee_str){text->data + 1, text->length - 1};
  size_t length = 0;
  while (length < text->length && strchr(" \t\r\n", text->data[length]) == NULL) length++;
  *word = (ee_str){text->data, length};
  *text = (ee_str){text->data + length, text->length - length};
  return length > 0;
}

void test_embed(ee_str text, double vector[TEST_DIMENSIONS]) {
  for (int i = 0; i < TEST_DIMENSIONS; i++) vector[i] = 0;
  for (ee_str word; next_word(&text, &word);) vector[ee_hash_bytes(word.data, word.length, 0) % TEST_DIMENSIONS] += 1;
}

double test_cosine(ee_str expected, ee_str candidate) {
  double a[TEST_DIMENSIONS], b[TEST_DIMENSIONS], ab = 0, aa = 0, bb = 0;
  test_embed(expected, a);
  test_embed(candidate, b);
  for (int i = 0; i < TEST_DIMENSIONS; i++) {
    ab += a[i] * b[i];
    aa += a[i] * a[i];
    bb += b[i] * b[i];
  }
  return aa > 0 && bb > 0 ? ab / sqrt(aa * bb) : 0;
}

double test_share_of_words(ee_str expected, ee_str candidate) {
  size_t all = 0, shared = 0;
  for (ee_str word; next_word(&expected, &word);) {
    ee_str rest = candidate, other;
    bool found = false;
    while (!found && next_word(&rest, &other)) found = ee_str_equal(word, other);
    all++;
    shared += found;
  }
  return all > 0 ? (double)shared / (double)all : 0;
}

static void refuse(test_openai *endpoint, test_http_response *response, const char *why) {
  endpoint->mistakes++;
  response->status = 400;
  ee_buffer_addf(&response->body, "{\"error\":{\"message\":\"%s\",\"type\":\"invalid_request_error\"}}", why);
}

static void answer_embeddings(test_openai *endpoint, const ee_value *asked, test_http_response *response) {
  const ee_value *input = ee_value_member(asked, EE_STR("input"), NULL);
  size_t count = ee_type_of(input) == EE_ARRAY ? ee_value_count(input) : 0;
  if (count == 0) {
    refuse(endpoint, response, "no input");
    return;
  }
  ee_buffer_add_text(&response->body, "{\"object\":\"list\",\"data\":[");
  for (size_t i = 0; i < count; i++) {
    size_t index = endpoint->reversed ? count - 1 - i : i;
    const ee_value *text = ee_value_element(input, index);
    double vector[TEST_DIMENSIONS];
    if (ee_type_of(text) != EE_STRING || ee_value_text(text).length == 0) {
      ee_buffer_clear(&response->body);
      refuse(endpoint, response, "input must be texts that are not empty");
      return;
    }
    test_embed(ee_value_text(text), vector);
    ee_buffer_addf(&response->body, "%s{\"object\":\"embedding\",\"index\":%zu,\"embedding\":[", i > 0 ? "," : "",
                   index);
    for (int k = 0; k < TEST_DIMENSIONS; k++) ee_buffer_addf(&response->body, "%s%g", k > 0 ? "," : "", vector[k]);
    ee_buffer_add_text(&response->body, "]}");
  }
  ee_buffer_add_text(&response->body, "],\"model\":\"m\",\"usage\":{\"prompt_tokens\":1,\"total_tokens\":1}}");
  endpoint->texts += count;
  if (count > endpoint->largest_batch) endpoint->largest_batch = count;
}

/* The last message, which must be the user's. */
static const ee_value *user_message(const ee_value *asked) {
  const ee_value *messages = ee_value_member(asked, EE_STR("messages"), NULL);
  if (ee_type_of(messages) != EE_ARRAY || ee_value_count(messages) == 0) return NULL;
  const ee_value *last = ee_value_element(messages, ee_value_count(messages) - 1);
  const ee_value *role = ee_value_member(last, EE_STR("role"), NULL);
  const ee_value *content = ee_value_member(last, EE_STR("content"), NULL);
  if (ee_type_of(role) != EE_STRING || !ee_str_is(ee_value_text(role), "user")) return NULL;
  return ee_type_of(content) == EE_STRING ? content : NULL;
}

static void answer_chat(test_openai *endpoint, const ee_value *asked, ee_arena *arena, test_http_response *response) {
  const ee_value *content = user_message(asked);
  if (content == NULL) {
    refuse(endpoint, response, "no message of the user");
    return;
  }
  ee_str format = ee_value_get_text(ee_value_member(asked, EE_STR("response_format"), NULL), "type", "");
  bool schema = ee_str_is(format, "json_schema"), object = ee_str_is(format, "json_object");
  endpoint->formats[schema ? 0 : object ? 1 : 2]++;
  if ((schema && endpoint->no_schemas) || (object && endpoint->no_objects)) {
    response->status = 400;
    ee_buffer_add_text(&response->body, "{\"error\":{\"message\":\"no such response_format\"}}");
    return;
  }
  ee_buffer said = {0};
  const ee_value *pair = ee_json_read(arena, ee_value_text(content), NULL, NULL);
  const ee_value *expected = ee_value_member(pair, EE_STR("expected"), NULL);
  const ee_value *candidate = ee_value_member(pair, EE_STR("candidate"), NULL);
  if (ee_type_of(expected) == EE_STRING && ee_type_of(candidate) == EE_STRING) {
    test_similarity *similarity = endpoint->similarity != NULL ? endpoint->similarity : test_share_of_words;
    ee_buffer_add_text(&said, "{\"similarity\": ");
    ee_json_write_number(&said, similarity(ee_value_text(expected), ee_value_text(candidate)));
    ee_buffer_add_char(&said, '}');
    endpoint->comparisons++;
  } else {
    ee_buffer_add_text(&said, "You said: ");
    ee_buffer_add_str(&said, ee_value_text(content));
    endpoint->completions++;
  }
  ee_buffer_add_text(&response->body,
                     "{\"id\":\"c\",\"object\":\"chat.completion\",\"created\":1,\"model\":\"m\",\"choices\":["
                     "{\"index\":0,\"message\":{\"role\":\"assistant\",\"content\":");
  ee_json_write_string(&response->body, (ee_str){said.data, said.length});
  ee_buffer_add_text(&response->body, ",\"refusal\":null},\"logprobs\":null,\"finish_reason\":\"stop\"}]");
  if (!endpoint->no_usage)
    ee_buffer_add_text(&response->body,
                       ",\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2,\"total_tokens\":12}");
  ee_buffer_add_char(&response->body, '}');
  ee_buffer_fini(&said);
}

static void answer_well(test_openai *endpoint, const test_http_request *request, test_http_response *response) {
  ee_arena arena;
  ee_arena_init(&arena, 0);
  const ee_value *asked = ee_json_read(&arena, (ee_str){request->body, request->length}, NULL, NULL);
  const ee_value *model = ee_value_member(asked, EE_STR("model"), NULL);
  char type[256];
  bool is_json = test_http_header(request, "Content-Type", type) != NULL && strncmp(type, "application/json", 16) == 0;
  if (strcmp(request->method, "POST") != 0 || !is_json || ee_type_of(model) != EE_STRING) {
    refuse(endpoint, response, "no POST of JSON with a model");
  } else if (strcmp(request->path, "/v1/embeddings") == 0) {
    answer_embeddings(endpoint, asked, response);
  } else if (strcmp(request->path, "/v1/chat/completions") == 0) {
    answer_chat(endpoint, asked, &arena, response);
  } else {
    refuse(endpoint, response, "no such path");
  }
  ee_arena_fini(&arena);
}

void test_openai_answer(void *user, const test_http_request *request, test_http_response *response) {
  test_openai *endpoint = user;
  response->delay_ms = endpoint->delay_ms;
  const test_attack *attack = atomic_exchange(&endpoint->attack, NULL);
  if (attack != NULL) {
    response->manner = TEST_HTTP_ATTACK;
    response->attack = attack;
    return;
  }
  if (test_failures_answer(&endpoint->failures, request->number, response)) return;
  answer_well(endpoint, request, response);
}
