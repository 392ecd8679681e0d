#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/base/names.hpp"
#include "scalelaw/runs/column_names.hpp"

namespace scalelaw {

class TableProfile;

/// What kind of thing the numbers of a column are.
enum class Kind {
  kOther,
  kTime,
  kRate,   ///< Work per time, or a speedup.
  kLoss,   ///< Of a model; error rates as well.
  kShare,  ///< Of a whole, or a score: an efficiency, a utilisation, an accuracy.
  kEnergy,
  kPower,
  kMemory,
  kCount,
  kPrice,
};

/// What work a number is of.
enum class WorkUnit { kUnknown, kStep, kEpoch, kRun, kSample, kToken };

/// Whose number it is.
enum class Owner { kUnknown, kGpu, kNode, kAll };

/// Which way it gets better.
enum class Better { kUnknown, kLess, kMore };

std::string_view name_of(Kind kind);
std::string_view name_of(WorkUnit unit);
std::string_view name_of(Owner owner);
std::string_view name_of(Better better);

/// What the numbers of a column are about: made once of a table, by names, units and values, and
/// obeyed by every command.
struct Quantity {
  Kind kind = Kind::kOther;
  std::string unit = {};  ///< As it is known: "s", "tokens/s"; empty where nothing tells it.
  WorkUnit of = WorkUnit::kUnknown;  ///< A time, an energy: of one such thing; a rate: of many.
  std::string things = {};           ///< What a rate counts, in the plural: "tokens", "images".
  double multiple = 1;  ///< Of the work that one of it is of: 1000 of "kTok/s", "s/1000 steps".
  /// Seconds in the unit of a time, or in the time that a rate is per; empty if nothing tells it.
  std::optional<double> seconds = {};
  Owner whose = Owner::kUnknown;
  Better better = Better::kUnknown;
  /// Columns of the work that a step or run has, by which a rate is multiplied: "global_batch".
  std::vector<std::string> factors = {};
  std::vector<std::string> divisors = {};  ///< Columns by which it is divided, such as the scale.
  bool inverse = false;  ///< The column is a time, which stands below the work: work / time.
  std::vector<std::string> why = {};  ///< What told it, in clauses: "its name says rate".

  bool is_product() const { return inverse || !factors.empty() || !divisors.empty(); }
  /// Whether it is the rate of one unit of the scale, so that all units have x times as much.
  bool is_of_one() const { return whose == Owner::kGpu || whose == Owner::kNode; }

  bool operator==(const Quantity&) const = default;
};

/// What the user said of the response. What is empty stays as the table tells it.
struct ToldQuantity {
  std::optional<Kind> kind = {};  ///< A time or a rate.
  std::string unit = {};
  std::optional<Owner> whose = {};  ///< One GPU, or all.
  std::optional<Better> better = {};
  std::optional<WorkUnit> work = {};  ///< It is to be per unit of this work, or a rate of it.
};

/// What a column is about by its name.
/// @param unit  Of its cells, if that is known.
/// @param x     The scale, whose units a rate may be of; empty without one.
Quantity quantity_of(std::string_view header, std::string_view unit = {}, std::string_view x = {});

/// The same with what the user said of it.
/// @throws DataError if that contradicts itself, or a unit is told that the column does not have.
Quantity quantity_as_told(Quantity quantity, const ToldQuantity& told, std::string_view column);

/// The columns whose product says how much of a work, such as samples, is in what a response is of,
/// such as a step; none if it is of that already, nothing if the table does not tell them.
/// @param x  The scale, by which the batch of one device is multiplied; empty without one.
std::optional<std::vector<std::string>> columns_of_work(const TableProfile& profile,
                                                        const Quantity& from, WorkUnit to,
                                                        const std::string& x);

/// How many GPUs each node has, if the one column that says it has one value.
std::optional<double> gpus_of_node(const TableProfile& profile);

/// Whether a job of such work may be told from a response as it is. A job of tokens may as well be
/// one of what the rate counts.
bool is_of_work(const Quantity& quantity, WorkUnit work);

/// A response with the columns that it is multiplied or divided by.
struct Product {
  std::string y;  ///< The column that tells a time or a rate.
  std::vector<std::string> factors = {};
  std::vector<std::string> divisors = {};
  bool inverse = false;  ///< y is a divisor.
};

/// The columns of "it/s * global_batch / gpus" or "global_batch / step_time / gpus", with signs
/// between blanks; another name is one column.
Product parse_product(const std::string& name);

/// The rate of all, where `y` is that of a node, replica or the like and `x` counts other things,
/// by the column that counts the nodes or the GPUs of one; empty if there is none.
std::optional<Product> product_of_all(const TableProfile& profile, const std::string& y,
                                      const std::string& x);

/// That name; the column alone where it is no product.
std::string name_of_product(const Product& product);

/// "a rate of steps", "a time of one epoch in s", "a rate of tokens of one GPU".
std::string description_of(const Quantity& quantity);

}  // namespace scalelaw
