/* loading.c: from what the command line names to rules and a provider, with every mistake told. */
#include "cli/commands.h"

ee_rule_file_options ee_load_options(const ee_options *options, ee_watchdog *watchdog) {
  return (ee_rule_file_options){
      .limits = {.instructions = options->lua_budget, .watchdog = watchdog, .traceback = options->verbose},
      .parameters = options->parameters,
      .parameter_count = options->parameter_count,
      .config = options->config_tree,
  };
}

/* A word about what loads and yet may not be what was meant. */
static void warn(const ee_error *about, ee_terminal *terminal) {
  ee_error warning;
  ee_error_at(&warning, EE_OK, about->file[0] != '\0' ? about->file : NULL, about->line, about->column, "warning: %s",
              about->message);
  ee_terminal_message(terminal, &warning);
}

/* Tells what was found while loading, and the warnings of the plan; returns `file`. */
static ee_rule_file *tell(ee_rule_file *file, const ee_error_list *errors, ee_terminal *terminal) {
  for (size_t i = 0; i < errors->count; i++) {
    if (errors->items[i].status == EE_OK)
      warn(&errors->items[i], terminal);
    else
      ee_terminal_fail(terminal, &errors->items[i]);
  }
  const ee_plan *plan = file != NULL ? ee_rule_file_plan(file) : NULL;
  for (size_t i = 0; plan != NULL && i < plan->warning_count; i++) warn(&plan->warnings[i], terminal);
  return file;
}

ee_rule_file *ee_load_rules_with(const ee_rule_file_options *load, const char *path, ee_terminal *terminal) {
  ee_error_list errors;
  ee_error_list_init(&errors);
  ee_rule_file *file = tell(ee_rule_file_load(path, load, &errors), &errors, terminal);
  ee_error_list_fini(&errors);
  return file;
}

ee_rule_file *ee_load_rules(const ee_options *options, const char *path, ee_watchdog *watchdog, ee_terminal *terminal) {
  ee_rule_file_options load = ee_load_options(options, watchdog);
  return ee_load_rules_with(&load, path, terminal);
}

ee_status ee_load_first(const ee_options *options, const volatile sig_atomic_t *interrupt, ee_watchdog *watchdog,
                        ee_terminal *terminal, ee_rule_file **rules, ee_case_file **cases) {
  const char *path = options->operands[0];
  *rules = NULL;
  *cases = NULL;
  if (!ee_is_yaml_name(path)) {
    *rules = ee_load_rules(options, path, watchdog, terminal);
    return *rules != NULL ? EE_OK : EE_ERROR_RULES;
  }
  ee_error error = {0};
  if (options->config != NULL) {
    ee_error_set(&error, EE_ERROR_USAGE, "--config beside '%s', whose evaluators bring their own", path);
    ee_terminal_fail(terminal, &error);
    return EE_ERROR_USAGE;
  }
  *cases = ee_case_file_open(path, interrupt, &error);
  if (*cases == NULL) {
    ee_terminal_fail(terminal, &error);
    /* It stands in the place of a rule file: nothing can be judged by it. */
    return error.status == EE_ERROR_DATA ? EE_ERROR_RULES : error.status;
  }
  ee_rule_file_options load = ee_load_options(options, watchdog);
  ee_error_list errors;
  ee_error_list_init(&errors);
  *rules = tell(ee_rule_file_of_cases(*cases, &load, &errors), &errors, terminal);
  ee_error_list_fini(&errors);
  return *rules != NULL ? EE_OK : EE_ERROR_RULES;
}

ee_status ee_open_provider(const ee_plan *plan, const ee_provider_settings *settings, const char *offline,
                           ee_provider **provider, ee_error *error) {
  *provider = NULL;
  if (!plan->needs_provider) return EE_OK;
  ee_error failure = {.status = EE_ERROR_RULES};
  *provider = ee_provider_open(settings, offline, &failure);
  if (*provider != NULL) return EE_OK;
  if (failure.file[0] != '\0') {
    *error = failure;
    return failure.status;
  }
  return ee_error_at(error, failure.status, settings->rule_file, settings->line, 0, "%s", failure.message);
}

void ee_tell_provider(const ee_provider *provider, ee_terminal *terminal) {
  if (provider == NULL || provider->vtable->tell == NULL) return;
  ee_buffer text;
  ee_buffer_init(&text);
  provider->vtable->tell(provider, &text);
  if (text.length > 0) ee_terminal_note(terminal, (ee_str){text.data, text.length});
  ee_buffer_fini(&text);
}
