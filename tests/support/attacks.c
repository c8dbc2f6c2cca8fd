/* attacks.c: reads the list of attacks, and plays one on a connection. */
#include "support/attacks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#include "base/str.h"

_Noreturn static void die(const char *file, size_t line, const char *what) {
  fprintf(stderr, "%s:%zu: %s\n", file, line, what);
  abort();
}

/* Reading -------------------------------------------------------------------------------------- */

/* Appends `text` with \r, \n, \t, \\, \0 and \xNN, {KEY} and {URL} replaced. */
static bool add_text(ee_buffer *out, const char *text, const char *key, const char *url) {
  for (const char *at = text; *at != '\0'; at++) {
    static const char names[] = "rnt\\0", bytes[] = "\r\n\t\\\0";
    if (strncmp(at, "{KEY}", 5) == 0 || strncmp(at, "{URL}", 5) == 0) {
      ee_buffer_add_text(out, at[1] == 'K' ? key : url);
      at += 4;
    } else if (*at != '\\') {
      ee_buffer_add_char(out, *at);
    } else if (at[1] == 'x') {
      int high = ee_hex_digit(at[2]), low = high >= 0 ? ee_hex_digit(at[3]) : -1;
      if (low < 0) return false;
      ee_buffer_add_char(out, (char)(high * 16 + low));
      at += 3;
    } else {
      const char *name = at[1] != '\0' ? strchr(names, at[1]) : NULL;
      if (name == NULL) return false;
      ee_buffer_add_char(out, bytes[name - names]);
      at++;
    }
  }
  return true;
}

/* Whether the line is `word` and what follows it; `*rest` gets that. */
static bool begins(const char *line, const char *word, const char **rest) {
  size_t length = strlen(word);
  if (strncmp(line, word, length) != 0 || (line[length] != ' ' && line[length] != '\0')) return false;
  *rest = line + length + (line[length] == ' ');
  return true;
}

static const struct {
  const char *word;
  test_step_kind kind;
  bool has_count;
} words[] = {
    {"send", TEST_STEP_SEND, false}, {"repeat", TEST_STEP_SEND, true},  {"endless", TEST_STEP_SEND, false},
    {"drip", TEST_STEP_DRIP, false}, {"reply", TEST_STEP_REPLY, false}, {"bomb", TEST_STEP_BOMB, true},
    {"hang", TEST_STEP_HANG, false}, {"reset", TEST_STEP_RESET, false},
};

static bool read_step(test_attack *attack, const char *line, const char *key, const char *url) {
  const char *rest;
  for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
    if (!begins(line, words[i].word, &rest)) continue;
    test_step step = {.kind = words[i].kind, .count = strcmp(words[i].word, "endless") != 0};
    if (words[i].has_count) {
      char *end;
      step.count = strtoul(rest, &end, 10);
      rest = *end == ' ' ? end + 1 : end;
    }
    if (!add_text(&step.text, rest, key, url)) return false;
    *EE_LIST_ADD(&attack->steps, NULL) = step;
    return true;
  }
  return false;
}

static bool read_why(test_attack *attack, const char *line) {
  const char *rest;
  bool both = begins(line, "why", &rest);
  if (!both && !begins(line, "embeddings", &rest) && !begins(line, "chat", &rest)) return false;
  for (int kind = 0; kind < 2; kind++)
    if (both || line[0] == "ec"[kind]) attack->why[kind] = strdup(rest);
  if (strncmp(rest, "timed out", 9) == 0) attack->waits = true;
  return true;
}

void test_attacks_read(test_attacks *attacks, const char *file, const char *key, const char *url) {
  FILE *in = fopen(file, "re");
  if (in == NULL) die(file, 0, "no such file");
  *attacks = (test_attacks){0};
  char *line = NULL;
  size_t room = 0, number = 0;
  test_attack *current = NULL;
  for (ssize_t length; (length = getline(&line, &room, in)) >= 0;) {
    number++;
    if (length > 0 && line[length - 1] == '\n') line[length - 1] = '\0';
    const char *rest;
    if (line[0] == '#') continue;
    if (line[0] == '\0') {
      current = NULL;
    } else if (current == NULL) {
      if (!begins(line, "attack", &rest)) die(file, number, "not an attack");
      current = EE_LIST_ADD(attacks, NULL);
      *current = (test_attack){.name = strdup(rest)};
    } else if (!read_step(current, line, key, url) && !read_why(current, line)) {
      die(file, number, "not a step");
    }
  }
  free(line);
  fclose(in);
}

void test_attacks_free(test_attacks *attacks) {
  for (size_t i = 0; i < attacks->count; i++) {
    test_attack *attack = &attacks->items[i];
    for (size_t k = 0; k < attack->steps.count; k++) ee_buffer_fini(&attack->steps.items[k].text);
    EE_LIST_FINI(&attack->steps);
    free((char *)attack->name);
    if (attack->why[1] != attack->why[0]) free((char *)attack->why[1]);
    free((char *)attack->why[0]);
  }
  EE_LIST_FINI(attacks);
}

/* Playing -------------------------------------------------------------------------------------- */

/* Bytes of a text that is sent again and again, so that a short one is not a system call each. */
#define BLOCK ((size_t)1 << 16)

static bool send_repeated(const test_step *step, const test_attack_end *end) {
  ee_buffer block = {0};
  size_t times = 0;
  do {
    ee_buffer_add(&block, step->text.data, step->text.length);
    times++;
  } while (block.length < BLOCK && times != step->count && step->text.length > 0);
  bool good = true;
  for (size_t left = step->count; good && (step->count == 0 || left > 0);) {
    size_t now = step->count == 0 || left > times ? times : left;
    good = end->send(end->user, block.data, now * step->text.length);
    left -= step->count == 0 ? 0 : now;
  }
  ee_buffer_fini(&block);
  return good;
}

static bool send_drops(const test_step *step, const test_attack_end *end) {
  for (size_t i = 0;; i = (i + 1) % step->text.length)
    if (!end->send(end->user, step->text.data + i, 1) || !end->wait(end->user, 5)) return false;
}

static bool send_reply(const ee_buffer *body, const test_attack_end *end) {
  ee_buffer out = {0};
  ee_buffer_addf(&out, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: %zu\r\n\r\n",
                 body->length);
  ee_buffer_add(&out, body->data, body->length);
  bool good = end->send(end->user, out.data, out.length);
  ee_buffer_fini(&out);
  return good;
}

static bool send_bomb(size_t mib, const test_attack_end *end) {
#ifdef EE_WITH_ZLIB
  static const char zeros[1 << 20];
  char packed[1 << 16];
  z_stream stream = {0};
  if (deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 9, Z_DEFAULT_STRATEGY) != Z_OK) abort();
  bool good = true;
  for (size_t i = 0; good && i <= mib; i++) {
    stream.next_in = (Bytef *)(uintptr_t)zeros;
    stream.avail_in = i < mib ? sizeof zeros : 0;
    do {
      stream.next_out = (Bytef *)packed;
      stream.avail_out = sizeof packed;
      deflate(&stream, i < mib ? Z_NO_FLUSH : Z_FINISH);
      good = end->send(end->user, packed, sizeof packed - stream.avail_out);
    } while (good && stream.avail_out == 0);
  }
  deflateEnd(&stream);
  return good;
#else
  (void)mib;
  return end->send(end->user, "\x1f\x8b\x08", 3);
#endif
}

static bool play(const test_step *step, const test_attack_end *end) {
  switch (step->kind) {
  case TEST_STEP_SEND: return send_repeated(step, end);
  case TEST_STEP_DRIP: return send_drops(step, end);
  case TEST_STEP_REPLY: return send_reply(&step->text, end);
  case TEST_STEP_BOMB: return send_bomb(step->count, end);
  case TEST_STEP_HANG: end->wait(end->user, -1); return false;
  case TEST_STEP_RESET: end->reset(end->user); return false;
  }
  return false;
}

void test_attack_play(const test_attack *attack, const test_attack_end *end) {
  for (size_t i = 0; i < attack->steps.count; i++)
    if (!play(&attack->steps.items[i], end)) return;
}
