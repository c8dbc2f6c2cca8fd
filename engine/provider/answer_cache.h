/* answer_cache.h: a cache of answers from servers, in an SQLite file with one table.
 *
 * Several processes may share the file; an open cache belongs to one thread at a time. Only answer_cache.c includes
 * sqlite3.h. */
#ifndef EE_PROVIDER_ANSWER_CACHE_H
#define EE_PROVIDER_ANSWER_CACHE_H

#include <evalengine.h>
#include <stdbool.h>

#include "base/buffer.h"
#include "base/str.h"

typedef struct ee_answer_cache ee_answer_cache;

/* The key of an answer. */
typedef struct ee_cache_key {
  ee_str provider; /* "openai http://host/v1": which server */
  ee_str model;
  ee_str kind; /* "embedding", "completion", "declined" */
  ee_str text; /* the whole request */
} ee_cache_key;

/* Loads SQLite (base/late_library.h), as the first ee_answer_cache_open() does. */
ee_status ee_answer_cache_load(ee_error *error);

/* Opens the file, or creates it (and its folder, but not that folder's parents). NULL with `error`: EE_ERROR_SYSTEM
 * for a file that is not a database, belongs to another program or a later version, or cannot be opened, or without
 * SQLite; EE_ERROR_RULES when SQLite was left out of the build. A read-only file is opened for reading. */
ee_answer_cache *ee_answer_cache_open(const char *file, ee_error *error);
void ee_answer_cache_close(ee_answer_cache *cache); /* NULL is allowed */

/* Replaces `answer` with the answer for `key`; false when there is none, when the file cannot be read any more, and
 * when the answer's checksum is wrong. */
bool ee_answer_cache_get(ee_answer_cache *cache, const ee_cache_key *key, ee_buffer *answer);
/* Adds `answer`; an answer that another process has added stays. The puts between begin and commit are one transaction.
 * Other processes wait for it, 10 s at most, so do not wait for a network in between. Closing without commit loses
 * them. */
void ee_answer_cache_begin(ee_answer_cache *cache);
void ee_answer_cache_put(ee_answer_cache *cache, const ee_cache_key *key, ee_str answer);
void ee_answer_cache_commit(ee_answer_cache *cache);
/* The first problem with the file since it was opened ("cache 'FILE': disk is full, new answers are not kept"), or
 * NULL. The run goes on. A put into a read-only file is a problem. Valid until close. */
const char *ee_answer_cache_problem(const ee_answer_cache *cache);

#endif
