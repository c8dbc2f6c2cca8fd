/* letter.c: the table of letters. */
#include "prim/letter.h"

const ee_letter ee_letter_table[EE_LETTER_COUNT] = {
#include "prim/letters.inc"
};
