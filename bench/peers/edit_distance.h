/* edit_distance.h: what bench/peers/edit_distance times, in the same form for this program and for rapidfuzz-cpp. */
#ifndef EE_BENCH_PEERS_EDIT_DISTANCE_H
#define EE_BENCH_PEERS_EDIT_DISTANCE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* A text as UTF-8 (what we compare) and, unless it is ASCII, as code points (what the peer compares). */
typedef struct peer_text {
  const char *bytes;
  size_t byte_count;
  const uint32_t *points; /* NULL: ASCII */
  size_t count;
} peer_text;

typedef enum peer_metric { PEER_LEVENSHTEIN, PEER_JARO_WINKLER } peer_metric;

/* Pairs (a[i], b[i]); `limits` NULL: none. Distances above a limit are limit + 1. A similarity below 0.7 is Jaro's. */
void peer_pairs(peer_metric metric, const peer_text *a, const peer_text *b, size_t count, const size_t *limits,
                double *results);

/* The same of texts that the peer has to decode first. */
void peer_pairs_decoding(peer_metric metric, const peer_text *a, const peer_text *b, size_t count, const size_t *limits,
                         double *results);

/* Each of `rows` texts against each of `columns`: results[i * columns + j]. The peer prepares each row once. */
void peer_matrix(peer_metric metric, const peer_text *a, size_t rows, const peer_text *b, size_t columns,
                 const size_t *limits, double *results);

/* The same by the peer's batch in vector lanes; no text is longer than 64. Similarities below `cutoff` are 0. */
void peer_batch(const peer_text *a, size_t rows, const peer_text *b, size_t columns, double cutoff, double *results);

#ifdef __cplusplus
}
#endif

#endif
