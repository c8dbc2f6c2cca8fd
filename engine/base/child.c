/* child.c: talking to a running program, and ending it.
 *
 * All descriptors are non-blocking, and one loop over poll() serves them until what is waited for is there. A child
 * that has ended is left as a zombie until its group was killed: while it is one, its number is nobody else's. */
#include "base/child.h"

#include <errno.h>
#include <limits.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/child_parts.h"
#include "base/one_line.h"
#include "base/pipe_guard.h"

#define MILLISECOND UINT64_C(1000000) /* in nanoseconds, as all times here */
/* Bytes that are read at a time: a pipe holds no more. */
#define CHUNK ((size_t)1 << 16)
/* How long `stop` may stay unseen. */
#define LONGEST_WAIT_MS 50
/* How long the end of a child may, where no descriptor tells it. */
#define LONGEST_BLIND_WAIT_MS 5
/* What a child that closed its output gets to exit, and one that is not needed any more. */
#define CLOSED_GRACE_MS 1000
#define FREE_GRACE_MS 200
/* Bytes of standard error that are taken from a child that has ended: the pipe may be held open, and written to, by
 * others. */
#define LAST_WORDS ((size_t)1 << 20)

/* One exchange under way. */
typedef struct talk {
  ee_child *child;
  const ee_stop *stop;
  ee_str input;  /* what is not written yet */
  bool newline;  /* and one newline behind it */
  bool one_line; /* else all output, and end of file behind the input */
  bool answered; /* the line is complete */
  bool flooded;  /* more output than may be */
  ee_buffer *output;
  size_t start;        /* where this exchange's part of `output` begins */
  size_t taken, limit; /* bytes read, and how many may be */
  uint64_t deadline;   /* UINT64_MAX: none */
  bool closing;        /* the deadline is the one for a child that closed its output */
} talk;

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000 * MILLISECOND + (uint64_t)time.tv_nsec;
}

void ee_child_close(int *descriptor) {
  if (*descriptor >= 0) close(*descriptor);
  *descriptor = -1;
}

/* The end -------------------------------------------------------------------------------------- */

typedef enum life { ALIVE, ENDED, LOST } life;

/* Whether the child has ended; it is not reaped. LOST: somebody else did that. */
static life look(const ee_child *child) {
  siginfo_t facts;
  facts.si_pid = 0;
  int result;
  do {
    result = waitid(P_PID, (id_t)child->pid, &facts, WEXITED | WNOHANG | WNOWAIT);
  } while (result != 0 && errno == EINTR);
  if (result != 0) return LOST;
  return facts.si_pid == child->pid ? ENDED : ALIVE;
}

/* Kills what is left of the group, reaps the child and closes its pipes. Its status, or -1 when somebody else has got
 * that. */
static int end(ee_child *child) {
  int status = -1;
  if (child->pid > 0 && look(child) != LOST) {
    /* A child may have left its group. */
    kill(-child->pid, SIGKILL);
    kill(child->pid, SIGKILL);
    pid_t reaped;
    do {
      reaped = waitpid(child->pid, &status, 0);
    } while (reaped < 0 && errno == EINTR);
    if (reaped < 0) status = -1;
  }
  child->pid = 0;
  ee_child_close(&child->handle);
  ee_child_close(&child->input);
  ee_child_close(&child->output);
  ee_child_close(&child->errors);
  return status;
}

/* Standard error ------------------------------------------------------------------------------- */

static void add_error_text(ee_child *child, const char *text, size_t length) {
  ee_child_line *line = &child->current;
  for (size_t i = 0; i < length; i++) {
    /* A carriage return begins a line anew on a terminal, as progress bars do. */
    if (text[i] == '\n' || text[i] == '\r') {
      if (line->visible) child->last = *line;
      line->length = 0;
      line->visible = false;
      continue;
    }
    line->visible |= text[i] != ' ' && text[i] != '\t';
    if (line->length < sizeof line->text) line->text[line->length++] = text[i];
  }
}

/* read() that a signal does not cut short. */
static ssize_t read_some(int descriptor, char *to, size_t most) {
  ssize_t got;
  do {
    got = read(descriptor, to, most);
  } while (got < 0 && errno == EINTR);
  return got;
}

/* Reads once; the bytes that came, 0 when there are none now or ever. */
static size_t read_errors(ee_child *child) {
  if (child->errors < 0) return 0;
  char text[4096];
  ssize_t got = read_some(child->errors, text, sizeof text);
  if (got < 0 && errno == EAGAIN) return 0;
  if (got <= 0) {
    ee_child_close(&child->errors);
    return 0;
  }
  add_error_text(child, text, (size_t)got);
  return (size_t)got;
}

static void tell_complaint(ee_child *child, ee_child_outcome *outcome) {
  for (size_t taken = 0, got = 1; taken < LAST_WORDS && got > 0; taken += got) got = read_errors(child);
  const ee_child_line *line = child->current.visible ? &child->current : &child->last;
  ee_str text = {line->text, line->length};
  while (text.length > 0 && (*text.data == ' ' || *text.data == '\t')) text.data++, text.length--;
  while (text.length > 0 && (text.data[text.length - 1] == ' ' || text.data[text.length - 1] == '\t')) text.length--;
  ee_buffer printable = {0};
  ee_one_line(&printable, text, EE_STR(""), sizeof outcome->complaint - 1);
  if (printable.length > 0) memcpy(outcome->complaint, printable.data, printable.length);
  outcome->complaint[printable.length] = '\0';
  ee_buffer_fini(&printable);
}

/* Input and output ----------------------------------------------------------------------------- */

static bool has_input(const talk *t) { return t->child->input >= 0 && (t->input.length > 0 || t->newline); }

/* Writes what the pipe takes now. */
static void write_input(talk *t) {
  if (has_input(t)) {
    const struct iovec parts[] = {{(void *)(uintptr_t)t->input.data, t->input.length}, {(char[]){'\n'}, t->newline}};
    ssize_t written = writev(t->child->input, parts, 2);
    if (written >= 0) {
      size_t of_text = (size_t)written < t->input.length ? (size_t)written : t->input.length;
      t->newline = t->newline && (size_t)written == of_text;
      t->input.data += of_text;
      t->input.length -= of_text;
    } else if (errno != EAGAIN && errno != EINTR) {
      /* It does not want the rest; it may answer all the same. */
      t->input.length = 0;
      t->newline = false;
    }
  }
  if (!t->one_line && !has_input(t)) ee_child_close(&t->child->input);
}

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n'; }

static size_t count_spaces(const char *text, size_t length) {
  size_t count = 0;
  while (count < length && is_space(text[count])) count++;
  return count;
}

/* Looks for the end of the line in the bytes of the output behind `fresh`. */
static void take_line(talk *t, size_t fresh) {
  ee_buffer *out = t->output;
  if (!t->answered && fresh == t->start) {
    size_t spaces = count_spaces(out->data + fresh, out->length - fresh);
    memmove(out->data + fresh, out->data + fresh + spaces, out->length - fresh - spaces);
    out->length -= spaces;
  }
  size_t behind = fresh;
  if (!t->answered) {
    const char *newline = memchr(out->data + fresh, '\n', out->length - fresh);
    if (newline == NULL) return;
    t->answered = true;
    fresh = (size_t)(newline - out->data);
    behind = fresh + 1;
  }
  size_t length = out->length - behind;
  if (count_spaces(out->data + behind, length) < length) t->child->stray = true;
  out->length = fresh;
}

/* Reads once; false when there is nothing now. */
static bool read_output(talk *t) {
  ee_child *child = t->child;
  if (child->output < 0 || t->flooded) return false;
  /* One byte past the limit is what tells a flood. */
  size_t most = t->limit - t->taken < CHUNK ? t->limit - t->taken + 1 : CHUNK;
  ssize_t got = read_some(child->output, ee_buffer_reserve(t->output, most), most);
  if (got < 0 && errno == EAGAIN) return false;
  if (got <= 0) {
    ee_child_close(&child->output);
    return false;
  }
  size_t fresh = t->output->length;
  t->output->length += (size_t)got;
  t->taken += (size_t)got;
  t->flooded = t->taken > t->limit;
  if (t->one_line) take_line(t, fresh);
  return true;
}

/* The loop ------------------------------------------------------------------------------------- */

/* A child that closed its output can give no line any more, but an exit status. */
static void shorten_deadline(talk *t) {
  if (!t->one_line || t->closing || t->answered || t->child->output >= 0) return;
  uint64_t at = now() + CLOSED_GRACE_MS * MILLISECOND;
  if (at >= t->deadline) return;
  t->deadline = at;
  t->closing = true;
}

/* Milliseconds for poll(); -1: for ever. */
static int wait_time(const talk *t, uint64_t since) {
  uint64_t wait = UINT64_MAX;
  if (t->deadline != UINT64_MAX) wait = (t->deadline - since + MILLISECOND - 1) / MILLISECOND;
  if (t->stop != NULL && wait > LONGEST_WAIT_MS) wait = LONGEST_WAIT_MS;
  if (t->child->handle < 0 && wait > LONGEST_BLIND_WAIT_MS) {
    /* With its pipes it mostly closes everything. */
    wait = t->child->output < 0 ? 1 : LONGEST_BLIND_WAIT_MS;
  }
  return wait == UINT64_MAX ? -1 : wait > INT_MAX ? INT_MAX : (int)wait;
}

/* Waits for something to happen and takes what came. Whether the child may have ended. */
static bool wait_and_read(talk *t, uint64_t since) {
  ee_child *child = t->child;
  struct pollfd files[] = {{.fd = has_input(t) ? child->input : -1, .events = POLLOUT},
                           {.fd = child->output, .events = POLLIN},
                           {.fd = child->errors, .events = POLLIN},
                           {.fd = child->handle, .events = POLLIN}};
  int ready = poll(files, 4, wait_time(t, since));
  if (ready <= 0) return child->handle < 0;
  if (files[1].revents != 0) read_output(t);
  if (files[2].revents != 0) read_errors(child);
  return child->handle < 0 || files[3].revents != 0;
}

/* Serves the pipes until there is an answer, an end or a reason to make one. EE_CHILD_EXITED stands for both ways to
 * end. */
static ee_child_end serve(talk *t) {
  bool look_again = false;
  for (;;) {
    write_input(t);
    if (t->flooded) return EE_CHILD_FLOODED;
    if (t->answered && !has_input(t)) return EE_CHILD_ANSWERED;
    life state = look_again ? look(t->child) : ALIVE;
    if (state != ALIVE) {
      while (read_output(t)) continue;
      if (t->flooded) return EE_CHILD_FLOODED;
      if (t->answered) return EE_CHILD_ANSWERED;
      return state == LOST ? EE_CHILD_FAILED : EE_CHILD_EXITED;
    }
    if (ee_stop_is_set(t->stop)) return EE_CHILD_STOPPED;
    shorten_deadline(t);
    uint64_t since = now();
    if (since >= t->deadline) return t->closing ? EE_CHILD_FAILED : EE_CHILD_TIMED_OUT;
    look_again = wait_and_read(t, since);
  }
}

static talk start_talk(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop, ee_buffer *output) {
  return (talk){.child = child,
                .stop = stop,
                .input = input,
                .output = output,
                .start = output->length,
                .limit = limits.output_limit,
                .deadline = limits.timeout_ms > 0 ? now() + limits.timeout_ms * MILLISECOND : UINT64_MAX};
}

/* Ends the child and says how it ended. */
static ee_child_outcome conclude(talk *t, ee_child_end how) {
  ee_child_outcome outcome = {.end = how};
  if (how == EE_CHILD_FAILED) outcome.code = t->closing ? EPIPE : ECHILD;
  tell_complaint(t->child, &outcome);
  int status = end(t->child);
  if (how != EE_CHILD_EXITED) return outcome;
  if (status == -1) {
    outcome.end = EE_CHILD_FAILED;
    outcome.code = ECHILD;
  } else if (WIFSIGNALED(status)) {
    outcome.end = EE_CHILD_KILLED;
    outcome.code = WTERMSIG(status);
  } else {
    outcome.code = WEXITSTATUS(status);
  }
  return outcome;
}

ee_child_outcome ee_child_finish(ee_child *child, ee_str input, ee_child_limits limits, const ee_stop *stop,
                                 ee_buffer *output) {
  talk t = start_talk(child, input, limits, stop, output);
  ee_pipe_guard guard = ee_pipe_guard_enter();
  ee_child_end how = serve(&t);
  ee_pipe_guard_leave(&guard);
  ee_child_outcome outcome = conclude(&t, how);
  free(child);
  return outcome;
}

/* Whether the child wrote something that nobody asked for. Blanks without end are that too: no more of them are read
 * than a pipe holds, or who writes them as fast would keep us here. */
static bool has_strayed(ee_child *child) {
  char text[4096];
  ssize_t got;
  for (size_t taken = 0; !child->stray && child->output >= 0; taken += (size_t)got) {
    got = read_some(child->output, text, sizeof text);
    if (got <= 0) break;
    child->stray = taken >= CHUNK || count_spaces(text, (size_t)got) < (size_t)got;
  }
  return child->stray;
}

ee_child_outcome ee_child_exchange(ee_child *child, ee_str line, ee_child_limits limits, const ee_stop *stop,
                                   ee_buffer *output) {
  talk t = start_talk(child, line, limits, stop, output);
  t.one_line = t.newline = true;
  if (t.limit < SIZE_MAX) t.limit++; /* for the newline */
  child->current.visible = child->last.visible = false;
  child->current.length = child->last.length = 0;
  if (child->pid == 0) return (ee_child_outcome){.end = EE_CHILD_FAILED, .code = ECHILD};
  if (has_strayed(child)) {
    ee_child_outcome outcome = conclude(&t, EE_CHILD_FAILED);
    outcome.code = EPROTO;
    return outcome;
  }
  ee_pipe_guard guard = ee_pipe_guard_enter();
  ee_child_end how = serve(&t);
  ee_pipe_guard_leave(&guard);
  return how == EE_CHILD_ANSWERED ? (ee_child_outcome){.end = how} : conclude(&t, how);
}

void ee_child_free(ee_child *child) {
  if (child == NULL) return;
  ee_child_close(&child->input);
  uint64_t deadline = now() + FREE_GRACE_MS * MILLISECOND;
  while (child->pid > 0 && look(child) == ALIVE) {
    uint64_t since = now();
    if (since >= deadline) break;
    int wait = child->handle < 0 ? 1 : (int)((deadline - since + MILLISECOND - 1) / MILLISECOND);
    poll(&(struct pollfd){.fd = child->handle, .events = POLLIN}, 1, wait);
  }
  end(child);
  free(child);
}
