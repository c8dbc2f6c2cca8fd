/* provider_settings.c: the option `provider` of ee.rules: checked, read, printed. */
#include "judge/provider_settings.h"

#include <math.h>

#include "base/printable.h"
#include "prim/number.h"

/* A longer unknown name is not printed: it may be a key. */
#define NAME_SHOWN 24

static const ee_option price_options[] = {
    {.name = "input",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "What a million tokens cost that are sent.",
     .min = 0,
     .max = 1e9},
    {.name = "output",
     .type = EE_OPTION_NUMBER,
     .default_text = "0",
     .help = "What a million tokens cost that are answered.",
     .min = 0,
     .max = 1e9},
    {.name = NULL},
};

const ee_option ee_provider_options[] = {
    {.name = "language",
     .type = EE_OPTION_TEXT,
     .default_text = "\"english\"",
     .help = "local: the language of the words, a name of Snowball; only English has stop words."},
    {.name = "model",
     .type = EE_OPTION_TEXT,
     .default_text = "OPENAI_MODEL",
     .help = "openai: the model, required here or in the environment; where only ee.llm and ee.ask use the provider, "
             "chat_model alone will do."},
    {.name = "chat_model",
     .type = EE_OPTION_TEXT,
     .default_text = "model",
     .help = "openai: the model that ee.llm and ee.ask ask, where 'model' is one for embeddings."},
    {.name = "kind",
     .type = EE_OPTION_CHOICE,
     .default_text = "\"embeddings\"",
     .help = "openai: \"embeddings\" compares the angle of two vectors; \"chat\" asks a chat model for a number (the "
             "default where only ee.llm and ee.ask use the provider).",
     .choices = EE_MODEL_KINDS},
    {.name = "url",
     .type = EE_OPTION_TEXT,
     .default_text = "OPENAI_BASE_URL, else https://api.openai.com/v1",
     .help = "openai: the base URL, https or http, of any server that speaks its protocol."},
    {.name = "key",
     .type = EE_OPTION_TEXT,
     .default_text = "none",
     .help =
         "openai: the key itself; better left to the environment, because rule files are shared. It is never printed."},
    {.name = "key_env",
     .type = EE_OPTION_TEXT,
     .default_text = "OPENAI_API_KEY, only for OPENAI_BASE_URL and api.openai.com",
     .help = "openai: the environment variable with the key for 'url'; without it no key is sent."},
    {.name = "timeout",
     .type = EE_OPTION_NUMBER,
     .default_text = "60",
     .unit = "seconds",
     .help = "openai: the timeout of one attempt, from connecting to the last byte of the answer.",
     .min = 0.001,
     .max = 86400},
    {.name = "total_timeout",
     .type = EE_OPTION_NUMBER,
     .default_text = "10 times timeout",
     .unit = "seconds",
     .help = "openai: the timeout of one request with all its attempts and the pauses between them.",
     .min = 0.001,
     .max = 864000},
    {.name = "retries",
     .type = EE_OPTION_NUMBER,
     .default_text = "4",
     .help = "openai: further attempts after status 408, 429 or 5xx and after broken connections.",
     .min = 0,
     .max = 100},
    {.name = "in_flight",
     .type = EE_OPTION_NUMBER,
     .default_text = "8",
     .help = "openai: concurrent requests.",
     .min = 1,
     .max = 256},
    {.name = "requests_per_minute",
     .type = EE_OPTION_NUMBER,
     .default_text = "0, no limit",
     .help = "openai: the most requests that are started in a minute.",
     .min = 0,
     .max = 1e6},
    {.name = "max_requests",
     .type = EE_OPTION_NUMBER,
     .default_text = "0, no limit",
     .help = "openai: the most requests of a run, retries included; further ones get no answer.",
     .min = 0,
     .max = 0x1p53},
    {.name = "max_cost",
     .type = EE_OPTION_NUMBER,
     .default_text = "0, no limit",
     .help = "openai: the most that the tokens of a run may cost, by prices; what is then left gets no answer.",
     .min = 0,
     .max = 1e9},
    {.name = "prices",
     .lua_type = "{ input?: number, output?: number }",
     .type = EE_OPTION_TABLE,
     .inner = price_options,
     .default_text = "none",
     .help = "openai: { input = ..., output = ... }: what a million tokens cost, for the cost at the end of a run and "
             "for max_cost."},
    {.name = "batch",
     .type = EE_OPTION_NUMBER,
     .default_text = "64",
     .help = "openai: texts per request for embeddings.",
     .min = 1,
     .max = 2048},
    {.name = "cache",
     .type = EE_OPTION_TEXT_OR_FALSE,
     .default_text = "EVALENGINE_CACHE, else answers.sqlite in the user's cache folder",
     .help = "openai: the file of the answer cache, relative to the rule file; false for none."},
    {.name = NULL},
};

static const char *const provider_names[] = {"local", "openai", NULL};

/* Compiling ------------------------------------------------------------------------------------ */

static bool is_word(ee_str text) {
  if (text.length == 0 || text.length > NAME_SHOWN) return false;
  for (size_t i = 0; i < text.length; i++) {
    char c = text.data[i];
    bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
    if (!letter) return false;
  }
  return true;
}

static bool find_kind(ee_plan_builder *builder, const ee_rule_node *place, ee_str name, ee_provider_kind *kind) {
  for (size_t i = 0; provider_names[i] != NULL; i++) {
    if (!ee_str_is(name, provider_names[i])) continue;
    *kind = (ee_provider_kind)i;
    return true;
  }
  if (!is_word(name)) {
    ee_compile_error(builder, place, "unknown provider in ee.rules: must be 'local' or 'openai'");
    return false;
  }
  const char *word = ee_arena_copy(builder->arena, name.data, name.length);
  const char *found = ee_did_you_mean(word, provider_names);
  if (found != NULL) {
    ee_compile_error(builder, place, "unknown provider '%s' (did you mean '%s'?)", word, found);
  } else {
    ee_compile_error(builder, place, "unknown provider '%s': must be 'local' or 'openai'", word);
  }
  return false;
}

/* The provider's name: the string itself, or the table's first value. */
static bool read_kind(ee_plan_builder *builder, const ee_rule_node *place, const ee_rule_value *value,
                      ee_provider_kind *kind) {
  if (value->type == EE_RULE_TEXT) return find_kind(builder, place, value->text, kind);
  const ee_rule_node *table = value->node;
  if (table->item_count == 0) {
    ee_compile_error(builder, place, "provider needs a name as its first value: \"local\" or \"openai\"");
    return false;
  }
  if (table->items[0].type != EE_RULE_TEXT) {
    ee_compile_error(builder, place, "provider needs a name (a string) as its first value, got %s",
                     ee_rule_value_describe(&table->items[0], builder->arena));
    return false;
  }
  if (table->item_count > 1) {
    ee_compile_error(builder, place, "provider takes one name, but %s follows it",
                     ee_rule_value_describe(&table->items[1], builder->arena));
  }
  return find_kind(builder, place, table->items[0].text, kind);
}

/* Options that the other provider has. */
static void check_owner(ee_plan_builder *builder, const ee_rule_node *table, ee_provider_kind kind) {
  for (const ee_option *row = ee_provider_options; row->name != NULL; row++) {
    if (ee_rule_node_get(table, row->name).type == EE_RULE_NONE) continue;
    ee_provider_kind owner = strcmp(row->name, "language") == 0 ? EE_PROVIDER_LOCAL : EE_PROVIDER_OPENAI;
    if (owner == kind) continue;
    ee_compile_error(builder, table, "option '%s' is one of provider '%s', not of '%s'", row->name,
                     provider_names[owner], provider_names[kind]);
  }
}

static void check_whole_numbers(ee_plan_builder *builder, const ee_rule_node *table) {
  static const char *const names[] = {"retries", "in_flight", "max_requests", "batch"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    double number = ee_option_number(table, names[i], 0);
    if (floor(number) == number) continue;
    ee_compile_error(builder, table, "option '%s' of provider must be an integer, got %g", names[i], number);
  }
}

/* Empty strings are errors, except an empty key, which may come from a parameter: no key. */
static void check_texts(ee_plan_builder *builder, const ee_rule_node *table) {
  static const char *const names[] = {"language", "model", "chat_model", "url", "key_env", "cache"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
    ee_rule_value value = ee_rule_node_get(table, names[i]);
    if (value.type == EE_RULE_TEXT && ee_str_is_blank(value.text)) {
      ee_compile_error(builder, table, "option '%s' of provider is empty", names[i]);
    }
  }
  /* The value may be a key instead of the name of its variable, so no message may print it. */
  ee_str name = ee_option_text(table, "key_env", "");
  for (size_t i = 0; i < name.length; i++) {
    char c = name.data[i];
    bool good = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (i > 0 && c >= '0' && c <= '9');
    if (good) continue;
    ee_compile_error(builder, table, "option 'key_env' of provider is not the name of an environment variable");
    return;
  }
  /* A variable that the rule file chooses goes to the server that it names, not to one that the environment names. */
  bool own = name.length > 0 && !ee_str_is(name, "OPENAI_API_KEY");
  if (own && ee_rule_node_get(table, "url").type == EE_RULE_NONE)
    ee_compile_error(builder, table, "option 'key_env' of provider needs 'url', the server that gets the key");
}

static void compile_prices(ee_plan_builder *builder, const ee_rule_node *table, ee_provider_settings *settings) {
  ee_rule_value value = ee_rule_node_get(table, "prices");
  if (value.type != EE_RULE_TABLE) return;
  static const ee_option *const tables[] = {price_options, NULL};
  ee_rule_node prices = *value.node;
  if (prices.file == NULL || prices.line == 0) {
    prices.file = table->file;
    prices.line = table->line;
  }
  ee_options_check(&prices, "prices of provider", tables, builder->errors);
  if (prices.item_count > 0)
    ee_compile_error(builder, &prices, "prices of provider takes input and output by name, got %s",
                     ee_rule_value_describe(&prices.items[0], builder->arena));
  settings->input_price = ee_option_number(&prices, "input", 0);
  settings->output_price = ee_option_number(&prices, "output", 0);
}

static void read_options(const ee_rule_node *table, ee_provider_settings *settings) {
  settings->language = ee_option_text(table, "language", "english");
  settings->model_kind = (ee_model_kind)ee_option_choice(table, "kind", EE_MODEL_KINDS, "embeddings");
  settings->url = ee_option_text(table, "url", "");
  settings->model = ee_option_text(table, "model", "");
  settings->chat_model = ee_option_text(table, "chat_model", "");
  settings->kind_given = ee_rule_node_get(table, "kind").type != EE_RULE_NONE;
  settings->max_cost = ee_option_number(table, "max_cost", 0);
  settings->key = ee_option_text(table, "key", "");
  settings->key_env = ee_option_text(table, "key_env", "");
  settings->timeout_s = ee_option_number(table, "timeout", 60);
  settings->total_timeout_s = ee_option_number(table, "total_timeout", 0);
  settings->retries = (unsigned)ee_option_number(table, "retries", 4);
  settings->in_flight = (unsigned)ee_option_number(table, "in_flight", 8);
  settings->requests_per_minute = ee_option_number(table, "requests_per_minute", 0);
  settings->max_requests = (uint64_t)ee_option_number(table, "max_requests", 0);
  settings->batch = (unsigned)ee_option_number(table, "batch", 64);
  settings->cache = ee_option_text(table, "cache", "");
  settings->no_cache = ee_rule_node_get(table, "cache").type == EE_RULE_BOOL;
}

void ee_provider_settings_compile(ee_plan_builder *builder, const ee_rule_node *root, ee_provider_settings *settings) {
  static const ee_rule_node nothing = {.file = NULL};
  ee_rule_value value = ee_rule_node_get(root, "provider");
  *settings = (ee_provider_settings){.kind = EE_PROVIDER_LOCAL, .rule_file = root->file, .line = root->line};
  read_options(&nothing, settings);
  if (value.type != EE_RULE_TEXT && value.type != EE_RULE_TABLE) return; /* reported by the check of the options */
  ee_rule_node place = value.type == EE_RULE_TABLE ? *value.node : *root;
  if (place.file == NULL || place.line == 0) {
    place.file = root->file;
    place.line = root->line;
  }
  settings->line = place.line;
  settings->named = true;
  size_t errors_before = builder->errors->count;
  bool known = read_kind(builder, &place, &value, &settings->kind);
  if (value.type == EE_RULE_TEXT) return;
  static const ee_option *const tables[] = {ee_provider_options, NULL};
  ee_options_check(&place, "provider", tables, builder->errors);
  if (known) check_owner(builder, &place, settings->kind);
  if (builder->errors->count > errors_before) return;
  check_whole_numbers(builder, &place);
  check_texts(builder, &place);
  if (builder->errors->count > errors_before) return;
  read_options(&place, settings);
  compile_prices(builder, &place, settings);
  if (settings->max_cost > 0 && settings->input_price + settings->output_price == 0)
    ee_compile_error(builder, &place, "option 'max_cost' of provider needs 'prices'");
}

void ee_provider_settings_for_chats(ee_plan_builder *builder, const ee_rule_node *root, bool compares,
                                    ee_provider_settings *settings) {
  static const char say[] = "provider = { \"openai\", model = \"...\" }";
  if (settings->kind == EE_PROVIDER_LOCAL) {
    if (settings->named)
      ee_compile_error(builder, root, "ee.llm and ee.ask need a model, and provider 'local' has none (%s)", say);
    else if (compares)
      ee_compile_error(builder, root, "ee.llm and ee.ask need a model, and similarity a provider: name it (%s)", say);
    settings->kind = EE_PROVIDER_OPENAI;
    settings->model_kind = EE_MODEL_CHAT;
    return;
  }
  if (!settings->kind_given && !compares) settings->model_kind = EE_MODEL_CHAT;
  if (!compares && settings->model_kind == EE_MODEL_CHAT && settings->model.length == 0) {
    settings->model = settings->chat_model; /* the only one that is asked */
    settings->chat_model = EE_STR("");
  }
  if (settings->model_kind == EE_MODEL_EMBEDDINGS && settings->chat_model.length == 0)
    ee_compile_error(builder, root,
                     "the model of provider 'openai' is one for embeddings; ee.llm and ee.ask also need chat_model, or "
                     "kind = \"chat\" for all");
}

/* Comparing ------------------------------------------------------------------------------------ */

/* The length of the folder in a file's name, with its slash. */
static size_t folder_length(const char *file) {
  const char *slash = file != NULL ? strrchr(file, '/') : NULL;
  return slash != NULL ? (size_t)(slash + 1 - file) : 0;
}

static bool same_cache(const ee_provider_settings *a, const ee_provider_settings *b) {
  if (a->no_cache || b->no_cache) return a->no_cache == b->no_cache;
  if (!ee_str_equal(a->cache, b->cache)) return false;
  if (a->cache.length == 0 || a->cache.data[0] == '/') return true;
  ee_str folder_a = {a->rule_file, folder_length(a->rule_file)}, folder_b = {b->rule_file, folder_length(b->rule_file)};
  return ee_str_equal(folder_a, folder_b);
}

bool ee_provider_settings_equal(const ee_provider_settings *a, const ee_provider_settings *b) {
  if (a->kind != b->kind) return false;
  if (a->kind == EE_PROVIDER_LOCAL) return ee_str_equal(a->language, b->language);
  bool same_kind = !a->kind_given || !b->kind_given || a->model_kind == b->model_kind;
  return same_kind && ee_str_equal(a->url, b->url) && ee_str_equal(a->model, b->model) &&
         ee_str_equal(a->chat_model, b->chat_model) && a->max_cost == b->max_cost && a->input_price == b->input_price &&
         a->output_price == b->output_price && ee_str_equal(a->key, b->key) && ee_str_equal(a->key_env, b->key_env) &&
         a->timeout_s == b->timeout_s && a->total_timeout_s == b->total_timeout_s && a->retries == b->retries &&
         a->in_flight == b->in_flight && a->requests_per_minute == b->requests_per_minute &&
         a->max_requests == b->max_requests && a->batch == b->batch && same_cache(a, b);
}

/* Printing ------------------------------------------------------------------------------------- */

static void add_figure(ee_buffer *out, double value) {
  char text[32];
  ee_buffer_add(out, text, ee_double_format_short(value, 15, text));
}

/* The URL without query and fragment, and without all that is before an '@': a password may have any character. What is
 * not a URL may be a key. */
static void print_url(ee_str url, ee_buffer *out) {
  size_t end = 0;
  while (end < url.length && url.data[end] != '?' && url.data[end] != '#') end++;
  const char *scheme_end = end >= 3 ? memmem(url.data, end, "://", 3) : NULL;
  if (scheme_end == NULL) {
    ee_buffer_add_text(out, "***");
    return;
  }
  size_t host = (size_t)(scheme_end - url.data) + 3;
  const char *at = memrchr(url.data + host, '@', end - host);
  ee_buffer_add(out, url.data, host);
  if (at != NULL) {
    ee_buffer_add_text(out, "***");
    host = (size_t)(at - url.data);
  }
  ee_add_shown(out, "", (ee_str){url.data + host, end - host}, "");
}

static void print_openai(const ee_provider_settings *settings, ee_buffer *out) {
  ee_buffer_add_text(out, settings->model_kind == EE_MODEL_CHAT ? "openai chat, model " : "openai embeddings, model ");
  if (settings->model.length > 0) {
    ee_add_shown(out, "", settings->model, "");
  } else {
    ee_buffer_add_text(out, "of OPENAI_MODEL");
  }
  if (settings->chat_model.length > 0) ee_add_shown(out, ", chat_model ", settings->chat_model, "");
  if (settings->url.length > 0) {
    ee_buffer_add_text(out, ", ");
    print_url(settings->url, out);
  }
  if (settings->key.length > 0) {
    ee_buffer_add_text(out, ", key of the rule file");
  } else if (settings->key_env.length > 0) {
    ee_buffer_add_text(out, ", key of ");
    ee_buffer_add_str(out, settings->key_env);
  } else {
    ee_buffer_add_text(out, settings->url.length > 0 ? ", no key of its own" : ", key of OPENAI_API_KEY");
  }
  ee_buffer_addf(out, ", %u in flight, %u %s, timeout ", settings->in_flight, settings->retries,
                 settings->retries == 1 ? "retry" : "retries");
  add_figure(out, settings->timeout_s);
  ee_buffer_add_text(out, " s");
  if (settings->total_timeout_s > 0) {
    ee_buffer_add_text(out, ", ");
    add_figure(out, settings->total_timeout_s);
    ee_buffer_add_text(out, " s in all");
  }
  if (settings->model_kind == EE_MODEL_EMBEDDINGS) ee_buffer_addf(out, ", batches of %u", settings->batch);
  if (settings->requests_per_minute > 0) {
    ee_buffer_add_text(out, ", ");
    add_figure(out, settings->requests_per_minute);
    ee_buffer_add_text(out, " requests a minute");
  }
  if (settings->max_requests > 0) {
    ee_buffer_add_text(out, ", at most ");
    ee_buffer_add_u64(out, settings->max_requests);
    ee_buffer_add_text(out, settings->max_requests == 1 ? " request" : " requests");
  }
  if (settings->input_price + settings->output_price > 0) {
    ee_buffer_add_text(out, ", prices ");
    add_figure(out, settings->input_price);
    ee_buffer_add_text(out, " and ");
    add_figure(out, settings->output_price);
  }
  if (settings->max_cost > 0) {
    ee_buffer_add_text(out, ", cost at most ");
    add_figure(out, settings->max_cost);
  }
  if (settings->no_cache) {
    ee_buffer_add_text(out, ", no cache");
  } else if (settings->cache.length > 0) {
    ee_buffer_add_text(out, ", cache ");
    ee_add_shown(out, "", settings->cache, "");
  }
}

void ee_provider_settings_print(const ee_provider_settings *settings, ee_buffer *out) {
  if (settings->kind == EE_PROVIDER_OPENAI) {
    print_openai(settings, out);
    return;
  }
  ee_buffer_add_text(out, "local, ");
  ee_buffer_add_str(out, settings->language);
}
