/* locale_guard.c: the "C" locale for one thread. */
#include "base/locale_guard.h"

#include "base/memory.h"

locale_t ee_locale_enter(void) {
  locale_t c_locale = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (c_locale == (locale_t)0) ee_out_of_memory();
  return uselocale(c_locale);
}

void ee_locale_leave(locale_t before) {
  locale_t ours = uselocale(before);
  if (ours != LC_GLOBAL_LOCALE) freelocale(ours);
}
