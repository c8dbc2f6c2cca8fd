/* infer.c: survey, choice, text. */
#include "infer/infer.h"

#include "run/survey.h"

void ee_infer_init(ee_inference *inference) {
  *inference = (ee_inference){0};
  ee_profile_init(&inference->profile);
  ee_arena_init(&inference->arena, 0);
  ee_buffer_init(&inference->text);
}

void ee_infer_fini(ee_inference *inference) {
  ee_profile_fini(&inference->profile);
  ee_arena_fini(&inference->arena);
  ee_buffer_fini(&inference->text);
}

void ee_infer_restart(ee_inference *inference) {
  ee_profile_fini(&inference->profile);
  ee_profile_init(&inference->profile);
  inference->choices = (ee_choices){0};
  inference->judged = NULL;
  ee_buffer_clear(&inference->text);
}

/* The measures that the records of another tool have, as Lua: "cost", "tokens". */
static const char *measures_of(const ee_dataset *dataset, ee_arena *arena) {
  const char *list = NULL;
  unsigned seen = ee_dataset_foreign(dataset)->measures;
  for (unsigned i = 0; i < EE_FOREIGN_MEASURES; i++)
    if ((seen >> i & 1) != 0)
      list = ee_arena_printf(arena, "%s%s\"%s\"", list != NULL ? list : "", list != NULL ? ", " : "",
                             ee_foreign_measures[i]);
  return list;
}

ee_status ee_infer(ee_inference *self, ee_dataset *dataset, ee_expected_set *expected, const ee_record_paths *paths,
                   const ee_case_choice *choice, const ee_rules_origin *origin, ee_error *error) {
  ee_status status = ee_survey(dataset, expected, paths, choice, ee_profile_add, &self->profile, error);
  if (status != EE_OK) return status;
  ee_rules_origin with = *origin;
  with.measures = measures_of(dataset, &self->arena);
  if (paths != NULL && paths->from != NULL &&
      ee_native_rules_write(paths->from->format, &self->profile, &with, &self->arena, &self->text, &self->judged))
    return EE_OK;
  ee_choose(&self->profile, &self->arena, &self->choices);
  if (self->profile.cases > 0 && self->choices.judged == 0)
    return ee_error_set(error, EE_ERROR_DATA, "the expected values have nothing that can be judged");
  ee_rules_text_write(&self->choices, &self->profile, &with, &self->arena, &self->text);
  return EE_OK;
}

void ee_infer_detections(ee_inference *self, const ee_rules_origin *origin) {
  ee_buffer_addf(&self->text, "-- Written by: %s\nreturn ee.rules {\n  name = ", origin->command);
  ee_lua_text_string(&self->text, ee_str_from(origin->name));
  ee_buffer_add_text(&self->text, ",\n\n  -- COCO annotations and detections\n  ee.detection {},\n}\n");
}
