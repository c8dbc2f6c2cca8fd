/* id_set.c: the bytes of ids in chunks, found through a packed table of 8 bytes an entry.
 *
 * The table does not keep whole hashes: to grow, it is freed and filled again from the chunks, so that there are never
 * two tables in memory. */
#include "run/id_set.h"

#include "base/hash_index.h"
#include "base/list.h"
#include "base/memory.h"

#define CHUNK_BITS 20
#define CHUNK_SIZE ((size_t)1 << CHUNK_BITS)
#define POSITION_BITS 40
#define POSITION_MASK ((UINT64_C(1) << POSITION_BITS) - 1)
#define NUMBER_BYTES 10 /* of the longest 64-bit number */
#define FIRST_CAPACITY 1024
/* Of a longer id a digest is kept in place of its bytes: three hashes, the first of them ee_id_hash(). */
#define LONG_ID 1024
#define DIGEST_BYTES (3 * sizeof(uint64_t))
/* Entries whose places in the table are fetched from memory at the same time. */
#define PUT_TOGETHER 16

void ee_id_set_init(ee_id_set *set) { *set = (ee_id_set){0}; }

void ee_id_set_fini(ee_id_set *set) {
  for (size_t i = 0; i < set->chunk_count; i++) ee_free(set->chunks[i].data);
  ee_free(set->chunks);
  ee_free(set->table);
  ee_free(set->files);
  ee_id_set_init(set);
}

uint64_t ee_id_hash(ee_str id) { return ee_hash_bytes(id.data, id.length, 0); }

/* What is kept of `id`: itself, or its digest in `digest`. */
static ee_str kept_of(ee_str id, char digest[DIGEST_BYTES]) {
  if (id.length <= LONG_ID) return id;
  for (uint64_t seed = 0; seed < 3; seed++) {
    uint64_t hash = ee_hash_bytes(id.data, id.length, seed);
    memcpy(digest + seed * sizeof hash, &hash, sizeof hash);
  }
  return (ee_str){digest, DIGEST_BYTES};
}

static size_t write_number(unsigned char *out, uint64_t number) {
  size_t length = 0;
  for (; number > 127; number >>= 7) out[length++] = (unsigned char)(number | 128);
  out[length++] = (unsigned char)number;
  return length;
}

static const unsigned char *read_number(const unsigned char *at, uint64_t *number) {
  *number = 0;
  for (unsigned shift = 0;; shift += 7) {
    *number |= (uint64_t)(*at & 127) << shift;
    if (*at++ < 128) return at;
  }
}

typedef struct id_entry {
  uint64_t file, line, length; /* length: of the id */
  ee_str kept;
} id_entry;

/* Reads the entry at `at` and returns where the next one starts. */
static const unsigned char *read_entry(const unsigned char *at, id_entry *entry) {
  at = read_number(at, &entry->file);
  at = read_number(at, &entry->line);
  at = read_number(at, &entry->length);
  entry->kept = (ee_str){(const char *)at, entry->length > LONG_ID ? DIGEST_BYTES : (size_t)entry->length};
  return at + entry->kept.length;
}

static uint64_t hash_of(const id_entry *entry) {
  uint64_t hash;
  if (entry->length <= LONG_ID) return ee_id_hash(entry->kept);
  memcpy(&hash, entry->kept.data, sizeof hash);
  return hash;
}

static uint64_t slot_of(uint64_t hash, uint64_t position) { return (hash & ~POSITION_MASK) | (position + 1); }

static void put(ee_id_set *set, uint64_t hash, uint64_t position) {
  size_t mask = set->capacity - 1, at = (size_t)hash & mask;
  while (set->table[at] != 0) at = (at + 1) & mask;
  set->table[at] = slot_of(hash, position);
}

static void put_all(ee_id_set *set, const uint64_t *hashes, const uint64_t *positions, size_t *count) {
  for (size_t i = 0; i < *count; i++) put(set, hashes[i], positions[i]);
  *count = 0;
}

static void grow_table(ee_id_set *set) {
  ee_free(set->table);
  set->capacity = set->capacity > 0 ? set->capacity * 2 : FIRST_CAPACITY;
  set->table = ee_calloc(set->capacity, sizeof *set->table);
  uint64_t hashes[PUT_TOGETHER], positions[PUT_TOGETHER];
  size_t count = 0;
  for (size_t i = 0; i < set->chunk_count; i++) {
    const unsigned char *start = set->chunks[i].data, *end = start + set->chunks[i].used;
    for (const unsigned char *at = start; at < end;) {
      id_entry entry;
      positions[count] = (uint64_t)i << CHUNK_BITS | (uint64_t)(at - start);
      at = read_entry(at, &entry);
      hashes[count] = hash_of(&entry);
      ee_id_set_expect(set, hashes[count]);
      if (++count == PUT_TOGETHER) put_all(set, hashes, positions, &count);
    }
  }
  put_all(set, hashes, positions, &count);
}

/* The number of a file: nearly always the last one. */
static size_t file_number(ee_id_set *set, const char *file) {
  for (size_t i = set->file_count; i-- > 0;)
    if (set->files[i] == file) return i;
  if (set->file_count == set->file_capacity)
    set->files = ee_list_grow(NULL, set->files, set->file_count, &set->file_capacity, 1, sizeof *set->files);
  set->files[set->file_count] = file;
  return set->file_count++;
}

/* A chunk with room for `size` bytes, at most CHUNK_SIZE. */
static ee_id_chunk *chunk_for(ee_id_set *set, size_t size) {
  ee_id_chunk *last = set->chunk_count > 0 ? &set->chunks[set->chunk_count - 1] : NULL;
  if (last != NULL && CHUNK_SIZE - last->used >= size) return last;
  if (set->chunk_count == set->chunk_capacity)
    set->chunks = ee_list_grow(NULL, set->chunks, set->chunk_count, &set->chunk_capacity, 1, sizeof *set->chunks);
  if (set->chunk_count >= (size_t)1 << (POSITION_BITS - CHUNK_BITS)) ee_out_of_memory();
  unsigned char *data = ee_malloc(CHUNK_SIZE);
  last = &set->chunks[set->chunk_count++];
  // NOLINTNEXTLINE(clang-analyzer-core.NullDereference): there is room for one more
  *last = (ee_id_chunk){.data = data};
  return last;
}

static uint64_t store(ee_id_set *set, ee_str kept, size_t length, ee_id_place place) {
  ee_id_chunk *chunk = chunk_for(set, kept.length + 3 * NUMBER_BYTES);
  uint64_t position = (uint64_t)(chunk - set->chunks) << CHUNK_BITS | chunk->used;
  unsigned char *out = chunk->data + chunk->used;
  out += write_number(out, file_number(set, place.file));
  out += write_number(out, place.line);
  out += write_number(out, length);
  if (kept.length > 0) memcpy(out, kept.data, kept.length);
  chunk->used = (size_t)(out - chunk->data) + kept.length;
  return position;
}

bool ee_id_set_add(ee_id_set *set, ee_str id, uint64_t hash, ee_id_place place, ee_id_place *first) {
  if ((set->count + 1) * 4 > set->capacity * 3) grow_table(set);
  char digest[DIGEST_BYTES];
  ee_str kept = kept_of(id, digest);
  size_t mask = set->capacity - 1;
  for (size_t at = (size_t)hash & mask; set->table[at] != 0; at = (at + 1) & mask) {
    if (((set->table[at] ^ hash) & ~POSITION_MASK) != 0) continue;
    uint64_t position = (set->table[at] & POSITION_MASK) - 1;
    id_entry entry;
    read_entry(set->chunks[position >> CHUNK_BITS].data + (position & (CHUNK_SIZE - 1)), &entry);
    if (entry.length != id.length || !ee_str_equal(entry.kept, kept)) continue;
    *first = (ee_id_place){set->files[entry.file], entry.line};
    return false;
  }
  put(set, hash, store(set, kept, id.length, place));
  set->count++;
  return true;
}

void ee_id_set_hashes(const ee_id_set *set, void (*take)(void *user, uint64_t hash), void *user) {
  for (size_t i = 0; i < set->chunk_count; i++) {
    const unsigned char *start = set->chunks[i].data, *end = start + set->chunks[i].used;
    for (const unsigned char *at = start; at < end;) {
      id_entry entry;
      at = read_entry(at, &entry);
      take(user, hash_of(&entry));
    }
  }
}

size_t ee_id_set_held(const ee_id_set *set) {
  return set->capacity * sizeof *set->table + set->chunk_capacity * sizeof *set->chunks +
         set->file_capacity * sizeof *set->files + set->chunk_count * CHUNK_SIZE;
}
