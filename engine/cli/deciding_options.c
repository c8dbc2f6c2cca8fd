/* deciding_options.c: options as a part of the signature. */
#include "cli/deciding_options.h"

#include <inttypes.h>
#include <string.h>

#include "report/signature.h"

/* Groups of options that change no number. */
static const char *const plain_groups[] = {"Output", "Jail", "Parts", NULL};
/* Options of other groups that change none. */
static const char *const plain[] = {"allow-programs", "baseline", "ca-file",    "case",  "dataset",    "expected",
                                    "fail-below",     "fail-on",  "fail-under", "force", "jobs",       "max-cost",
                                    "max-requests",   "min",      "no-exec",    "out",   "persistent", "resume",
                                    "rules",          "strict",   "undecided",  NULL};

static bool is_one_of(const char *text, const char *const *list) {
  while (*list != NULL && strcmp(text, *list) != 0) list++;
  return *list != NULL;
}

static bool decides(const ee_option_row *row) {
  if (is_one_of(row->group, plain_groups) || row->kind == EE_KIND_REQUEST) return false;
  /* The confidence of the intervals has a part of its own. */
  if (strcmp(row->name, "confidence") == 0) return false;
  return !is_one_of(row->name, plain);
}

static void add(const ee_options *options, const ee_option_row *row, ee_arena *arena, ee_buffer *out) {
  const void *member = (const char *)options + row->offset;
  const char *name = row->name;
  switch (row->kind) {
  case EE_KIND_FLAG: ee_signature_add(out, name, EE_STR("yes")); return;
  case EE_KIND_TEXTS:
  case EE_KIND_WORDS: {
    const ee_texts *texts = member;
    for (size_t i = 0; i < texts->count; i++) ee_signature_add(out, name, ee_str_from(texts->items[i]));
    return;
  }
  case EE_KIND_PARAMETERS: {
    const ee_parameters *parameters = member;
    for (size_t i = 0; i < parameters->count; i++)
      ee_signature_add(out, name,
                       ee_str_from(ee_arena_printf(arena, "%s=%s", parameters->items[i].name,
                                                   ee_parameter_shown(&parameters->items[i]))));
    return;
  }
  case EE_KIND_PATHS: {
    const ee_paths *paths = member;
    for (size_t i = 0; i < paths->count; i++) ee_signature_add(out, name, paths->items[i]->text);
    return;
  }
  case EE_KIND_WHERE: {
    const ee_wheres *wheres = member;
    for (size_t i = 0; i < wheres->count; i++) {
      const ee_where *where = &wheres->items[i];
      ee_signature_add(out, name,
                       ee_str_from(ee_arena_printf(arena, "%.*s%s%.*s", EE_STR_ARG(where->path->text),
                                                   where->excludes ? "!=" : "=", EE_STR_ARG(where->value))));
    }
    return;
  }
  case EE_KIND_LIMIT: {
    char text[EE_BOUND_TEXT];
    const char *value = ee_bound_value_text((ee_bound)row->min, *(const uint64_t *)member, text);
    ee_signature_add(out, name, ee_str_from(value));
    return;
  }
  default: ee_signature_add(out, name, ee_str_from(options->given[row - ee_option_rows]));
  }
}

static ee_str text_of(const ee_options *options, bool (*wanted)(const ee_option_row *row), ee_arena *arena) {
  ee_buffer out;
  ee_buffer_init(&out);
  for (const ee_option_row *row = ee_option_rows; row->name != NULL; row++) {
    if (options->given[row - ee_option_rows] == NULL || !wanted(row)) continue;
    if (strcmp(row->name, "config") == 0)
      ee_buffer_addf(&out, "|config:%08" PRIx32, (uint32_t)(ee_value_hash(options->config_tree) >> 32));
    else
      add(options, row, arena, &out);
  }
  ee_str text = {ee_arena_copy(arena, out.data, out.length), out.length};
  ee_buffer_fini(&out);
  return text;
}

ee_str ee_deciding_options(const ee_options *options, ee_arena *arena) { return text_of(options, decides, arena); }

/* Options that are about the report, this process or the way to work; the names of what is written. */
static const char *const passing[] = {"annotate", "color", "columns", "format",    "jobs",    "kinds",      "output",
                                      "progress", "quiet", "reasons", "results",   "resume",  "save-rules", "section",
                                      "sort",     "state", "timings", "undecided", "verbose", "worst",      NULL};

static bool lasts(const ee_option_row *row) {
  return strcmp(row->group, "Jail") != 0 && !is_one_of(row->name, passing);
}

ee_str ee_lasting_options(const ee_options *options, ee_arena *arena) { return text_of(options, lasts, arena); }
