// edit_distance.cpp: rapidfuzz-cpp behind the functions of edit_distance.h.
#include "edit_distance.h"

#include <rapidfuzz/distance.hpp>
#include <vector>

namespace {

template <typename Character> rapidfuzz::detail::Range<const Character *> range_of(const peer_text &text) {
  const void *start = text.points != nullptr ? static_cast<const void *>(text.points) : text.bytes;
  const Character *at = static_cast<const Character *>(start);
  return rapidfuzz::detail::Range<const Character *>(at, at + text.count);
}

size_t limit_of(const size_t *limits, size_t at) { return limits != nullptr ? limits[at] : SIZE_MAX; }

template <typename Character>
void pairs(peer_metric metric, const peer_text *a, const peer_text *b, size_t count, const size_t *limits,
           double *results) {
  for (size_t i = 0; i < count; i++) {
    auto x = range_of<Character>(a[i]), y = range_of<Character>(b[i]);
    results[i] = metric == PEER_LEVENSHTEIN
                     ? static_cast<double>(rapidfuzz::levenshtein_distance(x.begin(), x.end(), y.begin(), y.end(),
                                                                           {1, 1, 1}, limit_of(limits, i)))
                     : rapidfuzz::jaro_winkler_similarity(x.begin(), x.end(), y.begin(), y.end());
  }
}

template <typename Character>
void matrix(peer_metric metric, const peer_text *a, size_t rows, const peer_text *b, size_t columns,
            const size_t *limits, double *results) {
  for (size_t i = 0; i < rows; i++) {
    auto x = range_of<Character>(a[i]);
    double *row = results + i * columns;
    if (metric == PEER_LEVENSHTEIN) {
      rapidfuzz::CachedLevenshtein<Character> cached(x.begin(), x.end());
      for (size_t j = 0; j < columns; j++) {
        auto y = range_of<Character>(b[j]);
        row[j] = static_cast<double>(cached.distance(y.begin(), y.end(), limit_of(limits, i * columns + j)));
      }
    } else {
      rapidfuzz::CachedJaroWinkler<Character> cached(x.begin(), x.end());
      for (size_t j = 0; j < columns; j++) {
        auto y = range_of<Character>(b[j]);
        row[j] = cached.similarity(y.begin(), y.end());
      }
    }
  }
}

template <typename Character, int MaxLength>
void batch(const peer_text *a, size_t rows, const peer_text *b, size_t columns, double cutoff, double *results) {
  rapidfuzz::experimental::MultiLevenshtein<MaxLength> all(columns);
  for (size_t j = 0; j < columns; j++) {
    auto y = range_of<Character>(b[j]);
    all.insert(y.begin(), y.end());
  }
  std::vector<double> scores(all.result_count());
  for (size_t i = 0; i < rows; i++) {
    auto x = range_of<Character>(a[i]);
    all.normalized_similarity(scores.data(), scores.size(), x.begin(), x.end(), cutoff);
    for (size_t j = 0; j < columns; j++) results[i * columns + j] = scores[j];
  }
}

template <typename Character>
void batch_of(const peer_text *a, size_t rows, const peer_text *b, size_t columns, double cutoff, double *results) {
  size_t longest = 0;
  for (size_t j = 0; j < columns; j++) longest = b[j].count > longest ? b[j].count : longest;
  if (longest <= 32)
    batch<Character, 32>(a, rows, b, columns, cutoff, results);
  else
    batch<Character, 64>(a, rows, b, columns, cutoff, results);
}

} // namespace

extern "C" void peer_pairs(peer_metric metric, const peer_text *a, const peer_text *b, size_t count,
                           const size_t *limits, double *results) {
  if (a->points != nullptr)
    pairs<uint32_t>(metric, a, b, count, limits, results);
  else
    pairs<char>(metric, a, b, count, limits, results);
}

// Of sequences of one and two bytes, which is all that the texts here have.
static void decode(const peer_text &text, std::vector<uint32_t> &points) {
  points.clear();
  for (size_t i = 0; i < text.byte_count; i++) {
    const unsigned char first = static_cast<unsigned char>(text.bytes[i]);
    points.push_back(first < 0x80 ? first : (first & 31u) << 6 | (static_cast<unsigned char>(text.bytes[++i]) & 63u));
  }
}

extern "C" void peer_pairs_decoding(peer_metric metric, const peer_text *a, const peer_text *b, size_t count,
                                    const size_t *limits, double *results) {
  std::vector<uint32_t> x, y;
  for (size_t i = 0; i < count; i++) {
    decode(a[i], x);
    decode(b[i], y);
    const peer_text first = {nullptr, 0, x.data(), x.size()}, second = {nullptr, 0, y.data(), y.size()};
    pairs<uint32_t>(metric, &first, &second, 1, limits != nullptr ? &limits[i] : nullptr, &results[i]);
  }
}

extern "C" void peer_matrix(peer_metric metric, const peer_text *a, size_t rows, const peer_text *b, size_t columns,
                            const size_t *limits, double *results) {
  if (a->points != nullptr)
    matrix<uint32_t>(metric, a, rows, b, columns, limits, results);
  else
    matrix<char>(metric, a, rows, b, columns, limits, results);
}

extern "C" void peer_batch(const peer_text *a, size_t rows, const peer_text *b, size_t columns, double cutoff,
                           double *results) {
  if (a->points != nullptr)
    batch_of<uint32_t>(a, rows, b, columns, cutoff, results);
  else
    batch_of<char>(a, rows, b, columns, cutoff, results);
}
