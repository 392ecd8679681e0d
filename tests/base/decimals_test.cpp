#include "base/decimals.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/decimal.hpp"
#include "scalelaw/base/random.hpp"

namespace scalelaw {
namespace {

/// Rows of fields, with their ends, in memory that has no byte more than allowed.
class Rows {
 public:
  Rows(const std::vector<std::string>& fields, std::size_t stride, std::string_view line_end)
      : stride_(stride), line_end_(static_cast<std::uint32_t>(line_end.size())) {
    std::string text;
    ends_.push_back(-line_end_);
    for (std::size_t i = 0; i < fields.size(); ++i) {
      text += fields[i];
      ends_.push_back(static_cast<std::uint32_t>(text.size()));
      text += (i + 1) % stride == 0 ? line_end : ",";
    }
    bytes_ = std::make_unique_for_overwrite<char[]>(kDecimalLead + text.size());
    std::fill_n(bytes_.get(), kDecimalLead, '7');
    std::copy(text.begin(), text.end(), bytes_.get() + kDecimalLead);
  }

  IndexedColumn column(std::size_t place) const {
    return {bytes_.get() + kDecimalLead, ends_.data() + 1 + place, stride_,
            place == 0 ? line_end_ : 1};
  }
  std::size_t count() const { return (ends_.size() - 1) / stride_; }

 private:
  std::size_t stride_;
  std::uint32_t line_end_;
  std::vector<std::uint32_t> ends_;  ///< After one more, of the row before the first.
  std::unique_ptr<char[]> bytes_;
};

double one_by_one(const std::string& field) {
  return plain_decimal_by_digits(field.data(), field.data() + field.size());
}

bool same(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

/// Reads every column in each way that this processor has.
void expect_all_agree(const std::vector<std::string>& fields, std::size_t stride,
                      std::string_view line_end) {
  const Rows rows(fields, stride, line_end);
  for (std::size_t place = 0; place < stride; ++place) {
    std::vector<double> read(rows.count());
    std::vector<double> by_field(rows.count());
    const bool all = plain_decimals(rows.column(place), rows.count(), read.data());
    plain_decimals_by_field(rows.column(place), 0, rows.count(), by_field.data());
    bool are_numbers = true;
    for (std::size_t row = 0; row < rows.count(); ++row) {
      const std::string& field = fields[row * stride + place];
      const double expected = one_by_one(field);
      are_numbers &= !std::isnan(read[row]);
      // A decimal of sixteen characters is read or left.
      const bool may_leave = field.size() == 16;
      ASSERT_TRUE(same(read[row], expected) || (may_leave && std::isnan(read[row]))) << field;
      ASSERT_TRUE(same(by_field[row], expected) || (may_leave && std::isnan(by_field[row])))
          << field;
    }
    ASSERT_EQ(all, are_numbers);
  }
}

TEST(PlainDecimals, ReadsWholeNumbersAndDecimalsOfEachLength) {
  std::vector<std::string> fields;
  const std::string digits = "1234567890123456789";
  for (std::size_t length = 0; length <= 18; ++length) {
    for (std::size_t point = 0; point <= length; ++point) {
      std::string field = digits.substr(0, length);
      if (point < length) field[point] = '.';
      fields.push_back(field);
    }
  }
  expect_all_agree(fields, 1, "\n");
  while (fields.size() % 3 != 0) fields.emplace_back("0");
  expect_all_agree(fields, 3, "\r\n");
}

TEST(PlainDecimals, RefusesEverythingElseInEachLane) {
  for (const char* bad : {"",
                          ".",
                          ".5",
                          "-1",
                          "+1",
                          "1e3",
                          "1.2.3",
                          "1..2",
                          "1.2.",
                          " 1",
                          "1 ",
                          "x",
                          "1x",
                          "/",
                          ":",
                          "12:",
                          "1/2",
                          "1\r",
                          "nan",
                          "1234567890123456",
                          "12345678.12345.7",
                          "1.345678901.3456",
                          "123456789:",
                          ":23456789",
                          "12345678901234567890",
                          "1.2345678901234567",
                          "\xC2\xB2"}) {
    for (std::size_t lane = 0; lane < 8; ++lane) {
      std::vector<std::string> fields(19, "12.5");
      fields[lane] = bad;
      const Rows rows(fields, 1, "\n");
      std::vector<double> read(fields.size());
      EXPECT_FALSE(plain_decimals(rows.column(0), rows.count(), read.data())) << bad;
      for (std::size_t row = 0; row < fields.size(); ++row) {
        EXPECT_TRUE(row == lane ? std::isnan(read[row]) : read[row] == 12.5) << bad << ' ' << row;
      }
    }
  }
}

TEST(PlainDecimals, AgreesWithALoopOverDigitsOnRandomRows) {
  RandomStream random(7);
  const auto below = [&](std::size_t n) { return random.below(static_cast<std::uint32_t>(n)); };
  const std::string_view letters = "0123456789012345678901234567890123456789..-+eEx /:";
  for (int i = 0; i < 20'000; ++i) {
    const std::size_t stride = 1 + below(4);
    const std::size_t longest = below(2) == 0 ? 9 : 19;
    std::vector<std::string> fields(stride * below(20));
    for (std::string& field : fields) {
      const std::size_t kinds = below(12) == 0 ? letters.size() : 42;
      field.assign(below(longest), '0');
      for (char& c : field) c = letters[below(kinds)];
    }
    expect_all_agree(fields, stride, below(2) == 0 ? "\n" : "\r\n");
    if (HasFatalFailure()) return;
  }
}

TEST(PlainDecimals, VectorsDoAllRowsThatFillThem) {
  if (!has_wide_decimals()) GTEST_SKIP() << "this processor has no AVX-512";
  const Rows rows(std::vector<std::string>(21, "1303.052083"), 1, "\n");
  std::vector<double> read(21);
  const WideDecimals done = plain_decimals_wide(rows.column(0), rows.count(), read.data());
  EXPECT_EQ(done.rows, 16u);
  EXPECT_TRUE(done.all);
  for (std::size_t row = 0; row < 16; ++row) EXPECT_EQ(read[row], 1303.052083);
}

}  // namespace
}  // namespace scalelaw
