// Makes allocations of the program that loads it first (LD_PRELOAD) fail, in a C library that is
// GNU's.
//   FAIL_AT=N     the Nth allocation fails; without it none does
//   FAIL_FROM=1   all later ones fail too
//   TERMINATE=1   std::terminate is called in the place of a failure; where the program does not
//                 show it, the program ends with 77
//   FAIL_COUNT=F  the number of allocations is written to the file F at the end
// Programs that it starts are left alone.
#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

extern void std_terminate(void) __asm__("_ZSt9terminatev") __attribute__((weak));
extern void* __libc_malloc(size_t size);
extern void* __libc_calloc(size_t count, size_t size);
extern void* __libc_realloc(void* block, size_t size);
extern void* __libc_memalign(size_t alignment, size_t size);

static long count;
static long fail_at;
static int fail_from;
static int terminates;

static int fails(void) {
  const long place = __atomic_add_fetch(&count, 1, __ATOMIC_RELAXED);
  if (fail_at == 0 || place < fail_at || (place > fail_at && !fail_from)) return 0;
  if (terminates && place == fail_at) std_terminate();
  errno = ENOMEM;
  return 1;
}

void* malloc(size_t size) { return fails() ? NULL : __libc_malloc(size); }
void* calloc(size_t number, size_t size) { return fails() ? NULL : __libc_calloc(number, size); }
void* realloc(void* block, size_t size) { return fails() ? NULL : __libc_realloc(block, size); }
void* aligned_alloc(size_t alignment, size_t size) {
  return fails() ? NULL : __libc_memalign(alignment, size);
}
int posix_memalign(void** block, size_t alignment, size_t size) {
  if (fails()) return ENOMEM;
  *block = __libc_memalign(alignment, size);
  return *block == NULL ? ENOMEM : 0;
}

__attribute__((constructor)) static void begin(void) {
  const char* const at = getenv("FAIL_AT");
  unsetenv("LD_PRELOAD");
  count = 0;
  fail_from = getenv("FAIL_FROM") != NULL;
  terminates = getenv("TERMINATE") != NULL;
  if (terminates && std_terminate == NULL) _exit(77);
  fail_at = at == NULL ? 0 : atol(at);
}

__attribute__((destructor)) static void end(void) {
  const char* const path = getenv("FAIL_COUNT");
  if (path == NULL) return;
  const long all = count;
  const int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
  dprintf(file, "%ld\n", all);
  close(file);
}
