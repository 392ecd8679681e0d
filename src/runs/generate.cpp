#include "scalelaw/runs/generate.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "scalelaw/base/delimited.hpp"
#include "scalelaw/base/error.hpp"
#include "scalelaw/base/number.hpp"
#include "scalelaw/base/random.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/input/csv.hpp"
#include "scalelaw/input/source.hpp"

namespace scalelaw {
namespace {

/// Where the columns of a law table stand.
struct LawColumns {
  std::size_t alpha;
  std::size_t beta;
  std::optional<std::size_t> gamma;
  std::vector<std::size_t> group;
};

std::size_t needed_column(const Header& header, std::string_view name, std::string_view source) {
  const auto found = find_column(header, name, source);
  if (found) return *found;
  throw DataError(
      fmt::format("{}: no column '{}'; columns are: {}", source, name, joined(header.names)));
}

LawColumns law_columns(const Header& header, std::string_view source) {
  LawColumns columns{.alpha = needed_column(header, "alpha", source),
                     .beta = needed_column(header, "beta", source),
                     .gamma = find_column(header, "gamma", source),
                     .group = {}};
  for (std::size_t i = 0; i < header.names.size(); ++i) {
    if (i != columns.alpha && i != columns.beta && i != columns.gamma) columns.group.push_back(i);
  }
  return columns;
}

/// One row of a law table with its place, for messages.
struct LawRow {
  std::string_view source;
  std::uint64_t line;
  const Header& header;
  std::vector<std::string> fields;

  double number(std::size_t column) const {
    if (const auto value = parse_number(trimmed(fields[column]))) return *value;
    fail(column, "a number");
  }
  [[noreturn]] void fail(std::size_t column, std::string_view expected) const {
    throw ParseError(source, line,
                     fmt::format("field {} '{}': expected {}, found \"{}\"", column + 1,
                                 header.names[column], expected, fields[column]));
  }
};

GroupLaw law_in(const LawRow& row, const LawColumns& columns) {
  GroupLaw law{.group = {}, .alpha = row.number(columns.alpha), .beta = row.number(columns.beta)};
  if (!(law.alpha > 0)) row.fail(columns.alpha, "a number > 0");
  if (columns.gamma) law.gamma = row.number(*columns.gamma);
  if (law.gamma < 0) row.fail(*columns.gamma, "a number >= 0");
  for (const std::size_t column : columns.group) law.group.push_back(row.fields[column]);
  return law;
}

std::vector<std::string> fields_of(std::string_view line, const Header& header,
                                   std::string_view source, std::uint64_t line_number) {
  std::vector<std::string_view> raw;
  tokenize(line, header.separator, raw);
  if (raw.size() != header.names.size()) {
    throw ParseError(source, line_number,
                     fmt::format("expected {} fields, found {}", header.names.size(), raw.size()));
  }
  std::vector<std::string> fields;
  std::string scratch;
  for (const std::string_view field : raw) {
    if (const auto defect = field_defect(field)) {
      throw ParseError(source, line_number, description_of(*defect));
    }
    fields.emplace_back(field_text(field, scratch));
  }
  return fields;
}

std::string whole_text(const std::string& path) {
  const InputFile file(path);
  const auto stream = open_stream(file);
  std::string text;
  char block[16 * 1024];
  while (const std::size_t count = stream->read(block, sizeof block)) text.append(block, count);
  return text;
}

std::string joined_key(const GroupKey& group) { return joined(group, "\x1f"); }

void append_group(std::string& out, const GroupKey& group) {
  for (const std::string& value : group) {
    append_delimited(out, value, ',');
    out += ',';
  }
}

}  // namespace

LawTable parse_law_table(std::string_view csv, std::string_view source) {
  const auto header = parse_header(csv, true, source);
  if (!header) throw DataError(fmt::format("{}: no header", source));
  const LawColumns columns = law_columns(*header, source);
  LawTable table;
  for (const std::size_t column : columns.group) table.by.push_back(header->names[column]);
  std::uint64_t line_number = header->lines + 1;
  std::string_view rest = csv.substr(header->end);
  while (!rest.empty()) {
    const std::size_t end = std::min(row_end(rest), rest.size());
    std::string_view line = rest.substr(0, end);
    rest.remove_prefix(std::min(end + 1, rest.size()));
    if (!is_skipped_line(line.data(), line.data() + line.size())) {
      if (line.back() == '\r') line.remove_suffix(1);
      const LawRow row{source, line_number, *header, fields_of(line, *header, source, line_number)};
      table.laws.push_back(law_in(row, columns));
    }
    line_number += 1 + static_cast<std::uint64_t>(std::count(line.begin(), line.end(), '\n'));
  }
  if (table.laws.empty()) throw DataError(fmt::format("{}: no law below the header", source));
  return table;
}

LawTable read_law_table(const std::string& path) {
  return parse_law_table(whole_text(path), input_name(path));
}

EpochSeconds::EpochSeconds(const GroupLaw& law, std::uint64_t gpus, const StudyPlan& plan)
    : random_(plan.seed, stable_hash(joined_key(law.group)), gpus),
      curve_(law.alpha * std::pow(static_cast<double>(gpus), -law.beta) + law.gamma),
      noise_(plan.noise) {}

double EpochSeconds::operator()() { return curve_ * std::exp(noise_ * random_.normal()); }

void generate_runs(const LawTable& laws, const StudyPlan& plan,
                   const std::function<void(std::string_view)>& sink) {
  std::string text;
  append_group(text, laws.by);
  text += "gpus,replicate,epoch_seconds\n";
  for (const GroupLaw& law : laws.laws) {
    for (const std::uint64_t gpus : plan.gpus) {
      EpochSeconds seconds(law, gpus, plan);
      for (std::uint32_t replicate = 1; replicate <= plan.replicates; ++replicate) {
        append_group(text, law.group);
        fmt::format_to(std::back_inserter(text), "{},{},{:.7g}\n", gpus, replicate, seconds());
      }
      sink(text);
      text.clear();
    }
  }
}

}  // namespace scalelaw
