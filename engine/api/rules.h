/* rules.h: what ee_rules is. */
#ifndef EE_API_RULES_H
#define EE_API_RULES_H

#include "base/pool.h"
#include "lua/rule_file.h"

struct ee_rules {
  ee_pool pool; /* of all that follows */
  char *name;   /* the path, or the name of the text */
  ee_str text;  /* data NULL: read from the path */
  ee_rule_file *file;
};

#endif
