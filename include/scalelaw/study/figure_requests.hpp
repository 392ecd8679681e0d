#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "scalelaw/energy/measurements.hpp"
#include "scalelaw/energy/pareto.hpp"
#include "scalelaw/study/level_changes.hpp"
#include "scalelaw/study/surface_study.hpp"
#include "scalelaw/study/tails.hpp"

namespace scalelaw {

struct Figure;

/// What a figure shows. Kinds of figures take what concerns them.
struct FigureRequest {
  StudyOptions study;
  MeasureOptions measures;  ///< The columns that tell the energy.
  SurfaceOptions surface;
  bool least_squares = false;  ///< A law of two x is not fitted by Huber's loss.
  std::vector<double> at;      ///< Scales at which a forecast says its values.
  std::string setting;         ///< Column of the setting of caps; empty: the usual one,
  std::string reference;  ///< and the value that others are compared with; empty: the greatest.
  std::vector<std::string> knobs;                ///< Settings that one can choose, of pareto.
  ParetoOptions pareto{.etas = {}, .draws = 0};  ///< Weights and the greatest power.
  std::string parameter;                         ///< Of profile and history; empty: the exponent.
  std::string label;                             ///< Of kept fits; empty: all labels.
  TailOptions tail;
  IsoflopChoice isoflop;
  CommandWhere command = {};  ///< How warnings name the command for some of the rows.
};

/// A kind of figure: its name, and what reads the inputs and makes it.
struct FigureKind {
  std::string_view name;
  Figure (*make)(const FigureRequest& request, const CallConditions& conditions);
  bool takes_law = false;  ///< It draws one law, which may have parameters fixed, tied or bounded.
};

/// All kinds but those of replays and budgets, which have requests of their own.
std::span<const FigureKind> figure_kinds();

}  // namespace scalelaw
