/* provider.h: opens the provider of similarity by meaning. Judges use it through judge/provider_session.h. */
#ifndef EE_PROVIDER_PROVIDER_H
#define EE_PROVIDER_PROVIDER_H

#include "judge/provider_session.h"
#include "judge/provider_settings.h"

/* The provider that `settings` and the environment describe. With `offline` (the reason as messages say it,
 * "--offline"; NULL: online) it sends nothing, and what is not in the cache fails. NULL with `error`: EE_ERROR_RULES
 * for unusable settings (no model, a bad URL, an unknown language, a library left out of the build), EE_ERROR_SYSTEM
 * for a cache file that cannot be opened. Close all sessions before ee_provider_free(). */
ee_provider *ee_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error);
void ee_provider_free(ee_provider *provider); /* NULL is allowed */

/* Loads now what providers would load when they are opened: for a process that will soon be unable to. What cannot be
 * loaded is reported by the provider that needs it. */
void ee_provider_load(void);

/* The two kinds. */
ee_provider *ee_local_provider_open(const ee_provider_settings *settings, ee_error *error);
ee_provider *ee_openai_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error);
/* The file of answers where rules name none: EVALENGINE_CACHE, else in the user's folder of caches; NULL without one.
 * `make`: makes the folders that are missing. */
const char *ee_openai_usual_cache(ee_arena *arena, bool make);

#endif
