#pragma once

#include <span>
#include <string_view>
#include <vector>

#include "scalelaw/runs/cell.hpp"

namespace scalelaw {

/// On which scale a law is a curve with additive scatter.
enum class Scale {
  kLog,       ///< ln y = ln(curve) + scatter: the curve is the median of y.
  kOriginal,  ///< y = curve + scatter: the curve is the mean of y.
};

/// How a reported parameter follows from the working parameter that is estimated.
enum class Transform {
  kIdentity,
  kExp,  ///< reported = exp(working): a positive prefactor; its interval is exp of the working
         ///< interval.
};

/// One parameter of a law.
struct ParameterSpec {
  std::string_view name;  ///< As in tables and JSON: "alpha", "beta", ...
  Transform transform;
  double lower;  ///< Bound of the working parameter; -infinity where there is none.
  double upper;  ///< +infinity where there is none.
};

/// Which way y runs: a time falls with more GPUs, a throughput rises. beta > 0 means faster in
/// both.
enum class Response { kTime, kRate };

/// A scaling law: a curve over x with named parameters.
///
/// A law is stated through its predictor: eta(x; theta) with working parameters theta. On
/// Scale::kLog the curve is exp(eta), on Scale::kOriginal it is eta itself.
class Law {
 public:
  virtual ~Law() = default;

  virtual std::string_view name() const = 0;
  /// The law as text, e.g. "t = alpha * N^(-beta)".
  virtual std::string_view formula(Response response) const = 0;
  virtual Scale scale() const = 0;
  virtual std::span<const ParameterSpec> parameters() const = 0;
  /// Whether eta is linear in theta: then the gradient is the design row and one QR solves the fit.
  virtual bool linear() const = 0;
  /// Whether the law takes ln x, so that x must be positive.
  virtual bool logarithmic_x() const = 0;

  /// eta(x; theta). theta has one value a parameter.
  virtual double predictor(double x, std::span<const double> theta, Response response) const = 0;
  /// d eta / d theta at x, written to `out` (one value a parameter).
  virtual void gradient(double x, std::span<const double> theta, Response response,
                        std::span<double> out) const = 0;
  /// Start values for an iterative fit; one or more, each with one value a parameter. Linear laws
  /// need none.
  virtual std::vector<std::vector<double>> starts(std::span<const Cell> cells,
                                                  Response response) const;
};

/// The law of that name: power, linear or proportional; nullptr if there is none.
const Law* find_law(std::string_view name);

/// The names of all laws, in the order of the documentation.
std::span<const std::string_view> law_names();

}  // namespace scalelaw
