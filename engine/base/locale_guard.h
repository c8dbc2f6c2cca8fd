/* locale_guard.h: the "C" locale for the calling thread, whatever the program around us has set.
 *
 * Layer: base (knows libc only). strtod, printf and Lua's comparisons read the locale; results must not. */
#ifndef EE_BASE_LOCALE_GUARD_H
#define EE_BASE_LOCALE_GUARD_H

#include <locale.h>

/* Switches the calling thread to the "C" locale and returns what was set before. */
locale_t ee_locale_enter(void);
/* Puts back what ee_locale_enter() returned. */
void ee_locale_leave(locale_t before);

#endif
