/* openai_setup.c: what the rule file and the environment together say about a server. */
#include "provider/openai_setup.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/runtime.h"

#define STANDARD_URL "https://api.openai.com/v1"
#define STANDARD_KEY_NAME "OPENAI_API_KEY"

static const char *copy(ee_arena *arena, ee_str text) { return ee_arena_copy(arena, text.data, text.length); }

/* A variable that is empty counts as not set. */
static const char *variable(const char *name) {
  const char *value = getenv(name);
  return value != NULL && value[0] != '\0' ? value : NULL;
}

/* URL ------------------------------------------------------------------------------------------ */

/* What is behind "http://" or "https://", or NULL. */
static const char *behind_scheme(const char *url) {
  if (strncasecmp(url, "http://", 7) == 0) return url + 7;
  if (strncasecmp(url, "https://", 8) == 0) return url + 8;
  return NULL;
}

static const char *mistake_of(const char *url) {
  for (const char *at = url; *at != '\0'; at++)
    if (*at <= ' ' || *at > '~' || *at == '\\') return "has a character that no URL has";
  const char *host = behind_scheme(url);
  if (host == NULL) return "does not begin with http:// or https://";
  size_t length = strcspn(host, "/?#");
  if (memchr(host, '@', length) != NULL)
    return "holds a user or a password, which it must not (there are key and key_env)";
  if (length == 0) return "has no host";
  if (strpbrk(host, "?#") != NULL) return "has a query or a fragment, which a base URL must not";
  return NULL;
}

static ee_status read_url(const ee_provider_settings *settings, ee_arena *arena, ee_openai_setup *setup,
                          ee_error *error) {
  const char *given = variable("OPENAI_BASE_URL");
  const char *name = "OPENAI_BASE_URL";
  if (settings->url.length > 0) {
    given = copy(arena, settings->url);
    name = "url";
    if (strlen(given) < settings->url.length) given = "\\"; /* what follows a NUL must not be cut off unseen */
  }
  if (given == NULL) given = STANDARD_URL;
  const char *mistake = mistake_of(given);
  if (mistake != NULL) return ee_error_set(error, EE_ERROR_RULES, "the '%s' of provider 'openai' %s", name, mistake);
  const char *host = behind_scheme(given);
  size_t length = strlen(given);
  while (given[length - 1] == '/') length--;
  bool has_path = memchr(host, '/', (size_t)(given + length - host)) != NULL;
  setup->url = ee_arena_printf(arena, "%.*s%s", (int)length, given, has_path ? "" : "/v1");
  return EE_OK;
}

/* Model, key ----------------------------------------------------------------------------------- */

static ee_status read_model(const ee_provider_settings *settings, ee_arena *arena, ee_openai_setup *setup,
                            ee_error *error) {
  const char *given = variable("OPENAI_MODEL");
  if (settings->model.length > 0) given = copy(arena, settings->model);
  if (given == NULL)
    return ee_error_set(error, EE_ERROR_RULES, "provider 'openai' needs a model (model = \"...\", or OPENAI_MODEL)");
  if (ee_utf8_valid_prefix(given, strlen(given)) < strlen(given))
    return ee_error_set(error, EE_ERROR_RULES, "the model '%s' of provider 'openai' is no UTF-8", given);
  setup->model = copy(arena, ee_str_from(given));
  return EE_OK;
}

static ee_status read_key(const ee_provider_settings *settings, ee_arena *arena, ee_openai_setup *setup,
                          ee_error *error) {
  ee_str key = settings->key;
  const char *name = STANDARD_KEY_NAME;
  if (settings->key_env.length > 0) name = copy(arena, settings->key_env);
  setup->key_name = name;
  if (key.length > 0) {
    name = "key";
  } else if (variable(name) != NULL) {
    key = ee_str_from(variable(name));
  }
  /* A line break in a key would be a header of its own. */
  for (size_t i = 0; i < key.length; i++) {
    if (key.data[i] > ' ' && key.data[i] <= '~') continue;
    return ee_error_set(
        error, EE_ERROR_RULES,
        "the '%s' of provider 'openai' has a character that no key has: a space, a line break or the like", name);
  }
  setup->key = key.length > 0 ? copy(arena, key) : NULL;
  return EE_OK;
}

/* Cache ---------------------------------------------------------------------------------------- */

#ifdef EE_WITH_SQLITE

/* Makes the folders of `file` that are missing. What goes wrong is told by the one that opens the file. */
static void make_folders(ee_arena *arena, const char *file) {
  char *folder = ee_arena_copy(arena, file, strlen(file));
  for (char *slash = folder + 1; (slash = strchr(slash, '/')) != NULL; slash++) {
    *slash = '\0';
    mkdir(folder, 0700);
    *slash = '/';
  }
}

/* The specification of XDG_CACHE_HOME has relative ones ignored. */
static const char *user_cache(ee_arena *arena, bool offline) {
  const char *folder = variable("XDG_CACHE_HOME");
  const char *home = variable("HOME");
  const char *file = NULL;
  if (folder != NULL && folder[0] == '/') {
    file = ee_arena_printf(arena, "%s/evalengine/answers.sqlite", folder);
  } else if (home != NULL) {
    file = ee_arena_printf(arena, "%s/.cache/evalengine/answers.sqlite", home);
  }
  if (file != NULL && !offline) make_folders(arena, file);
  return file;
}

static ee_status read_cache(const ee_provider_settings *settings, bool offline, ee_arena *arena, ee_openai_setup *setup,
                            ee_error *error) {
  if (settings->no_cache) return EE_OK;
  if (settings->cache.length > 0) {
    /* So that the name means the same from everywhere. */
    setup->cache = ee_file_name_beside(arena, settings->rule_file, settings->cache);
  } else if (variable("EVALENGINE_CACHE") != NULL) {
    setup->cache = copy(arena, ee_str_from(variable("EVALENGINE_CACHE")));
  } else {
    setup->cache = user_cache(arena, offline);
  }
  if (setup->cache != NULL) return EE_OK;
  return ee_error_set(
      error, EE_ERROR_SYSTEM,
      "no folder for the cache of provider 'openai': HOME is not set (cache = \"FILE\", or cache = false)");
}

#else

static ee_status read_cache(const ee_provider_settings *settings, bool offline, ee_arena *arena, ee_openai_setup *setup,
                            ee_error *error) {
  (void)offline, (void)arena, (void)setup;
  bool named = settings->cache.length > 0 || variable("EVALENGINE_CACHE") != NULL;
  if (settings->no_cache || !named) return EE_OK;
  return ee_error_set(error, EE_ERROR_RULES, "this evalengine was built without SQLite, which a cache needs");
}

#endif

ee_status ee_openai_setup_read(const ee_provider_settings *settings, bool offline, ee_arena *arena,
                               ee_openai_setup *setup, ee_error *error) {
  *setup = (ee_openai_setup){0};
  ee_status status = read_url(settings, arena, setup, error);
  if (status == EE_OK) status = read_model(settings, arena, setup, error);
  if (status == EE_OK) status = read_key(settings, arena, setup, error);
  if (status == EE_OK) status = read_cache(settings, offline, arena, setup, error);
  return status;
}
