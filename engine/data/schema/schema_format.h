/* schema_format.h: the formats of JSON Schema, where `format` asserts.
 *
 * By draft 2020-12, section 7.3, also for older drafts: date, time, date-time (RFC 3339; a leap second is one),
 * duration (RFC 3339, appendix A), email (RFC 5321), idn-email (RFC 6531), hostname (RFC 1123), idn-hostname (RFC 5890
 * to 5893), ipv4, ipv6 (RFC 4291), uri, uri-reference (RFC 3986), iri, iri-reference (RFC 3987), uri-template (RFC
 * 6570), uuid, json-pointer (RFC 6901), relative-json-pointer, regex (schema_pattern.h). */
#ifndef EE_DATA_SCHEMA_SCHEMA_FORMAT_H
#define EE_DATA_SCHEMA_SCHEMA_FORMAT_H

#include "base/arena.h"
#include "base/str.h"

typedef enum ee_schema_format {
  EE_FORMAT_DATE,
  EE_FORMAT_TIME,
  EE_FORMAT_DATE_TIME,
  EE_FORMAT_DURATION,
  EE_FORMAT_EMAIL,
  EE_FORMAT_IDN_EMAIL,
  EE_FORMAT_HOSTNAME,
  EE_FORMAT_IDN_HOSTNAME,
  EE_FORMAT_IPV4,
  EE_FORMAT_IPV6,
  EE_FORMAT_URI,
  EE_FORMAT_URI_REFERENCE,
  EE_FORMAT_IRI,
  EE_FORMAT_IRI_REFERENCE,
  EE_FORMAT_URI_TEMPLATE,
  EE_FORMAT_UUID,
  EE_FORMAT_JSON_POINTER,
  EE_FORMAT_RELATIVE_JSON_POINTER,
  EE_FORMAT_REGEX,
  EE_FORMAT_UNKNOWN
} ee_schema_format;

/* The format of this name; EE_FORMAT_UNKNOWN for others, which assert nothing. */
ee_schema_format ee_schema_format_find(ee_str name);
const char *ee_schema_format_name(ee_schema_format format);

/* Whether `text` (valid UTF-8) is in the format. Linear; a regex is compiled in `scratch`, which is rewound. */
bool ee_schema_format_fits(ee_schema_format format, ee_str text, ee_arena *scratch);

#endif
