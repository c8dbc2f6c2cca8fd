#include "data/schema/schema_format.h"

ee_schema_format ee_schema_format_find(ee_str name) {
  (void)name;
  return EE_FORMAT_UNKNOWN;
}
const char *ee_schema_format_name(ee_schema_format format) {
  (void)format;
  return "";
}
bool ee_schema_format_fits(ee_schema_format format, ee_str text, ee_arena *scratch) {
  (void)format, (void)text, (void)scratch;
  return true;
}
