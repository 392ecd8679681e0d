#pragma once

#include <optional>
#include <string>

#include "render/json_members.hpp"
#include "scalelaw/judge/predict.hpp"

/// What groups tell about each other's laws (Pool::kLaws), in words and in JSON.
namespace scalelaw {

/// What the groups of a forecast share; empty where each is forecast by itself.
std::optional<Pool> pooled(const ForecastOptions& options);

/// How much the laws weigh, and what is typical of the groups.
std::string learned_sentence(const LearnedPriors& learned);

/// The member "priors" of the head of a document: the priors that all groups tell.
void write_learned(JsonText& head, const LearnedPriors& learned);

}  // namespace scalelaw
