/* html_pack.c: raw deflate, a text a thread. */
#include "report/html/html_pack.h"

#include <errno.h>
#include <inttypes.h>
#include <pthread.h>
#include <stdatomic.h>
#include <unistd.h>

#include "base/base64.h"
#include "base/memory.h"
#include "base/runtime.h"
#include "base/temporary_file.h"
#include "data/json/json_writer.h"

#ifdef EE_WITH_ZLIB
#include <zlib.h>
#endif

#define ADD(out, literal) EE_JSON_ADD(out, literal)

#define MAX_JOBS 32
/* Text that is copied from the temporary file at once. */
#define COPY_BYTES ((size_t)256 * 1024)
/* Memory that a thread keeps from one text for the next. */
#define KEPT_BYTES ((size_t)8 << 20)

/* A text that waits, and the element that is made of it. */
typedef struct packed_text {
  const char *kind;
  uint64_t first;
  size_t count;
  ee_buffer text, packed, element;
#ifdef EE_WITH_ZLIB
  z_stream zip;
#endif
} packed_text;

struct ee_html_pack {
  ee_held_file *file;
  uint64_t file_bytes;
  unsigned jobs;
  unsigned waiting; /* texts */
  atomic_uint next; /* of them, for the next thread */
  packed_text *texts;
};

static ee_status file_error(ee_error *error, const char *what) { /* unreached: a failing call: make faults */
  /* unreached: as the line before */
  return ee_error_set(error, EE_ERROR_SYSTEM, "cannot %s a temporary file for the report (see TMPDIR): %s", what,
                      strerror(errno)); /* unreached: as the line before */
}

#ifdef EE_WITH_ZLIB
/* zlib's memory is ours, so that it is given back with all other. */
static void *take_memory(void *user, unsigned count, unsigned size) {
  (void)user;
  return ee_try_realloc(NULL, (size_t)count * size);
}

static void free_memory(void *user, void *memory) {
  (void)user;
  ee_free(memory);
}
#endif

ee_html_pack *ee_html_pack_new(unsigned jobs, ee_error *error) {
  ee_held_file *file = ee_held_file_new();
  if (file == NULL) {            /* unreached: no temporary file can be made: make faults */
    file_error(error, "create"); /* unreached: as the line before */
    return NULL;
  }
  ee_html_pack *self = ee_calloc(1, sizeof *self);
  self->file = file;
  self->jobs = jobs > 0 ? jobs : ee_processor_count();
  if (self->jobs > MAX_JOBS) self->jobs = MAX_JOBS;
  self->texts = ee_calloc(self->jobs, sizeof *self->texts);
#ifdef EE_WITH_ZLIB
  /* Level 6 packs rows to a thirteenth; 9 saves another 4 % in twice the time. */
  for (unsigned i = 0; i < self->jobs; i++) {
    self->texts[i].zip = (z_stream){.zalloc = take_memory, .zfree = free_memory};
    /* unreached: memory is refused: make faults */
    if (deflateInit2(&self->texts[i].zip, 6, Z_DEFLATED, -MAX_WBITS, MAX_MEM_LEVEL, Z_DEFAULT_STRATEGY) != Z_OK)
      ee_out_of_memory(); /* unreached: as the line before */
  }
#endif
  return self;
}

void ee_html_pack_free(ee_html_pack *self) {
  if (self == NULL) return;
  ee_held_file_close(self->file);
  for (unsigned i = 0; i < self->jobs; i++) {
    packed_text *text = &self->texts[i];
#ifdef EE_WITH_ZLIB
    deflateEnd(&text->zip);
#endif
    ee_buffer_fini(&text->text);
    ee_buffer_fini(&text->packed);
    ee_buffer_fini(&text->element);
  }
  ee_free(self->texts);
  ee_free(self);
}

/* Packing --------------------------------------------------------------------------------------- */

void ee_html_add_json(ee_str json, ee_buffer *out) {
  while (json.length > 0) {
    const char *less = memchr(json.data, '<', json.length);
    size_t plain = less != NULL ? (size_t)(less - json.data) : json.length;
    ee_buffer_add(out, json.data, plain);
    if (less != NULL) ADD(out, "\\u003c");
    plain += less != NULL;
    json = (ee_str){json.data + plain, json.length - plain};
  }
}

#ifdef EE_WITH_ZLIB
static const char encoding[] = "deflate";

/* zlib counts in 32 bits: a text is given in pieces. */
static void add_packed(packed_text *self, ee_buffer *out) {
  enum { PIECE = 1 << 20 };
  z_stream *zip = &self->zip;
  deflateReset(zip);
  ee_buffer_clear(&self->packed);
  const char *at = self->text.data, *end = at + self->text.length;
  int status = Z_OK;
  while (status != Z_STREAM_END) {
    if (zip->avail_in == 0) {
      size_t piece = end - at > PIECE ? PIECE : (size_t)(end - at);
      zip->next_in = (Bytef *)(uintptr_t)at;
      zip->avail_in = (uInt)piece;
      at += piece;
    }
    zip->next_out = (Bytef *)ee_buffer_reserve(&self->packed, PIECE);
    zip->avail_out = PIECE;
    status = deflate(zip, at == end ? Z_FINISH : Z_NO_FLUSH);
    self->packed.length += PIECE - zip->avail_out;
  }
  ee_base64_write(out, self->packed.data, self->packed.length);
}
#else
static const char encoding[] = "json";

static void add_packed(packed_text *self, ee_buffer *out) {
  ee_html_add_json((ee_str){self->text.data, self->text.length}, out);
}
#endif

static void make_element(packed_text *self) {
  ee_buffer *out = &self->element;
  ee_buffer_addf(out,
                 "<script type=\"text/plain\" class=\"%s\" data-encoding=\"%s\" data-first=\"%" PRIu64
                 "\" data-count=\"%zu\">",
                 self->kind, encoding, self->first, self->count);
  add_packed(self, out);
  ADD(out, "</script>\n");
}

static void *pack_texts(void *argument) {
  ee_html_pack *self = argument;
  unsigned number;
  while ((number = atomic_fetch_add(&self->next, 1)) < self->waiting) make_element(&self->texts[number]);
  return NULL;
}

/* A very large text does not hold its memory for the whole run. */
static void empty(ee_buffer *buffer) {
  if (buffer->capacity > KEPT_BYTES)
    ee_buffer_fini(buffer);
  else
    ee_buffer_clear(buffer);
}

/* Packs the texts that wait, and writes them in their order. The calling thread is one of the threads; if the system
 * refuses others, it does it all. */
static ee_status flush(ee_html_pack *self, ee_error *error) {
  pthread_t threads[MAX_JOBS];
  unsigned started = 0;
  atomic_store(&self->next, 0);
  while (started + 1 < self->waiting && pthread_create(&threads[started], NULL, pack_texts, self) == 0) started++;
  pack_texts(self);
  for (unsigned i = 0; i < started; i++) pthread_join(threads[i], NULL);
  ee_status status = EE_OK;
  for (unsigned i = 0; i < self->waiting; i++) {
    packed_text *text = &self->texts[i];
    /* unreached: the disk is full: make faults */
    if (status == EE_OK &&
        !ee_write_whole(ee_held_file_descriptor(self->file), text->element.data, text->element.length))
      status = file_error(error, "write"); /* unreached: as the line before */
    self->file_bytes += text->element.length;
    empty(&text->text);
    empty(&text->packed);
    empty(&text->element);
  }
  self->waiting = 0;
  return status;
}

ee_status ee_html_pack_add(ee_html_pack *self, const char *kind, uint64_t first, size_t count, ee_buffer *text,
                           ee_error *error) {
  packed_text *to = &self->texts[self->waiting++];
  ee_buffer before = to->text;
  to->kind = kind;
  to->first = first;
  to->count = count;
  to->text = *text;
  *text = before;
  return self->waiting == self->jobs ? flush(self, error) : EE_OK;
}

ee_status ee_html_pack_write(ee_html_pack *self, ee_html_sink sink, ee_error *error) {
  ee_status status = flush(self, error);
  char *bytes = ee_malloc(COPY_BYTES);
  for (uint64_t left = self->file_bytes; left > 0 && status == EE_OK;) {
    size_t wanted = left < COPY_BYTES ? (size_t)left : COPY_BYTES;
    ssize_t got = pread(ee_held_file_descriptor(self->file), bytes, wanted, (off_t)(self->file_bytes - left));
    if (got < 0 && errno == EINTR) continue; /* unreached: a signal during a read */
    if (got <= 0) {                          /* unreached: a read fails: make faults */
      status = file_error(error, "read");    /* unreached: as the line before */
      break;
    }
    status = sink.write(sink.user, bytes, (size_t)got, error);
    left -= (uint64_t)got;
  }
  ee_free(bytes);
  return status;
}
