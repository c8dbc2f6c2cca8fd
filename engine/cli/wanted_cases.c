/* wanted_cases.c: the cases of --case. */
#include "cli/wanted_cases.h"

#include <string.h>

void ee_wanted_cases_init(ee_wanted_cases *wanted, const ee_texts *ids, ee_arena *arena) {
  *wanted = (ee_wanted_cases){.ids = ids, .arena = arena, .found = EE_NEW_ARRAY(arena, bool, ids->count + 1)};
}

ee_status ee_wanted_cases_check_format(const ee_options *options, ee_error *error) {
  if (options->cases.count < 2 || !options->format->cases) return EE_OK;
  return ee_error_set(error, EE_ERROR_USAGE,
                      "--format %s takes one --case (the report of a run in this format has all cases)",
                      options->format->name);
}

bool ee_wanted_cases_have_trials(const ee_wanted_cases *wanted, ee_str base) {
  for (size_t i = 0; i < wanted->ids->count; i++) {
    ee_str id = ee_str_from(wanted->ids->items[i]);
    if (id.length < base.length || memcmp(id.data, base.data, base.length) != 0) continue;
    if (id.length == base.length || id.data[base.length] == ' ') return true;
  }
  return wanted->ids->count == 0;
}

bool ee_wanted_cases_have(ee_wanted_cases *wanted, ee_str id, ee_str base) {
  if (wanted->ids->count == 0) return true;
  bool has = false;
  for (size_t i = 0; i < wanted->ids->count; i++) {
    if (!ee_str_is(id, wanted->ids->items[i]) && !ee_str_is(base, wanted->ids->items[i])) continue;
    has = wanted->found[i] = true;
  }
  if (!has && wanted->other_count < EE_WANTED_NAMES)
    wanted->others[wanted->other_count++] = ee_arena_copy(wanted->arena, id.data, id.length);
  return has;
}

ee_status ee_wanted_cases_check(const ee_wanted_cases *wanted, const char *where, ee_error *error) {
  for (size_t i = 0; i < wanted->ids->count; i++) {
    const char *id = wanted->ids->items[i];
    if (!wanted->found[i])
      return ee_error_set(error, EE_ERROR_USAGE, "no case '%s' in %s%s", id, where,
                          ee_suggestion(wanted->arena, ee_str_from(id), wanted->others));
  }
  return EE_OK;
}
