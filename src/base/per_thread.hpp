#pragma once

#include <memory>
#include <utility>

namespace scalelaw {

/// What a thread destroys at its end.
struct OwnedByThread {
  OwnedByThread() = default;
  OwnedByThread(const OwnedByThread&) = delete;
  OwnedByThread& operator=(const OwnedByThread&) = delete;
  virtual ~OwnedByThread() = default;

  std::unique_ptr<OwnedByThread> older;
};

/// Hands an object to this thread.
/// @throws std::bad_alloc
void give_to_thread(std::unique_ptr<OwnedByThread> object);

/// An object that each thread makes at its first use, and destroys at its end:
///
///     thread_local PerThread<std::vector<double>> kept;
///     std::vector<double>& sizes = *kept;
///
/// A thread_local object with a destructor would end the process where memory runs out: the C
/// library notes each such destructor, and aborts if it cannot.
template <class T>
class PerThread {
 public:
  /// @throws std::bad_alloc, or what the object's constructor throws.
  T& operator*() { return object_ != nullptr ? *object_ : make(); }

 private:
  struct Owned final : OwnedByThread {
    T object{};
  };

  [[gnu::noinline]] T& make() {
    auto owned = std::make_unique<Owned>();
    T* const object = &owned->object;
    give_to_thread(std::move(owned));
    object_ = object;
    return *object;
  }

  T* object_ = nullptr;
};

}  // namespace scalelaw
