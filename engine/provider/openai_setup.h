/* openai_setup.h: what the rule file and the environment together say about a server.
 *
 * Reads the environment; makes the folders of the user's cache, nothing else. */
#ifndef EE_PROVIDER_OPENAI_SETUP_H
#define EE_PROVIDER_OPENAI_SETUP_H

#include <evalengine.h>

#include "base/arena.h"
#include "judge/provider_settings.h"

/* Everything is NUL-terminated, and lives in the arena it was read into. */
typedef struct ee_openai_setup {
  const char *url;      /* without a slash at its end: "https://api.openai.com/v1" */
  const char *model;    /* valid UTF-8 */
  const char *key;      /* NULL: none. Never printed */
  const char *key_name; /* of the environment's variable that holds one */
  const char *cache;    /* the file; NULL: none */
} ee_openai_setup;

/* Fails with EE_ERROR_RULES for a URL that cannot be a base (none of http or https, with a user, a query or a fragment;
 * it is not repeated, since it may hold a password), without a model, and for a cache in a program without SQLite; with
 * EE_ERROR_SYSTEM where there is no folder for a cache: that of the user is made unless `offline`. */
ee_status ee_openai_setup_read(const ee_provider_settings *settings, bool offline, ee_arena *arena,
                               ee_openai_setup *setup, ee_error *error);

#endif
