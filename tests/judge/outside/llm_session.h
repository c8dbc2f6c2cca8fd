/* llm_session.h: a session whose model answers by a function of the test, and keeps what it was asked. */
#ifndef EE_TESTS_JUDGE_LLM_SESSION_H
#define EE_TESTS_JUDGE_LLM_SESSION_H

#include "base/buffer.h"
#include "judge/provider_session.h"

typedef struct llm_session {
  ee_provider_session base; /* first */
  ee_provider_vtable vtable;
  /* Appends the answer; false: there will be none, and `out` says why. NULL: `fixed`. */
  bool (*answer)(void *user, const ee_chat *chat, ee_buffer *out);
  void *user;
  const char *fixed;
  ee_buffer prompt, system, schema, members; /* of the last chat */
  size_t asked;
  bool pending; /* answers with PENDING */
} llm_session;

static inline void llm_session_keep(ee_buffer *to, ee_str text) {
  ee_buffer_clear(to);
  ee_buffer_add_str(to, text);
  ee_buffer_terminate(to);
}

static inline void llm_session_complete(ee_provider_session *base, const ee_chat *chat, ee_arena *scratch,
                                        ee_answer *answer) {
  llm_session *self = (llm_session *)(void *)base;
  self->asked++;
  llm_session_keep(&self->prompt, chat->prompt);
  llm_session_keep(&self->system, chat->system);
  llm_session_keep(&self->schema, chat->schema);
  llm_session_keep(&self->members, chat->members);
  ee_buffer out = {0};
  bool given = true;
  if (self->answer != NULL)
    given = self->answer(self->user, chat, &out);
  else
    ee_buffer_add_text(&out, self->fixed);
  answer->state = self->pending ? EE_ANSWER_PENDING : given ? EE_ANSWER_GIVEN : EE_ANSWER_FAILED;
  answer->text = (ee_str){ee_arena_copy(scratch, out.data, out.length), out.length};
  ee_buffer_fini(&out);
}

static inline void llm_session_open(llm_session *self, const char *fixed) {
  *self = (llm_session){.fixed = fixed};
  self->vtable = (ee_provider_vtable){.name = "fake", .complete = llm_session_complete};
  self->base.vtable = &self->vtable;
}

static inline void llm_session_close(llm_session *self) {
  ee_buffer_fini(&self->prompt);
  ee_buffer_fini(&self->system);
  ee_buffer_fini(&self->schema);
  ee_buffer_fini(&self->members);
}

#endif
