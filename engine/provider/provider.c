/* provider.c: which provider a rule file asked for. */
#include "provider/provider.h"

#include "provider/answer_cache.h"
#include "provider/http.h"
#include "provider/local_words.h"

ee_provider *ee_provider_open(const ee_provider_settings *settings, const char *offline, ee_error *error) {
  switch (settings->kind) { /* unreached: all kinds are listed */
  case EE_PROVIDER_LOCAL: return ee_local_provider_open(settings, error);
  case EE_PROVIDER_OPENAI: return ee_openai_provider_open(settings, offline, error);
  }
  return NULL; /* unreached: all kinds are listed */
}

void ee_provider_load(void) {
  ee_http_load(NULL);
  ee_answer_cache_load(NULL);
  ee_words_load(NULL);
}

void ee_provider_free(ee_provider *provider) {
  if (provider != NULL) provider->vtable->free(provider);
}
