#pragma once
/// What scripts/mutate writes into a copy of the sources: code that can be changed while it runs.
///
/// All mutants of a batch are in one program. The variable MUTANT of the environment holds the
/// number of the one that is switched on; without it the program does what it always does. If
/// MUTANT_REACHED names a file, the program adds a line with the mutants that it reached when it
/// ends, and one per unit test.
///
/// A binary operator becomes two of the same precedence with an object between them: `a < b`
/// becomes `a < less<17> < b`. The first takes the left operand, the second computes. So no operand
/// has to be found by the program that writes this.

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <initializer_list>
#include <string>
#include <type_traits>
#include <utility>

namespace mutants {

inline constexpr int kMost = 65536;
inline int active =
    -1;  ///< Number of the mutant that is on, 0 for none, -1 before this was looked up.
inline const char* reached_path = nullptr;
inline unsigned char reached[kMost];

/// Adds a line to the file of what was reached: a label, a tab, and the numbers of mutants.
inline void write_reached(const char* label) {
  if (reached_path == nullptr) return;
  std::string line = std::string(label) + "\t";
  for (int id = 1; id < kMost; ++id) {
    if (std::exchange(reached[id], 0) != 0) line += std::to_string(id) + ' ';
  }
  line += '\n';
  if (std::FILE* file = std::fopen(reached_path, "a")) {
    std::fwrite(line.data(), 1, line.size(), file);
    std::fclose(file);
  }
}

inline void look_up() {
  const char* number = std::getenv("MUTANT");
  active = number == nullptr ? 0 : std::atoi(number);
  reached_path = std::getenv("MUTANT_REACHED");
  if (reached_path != nullptr) std::atexit([] { write_reached(""); });
}

inline bool is_on(int id) {
  if (active < 0) look_up();
  if (reached_path != nullptr) reached[id] = 1;
  return active == id;
}

/// A compiler computes what it can beforehand, where nothing is switched on. A negative number
/// prevents that, so that a constant is computed when the program starts.
constexpr bool on(int id) {
  if (id < 0) return is_on(-id);
  return std::is_constant_evaluated() ? false : is_on(id);
}

/// Its warning tells scripts/mutate that the change does not compile there, and that the code
/// stayed as it was.
template <int id>
[[deprecated("mutant does not apply")]] constexpr void does_not_apply() {}

template <int id, class T, class U>
constexpr T value(T plain, U changed) {
  return on(id) ? static_cast<T>(changed) : plain;
}

/// The operators: what is written, and what a mutant does instead.
#define MUTANTS_PAIR(Name, plain_op, changed_op)                        \
  struct Name {                                                         \
    template <class L, class R>                                         \
    static constexpr auto plain(L&& l, R&& r)                           \
        -> decltype(std::forward<L>(l) plain_op std::forward<R>(r)) {   \
      return std::forward<L>(l) plain_op std::forward<R>(r);            \
    }                                                                   \
    template <class L, class R>                                         \
    static constexpr auto changed(L&& l, R&& r)                         \
        -> decltype(std::forward<L>(l) changed_op std::forward<R>(r)) { \
      return std::forward<L>(l) changed_op std::forward<R>(r);          \
    }                                                                   \
  }
MUTANTS_PAIR(Less, <, <=);
MUTANTS_PAIR(LessEqual, <=, <);
MUTANTS_PAIR(Greater, >, >=);
MUTANTS_PAIR(GreaterEqual, >=, >);
MUTANTS_PAIR(Equal, ==, !=);
MUTANTS_PAIR(NotEqual, !=, ==);
MUTANTS_PAIR(Plus, +, -);
MUTANTS_PAIR(Minus, -, +);
MUTANTS_PAIR(Times, *, /);
MUTANTS_PAIR(Over, /, *);
MUTANTS_PAIR(PlusAssign, +=, -=);
MUTANTS_PAIR(MinusAssign, -=, +=);
MUTANTS_PAIR(TimesAssign, *=, /=);
MUTANTS_PAIR(OverAssign, /=, *=);
#undef MUTANTS_PAIR

/// Whether both forms compile and give the same type.
template <class Op, class L, class R>
concept Applies = requires(L&& l, R&& r) {
  requires std::is_same_v<decltype(Op::plain(std::forward<L>(l), std::forward<R>(r))),
                          decltype(Op::changed(std::forward<L>(l), std::forward<R>(r)))>;
};

template <int id, class Op, class L, class R>
constexpr auto apply(L&& l, R&& r) -> decltype(Op::plain(std::forward<L>(l), std::forward<R>(r))) {
  if constexpr (Applies<Op, L, R>) {
    if (on(id)) return Op::changed(std::forward<L>(l), std::forward<R>(r));
  } else {
    does_not_apply<id>();
  }
  return Op::plain(std::forward<L>(l), std::forward<R>(r));
}

template <int id, class Op>
struct Infix {};
template <int id, class Op, class T>
struct Held {
  T&& operand;
};
template <int id, class Op>
inline constexpr Infix<id, Op> infix{};

#define MUTANTS_OPERATOR(op)                                                      \
  template <int id, class Op, class L>                                            \
  constexpr Held<id, Op, L> operator op(L&& l, Infix<id, Op>) {                   \
    return {std::forward<L>(l)};                                                  \
  }                                                                               \
  template <int id, class Op, class L, class R>                                   \
  constexpr auto operator op(Held<id, Op, L>&& h, R&& r)                          \
      ->decltype(apply<id, Op>(std::forward<L>(h.operand), std::forward<R>(r))) { \
    return apply<id, Op>(std::forward<L>(h.operand), std::forward<R>(r));         \
  }
MUTANTS_OPERATOR(<)
MUTANTS_OPERATOR(<=)
MUTANTS_OPERATOR(>)
MUTANTS_OPERATOR(>=)
MUTANTS_OPERATOR(==)
MUTANTS_OPERATOR(!=)
MUTANTS_OPERATOR(+)
MUTANTS_OPERATOR(-)
MUTANTS_OPERATOR(*)
MUTANTS_OPERATOR(/)
#undef MUTANTS_OPERATOR

// Assignments group from the right: the object takes the right operand.
#define MUTANTS_ASSIGNMENT(op)                                  \
  template <int id, class Op, class R>                          \
  constexpr Held<id, Op, R> operator op(Infix<id, Op>, R&& r) { \
    return {std::forward<R>(r)};                                \
  }                                                             \
  template <int id, class Op, class L, class R>                 \
  constexpr L& operator op(L& l, Held<id, Op, R>&& h) {         \
    apply<id, Op>(l, std::forward<R>(h.operand));               \
    return l;                                                   \
  }
MUTANTS_ASSIGNMENT(+=)
MUTANTS_ASSIGNMENT(-=)
MUTANTS_ASSIGNMENT(*=)
MUTANTS_ASSIGNMENT(/=)
#undef MUTANTS_ASSIGNMENT

/// `-x`, `!x`, `++x` become `negative<17>->*x`: the operator that binds tightest of those that
/// follow a prefix.
struct Negative {
  template <class T>
  static constexpr auto plain(T&& x) {
    return -std::forward<T>(x);
  }
  template <class T>
  static constexpr auto changed(T&& x) {
    return +std::forward<T>(x);
  }
};
struct Not {
  static constexpr bool plain(const auto& x) { return !static_cast<bool>(x); }
  static constexpr bool changed(const auto& x) { return static_cast<bool>(x); }
};
struct Next {
  static constexpr decltype(auto) plain(auto& x) { return ++x; }
  static constexpr auto& changed(auto& x) { return x; }
};
template <int id, class Op>
struct Prefix {};
template <int id, class Op>
inline constexpr Prefix<id, Op> prefix{};
template <int id, class Op, class T>
constexpr decltype(auto) operator->*(Prefix<id, Op>, T&& x) {
  if (on(id)) return Op::changed(std::forward<T>(x));
  return Op::plain(std::forward<T>(x));
}

/// `c || flip<17>`: a condition, or its opposite.
template <int id>
struct Flip {};
template <int id>
inline constexpr Flip<id> flip{};
template <class L, int id>
constexpr bool operator||(L&& l, Flip<id>) {
  return static_cast<bool>(std::forward<L>(l)) != on(id);
}

/// `a && b`, or `a || b`.
template <int id, class L, class R>
constexpr bool both(L l, R r) {
  return on(id) ? l() || r() : l() && r();
}
template <int id, class L, class R>
constexpr bool either(L l, R r) {
  return on(id) ? l() && r() : l() || r();
}

/// One of two functions that are called alike.
template <int id, class F, class G>
struct Choice {
  F plain;
  G changed;
  template <class... Args>
  constexpr decltype(auto) operator()(Args&&... args) const {
    return on(id) ? changed(std::forward<Args>(args)...) : plain(std::forward<Args>(args)...);
  }
  template <class T>
  constexpr T operator()(std::initializer_list<T> list) const {
    return on(id) ? changed(list) : plain(list);
  }
};
template <int id, class F, class G>
constexpr Choice<id, F, G> choice(F plain, G changed) {
  return {plain, changed};
}
#define MUTANTS_CALL(...)                                      \
  [](auto&&... args) -> decltype(auto) {                       \
    return __VA_ARGS__(std::forward<decltype(args)>(args)...); \
  }

}  // namespace mutants
