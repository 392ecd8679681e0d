#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

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

/// A scaling law: a curve over x, or a surface over several x, with named parameters.
///
/// A law is stated through its predictor: eta(x; theta) with working parameters theta. On
/// Scale::kLog the curve is exp(eta), on Scale::kOriginal it is eta itself.
class Law {
 public:
  Law();
  virtual ~Law() = default;

  /// Tells laws apart, also those that stood at one address one after the other.
  std::uint64_t id() const { return id_; }
  virtual std::string_view name() const = 0;
  /// The law as text, e.g. "t = alpha * N^(-beta)".
  virtual std::string_view formula(Response response) const = 0;
  virtual Scale scale() const = 0;
  virtual std::span<const ParameterSpec> parameters() const = 0;
  /// Whether eta is linear in theta: then the gradient is the design row and one QR solves the fit.
  virtual bool linear() const = 0;
  /// Whether the law takes ln x, so that x must be positive.
  virtual bool logarithmic_x() const = 0;

  /// How many numbers x is: 1 for a curve over one scale, 2 for a surface over two.
  virtual std::size_t inputs() const { return 1; }

  /// eta(x; theta). x has inputs() values, theta one a parameter.
  virtual double predictor(std::span<const double> x, std::span<const double> theta,
                           Response response) const = 0;
  /// The same; d eta / d theta at x goes to `out` (one value a parameter) besides.
  virtual double gradient(std::span<const double> x, std::span<const double> theta,
                          Response response, std::span<double> out) const = 0;
  /// The same for laws of one x.
  double predictor(double x, std::span<const double> theta, Response response) const {
    return predictor({&x, 1}, theta, response);
  }
  double gradient(double x, std::span<const double> theta, Response response,
                  std::span<double> out) const {
    return gradient({&x, 1}, theta, response, out);
  }

  /// Where an iterative fit may start: thetas of curves of different shape for x in that range, one
  /// after the other, in rows of one value of the second parameter. Rows stand in its order: those
  /// that fit better than their neighbours are where minima are looked for. Linear laws need none,
  /// for they start at their least squares of ln y.
  virtual std::vector<double> shapes(double x_min, double x_max) const;
  /// Turns theta into that of exp(log_factor) times its curve, as a change of the unit of y does;
  /// false if theta has no such parameter. Then shapes are taken as they are.
  virtual bool rescale(std::span<double> theta, double log_factor, Response response) const;
  /// Index of the parameter that is ln x of a kink of the curve; between two neighbouring x the fit
  /// is smooth in it.
  virtual std::optional<std::size_t> kink() const { return std::nullopt; }

 private:
  std::uint64_t id_;
};

/// The law of that name; nullptr if there is none.
const Law* find_law(std::string_view name);

/// The names of the laws of so many x (1 or 2), in the order of the documentation.
std::span<const std::string_view> law_names(std::size_t inputs = 1);

}  // namespace scalelaw
