/* provider_settings.h: the option `provider` of ee.rules: where similarity comes from.
 *
 * `provider = "local"` or `provider = { "openai", model = "...", ... }`. Only what the rule file says; engine/provider
 * adds the environment, and a key never leaves it. */
#ifndef EE_JUDGE_PROVIDER_SETTINGS_H
#define EE_JUDGE_PROVIDER_SETTINGS_H

#include "base/buffer.h"
#include "judge/compile.h"

typedef enum ee_provider_kind { EE_PROVIDER_LOCAL, EE_PROVIDER_OPENAI } ee_provider_kind;
#define EE_PROVIDER_NAMES "local|openai"

typedef enum ee_model_kind { EE_MODEL_EMBEDDINGS, EE_MODEL_CHAT } ee_model_kind;
#define EE_MODEL_KINDS "embeddings|chat"

typedef struct ee_provider_settings {
  bool named; /* given in the rule file; else everything is the default */
  ee_provider_kind kind;
  /* local */
  ee_str language; /* of stems and stop words, a name of Snowball: "english" */
  /* openai; empty strings: not given */
  ee_model_kind model_kind;
  bool kind_given;            /* the rule file says which kind */
  ee_str url;                 /* base URL, "https://host/v1"; else OPENAI_BASE_URL, else https://api.openai.com/v1 */
  ee_str model;               /* else OPENAI_MODEL */
  ee_str chat_model;          /* of completions; empty: `model` */
  ee_str key;                 /* else the environment variable key_env; none: no Authorization header. Never printed */
  ee_str key_env;             /* else OPENAI_API_KEY, which goes only to OPENAI_BASE_URL and to api.openai.com */
  double timeout_s;           /* of one attempt, to the last byte: 60 */
  double total_timeout_s;     /* of one request with all its attempts; 0: ten times timeout_s */
  unsigned retries;           /* further attempts after 429, 5xx and broken connections, 4 */
  unsigned in_flight;         /* requests at a time, 8 */
  double requests_per_minute; /* 0: no limit */
  uint64_t max_requests;      /* of a run, retries included; 0: no limit */
  double max_cost;            /* of a run, in the currency of the prices; 0: no limit */
  double input_price;         /* of a million tokens that are sent; 0: not known. The same for the next */
  double output_price;        /* of a million tokens that are answered */
  unsigned batch;             /* texts an embeddings request, 64 */
  ee_str cache;               /* file; else EVALENGINE_CACHE, else answers.sqlite in the user's cache folder */
  bool no_cache;              /* cache = false */
  const char *ca_file;        /* of --ca-file, not of the rule file; NULL: the system's authorities. Borrowed */
  const char *rule_file;      /* relative cache files are in its folder */
  size_t line;                /* of the rule file, where the provider is named; 0: unknown */
} ee_provider_settings;

/* The options of the provider's table, for checks and documentation. */
extern const ee_option ee_provider_options[];

/* Reads the option `provider` of ee.rules; errors go to the builder. */
void ee_provider_settings_compile(ee_plan_builder *builder, const ee_rule_node *root, ee_provider_settings *settings);

/* Chooses what answers the chats of a plan that asks a model, after all judges are compiled; `compares`: the plan also
 * asks for similarity. Without `provider` the model is that of the environment; a model whose kind is not given is one
 * for chats unless it also compares. Errors go to the builder, at `root`. */
void ee_provider_settings_for_chats(ee_plan_builder *builder, const ee_rule_node *root, bool compares,
                                    ee_provider_settings *settings);

/* Whether both are the same provider, wherever they are named. */
bool ee_provider_settings_equal(const ee_provider_settings *a, const ee_provider_settings *b);

/* Appends "local, english" or "openai embeddings, model m, 8 in flight, ..." for `evalengine check`. Never prints the
 * key, nor parts that may contain one (the URL is printed without user, query and fragment). */
void ee_provider_settings_print(const ee_provider_settings *settings, ee_buffer *out);

#endif
