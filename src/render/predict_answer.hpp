#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "render/forecast_words.hpp"
#include "render/json_document.hpp"
#include "scalelaw/render/predict_report.hpp"

namespace scalelaw {

/// "95 % of new runs".
std::string percent_of_new_runs(const PredictReport& report);

/// An amount of money with its currency, "$32.5" or "32.5 EUR".
std::string money_text(const PredictReport& report, double amount);

/// The members that the documents of forecasts and of their backtest begin with: the data, and what
/// was asked of them.
void write_questions(JsonText& head, const PredictReport& report);

/// The response as sentences speak of it.
/// @param of_job  Where a job has several epochs or tokens, speak of the time of that.
AskedResponse response_of(const PredictReport& report, bool of_job);

/// What the answer says of all groups: what each was asked, and the extremes of the last scale.
class PredictAnswer {
 public:
  void take_note_of(const PredictReport& report, const GroupKey& group, const Outlook& outlook);

  std::vector<std::string> sentences(const PredictReport& report) const;

  bool has_forecasts() const { return groups_ > 0; }

  /// The answers of the groups, where there are several, and what rows without one are.
  std::vector<std::string> lines(const PredictReport& report) const;

 private:
  static constexpr std::size_t kMostGroups = 24;
  static constexpr std::size_t kMostNamed = 3;

  struct Extreme {
    std::string group;
    double value;
  };

  /// How a group meets the deadline.
  struct Meeting {
    GroupKey group;
    double x;
    double kwh;
  };

  /// Of groups that differ in settings alone, the one on the fewest GPUs and that of least energy.
  struct Meetings {
    Meeting fewest;
    Meeting frugal;
  };

  std::vector<std::string> of_several(const PredictReport& report) const;

  /// Whether times at several scales are those of equal work, where they may not be.
  std::vector<std::string> on_the_work(const PredictReport& report) const;

  /// What is said where no other group follows.
  void note_only(const PredictReport& report, const Outlook& outlook,
                 const std::vector<std::string>& demands);

  /// The names of groups are only made of those that become extremes.
  static void widen(std::optional<Extreme>& least, std::optional<Extreme>& most, double value,
                    const PredictReport& report, const GroupKey& group);

  void note_demands(const PredictReport& report, const GroupKey& group, const Outlook& outlook);

  void note_energy(const PredictReport& report, const GroupKey& group, const Outlook& outlook);

  /// "For the same deadline, 183 GPUs at 100 W take 43 % less energy than 133 at 250 W."
  std::string frugal_sentence(const PredictReport& report) const;

  static bool lacks(const std::optional<Demand>& demand) { return demand && !demand->x; }

  void note_last(const PredictReport& report, const GroupKey& group, const ScaleOutlook& at);

  /// "At 1024 GPUs an epoch takes between 18.3 s (model DimeNet) and 603 s (model InceptionV3)."
  std::string extremes_sentence(const PredictReport& report) const;

  std::string between_clause(const AskedResponse& response) const;

  /// "It takes 133 GPUs (model BERT) to 821 GPUs (model VGG16) to bring an epoch below 60 s; 1 of 6
  /// groups cannot."
  std::string met_sentence(const PredictReport& report) const;

  /// "91 to 97 GPUs meet both limits for vit; for gpt-s no number of GPUs does."
  std::string all_limits_sentence(const PredictReport& report) const;

  /// "20 GPU-hours suffice for an epoch on up to 1726 GPUs (GPT2-XL); they set no limit to 1 of 2
  /// groups."
  std::string budgets_sentence(const PredictReport& report) const;

  std::map<GroupKey, Meetings> meetings_;  ///< By the values of the other columns.
  std::size_t groups_ = 0;
  std::size_t flat_ = 0;       ///< How many hardly get faster up to the last scale.
  bool is_beside_ = false;     ///< Whether a group's row is at another scale than its answer.
  bool is_far_ = false;        ///< Whether only the laws speak for a scale of some group.
  std::size_t unlimited_ = 0;  ///< For how many the budget sets no limit.
  std::size_t without_ = 0;    ///< How many cannot meet the deadline or throughput, else a budget.
  std::size_t limits_ = 0;     ///< How many limits each group has.
  std::size_t with_all_ = 0;   ///< How many groups meet all of them,
  std::size_t without_all_ = 0;                 ///< and how many do not.
  std::vector<std::string> named_with_all_;     ///< What the first of these can.
  std::vector<std::string> named_without_all_;  ///< The names of the first of these.
  std::vector<std::string> only_;               ///< On the first group, where there is one.
  std::vector<std::string> answers_;            ///< Of the first groups.
  std::string reach_;         ///< On the first scale for which only the laws speak,
  std::string reach_of_;      ///< its group,
  bool is_one_reach_ = true;  ///< and whether it is the same for all groups.
  std::optional<Extreme> least_;
  std::optional<Extreme> most_;
  std::optional<Extreme> least_x_;  ///< The least and the greatest scale that meet the demand.
  std::optional<Extreme> most_x_;
  std::optional<double> place_;
  bool is_one_place_ = true;
  bool is_job_ = false;
};

}  // namespace scalelaw
