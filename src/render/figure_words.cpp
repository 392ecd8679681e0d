#include "render/figure_words.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/ranges.hpp"
#include "scalelaw/base/text.hpp"

namespace scalelaw {
namespace {

struct WordBox {
  double left;
  double right;
  double bottom;
  double top;
};

struct Spot {
  double x;
  double y;
};

constexpr double kOfEdge = 1e4;  // What a place costs that leaves the panel.

/// What is drawn already, and how much of it a box would hide.
class Crowd {
 public:
  explicit Crowd(LetterSize size) : size_(size) {}

  void add(double x, double y) { ink_.push_back({x, y}); }
  /// A point that words may be of.
  void add_point(Spot at) { points_.push_back(at); }
  void add(const WordBox& words) { words_.push_back(words); }

  /// How bad a place is: other words are worse than anything, then what leaves the panel.
  double cost_of(const WordBox& box) const {
    constexpr double kOfWords = 1e6;
    double cost = 0;
    for (const WordBox& other : words_) {
      // Numbers in one line need a gap: "4" and "2" are no "42".
      const bool apart = box.right + size_.column <= other.left + 1e-9 ||
                         other.right + size_.column <= box.left + 1e-9 || box.top <= other.bottom ||
                         other.top <= box.bottom;
      cost += apart ? 0 : kOfWords;
    }
    constexpr double kSlack = 1e-6;
    if (box.left < -kSlack || box.right > 1 + kSlack) cost += kOfEdge;
    if (box.bottom < -kSlack || box.top > 1 + size_.line / 2) cost += kOfEdge;
    const double x_pad = 0.4 * size_.column;
    for (const Spot& spot : ink_) {
      const bool inside = spot.x > box.left - x_pad && spot.x < box.right + x_pad &&
                          spot.y > box.bottom && spot.y < box.top;
      cost += inside ? 1 : 0;
    }
    return cost;
  }

  /// Whether words there seem to be of another point than theirs, or of none: another one is nearly
  /// as near, or theirs is far.
  bool misleads(const WordBox& box, Spot own) const {
    constexpr double kClearlyNearer = 1.4;
    constexpr double kFar = 1.6;
    const double distance = distance_of(box, own);
    const auto rivals = [&](const Spot& other) {
      const bool is_own = std::hypot(other.x - own.x, other.y - own.y) < 1e-9;
      return !is_own && distance_of(box, other) < kClearlyNearer * distance;
    };
    return distance > kFar || any_of(points_, rivals);
  }

  /// Whether a line from words to their point runs through other words, or so close to another
  /// point that it could end there.
  bool strikes(Spot words, Spot own) const {
    constexpr int kSteps = 20;
    constexpr double kClose = 0.4;  // Of a line: somewhat more than a mark.
    for (int i = 1; i <= kSteps; ++i) {
      const double part = static_cast<double>(i) / kSteps;
      const Spot at{words.x + part * (own.x - words.x), words.y + part * (own.y - words.y)};
      const WordBox dot{at.x, at.x, at.y, at.y};
      const auto is_hit = [&](const Spot& other) {
        const bool is_own = std::hypot(other.x - own.x, other.y - own.y) < 1e-9;
        return !is_own && distance_of(dot, other) < kClose;
      };
      const auto is_inside = [&](const WordBox& box) {
        return at.x > box.left && at.x < box.right && at.y > box.bottom && at.y < box.top;
      };
      if (any_of(points_, is_hit)) return true;
      if (any_of(words_, is_inside)) return true;
    }
    return false;
  }

 private:
  /// In heights of a line.
  double distance_of(const WordBox& box, Spot spot) const {
    constexpr double kColumn = 0.45;  // Width of a character as a share of a line's height.
    const double x = std::max({box.left - spot.x, spot.x - box.right, 0.0});
    const double y = std::max({box.bottom - spot.y, spot.y - box.top, 0.0});
    return std::hypot(x / size_.column * kColumn, y / size_.line);
  }

  LetterSize size_;
  std::vector<Spot> ink_;
  std::vector<Spot> points_;
  std::vector<WordBox> words_;
};

double width_of(const std::vector<std::string>& lines) {
  std::size_t columns = 0;
  for (const std::string& line : lines) {
    columns = std::max(columns, display_width(printable(line)));
  }
  return static_cast<double>(columns);
}

/// The best of some places by their cost and how far they are from what they name.
class Choice {
 public:
  /// @param own  The point that the words are of, if they are of one.
  Choice(std::vector<std::string> lines, LetterSize size, std::optional<Spot> own = {})
      : own_(own) {
    best_.lines = std::move(lines);
    width_ = size.column * width_of(best_.lines);
    height_ = size.line * static_cast<double>(best_.lines.size());
  }
  double width() const { return width_; }
  double height() const { return height_; }
  double cost() const { return cost_; }
  const WordBox& box() const { return box_; }

  void look_at(const Crowd& crowd, double x, double top, bool ends_at_x, double distance) {
    const WordBox box{ends_at_x ? x - width_ : x, ends_at_x ? x : x + width_, top - height_, top};
    double cost = crowd.cost_of(box) + distance;
    if (own_ && crowd.misleads(box, *own_)) cost += kOfEdge;
    if (cost >= cost_) return;
    cost_ = cost;
    box_ = box;
    best_.x = x;
    best_.top = top;
    best_.ends_at_x = ends_at_x;
  }
  PlacedWords take(Crowd& crowd) {
    crowd.add(box_);
    return std::move(best_);
  }

 private:
  std::optional<Spot> own_;
  PlacedWords best_;
  WordBox box_{};
  double width_ = 0;
  double height_ = 0;
  double cost_ = std::numeric_limits<double>::infinity();
};

PlacedWords beside_mark(const FigurePanel& panel, const PanelRanges& ranges, const FigureMark& mark,
                        LetterSize size, Crowd& crowd) {
  Choice choice(mark.words, size);
  const double x = place_on(panel.x, ranges.x, mark.x);
  const double wanted = mark.y ? place_on(panel.y, ranges.y, *mark.y) : 1;
  for (const bool ends_at_x : {false, true}) {
    const double at = x + (ends_at_x ? -0.7 : 0.7) * size.column;
    for (double top = 1; top - choice.height() > 0; top -= size.line / 2) {
      const double off = std::abs(top - choice.height() / 2 - wanted);
      choice.look_at(crowd, at, top, ends_at_x, off + (ends_at_x ? 0.01 : 0));
    }
  }
  return choice.take(crowd);
}

/// Places around a point; returns the distance of the farthest.
double look_around(Choice& choice, Spot at, LetterSize size, const Crowd& crowd) {
  const double beside = 0.9 * size.column;
  const double half = choice.height() / 2;
  double distance = 0;
  for (const double away : {1.0, 1.7, 2.6, 4.0}) {
    const double up = (0.35 + 0.65 * away) * size.line;
    const double centre = at.x - choice.width() / 2;
    choice.look_at(crowd, at.x + away * beside, at.y + half, false, distance += 0.1);
    choice.look_at(crowd, at.x - away * beside, at.y + half, true, distance += 0.1);
    choice.look_at(crowd, centre, at.y + up + half, false, distance += 0.1);
    choice.look_at(crowd, centre, at.y - up + half, false, distance += 0.1);
    choice.look_at(crowd, at.x + away * beside, at.y + up + half, false, distance += 0.1);
    choice.look_at(crowd, at.x + away * beside, at.y - up + half, false, distance += 0.1);
    choice.look_at(crowd, at.x - away * beside, at.y + up + half, true, distance += 0.1);
    choice.look_at(crowd, at.x - away * beside, at.y - up + half, true, distance += 0.1);
  }
  return distance;
}

/// Beside the point; where such words would seem to be of another one or a line would strike them,
/// farther away with a leader.
/// Empty where every place hides other words or leaves the panel, and where the leader would pass
/// another point or other words: words that pile up name nothing.
std::optional<PlacedWords> beside_point(const std::string& words, Spot at, LetterSize size,
                                        Crowd& crowd) {
  Choice beside({words}, size, at);
  look_around(beside, at, size, crowd);
  Choice away({words}, size);
  look_around(away, at, size, crowd);
  constexpr double kOfLeader = 4;  // A line through the words is worse.
  if (beside.cost() < kOfEdge && beside.cost() < away.cost() + kOfLeader) return beside.take(crowd);
  if (away.cost() >= kOfEdge) return std::nullopt;
  const WordBox box = away.box();
  const Spot begin{std::clamp(at.x, box.left, box.right), std::clamp(at.y, box.bottom, box.top)};
  if (crowd.strikes(begin, at)) return std::nullopt;
  PlacedWords placed = away.take(crowd);
  placed.leader = {begin.x, begin.y, at.x, at.y};
  return placed;
}

/// Right of the last point of a curve, or above or below it at its end; nothing without room there.
std::optional<PlacedWords> at_end(const std::string& words, Spot at, LetterSize size,
                                  Crowd& crowd) {
  Choice choice({words}, size);
  const double half = choice.height() / 2;
  const double beside = at.x + 0.9 * size.column;
  for (const double up : {0.0, 0.5, -0.5}) {
    choice.look_at(crowd, beside, at.y + up * size.line + half, false, std::abs(up));
  }
  for (const double up : {1.0, -1.0}) {
    choice.look_at(crowd, at.x + size.column, at.y + up * size.line + half, true, 1.5);
  }
  if (choice.cost() >= kOfEdge) return std::nullopt;
  return choice.take(crowd);
}

/// Around the end of a straight line, or where that is crowded above or below it farther back.
PlacedWords beside_line(const std::string& words, Spot begin, Spot end, LetterSize size,
                        Crowd& crowd) {
  Choice choice({words}, size);
  double distance = look_around(choice, end, size, crowd);
  const double half = choice.height() / 2;
  for (double part = 0.9; part >= 0; part -= 0.1) {
    const Spot at{begin.x + part * (end.x - begin.x), begin.y + part * (end.y - begin.y)};
    const double left = at.x - choice.width() / 2;
    choice.look_at(crowd, left, at.y + size.line + half, false, distance += 0.1);
    choice.look_at(crowd, left, at.y - size.line + half, false, distance += 0.1);
  }
  return choice.take(crowd);
}

Spot spot_of(const FigurePanel& panel, const PanelRanges& ranges, double x, double y) {
  return {place_on(panel.x, ranges.x, x), place_on(panel.y, ranges.y, y)};
}

/// The places of a reference inside the panel.
std::vector<Spot> inside(const FigurePanel& panel, const PanelRanges& ranges,
                         const FigureReference& reference) {
  std::vector<Spot> spots;
  for (std::size_t i = 0; i < std::min(reference.x.size(), reference.y.size()); ++i) {
    const double x = reference.x[i];
    const double y = reference.y[i];
    if (!is_shown(panel.x, x) || !is_shown(panel.y, y)) continue;
    const Spot spot = spot_of(panel, ranges, x, y);
    if (spot.x <= 1 && spot.y <= 1 && spot.y >= 0) spots.push_back(spot);
  }
  return spots;
}

/// The points of series of which some have words.
void add_named_points(const FigurePanel& panel, const PanelRanges& ranges, Crowd& crowd) {
  for (const FigureSeries& series : panel.series) {
    if (series.points.words.empty()) continue;
    for (std::size_t i = 0; i < series.points.x.size(); ++i) {
      crowd.add_point(spot_of(panel, ranges, series.points.x[i], series.points.y[i]));
    }
  }
}

}  // namespace

std::vector<PlacedWords> place_words(const FigurePanel& panel, const PanelRanges& ranges,
                                     LetterSize size) {
  Crowd crowd(size);
  for_each_place(panel, ranges, [&crowd](double x, double y) { crowd.add(x, y); });
  for (const FigureMark& mark : panel.marks) {
    const double x = place_on(panel.x, ranges.x, mark.x);
    for (double y = 0; y <= 1; y += 0.02) crowd.add(x, y);
  }
  add_named_points(panel, ranges, crowd);
  std::vector<PlacedWords> placed;
  for (const FigureMark& mark : panel.marks) {
    if (mark.words.empty() || !is_shown(panel.x, mark.x)) continue;
    placed.push_back(beside_mark(panel, ranges, mark, size, crowd));
  }
  for (const FigureReference& reference : panel.references) {
    const std::vector<Spot> spots = inside(panel, ranges, reference);
    if (reference.label.empty() || spots.empty()) continue;
    placed.push_back(beside_line(reference.label, spots.front(), spots.back(), size, crowd));
  }
  for (const FigureSeries& series : panel.series) {
    const FigurePoints& points = series.points;
    for (std::size_t i = 0; i < points.words.size(); ++i) {
      if (points.words[i].empty() || !is_shown(panel.x, points.x[i]) ||
          !is_shown(panel.y, points.y[i])) {
        continue;
      }
      const Spot at = spot_of(panel, ranges, points.x[i], points.y[i]);
      const std::string& words = points.words[i];
      const auto place = points.words_at_end ? at_end : beside_point;
      if (auto there = place(words, at, size, crowd)) placed.push_back(*std::move(there));
    }
  }
  return placed;
}

}  // namespace scalelaw
