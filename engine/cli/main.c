/* main.c: the program: reads the command line and runs what it asks for. */
#include <fcntl.h>
#include <stdlib.h>
#include <unistd.h>

#include "base/runtime.h"
#include "cli/interrupt.h"
#include "cli/jailed.h"
#include "cli/options.h"
#include "cli/output.h"
#include "cli/terminal.h"

/* Prints --help and the like. */
static int answer(const ee_options *options, ee_terminal *terminal) {
  ee_buffer text;
  ee_buffer_init(&text);
  ee_error error = {0};
  ee_status status = options->request->print(options, &text, &error);
  if (status == EE_OK) status = ee_output_write_all(NULL, &text, &error);
  if (status != EE_OK) ee_terminal_fail(terminal, &error);
  ee_buffer_fini(&text);
  return (int)status;
}

/* A closed standard descriptor would be given to the next file that is opened, and the report would end up among the
 * results. /dev/null takes its place, opened the other way round, so that using it fails with the usual message. */
static void fill_standard_descriptors(void) {
  for (int descriptor = STDIN_FILENO; descriptor <= STDERR_FILENO; descriptor++) {
    if (fcntl(descriptor, F_GETFD) >= 0) continue;
    /* unreached: /dev/null is there */
    if (open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY) != descriptor) _exit(EE_ERROR_SYSTEM);
  }
}

int main(int argc, char **argv) {
  fill_standard_descriptors();
  if (getenv("OPENAI_API_KEY") != NULL) ee_hide_memory();
  ee_locale_enter();
  ee_options options;
  ee_error error = {0};
  ee_status status = ee_options_parse(argc, argv, &options, &error);
  if (status == EE_OK) ee_options_set_limits(&options);
  if (status == EE_OK && options.request == NULL) status = ee_options_read_config(&options, &error);
  if (status == EE_OK && options.jail && options.request == NULL) status = ee_jailed_enter(&options, &error);
  ee_terminal terminal;
  ee_terminal_init(&terminal, &options);
  if (status == EE_OK && options.rules_note != NULL) ee_terminal_note(&terminal, ee_str_from(options.rules_note));
  int result = (int)status;
  if (status != EE_OK)
    ee_terminal_fail(&terminal, &error);
  else if (options.request != NULL)
    result = answer(&options, &terminal);
  else
    result = options.command->run(&options);
  ee_options_fini(&options);
  return result == EE_EXIT_INTERRUPTED ? ee_interrupt_status() : result;
}
