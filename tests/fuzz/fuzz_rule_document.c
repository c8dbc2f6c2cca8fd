/* fuzz_rule_document.c: any bytes as rules in YAML or JSON.
 *
 * Mistakes have a place in the file, or are about all of it. What loads is written in both forms if it can be, and
 * reads back as the same tree; which form a text has is told without reading more than it has. */
#include "fuzz/fuzz.h"
#include "judge/plan.h"
#include "judge/rule_text/rule_document.h"
#include "lua/rule_file.h"

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  ee_str text = {size > 0 ? (const char *)data : "", size};
  bool yaml = ee_is_rule_document_text(text, true);
  bool json = ee_is_rule_document_text(text, false);
  fuzz_require(yaml || !json);
  ee_error_list errors;
  ee_error_list_init(&errors);
  const ee_rule_file_options options = {
      .limits = {.instructions = -1}, .text = text, .form = EE_RULES_DOCUMENT, .no_programs = "--no-exec"};
  ee_rule_file *file = ee_rule_file_load("rules.yaml", &options, &errors);
  fuzz_require((file == NULL) == (errors.count > 0));
  for (size_t i = 0; i < errors.count; i++)
    fuzz_require(errors.items[i].message[0] != '\0' && errors.items[i].status == EE_ERROR_RULES);
  if (file != NULL) {
    ee_buffer out = {0};
    ee_error error;
    ee_plan_print(ee_rule_file_plan(file), &out);
    ee_buffer_clear(&out);
    fuzz_require(ee_rule_file_write(file, EE_RULES_DOCUMENT, &out, &error) == (out.length > 0));
    ee_buffer_clear(&out);
    fuzz_require(ee_rule_file_write(file, EE_RULES_LUA, &out, &error) == (out.length > 0));
    ee_buffer_fini(&out);
  }
  ee_rule_file_free(file);
  ee_error_list_fini(&errors);
  return 0;
}

EE_FUZZ_TARGET(2048)
