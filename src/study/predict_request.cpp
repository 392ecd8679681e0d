#include "scalelaw/study/predict_request.hpp"

#include <fmt/format.h>

#include "scalelaw/base/error.hpp"

namespace scalelaw {

std::string_view name_of(const ForecastModel& model) {
  return model.law != nullptr ? model.law->name() : name_of(model.kind);
}

void refuse_other_law(const std::optional<ForecastModel>& asked, const Law* saved,
                      const std::string& path) {
  if (!asked || asked->law == saved) return;
  throw DataError(fmt::format("{}: it holds fits of the {} law; --law {} needs the runs themselves",
                              path, saved->name(), name_of(*asked)));
}

void constrain_law(PredictRequest& request) {
  if (request.study.constraints.empty()) return;
  if (!request.model || request.model->law == nullptr) {
    throw DataError(fmt::format(
        "--fix, --tie and --bound are for one law, and the forecast is by {}: name it with --law",
        name_of(request.model.value_or(ForecastModel{}))));
  }
  request.model->law = &constrained(*request.model->law, request.study.constraints);
  request.study.constraints = {};
}

}  // namespace scalelaw
