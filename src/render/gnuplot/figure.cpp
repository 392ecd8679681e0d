#include "scalelaw/render/figure.hpp"

#include <fmt/format.h>
#include <gnuplot-iostream.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "scalelaw/base/error.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

extern char** environ;

namespace scalelaw {
namespace {

constexpr int kCurvePoints = 120;

// Okabe and Ito (2008): told apart by colour-blind readers; their yellow is replaced by grey, which
// prints.
constexpr std::array<std::string_view, 8> kColours{"#0072B2", "#D55E00", "#009E73", "#CC79A7",
                                                   "#E69F00", "#56B4E9", "#000000", "#888888"};

constexpr std::string_view kHarmless =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789 .,:_()=+/-";

bool is_harmless(char c) {
  return static_cast<unsigned char>(c) >= 0x80 || kHarmless.find(c) != std::string_view::npos;
}

/// A string of gnuplot's. What could end it, be replaced or be run (backquotes, @) is written as an
/// octal escape; single quotes would need none, but gnuplot 5.4 misreads one that begins with a
/// quote.
std::string gnuplot_text(std::string_view text) {
  std::string out = "\"";
  for (const char c : printable(text)) {
    if (is_harmless(c)) {
      out += c;
    } else {
      out += fmt::format("\\{:03o}", static_cast<unsigned>(static_cast<unsigned char>(c)));
    }
  }
  return out + "\"";
}

struct Range {
  double least;
  double greatest;
};

/// The range of one coordinate over all points and curves; nothing drawn: 1 to 10.
Range range_of(const ScalingFigure& figure, std::vector<double> FigureSeries::*points,
               std::vector<double> FigureSeries::*curve) {
  std::vector<double> all;
  for (const FigureSeries& series : figure.series) {
    all.insert(all.end(), (series.*points).begin(), (series.*points).end());
    all.insert(all.end(), (series.*curve).begin(), (series.*curve).end());
  }
  if (all.empty()) return {1, 10};
  const auto [least, greatest] = std::minmax_element(all.begin(), all.end());
  return {*least, *greatest};
}

/// A little room beyond the outermost points.
Range widened(Range range) {
  const double factor = std::pow(range.greatest / range.least, 0.04) * 1.05;
  return {range.least / factor, range.greatest * factor};
}

std::string ticks_text(const std::vector<double>& ticks) {
  std::vector<std::string> texts;
  texts.reserve(ticks.size());
  for (const double tick : ticks) {
    texts.push_back(fmt::format("'{}' {:.17g}", with_significant_digits(tick, 1), tick));
  }
  return fmt::format("({})", joined(texts));
}

/// Powers of two, as numbers of GPUs are counted; every second or third of them on a long axis.
std::vector<double> powers_of_two(Range range) {
  const int first = static_cast<int>(std::ceil(std::log2(range.least) - 1e-9));
  const int last = static_cast<int>(std::floor(std::log2(range.greatest) + 1e-9));
  const int step = 1 + (last - first) / 12;
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; exponent += step) {
    ticks.push_back(std::ldexp(1.0, exponent));
  }
  return ticks;
}

/// 1, 2, 5, 10, ... over a few decades, 1, 10, 100, ... over many.
std::vector<double> round_numbers(Range range) {
  const int first = static_cast<int>(std::floor(std::log10(range.least)));
  const int last = static_cast<int>(std::floor(std::log10(range.greatest)));
  std::vector<double> ticks;
  for (int exponent = first; exponent <= last; ++exponent) {
    for (const double factor : {1.0, 2.0, 5.0}) {
      const double tick = factor * std::pow(10.0, exponent);
      const bool wanted = factor == 1 || last - first < 4;
      if (wanted && tick >= range.least && tick <= range.greatest) ticks.push_back(tick);
    }
  }
  return ticks;
}

void set_terminal(Gnuplot& gnuplot, FigureFormat format, const TerminalSize& terminal,
                  bool colour) {
  switch (format) {
    case FigureFormat::kTerminal:
      gnuplot << "set terminal dumb size " << terminal.columns << ',' << terminal.rows
              << (colour ? " ansi256" : " mono") << " noenhanced\n";
      break;
    case FigureFormat::kSvg:
      gnuplot << "set terminal svg size 900,600 dynamic noenhanced background rgb 'white' font "
                 "'sans-serif,14'\n";
      break;
    case FigureFormat::kPdf:
      gnuplot << "set terminal pdfcairo size 18cm,12cm noenhanced font 'sans,11'\n";
      break;
    case FigureFormat::kPng:
      gnuplot << "set terminal pngcairo size 1350,900 noenhanced font 'sans,15'\n";
      break;
    case FigureFormat::kGnuplot:
      gnuplot << "# gnuplot -p FILE draws this figure.\n";
      break;
  }
}

void set_axes(Gnuplot& gnuplot, const ScalingFigure& figure) {
  gnuplot << "set encoding utf8\n"
          << "set xlabel " << gnuplot_text(figure.x_label) << " noenhanced\n"
          << "set ylabel " << gnuplot_text(figure.y_label) << " noenhanced\n";
  if (!figure.log_axes) return;
  const Range x = widened(range_of(figure, &FigureSeries::x, &FigureSeries::curve_x));
  const Range y = widened(range_of(figure, &FigureSeries::y, &FigureSeries::curve_y));
  gnuplot << fmt::format(
                 "set logscale xy\nset xrange [{:.17g}:{:.17g}]\nset yrange [{:.17g}:{:.17g}]\n",
                 x.least, x.greatest, y.least, y.greatest)
          << "set xtics " << ticks_text(powers_of_two(x)) << "\n"
          << "set ytics " << ticks_text(round_numbers(y)) << "\n";
}

using Points = std::vector<std::pair<double, double>>;

Points pairs(const std::vector<double>& x, const std::vector<double>& y) {
  Points points;
  for (std::size_t i = 0; i < x.size(); ++i) points.emplace_back(x[i], y[i]);
  return points;
}

std::string_view colour_of(std::size_t series) { return kColours[series % kColours.size()]; }

/// The letter that stands for a series in a terminal.
char letter_of(std::size_t series) { return static_cast<char>('A' + series % 26); }

/// Curves under points, each series in its own colour. In a terminal a curve is a row of dots and a
/// point a letter: what gnuplot chooses for several lines cannot be told apart there.
void plot(Gnuplot& gnuplot, const ScalingFigure& figure, bool in_terminal) {
  std::vector<std::string> parts;
  std::vector<Points> data;
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const FigureSeries& series = figure.series[i];
    if (series.curve_x.empty()) continue;
    parts.push_back(fmt::format("'-' {} lc rgb '{}' notitle",
                                in_terminal ? "with points pt '.'" : "with lines lw 2",
                                colour_of(i)));
    data.push_back(pairs(series.curve_x, series.curve_y));
  }
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    const std::string mark =
        in_terminal ? fmt::format("pt '{}'", letter_of(i)) : fmt::format("pt {} ps 1.2", 5 + i % 9);
    parts.push_back(fmt::format("'-' with points {} lc rgb '{}' title {} noenhanced", mark,
                                colour_of(i), gnuplot_text(figure.series[i].label)));
    data.push_back(pairs(figure.series[i].x, figure.series[i].y));
  }
  gnuplot << "plot " << joined(parts, ", \\\n     ") << "\n";
  for (const Points& points : data) gnuplot.send1d(points);
}

void write_script(Gnuplot& gnuplot, const ScalingFigure& figure, FigureFormat format,
                  const TerminalSize& terminal, bool colour) {
  const bool in_terminal = format == FigureFormat::kTerminal;
  set_terminal(gnuplot, format, terminal, colour);
  if (in_terminal) {
    gnuplot << "unset key\n";
  } else {
    gnuplot << "set grid lc rgb '#DDDDDD' lt 1\n"
            << "set key below Left reverse maxcols 2 samplen 2 noenhanced title "
            << gnuplot_text(figure.legend) << " noenhanced\n";
  }
  set_axes(gnuplot, figure);
  plot(gnuplot, figure, in_terminal);
}

using File = std::unique_ptr<std::FILE, decltype(&std::fclose)>;

File temporary_file() {
  File file(std::tmpfile(), &std::fclose);
  if (!file) throw DataError("cannot make a temporary file for gnuplot");
  return file;
}

std::string contents(std::FILE* file) {
  std::rewind(file);
  std::string text;
  char block[16 * 1024];
  while (const std::size_t count = std::fread(block, 1, sizeof block, file)) {
    text.append(block, count);
  }
  return text;
}

/// The script, through a second handle of the file: Gnuplot closes its own.
File script_of(const ScalingFigure& figure, FigureFormat format, const TerminalSize& terminal,
               bool colour) {
  File script = temporary_file();
  Gnuplot gnuplot(::fdopen(::dup(::fileno(script.get())), "w"));
  write_script(gnuplot, figure, format, terminal, colour);
  if (!gnuplot.flush()) throw DataError("cannot write the script for gnuplot");
  return script;
}

[[noreturn]] void throw_not_started(int error_number) {
  if (error_number == ENOENT) {
    throw DataError("gnuplot is not installed; on Debian: apt install gnuplot-nox");
  }
  throw DataError(
      fmt::format("cannot start gnuplot: {}", std::generic_category().message(error_number)));
}

/// Runs gnuplot from file to file: no shell, no pipe that both ends could wait for. Returns whether
/// it succeeded.
bool run_gnuplot(std::FILE* script, std::FILE* result, std::FILE* complaints) {
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  int descriptor = 0;
  for (std::FILE* file : {script, result, complaints}) {
    posix_spawn_file_actions_adddup2(&actions, ::fileno(file), descriptor++);
  }
  // Without the user's own start-up file: the same figure everywhere.
  std::string name = "gnuplot";
  std::string option = "--default-settings";
  char* const words[] = {name.data(), option.data(), nullptr};
  ::lseek(::fileno(script), 0, SEEK_SET);
  pid_t process = 0;
  const int error = ::posix_spawnp(&process, "gnuplot", &actions, nullptr, words, environ);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw_not_started(error);
  int status = 0;
  while (::waitpid(process, &status, 0) < 0 && errno == EINTR) continue;
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

/// gnuplot repeats the command and points at a place before it says what is wrong.
std::string last_line_with_text(const std::string& text) {
  std::string last = "no reason given";
  for (const std::string& line : split(text, '\n')) {
    if (line.find_first_not_of(" ^") != std::string::npos) last = printable(line);
  }
  return last;
}

std::string drawn(std::FILE* script) {
  const File result = temporary_file();
  const File complaints = temporary_file();
  const bool done = run_gnuplot(script, result.get(), complaints.get());
  std::string bytes = contents(result.get());
  if (done && !bytes.empty()) return bytes;
  throw DataError(
      fmt::format("gnuplot cannot draw this: {}", last_line_with_text(contents(complaints.get()))));
}

/// gnuplot's form feed and empty lines around the drawing, and blanks at the end of lines, are no
/// part of it.
std::string without_margins(const std::string& drawing) {
  std::string out;
  std::size_t empty_lines = 0;
  for (std::size_t begin = 0; begin < drawing.size();) {
    const std::size_t end = std::min(drawing.find('\n', begin), drawing.size());
    const std::string_view line = std::string_view(drawing).substr(begin, end - begin);
    const std::size_t length = line.find_last_not_of(" \f") + 1;  // npos + 1 is 0.
    begin = end + 1;
    if (length == 0) {
      ++empty_lines;
      continue;
    }
    if (!out.empty()) out.append(empty_lines, '\n');
    empty_lines = 0;
    out += line.substr(line.find_first_not_of('\f'), length);
    out += '\n';
  }
  return out;
}

std::string terminal_legend(const ScalingFigure& figure) {
  std::string out;
  if (!figure.legend.empty()) out += fmt::format("     {}\n", printable(figure.legend));
  for (std::size_t i = 0; i < figure.series.size(); ++i) {
    out += fmt::format("  {}  {}\n", letter_of(i), printable(figure.series[i].label));
  }
  return out;
}

}  // namespace

FigureSeries figure_series(std::string label, std::span<const Cell> cells, const GroupFit& fit) {
  FigureSeries series;
  series.label = std::move(label);
  std::uint64_t rows = 0;  // At the last x.
  for (const Cell& cell : cells) {
    if (series.x.empty() || cell.x != series.x.back()) {
      series.x.push_back(cell.x);
      series.y.push_back(cell.mean);
      rows = cell.count;
    } else {
      rows += cell.count;
      series.y.back() += (cell.mean - series.y.back()) * static_cast<double>(cell.count) /
                         static_cast<double>(rows);
    }
  }
  const Fit* law = std::get_if<Fit>(&fit.result);
  if (law == nullptr) return series;
  const bool logarithmic = law->law->logarithmic_x();
  for (int i = 0; i <= kCurvePoints; ++i) {
    const double part = static_cast<double>(i) / kCurvePoints;
    series.curve_x.push_back(logarithmic ? law->x_min * std::pow(law->x_max / law->x_min, part)
                                         : law->x_min + part * (law->x_max - law->x_min));
    series.curve_y.push_back(law->curve(series.curve_x.back()));
  }
  return series;
}

std::string render_figure(const ScalingFigure& figure, FigureFormat format,
                          const TerminalSize& terminal, bool colour) {
  const File script = script_of(figure, format, terminal, colour);
  if (format == FigureFormat::kGnuplot) return contents(script.get());
  if (format != FigureFormat::kTerminal) return drawn(script.get());
  // gnuplot leaves out the label of the second axis, which it would have to write upwards.
  return fmt::format("  {}\n{}\n{}", printable(figure.y_label),
                     without_margins(drawn(script.get())), terminal_legend(figure));
}

}  // namespace scalelaw
