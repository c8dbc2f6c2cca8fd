/* context.c: errors that a rule file's functions raise while a case is judged, and answers that do not come. */
#include "judge/context.h"

#include <stdio.h>

/* More than this many of one case are counted only: nobody reads the hundredth traceback. */
#define ERRORS_KEPT 100
/* A case's id or a path is cut to this many bytes in a message, so that the message itself keeps its room. */
#define ID_SHOWN 100

/* Appends " (case 'ID')" to the message, which gives way where both do not fit. */
static void add_case(ee_error *error, ee_str id) {
  id.length = ee_utf8_cut(id, ID_SHOWN);
  char suffix[ID_SHOWN + 16];
  int written = snprintf(suffix, sizeof suffix, " (case '%.*s')", (int)id.length, id.length > 0 ? id.data : "");
  size_t suffix_length = (size_t)written;
  ee_str message = ee_str_from(error->message);
  size_t kept = ee_utf8_cut(message, sizeof error->message - 1 - suffix_length);
  memcpy(error->message + kept, suffix, suffix_length + 1);
}

ee_str ee_context_rule_error(ee_context *context, const ee_error *error) {
  if (!context->dry_run) context->rule_error_count++;
  if (!context->dry_run && context->rule_errors != NULL && context->rule_errors->count < ERRORS_KEPT) {
    ee_error copy = *error;
    if (context->current != NULL) add_case(&copy, context->current->id);
    ee_error_list_add(context->rule_errors, &copy);
  }
  const char *text;
  if (error->file[0] == '\0') {
    text = ee_arena_printf(context->arena, "%s", error->message);
  } else if (error->line == 0) {
    text = ee_arena_printf(context->arena, "%s: %s", error->file, error->message);
  } else {
    text = ee_arena_printf(context->arena, "%s:%zu: %s", error->file, error->line, error->message);
  }
  return ee_str_from(text);
}

void ee_context_no_answer(ee_context *context, ee_str path, ee_str reason) {
  if (context->dry_run) return;
  context->provider_failures++;
  if (context->rule_errors == NULL || context->rule_errors->count >= ERRORS_KEPT) return;
  ee_str id = context->current != NULL ? context->current->id : EE_STR("");
  char place[ID_SHOWN + 16] = "";
  if (path.length > 0) snprintf(place, sizeof place, " for '%.*s'", (int)ee_utf8_cut(path, ID_SHOWN), path.data);
  ee_error_list_addf(context->rule_errors, EE_ERROR_PROVIDER, NULL, 0, "no answer%s (case '%.*s'): %.*s", place,
                     (int)ee_utf8_cut(id, ID_SHOWN), id.length > 0 ? id.data : "", (int)reason.length,
                     reason.length > 0 ? reason.data : "");
}
