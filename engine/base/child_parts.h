/* child_parts.h: what a child is made of.
 *
 * */
#ifndef EE_BASE_CHILD_PARTS_H
#define EE_BASE_CHILD_PARTS_H

#include "base/child.h"

/* Bytes that are kept of a line of standard error. */
#define EE_CHILD_LINE_KEPT 256

typedef struct ee_child_line {
  char text[EE_CHILD_LINE_KEPT];
  size_t length;
  bool visible; /* it is not blank */
} ee_child_line;

struct ee_child {
  pid_t pid;                 /* 0: it was reaped */
  int handle;                /* becomes readable when it has ended; -1 where the system has no such thing */
  int input, output, errors; /* our ends; -1: closed */
  bool stray;                /* it wrote behind an answer */
  ee_child_line current;     /* the line of standard error that has no end yet */
  ee_child_line last;        /* the last one that has and is not blank */
};

/* Closes a descriptor that may be -1, and makes it that. */
void ee_child_close(int *descriptor);

#endif
