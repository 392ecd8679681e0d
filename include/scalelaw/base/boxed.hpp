#pragma once

#include <concepts>
#include <memory>
#include <type_traits>
#include <utility>

namespace scalelaw {

/// A value that may be missing, in the memory of a pointer where it is: for what few of a million
/// results have. It is used as a std::optional<T>, and copied with its value.
template <class T>
class Boxed {
 public:
  Boxed() = default;
  template <class Value>
  requires std::constructible_from<T, Value> &&(!std::same_as<std::remove_cvref_t<Value>, Boxed>)
      Boxed(Value&& value)  // NOLINT: a value is one.
      : value_(std::make_unique<T>(std::forward<Value>(value))) {}
  Boxed(const Boxed& other) : value_(other ? std::make_unique<T>(*other) : nullptr) {}
  Boxed(Boxed&& other) noexcept = default;
  Boxed& operator=(const Boxed& other) { return *this = Boxed(other); }
  Boxed& operator=(Boxed&& other) noexcept = default;
  ~Boxed() = default;

  explicit operator bool() const { return value_ != nullptr; }
  /// There must be a value.
  const T& operator*() const { return *value_; }
  const T* operator->() const { return value_.get(); }
  /// Null where it is missing.
  const T* get() const { return value_.get(); }
  T value_or(T other) const { return value_ ? *value_ : std::move(other); }
  void reset() { value_.reset(); }

 private:
  std::unique_ptr<T> value_;
};

}  // namespace scalelaw
