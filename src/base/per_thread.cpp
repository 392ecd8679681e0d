#include "base/per_thread.hpp"

#include <pthread.h>

#include <new>

namespace scalelaw {
namespace {

void destroy_all(void* newest) { delete static_cast<OwnedByThread*>(newest); }

/// Where each thread keeps its newest object. The system destroys what is there at a thread's end;
/// that of the main thread lasts as long as the process.
pthread_key_t newest_of_thread() {
  static const pthread_key_t key = [] {
    pthread_key_t made{};
    if (::pthread_key_create(&made, destroy_all) != 0) throw std::bad_alloc();
    return made;
  }();
  return key;
}

}  // namespace

void give_to_thread(std::unique_ptr<OwnedByThread> object) {
  const pthread_key_t key = newest_of_thread();
  auto* const older = static_cast<OwnedByThread*>(::pthread_getspecific(key));
  if (::pthread_setspecific(key, object.get()) != 0) throw std::bad_alloc();
  object.release()->older.reset(older);
}

}  // namespace scalelaw
