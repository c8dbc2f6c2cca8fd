/* answer_cache.h: answers that were paid for once.
 *
 * the only place that includes sqlite3.h is answer_cache.c. A file of SQLite with one table; several processes
 * may share it. Belongs to one thread at a time. */
#ifndef EE_PROVIDER_ANSWER_CACHE_H
#define EE_PROVIDER_ANSWER_CACHE_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/str.h"

typedef struct ee_answer_cache ee_answer_cache;

/* What an answer is found by. */
typedef struct ee_cache_key {
  ee_str provider; /* "openai http://host/v1": which server */
  ee_str model;
  ee_str kind; /* "embedding", "completion" */
  ee_str text; /* what was asked, whole */
} ee_cache_key;

/* Opens the file, or makes it (and its folder, if only that is missing). NULL with `error` (EE_ERROR_SYSTEM): "cache
 * 'FILE' is no database (remove it, or name another with cache = ...)", a file of another program or of a later
 * version, no permission; EE_ERROR_RULES when this program was built without SQLite. A file that can only be read is
 * opened for that. */
ee_answer_cache *ee_answer_cache_open(const char *file, ee_error *error);
void ee_answer_cache_close(ee_answer_cache *cache); /* NULL is allowed */

/* Replaces `answer` with what is kept under `key`; false when there is nothing. A file that broke since it was opened
 * counts as nothing; so does an answer of which a byte changed (each has its sum). */
bool ee_answer_cache_get(ee_answer_cache *cache, const ee_cache_key *key, ee_buffer *answer);
/* Keeps `answer`; what another process kept meanwhile stays. Many puts between begin and commit are one transaction,
 * which other processes wait for, 10 s at most: nobody waits for a network in between. Closing without commit loses
 * them. */
void ee_answer_cache_begin(ee_answer_cache *cache);
void ee_answer_cache_put(ee_answer_cache *cache, const ee_cache_key *key, ee_str answer);
void ee_answer_cache_commit(ee_answer_cache *cache);
/* The first trouble with the file since it was opened ("cache 'FILE': disk is full, new answers are not kept"), or
 * NULL; the run goes on. A file that can only be read is trouble from the first put on. Valid until close. */
const char *ee_answer_cache_trouble(const ee_answer_cache *cache);

#endif
