#pragma once

#include <algorithm>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include <fmt/format.h>

#include "scalelaw/base/random.hpp"

namespace scalelaw::test {

/// A run table of random form: column order, separator, widths of group values, line ends, blanks,
/// odd spellings of numbers, missing cells, comments, blank lines, quotes.
class RandomTable {
 public:
  struct Plan {
    std::uint64_t seed = 1;
    std::size_t rows = 500;
    bool bad_rows = false;
    bool runs_and_weights = false;  ///< Adds the columns job and w.
  };

  explicit RandomTable(const Plan& plan) : plan_(plan), random_(plan.seed) {
    group_columns = random_.below(4);
    separator_ = chance(0.2) ? '\t' : ',';
    carriage_returns_ = chance(0.3) ? 1 : chance(0.1) ? 0.5 : 0;
    quotes_ = chance(0.4) ? 0 : chance(0.5) ? 0.002 : 0.3;
    blanks_ = chance(0.5) ? 0 : 0.2;
    odd_numbers_ = chance(0.5) ? 0 : 0.3;
    missing_ = chance(0.5) ? 0 : 0.02;
    between_ = chance(0.5) ? 0 : 0.02;
    choose_columns();
    choose_values();
    for (std::size_t row = 0; row < plan_.rows; ++row) rows_.push_back(random_row());
  }

  /// The table, or some of its rows under their own header.
  std::string text() const { return text(0, rows_.size()); }
  std::string text(std::size_t from, std::size_t to) const {
    std::string out = header_;
    for (std::size_t row = from; row < to; ++row) out += rows_[row];
    return out;
  }
  std::size_t size() const { return rows_.size(); }
  void shuffle() {
    for (std::size_t i = rows_.size(); i > 1; --i) {
      std::swap(rows_[i - 1], rows_[random_.below(static_cast<std::uint32_t>(i))]);
    }
  }
  /// The group columns, in another order than in the table.
  std::vector<std::string> by() const {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < group_columns; ++i)
      names.push_back(group_name(group_columns - 1 - i));
    return names;
  }

  std::size_t group_columns = 0;

 private:
  static std::string group_name(std::size_t i) {
    return std::string("g") + static_cast<char>('0' + i);
  }
  bool chance(double probability) { return random_.uniform() < probability; }
  std::size_t below(std::size_t n) { return random_.below(static_cast<std::uint32_t>(n)); }
  template <class Choices>
  auto one_of(const Choices& choices) {
    return choices[below(std::size(choices))];
  }

  void choose_columns() {
    columns_ = {"n", "t"};
    for (std::size_t i = 0; i < group_columns; ++i) columns_.push_back(group_name(i));
    if (plan_.runs_and_weights) columns_.insert(columns_.end(), {"job", "w"});
    const std::size_t notes = below(3);
    for (std::size_t i = 0; i < notes; ++i) columns_.push_back("note");
    for (std::size_t i = columns_.size(); i > 1; --i)
      std::swap(columns_[i - 1], columns_[below(i)]);
    if (chance(0.2)) header_ += "\xEF\xBB\xBF";
    if (chance(0.2)) header_ += "# a comment before the header, 5\" wide\n";
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) header_ += separator_;
      header_ += chance(0.1) ? '"' + columns_[i] + '"' : columns_[i];
    }
    header_ += line_end();
  }

  void choose_values() {
    for (std::size_t i = 0; i < group_columns; ++i) {
      std::vector<std::string> values(1 + below(4));
      for (auto& value : values) value = random_name();
      group_values_.push_back(std::move(values));
    }
    const std::size_t scales = 1 + below(8);
    for (std::size_t i = 0; i < scales; ++i) scales_.push_back(1u << below(11));
  }

  std::string random_name() {
    static constexpr std::string_view kPieces[] = {"BERT",     "ResNet", "-", "50", " ",
                                                   "\xC3\xA9", "a",      "#", "x"};
    if (chance(0.3)) return fmt::format("{}", one_of(std::vector{100, 150, 250, 1380}));
    const std::size_t length = chance(0.2) ? 20 + below(41) : 1 + below(12);
    std::string name = "m";  // So that it begins neither as a comment nor blank.
    while (name.size() < length) name += one_of(kPieces);
    return name + '.';
  }

  std::string line_end() { return chance(carriage_returns_) ? "\r\n" : "\n"; }

  std::string random_scale() {
    const auto n = one_of(scales_);
    if (!chance(odd_numbers_)) return std::to_string(n);
    switch (below(5)) {
      case 0:
        return fmt::format("{}.0", n);
      case 1:
        return fmt::format("{}.", n);
      case 2:
        return fmt::format("+{}", n);
      case 3:
        return fmt::format("0{}", n);
      default:
        return fmt::format("{}e0", n);
    }
  }

  std::string random_time() {
    const double t = std::exp(3 * random_.normal()) * 10;
    if (!chance(odd_numbers_)) return fmt::format("{:.4f}", t + 1e-4);
    switch (below(6)) {
      case 0:
        return fmt::format("{}", t);
      case 1:
        return fmt::format("{:.17e}", t);
      case 2:
        return fmt::format("{:.0f}.", t + 1);
      case 3:
        return fmt::format(".{:03}", 1 + below(999));
      case 4:
        return fmt::format("{:.12f}", t + 1);
      default:
        return fmt::format("+{:.20f}", t + 1);
    }
  }

  std::string cell(const std::string& column) {
    static constexpr std::string_view kMissing[] = {
        "", "NA", "n/a", "[N/A]", "NaN", "null", "[Not Supported]"};
    static constexpr std::string_view kBad[] = {"-1",    "0",     "0.0", "x",
                                                "1.5.2", "1e999", "inf", "1,5"};
    const bool number = column == "n" || column == "t" || column == "w";
    if (column != "note" && chance(missing_)) return std::string(one_of(kMissing));
    if (plan_.bad_rows && number && chance(0.01)) return std::string(one_of(kBad));
    if (column == "n") return random_scale();
    if (column == "t") return random_time();
    if (column == "w") return fmt::format("{}", 1 + below(5));
    if (column == "job") return fmt::format("j{}", below(30));
    if (column == "note") return std::string(below(30), 'x');
    return one_of(group_values_[static_cast<std::size_t>(column[1] - '0')]);
  }

  /// The field as written in the row: quoted, or with blanks around it.
  std::string field(const std::string& column) {
    std::string text = cell(column);
    const bool must = text.find(separator_) != std::string::npos;
    if (!must && !chance(quotes_)) {
      if (chance(blanks_)) text.insert(0, 1 + below(2), ' ');
      if (chance(blanks_)) text.append(1 + below(2), ' ');
      return text;
    }
    if (column == "note" && chance(0.5)) text += "\n# \"\"inside\"\"\n";
    return '"' + text + '"';
  }

  std::string random_row() {
    std::string row;
    if (chance(between_)) row += "# it's a comment, with \"one quote\n";
    if (chance(between_)) row += line_end();
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) row += separator_;
      row += field(columns_[i]);
    }
    if (plan_.bad_rows && chance(0.01))
      row += one_of(std::vector<std::string>{",,\t\t", "\"", " x\"y"});
    return row + line_end();
  }

  Plan plan_;
  RandomStream random_;
  char separator_;
  double carriage_returns_;
  double quotes_;
  double blanks_;
  double odd_numbers_;
  double missing_;
  double between_;
  std::vector<std::string> columns_;
  std::vector<std::vector<std::string>> group_values_;
  std::vector<unsigned> scales_;
  std::string header_;
  std::vector<std::string> rows_;
};

}  // namespace scalelaw::test
