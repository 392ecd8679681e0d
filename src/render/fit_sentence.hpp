#pragma once

#include <optional>
#include <string>
#include <vector>

#include "scalelaw/documents/study_report.hpp"
#include "scalelaw/fit/fit.hpp"

namespace scalelaw {

/// What twice the scale does to y.
struct Doubling {
  double ratio = 1;                 ///< y at twice the scale over y.
  std::optional<Interval> ci = {};  ///< Only of a power law, where it is the same everywhere.
};

/// Of a power law from its exponent; of other laws over the last doubling that was measured. Empty
/// for laws of several x, and where the curve leaves the range of double.
std::optional<Doubling> doubling_of(const Fit& fit);

/// "F = 3.21 with 1 and 8 degrees of freedom, p = 0.11; its AICc is 1.2 higher than with free
/// parameters".
std::string free_law_text(const FreeLawTest& test);

/// Takes note of fits one by one, and says of all of them in a few sentences what scaling
/// does: of one fit itself, of several how far they differ.
class FitAnswer {
 public:
  explicit FitAnswer(const FitReport& report) : report_(report) {}

  /// @param warned  Whether people see a warning in its row.
  void take_note_of(const GroupKey& group, const Fit& fit, bool warned);
  std::vector<std::string> sentences() const;

 private:
  struct Noted {
    GroupKey group;
    Doubling doubling;
    double x_min;
    double x_max;
    std::optional<double> speedup;
    bool bends;  ///< Whether the points bend away from the law.
  };

  /// Whether the intervals of two changes have a part in common.
  static bool may_be_equal(const Noted& a, const Noted& b);
  std::string of_one() const;
  std::string of_several() const;
  std::string of_surfaces() const;
  std::string doubling_words() const;
  std::string noun() const;
  std::string with_interval(const Noted& noted) const;
  std::string average_words(const Noted& noted) const;
  std::string given_sentence(const std::vector<std::string>& given) const;

  const FitReport& report_;
  std::optional<Noted> least_;     ///< The group with the least ratio of y at twice the scale,
  std::optional<Noted> greatest_;  ///< and that with the greatest.
  std::optional<Fit> surface_;     ///< The first fit of several x.
  std::size_t fits_ = 0;
  std::size_t warned_ = 0;
  std::size_t tested_ = 0;        ///< Fits of which what was given is tested,
  std::size_t contradicted_ = 0;  ///< those whose runs speak against it,
  std::string given_p_;           ///< and the p of the last.
};

}  // namespace scalelaw
