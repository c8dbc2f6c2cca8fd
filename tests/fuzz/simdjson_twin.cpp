// simdjson_twin.cpp: whether simdjson reads a text, for fuzz_json.c where libsimdjson-dev is installed.
#include <simdjson.h>

extern "C" int fuzz_simdjson_reads(const char *text, size_t length);

// 1: a document, 0: not, -1: not by its own bounds (numbers beyond its types, depth).
extern "C" int fuzz_simdjson_reads(const char *text, size_t length) {
  static simdjson::dom::parser parser;
  simdjson::error_code error = parser.parse(text, length).error();
  if (error == simdjson::NUMBER_ERROR || error == simdjson::DEPTH_ERROR || error == simdjson::CAPACITY) return -1;
  return error == simdjson::SUCCESS;
}
