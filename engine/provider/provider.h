/* provider.h: where similarity by meaning comes from.
 *
 * Layer: provider (on judge). The interface that judges see is judge/provider_session.h; here is what makes one. */
#ifndef EE_PROVIDER_PROVIDER_H
#define EE_PROVIDER_PROVIDER_H

#include "judge/provider_session.h"
#include "judge/provider_settings.h"

/* The provider that `settings` and the environment describe. `offline`: NULL, or why it
 * makes no request, as messages say it ("--offline"): what is not in the cache fails. NULL with `error`: EE_ERROR_RULES
 * for settings that cannot be used (no model, a bad URL, an unknown language, a library that was switched off when this
 * program was built), EE_ERROR_SYSTEM for a cache file that cannot be opened. Freed by ee_provider_free(), after all
 * its askers were closed. */
ee_provider *ee_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error);
void ee_provider_free(ee_provider *provider); /* NULL is allowed */

/* The two that there are. */
ee_provider *ee_local_provider_open(const ee_provider_settings *settings, ee_error *error);
ee_provider *ee_openai_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error);

#endif
