/* judging_model.h: a handler for http_server.h that answers as a model does which judges from 1 to 5, by a hash of what
 * it was asked: the same request, the same answer.
 *
 * Some answers are cut, refused, without a verdict or off the scale. Each answer repeats the key that came with its
 * request, if any. */
#ifndef EE_TESTS_JUDGING_MODEL_H
#define EE_TESTS_JUDGING_MODEL_H

#include <stdio.h>
#include <string.h>

#include "base/hash_index.h"
#include "support/http_server.h"

/* Counted under the server's lock: to be read when nothing is on its way. */
typedef struct judging_model {
  size_t given, cut, refused, without, off_scale;
} judging_model;

static inline void judging_model_answer(void *user, const test_http_request *request, test_http_response *response) {
  judging_model *self = user;
  uint64_t hash = ee_hash_bytes(request->body, request->length, 5) >> 8;
  const char *key = strstr(request->headers, "Bearer ");
  int length = key != NULL ? (int)strcspn(key + 7, "\r\n") : 0;
  if (key != NULL) key += 7;
  const char *before = "\"finish_reason\":\"stop\",\"message\":{\"content\":\"";
  char said[300];
  unsigned kind = hash % 16;
  if (kind == 0) {
    self->cut++;
    before = "\"finish_reason\":\"length\",\"message\":{\"content\":\"";
    snprintf(said, sizeof said, "{\\\"reason\\\": \\\"The su");
  } else if (kind == 1) {
    self->refused++;
    before = "\"finish_reason\":\"stop\",\"message\":{\"refusal\":\"";
    snprintf(said, sizeof said, "I must not say %.*s", length, key != NULL ? key : "");
  } else if (kind == 2) {
    self->without++;
    snprintf(said, sizeof said, "I do not know %.*s.", length, key != NULL ? key : "");
  } else {
    self->given += kind > 3;
    self->off_scale += kind == 3;
    snprintf(said, sizeof said, "{\\\"reason\\\": \\\"%llx %.*s\\\", \\\"score\\\": %u}",
             (unsigned long long)hash % 4096, length, key != NULL ? key : "",
             kind == 3 ? 9 : (unsigned)(hash / 16 % 5) + 1);
  }
  ee_buffer_addf(&response->body,
                 "{\"choices\":[{\"index\":0,%s%s\"}}],\"usage\":{\"prompt_tokens\":10,\"completion_tokens\":2}}",
                 before, said);
}

#endif
