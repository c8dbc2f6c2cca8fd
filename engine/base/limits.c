/* limits.c: the bounds of the process. */
#include "base/limits.h"

#include <stddef.h>

static const ee_limits defaults = EE_LIMITS_DEFAULT;
static ee_limits current = EE_LIMITS_DEFAULT;

const ee_limits *ee_limits_get(void) { return &current; }

void ee_limits_set(const ee_limits *limits) { current = limits != NULL ? *limits : defaults; }
