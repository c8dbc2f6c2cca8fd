// parse_simdjson.cpp: simdjson's DOM of each line of a text, for bench_floor.c.
#include <cstddef>
#include <cstring>
#include <simdjson.h>

static std::size_t count(simdjson::dom::element element) {
  std::size_t sum = 1;
  if (element.is_object())
    for (auto member : simdjson::dom::object(element)) sum += count(member.value);
  else if (element.is_array())
    for (auto item : simdjson::dom::array(element)) sum += count(item);
  return sum;
}

extern "C" std::size_t simdjson_padding(void) { return simdjson::SIMDJSON_PADDING; }

// The number of lines, or with `counts` of their values (containers too); 0 if a line is not JSON. After `length` bytes
// there are simdjson_padding() more.
extern "C" std::size_t parse_by_simdjson(const char *data, std::size_t length, int counts) {
  static simdjson::dom::parser parser;
  std::size_t sum = 0;
  for (const char *at = data, *end = data + length; at < end;) {
    const char *stop = static_cast<const char *>(std::memchr(at, '\n', static_cast<std::size_t>(end - at)));
    if (stop == nullptr) stop = end;
    simdjson::dom::element root;
    if (parser.parse(at, static_cast<std::size_t>(stop - at), false).get(root) != simdjson::SUCCESS) return 0;
    sum += counts != 0 ? count(root) : 1;
    at = stop + 1;
  }
  return sum;
}
