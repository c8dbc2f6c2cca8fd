/* fuzz_options.c: command lines.
 *
 * Each line is an argument. Arguments that are read name a command and fit its number of operands, or ask for a text
 * that can be printed; those that are not say what is wrong. */
#include "cli/options.h"
#include "cli/usage.h"
#include "fuzz/fuzz.h"
#include "fuzz/output_checks.h"

enum { ARGUMENTS = 24 };

static void check_request(const ee_options *options) {
  ee_buffer out = {0};
  ee_error error = {0};
  ee_status status = options->request->print(options, &out, &error);
  fuzz_require(status == EE_OK || (status == EE_ERROR_USAGE && error.message[0] != '\0'));
  fuzz_require(ee_utf8_valid_prefix(out.data, out.length) == out.length);
  ee_buffer_fini(&out);
}

static void check_command(const ee_options *options) {
  const ee_command_row *command = options->command;
  fuzz_require(command != NULL && options->operand_count >= command->min);
  fuzz_require(command->max == 0 || options->operand_count <= command->max);
  (void)ee_options_misplaced(options, command->bits);
  (void)ee_options_without_rules(options);
  (void)ee_options_mistakes(options);
}

static int ee_fuzz_one(const uint8_t *data, size_t size) {
  char *arguments[ARGUMENTS + 2] = {"evalengine"};
  char *text = malloc(size + 1);
  int count = 1;
  size_t length = 0;
  for (size_t i = 0; i < size; i++) text[length++] = data[i] == 0 ? ' ' : (char)data[i];
  text[length] = '\0';
  for (char *at = text; at != NULL && count <= ARGUMENTS && size > 0;) {
    arguments[count++] = at;
    at = strchr(at, '\n');
    if (at != NULL) *at++ = '\0';
  }
  ee_options options;
  ee_error error = {0};
  ee_status status = ee_options_parse(count, arguments, &options, &error);
  fuzz_require(status == EE_OK || (status == EE_ERROR_USAGE && error.message[0] != '\0'));
  if (status == EE_OK && options.request != NULL)
    check_request(&options);
  else if (status == EE_OK)
    check_command(&options);
  ee_options_fini(&options);
  free(text);
  return 0;
}

EE_FUZZ_TARGET(1024)
