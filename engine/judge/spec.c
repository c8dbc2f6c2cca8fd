/* spec.c: looking into the tree that a rule file gave. */
#include "judge/spec.h"

ee_spec_value ee_spec_get(const ee_spec *spec, const char *name) {
  ee_str wanted = ee_str_from(name);
  for (size_t i = 0; i < spec->option_count; i++) {
    if (ee_str_equal(spec->options[i].name, wanted)) return spec->options[i].value;
  }
  return (ee_spec_value){.type = EE_SPEC_NONE};
}

const char *ee_spec_describe(const ee_spec_value *value, ee_arena *arena) {
  switch (value->type) {
  case EE_SPEC_NONE: return "nothing";
  case EE_SPEC_BOOL: return "a boolean";
  case EE_SPEC_NUMBER: return "a number";
  case EE_SPEC_TEXT: return "a string";
  case EE_SPEC_FUNCTION: return "a function";
  case EE_SPEC_TABLE: return "a table";
  case EE_SPEC_NULL: return "ee.null";
  case EE_SPEC_NODE: break;
  }
  /* A project's own strategy is called by its own name, everything else is a member of ee. */
  const ee_spec *node = value->spec;
  return ee_arena_printf(arena, "%s%.*s", node->definition != NULL ? "" : "ee.", (int)node->kind.length,
                         node->kind.data);
}
