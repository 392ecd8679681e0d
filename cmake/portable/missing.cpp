// What shared libraries have and their static ones do not.
#include <xxh_x86dispatch.h>
#undef XXH3_128bits_update

extern "C" {

// Debian's static xxHash does not choose among registers at run time. The hash is the same.
XXH_errorcode XXH3_128bits_update(XXH3_state_t* state, const void* input, size_t length);
XXH_errorcode XXH3_128bits_update_dispatch(XXH3_state_t* state, const void* input, size_t length) {
  return XXH3_128bits_update(state, input, length);
}

// SQLite could load extensions, for which nobody asks. The linker puts these in the place of dlopen
// and its companions (--wrap), as a static command has nothing to load libraries with.
void* __wrap_dlopen(const char*, int) { return nullptr; }
void* __wrap_dlsym(void*, const char*) { return nullptr; }
int __wrap_dlclose(void*) { return -1; }
char* __wrap_dlerror() {
  static char message[] = "a static command loads no libraries";
  return message;
}

}  // extern "C"
