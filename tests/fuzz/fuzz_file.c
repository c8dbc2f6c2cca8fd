#include <sys/mman.h>
#include <unistd.h>

#include "fuzz/fuzz.h"

void fuzz_file_make(fuzz_file *file, ee_str bytes) {
  file->descriptor = memfd_create("fuzz", MFD_CLOEXEC);
  fuzz_require(file->descriptor >= 0);
  fuzz_require(write(file->descriptor, bytes.data, bytes.length) == (ssize_t)bytes.length);
  snprintf(file->name, sizeof file->name, "/proc/self/fd/%d", file->descriptor);
}

void fuzz_file_close(fuzz_file *file) { close(file->descriptor); }
