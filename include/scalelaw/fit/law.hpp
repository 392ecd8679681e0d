#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace scalelaw {

/// The scale on which a law is a curve with additive scatter.
enum class Scale {
  kLog,       ///< ln y = ln(curve) + scatter: the curve is the median of y.
  kOriginal,  ///< y = curve + scatter: the curve is the mean of y.
};

/// How a reported parameter follows from the estimated working parameter.
enum class Transform {
  kIdentity,
  kExp,  ///< reported = exp(working), a positive prefactor; so are the ends of its interval.
};

/// One parameter of a law.
struct ParameterSpec {
  std::string_view name;  ///< As in tables and JSON: "alpha", "beta", ...
  Transform transform = Transform::kIdentity;
  /// Bounds of the working parameter.
  double lower = -std::numeric_limits<double>::infinity();
  double upper = std::numeric_limits<double>::infinity();

  bool is_exponential() const { return transform == Transform::kExp; }
  double reported(double working) const { return is_exponential() ? std::exp(working) : working; }
  double working(double reported) const { return is_exponential() ? std::log(reported) : reported; }
};

/// What holds one parameter (fit/constraints.hpp); nothing, if the fit finds it.
struct Constraint {
  std::optional<double> value = {};          ///< It has this value, as reported.
  std::optional<std::size_t> equal_to = {};  ///< It equals that parameter.
};

/// A time falls with more GPUs, a throughput rises; beta > 0 means faster in both cases.
enum class Response { kTime, kRate };

/// How many times as fast all units of x together are, by the speedup of a response.
/// @param ratio  How many times as many units there are.
/// @param rate_of_one  The response is the rate of one of them, such as samples per second and GPU.
inline double speedup_of_all(double speedup, double ratio, bool rate_of_one) {
  return rate_of_one ? speedup * ratio : speedup;
}

/// A scaling law: a curve over x, or a surface over several x, with named parameters.
///
/// Its predictor eta(x; theta), with working parameters theta, states it. On Scale::kLog the curve
/// is exp(eta); on Scale::kOriginal it is eta itself.
class Law {
 public:
  Law();
  virtual ~Law() = default;

  /// Identifies a law, even among laws that lived at the same address in turn.
  std::uint64_t id() const { return id_; }
  virtual std::string_view name() const = 0;
  /// The law as text, e.g. "t = alpha * N^(-beta)".
  virtual std::string_view formula(Response response) const = 0;
  virtual Scale scale() const = 0;
  virtual std::span<const ParameterSpec> parameters() const = 0;
  /// A parameter that is held has no range of its own to descend in.
  virtual Constraint constraint(std::size_t /*parameter*/) const { return {}; }
  bool is_fitted(std::size_t parameter) const;
  /// How many parameters the fit finds.
  virtual std::size_t fitted_parameters() const { return parameters().size(); }
  /// Whether eta is linear in theta: its gradient is the design row, and one QR solves the fit.
  virtual bool linear() const = 0;
  /// Whether the law takes ln x, so that x must be positive.
  virtual bool logarithmic_x() const = 0;

  /// How many numbers x is: 1 for a curve over one scale, 2 for a surface over two, 3 for one over
  /// parameters, tokens and unique tokens.
  virtual std::size_t inputs() const { return 1; }

  /// eta(x; theta). x has inputs() values, and theta has one value per parameter.
  virtual double predictor(std::span<const double> x, std::span<const double> theta,
                           Response response) const = 0;
  /// The same. It also writes d eta / d theta at x to `out`, one value per parameter.
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

  /// Starts of an iterative fit: thetas of curves of different shapes for x in that range. Curves
  /// with the same second parameter form a row, and rows stand in its order. Rows that fit better
  /// than their neighbours may lead to minima. Linear laws start at their least squares of ln y
  /// instead.
  virtual std::vector<double> shapes(double x_min, double x_max) const;
  /// Multiplies the curve of theta by exp(log_factor), as a change in the unit of y does. False if
  /// theta has no such parameter; shapes are then used as they are.
  virtual bool rescale(std::span<double> theta, double log_factor, Response response) const;
  /// Index of the parameter that is ln x of a kink in the curve. The fit depends on it smoothly
  /// between two neighbouring x.
  virtual std::optional<std::size_t> kink() const { return std::nullopt; }

 private:
  std::uint64_t id_;
};

/// The law with that name; nullptr if there is none.
const Law* find_law(std::string_view name);

/// The names of the laws of `inputs` x (1 to 3), in the order of the documentation.
std::span<const std::string_view> law_names(std::size_t inputs = 1);

}  // namespace scalelaw
