// Fits as CSV or TSV: one row a group, every digit of every number.

#include <fmt/compile.h>
#include <fmt/format.h>

#include <algorithm>

#include "render/fit_columns.hpp"
#include "render/fit_writers.hpp"
#include "scalelaw/base/delimited.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

class DelimitedFitWriter final : public FitWriter {
 public:
  DelimitedFitWriter(const FitReport& report, const FitStyle& style, TextSink sink)
      : columns_(choose_fit_columns(report, style)),
        separator_(style.format == Format::kTsv ? '\t' : ','),
        out_(std::move(sink)) {
    write_header();
  }

  Figures figures() const override {
    Figures most = Figures::kEstimates;
    for (const FitColumn& column : columns_) most = std::max(most, figures_of(column.field));
    return most;
  }

  void write(const GroupFit& group) override {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) out_.text() += separator_;
      append_value(value_of(columns_[i], group, scratch_));
    }
    end_row();
  }

  void finish() override { out_.pass_on(); }

 private:
  void write_header() {
    for (std::size_t i = 0; i < columns_.size(); ++i) {
      if (i > 0) out_.text() += separator_;
      append_text(columns_[i].name);
    }
    end_row();
  }

  void append_value(const FitValue& value) {
    if (const double* number = std::get_if<double>(&value)) {
      append_exact(out_.text(), *number);
    } else if (const std::int64_t* count = std::get_if<std::int64_t>(&value)) {
      const fmt::format_int digits(*count);
      out_.text().append(digits.data(), digits.size());
    } else if (const std::string_view* text = std::get_if<std::string_view>(&value)) {
      append_text(*text);
    }
    if (columns_.size() == 1 && std::holds_alternative<std::monostate>(value)) append_text("");
  }

  void append_text(std::string_view text) {
    // A row of one empty field would be an empty line, which readers skip.
    if (columns_.size() == 1 && text.empty()) {
      out_.text() += "\"\"";
    } else {
      append_delimited(out_.text(), text, separator_);
    }
  }

  void end_row() {
    out_.text() += '\n';
    out_.pass_on_if_full();
  }

  std::vector<FitColumn> columns_;
  char separator_;
  BufferedText out_;
  std::string scratch_;
};

}  // namespace

std::unique_ptr<FitWriter> make_delimited_fit_writer(const FitReport& report, const FitStyle& style,
                                                     TextSink sink) {
  return std::make_unique<DelimitedFitWriter>(report, style, std::move(sink));
}

}  // namespace scalelaw
