#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "scalelaw/judge/surface_forecast.hpp"
#include "scalelaw/render/predict_report.hpp"
#include "scalelaw/render/surface_report.hpp"
#include "scalelaw/study/predict_request.hpp"
#include "scalelaw/study/read_study.hpp"

namespace scalelaw {

/// What forecasts are made from, and the head of a report on them.
struct PredictStudy {
  PredictReport report;
  std::optional<GroupedCells> runs;  ///< Empty of saved fits,
  std::vector<GroupFit> fits = {};   ///< which are these.
  EnergySource energy = {};
};

/// Reads the inputs of forecasts by laws of one x, be they runs or saved fits, and says what was
/// chosen and what was left out. For a backtest it takes over no demands and reads no energy.
/// @throws DataError if the request asks for something that the inputs cannot answer.
PredictStudy read_forecasts(PredictRequest request, const CallConditions& conditions);

/// Hands the forecasts of every group to `sink`, in group order and one call at a time.
void forecast_each(const PredictStudy& study, const CallConditions& conditions,
                   const std::function<void(GroupOutlook&&)>& sink);

/// How many scales a backtest of such a request hides.
inline std::size_t hidden_scales(const PredictRequest& request) {
  return request.hidden > 0 ? request.hidden : 1;
}

/// Counts forecasts that the user should doubt.
class ForecastTally {
 public:
  void add(const GroupOutlook& group);
  std::size_t groups() const { return groups_; }
  std::size_t without() const { return without_; }  ///< Groups without a forecast.
  /// Sentences such as "2 of 16 groups have no forecast of energy".
  /// @param has_energy  Whether any was asked for or found.
  std::vector<std::string> warnings(bool has_energy) const;

 private:
  std::size_t groups_ = 0;
  std::size_t without_ = 0;
  std::size_t few_ = 0;
  std::size_t blind_ = 0;
  std::size_t without_energy_ = 0;
};

/// Whether forecasts are by a law of several x, which the request names or saved fits are of.
bool is_of_several_x(const PredictRequest& request);

/// Answers by a law of several x, with the head of a report on them.
struct SurfaceForecasts {
  StudyReport report;
  SurfaceQuestions questions;
  std::vector<GroupSurface> groups;
};
SurfaceForecasts forecast_surfaces(PredictRequest request, const CallConditions& conditions);

/// How forecasts of the largest runs turned out, with the head of a report on them.
struct SurfaceBacktests {
  SurfaceBacktestReport report;
  std::vector<Grouped<SurfaceBacktest>> groups;
};
SurfaceBacktests backtest_largest(PredictRequest request, const CallConditions& conditions);

}  // namespace scalelaw
