/* hostname.h: host names of the internet, also international ones (IDNA2008). */
#ifndef EE_PRIM_HOSTNAME_H
#define EE_PRIM_HOSTNAME_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/str.h"

/* Whether `name` (valid UTF-8) is a host name by RFC 1123: labels of 1 to 63 letters, digits and hyphens, none at
 * either end, 253 characters in all, no dot at the end. A label that begins with "xn--" must decode to a label of
 * IDNA2008.
 *
 * `is_international`: labels may also have letters, digits and marks of all scripts by IDNA2008 (RFC 5890 to 5893): the
 * derived properties of RFC 5892 with utf8proc's Unicode, its contextual rules, normal form C, the rules for
 * right-to-left scripts, and 63 characters when encoded; labels are also separated by U+3002, U+FF0E and U+FF61. Of
 * joining letters, which U+200C needs around it, those of the Arabic block are known.
 *
 * Linear, except for encoding labels, which are short. `scratch` is rewound. */
bool ee_hostname_valid(ee_str name, bool is_international, ee_arena *scratch);

#endif
