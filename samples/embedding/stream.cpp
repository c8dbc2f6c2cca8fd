// stream.cpp: a service in C++ that judges answers as they are produced, without a file.
//
//   find_package(evalengine REQUIRED)
//   target_link_libraries(stream PRIVATE evalengine::evalengine)
//
// Cases come from a generator; rules are a text. Prints the score of each case, then the counts as Markdown.
#include <evalengine.h>

#include <cstring>
#include <iostream>
#include <memory>
#include <stdexcept>
#include <string>

namespace {

struct Free {
  void operator()(ee_rules *rules) const { ee_rules_free(rules); }
  void operator()(ee_result *result) const { ee_result_free(result); }
};
using Rules = std::unique_ptr<ee_rules, Free>;
using Result = std::unique_ptr<ee_result, Free>;

const char rules_text[] = R"(
return ee.rules {
  ee.fields { ee.fuzzy { "city", threshold = 0.8 }, ee.numeric { "population", tolerance = 0.01, relative = true } },
}
)";

// What would come from a model.
const char *const lines[] = {
    R"({"id":"be","expected":{"city":"Bern","population":134794},"candidate":{"city":"Berne","population":"134,794"}})",
    R"({"id":"wa","expected":{"city":"Warszawa","population":1860281},"candidate":{"city":"Warszawa","population":1862000}})",
    R"({"id":"li","expected":{"city":"Lisboa","population":545796},"candidate":"I do not know"})",
};

// Gives one line at a time.
struct Generator {
  std::size_t line = 0, at = 0;
};

std::ptrdiff_t read_more(void *user, char *out, std::size_t room) noexcept {
  auto *self = static_cast<Generator *>(user);
  if (self->line == sizeof lines / sizeof *lines) return 0;
  std::string text = std::string(lines[self->line]) + "\n";
  std::size_t take = std::min(room, text.size() - self->at);
  std::memcpy(out, text.data() + self->at, take);
  self->at += take;
  if (self->at == text.size()) self->line++, self->at = 0;
  return static_cast<std::ptrdiff_t>(take);
}

// Exceptions must not leave a callback.
int print_score(void *, const char *row, std::size_t length) noexcept {
  std::string text(row, length);
  std::size_t id = text.find("\"id\":\""), score = text.find("\"mean_score\":");
  if (score == std::string::npos) score = text.find("\"score\":");
  std::cout << text.substr(id + 6, text.find('"', id + 6) - id - 6) << " "
            << text.substr(score, text.find(',', score) - score) << "\n";
  return 0;
}

void print_message(void *, const ee_error *error) noexcept {
  std::cerr << error->file << ":" << error->line << ": " << error->message << "\n";
}

}  // namespace

int main() {
  Rules rules(ee_rules_parse("cities.lua", rules_text, sizeof rules_text - 1, print_message, nullptr));
  if (!rules) return 3;
  Generator generator;
  ee_input input{};
  input.name = "answers.jsonl";
  input.read = read_more;
  input.user = &generator;
  ee_evaluate_options options{};
  options.size = sizeof options;
  options.inputs = &input;
  options.input_count = 1;
  options.on_case = print_score;
  options.on_message = print_message;
  const char *files[] = {input.name};
  ee_error error{};
  Result result(ee_evaluate(rules.get(), files, 1, &options, &error));
  if (!result) throw std::runtime_error(error.message);
  const char *arguments[] = {"--section", "attributes", "--columns", "TP,FP,FN,F1"};
  const char *report = nullptr;
  if (ee_result_report(result.get(), "markdown", arguments, 4, &report, nullptr, &error) != EE_OK)
    throw std::runtime_error(error.message);
  std::cout << report;
  return ee_result_status(result.get());
}
