/* unload_test LIBRARY: a program may close the library while a thread that has used it still runs.
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "scalelaw/scalelaw.h"

static void *library;
static pthread_barrier_t step; /* Of both threads. */
static int status = -1;

/* Sets a pointer to the function of that name. */
static void find(void *function, const char *name) {
  void *const symbol = dlsym(library, name);
  memcpy(function, &symbol, sizeof symbol);
}

static void *use(void *unused) {
  scalelaw_call *(*make)(const char *);
  void (*free_call)(scalelaw_call *);
  int (*add)(scalelaw_call *, const char *, const char *, const double *, int64_t);
  int (*run)(scalelaw_call *);
  find(&make, "scalelaw_call_new");
  find(&free_call, "scalelaw_call_free");
  find(&add, "scalelaw_call_doubles");
  find(&run, "scalelaw_call_run");
  const double gpus[] = {1, 2, 4, 8};
  const double seconds[] = {100, 52, 27, 14};
  scalelaw_call *const call = make("fit");
  add(call, "runs", "gpus", gpus, 4);
  add(call, "runs", "seconds", seconds, 4);
  status = run(call);
  free_call(call);
  pthread_barrier_wait(&step); /* The library has been used, */
  pthread_barrier_wait(&step); /* and is closed. Now the thread ends. */
  return unused;
}

int main(int count, char **words) {
  if (count != 2) return 2;
  library = dlopen(words[1], RTLD_NOW | RTLD_LOCAL);
  if (library == NULL) {
    fprintf(stderr, "%s\n", dlerror());
    return 2;
  }
  pthread_t thread;
  pthread_barrier_init(&step, NULL, 2);
  if (pthread_create(&thread, NULL, use, NULL) != 0) return 2;
  pthread_barrier_wait(&step);
  dlclose(library);
  pthread_barrier_wait(&step);
  pthread_join(thread, NULL);
  return status == SCALELAW_DONE ? 0 : 1;
}
