/* contact.h: normal forms of addresses and numbers by which somebody is reached: web, e-mail, telephone.
 *
 * Each takes valid UTF-8 and returns valid UTF-8 in `arena`, or a part of `text`. What does not look like one is only
 * trimmed. Applied twice, a form gives the same text. Linear. */
#ifndef EE_PRIM_CONTACT_H
#define EE_PRIM_CONTACT_H

#include "base/arena.h"
#include "base/str.h"

/* A URL by the rules of RFC 3986, section 6.2.2 and 6.2.3: scheme and host in lower case, percent-encoded letters,
 * digits, - . _ and ~ decoded, other percent-encodings in capitals (a "%" that begins none stays, and what follows it
 * is not decoded into one: "%%41a"; in a host there must be none), no "." and ".." in the path, no default port of
 * http, https, ftp, ws and wss, and "/" for an empty path of these. A host without a scheme ("Example.com/a") is taken
 * as a URL without one. Scheme, "www.", query, fragment and a slash at the end stay: they may name another page. */
ee_str ee_normal_url(ee_str text, ee_arena *arena);

/* An e-mail address: without "mailto:" and its query, without a display name ("Jane <jane@example.com>"), the domain in
 * folded case and without a dot at its end. The part before the @ stays: RFC 5321, section 2.4, leaves its case to the
 * domain. */
ee_str ee_normal_email(ee_str text, ee_arena *arena);

/* A telephone number: its digits, after "+" where it begins with + or 00; "(0)" in a number that begins with +, and a
 * label before it ("Tel.:"), are left out. An extension (x, ext., extension, ;ext=, #) becomes ";ext=" and its digits,
 * as in RFC 3966. Digits of all scripts are ASCII digits then. Texts with other letters, commas, ... are no such
 * number. Nothing is known of countries: 030 1234 is not +49 30 1234. */
ee_str ee_normal_phone(ee_str text, ee_arena *arena);

#endif
