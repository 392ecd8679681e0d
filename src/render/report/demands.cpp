// What the first screen of a report says of a deadline and a budget.

#include <fmt/format.h>

#include <algorithm>

#include "render/forecast_words.hpp"
#include "render/reader_words.hpp"
#include "render/report/parts.hpp"
#include "scalelaw/base/text.hpp"
#include "scalelaw/render/text.hpp"

namespace scalelaw {
namespace {

/// The scale of a group that meets a demand; null where none does, or there is no forecast.
const DemandedScale* met_at(const GroupStudy& group, std::optional<Demand> Outlook::*demand) {
  const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
  const std::optional<Demand>* const found = outlook != nullptr ? &(outlook->*demand) : nullptr;
  return found != nullptr && *found && (*found)->x ? &*(*found)->x : nullptr;
}

std::string deadline_text(const ReportOrigin& origin) {
  if (!origin.deadline_words.empty()) return origin.deadline_words;
  return fmt::format("{:.6g}{}{}", *origin.deadline, origin.study.y_unit.empty() ? "" : " ",
                     origin.study.y_unit);
}

/// A group that meets the deadline.
struct Meeting {
  double x;
  std::string name;
  std::string notes;  ///< "258 are safe, beyond the data"
};

/// What limits the median answer: the number that is safe, and how far both lie outside the data.
std::string notes_on(const Outlook& outlook) {
  const Demand& demand = *outlook.deadline;
  const Forecast& forecast = outlook.forecast;
  std::string notes;
  double greatest = demand.x->x;
  if (demand.upper) {
    greatest = std::max(greatest, demand.upper->x);
    const bool is_one = demand.upper->x == 1;
    notes = fmt::format("{} {} safe", scale_text(demand.upper->x), is_one ? "is" : "are");
  } else if (demand.lower) {
    notes = "no number is safe";
  }
  const std::string comma = notes.empty() ? "" : ", ";
  if (demand.x->x < forecast.x_min) return notes + comma + "below the data";
  if (greatest <= forecast.x_max) return notes;
  return fmt::format("{}{}{}beyond the data", notes, comma,
                     is_far_beyond(greatest, forecast.x_max) ? "far " : "");
}

/// Of one group, how far the answer lies outside the data; with a blank before it.
std::string outside_sentence(const std::string& x, const Demand& demand, const Forecast& forecast) {
  if (!demand.x) return "";
  const double scale = demand.x->x;
  if (scale < forecast.x_min) {
    return fmt::format(" That is below the data, which begin at {}.",
                       place_on_scale(x, forecast.x_min));
  }
  if (is_far_beyond(scale, forecast.x_max)) {
    return " " + far_beyond_sentence(x, scale, forecast.x_max);
  }
  if (scale <= forecast.x_max) return "";
  return fmt::format(" The data end at {}.", place_on_scale(x, forecast.x_max));
}

/// "561 GPUs for DimeNet (640 are safe), 1818 for BERT (1990 are safe, far beyond the data)"; of
/// many the first and the last.
std::string meetings_text(std::vector<Meeting> meetings, const std::string& x) {
  constexpr std::size_t kMostNamed = 6;
  std::ranges::stable_sort(meetings, {}, &Meeting::x);
  const bool is_short = meetings.size() <= kMostNamed;
  if (!is_short) meetings = {meetings.front(), meetings.back()};
  const auto text = [&](const Meeting& one) {
    const bool is_first = &one == meetings.data();
    return fmt::format("{} for {}{}", is_first ? place_on_scale(x, one.x) : scale_text(one.x),
                       one.name, one.notes.empty() ? "" : fmt::format(" ({})", one.notes));
  };
  return joined_texts(meetings, is_short ? ", " : " to ", text);
}

/// Another setting of a row that meets the deadline with less energy.
struct Frugal {
  const GroupStudy* group;
  double kwh;
};

/// The one of least energy among the groups that differ from a row in its settings alone; empty
/// where none takes noticeably less than the row.
std::optional<Frugal> frugal_setting(const ReportParts& parts, const AdvisedGroup& row) {
  const std::vector<std::size_t> settings = advised_settings(parts);
  const auto kwh_of = [](const GroupStudy& group) {
    const Outlook* const outlook = std::get_if<Outlook>(&group.outlook);
    return outlook != nullptr ? kwh_at_deadline(*outlook) : std::nullopt;
  };
  const std::optional<double> own = kwh_of(parts.groups()[row.group]);
  if (!own) return std::nullopt;
  std::optional<Frugal> least;
  for (const GroupStudy& group : parts.groups()) {
    if (key_without(group.group, settings) != row.key) continue;
    const std::optional<double> kwh = kwh_of(group);
    if (!kwh || !is_frugal(*kwh, *own) || (least && *kwh >= least->kwh)) continue;
    least = {&group, *kwh};
  }
  return least;
}

/// " Another setting takes less energy: BERT with 100 W on 1076 GPUs (1243 are safe, beyond the
/// data), 46 % less." Empty where none does, and of many rows.
std::string frugal_sentence(const ReportParts& parts) {
  constexpr std::size_t kMostRows = 6;
  if (parts.advised.size() > kMostRows) return "";
  std::vector<std::string> texts;
  for (const AdvisedGroup& row : parts.advised) {
    const auto frugal = frugal_setting(parts, row);
    if (!frugal) continue;
    const GroupStudy& own = parts.groups()[row.group];
    const Outlook& outlook = std::get<Outlook>(frugal->group->outlook);
    std::vector<std::string> settings;
    for (const std::size_t place : advised_settings(parts)) {
      const std::string& value = frugal->group->group[place];
      if (value != own.group[place]) settings.push_back(value_with_unit(parts.by()[place], value));
    }
    const std::string notes = notes_on(outlook);
    texts.push_back(fmt::format(
        "{}{} on {}{}, {} % less", parts.advised.size() > 1 ? row.name + " with " : "",
        joined(settings), place_on_scale(parts.origin.study.x, outlook.deadline->x->x),
        notes.empty() ? "" : fmt::format(" ({})", notes),
        change_in_percent(frugal->kwh / std::get<Outlook>(own.outlook).deadline_kwh->median)));
  }
  if (texts.empty()) return "";
  return fmt::format("With other settings that takes less energy: {}. ", joined(texts, "; "));
}

}  // namespace

std::string demanded_text(const GroupStudy& group, std::optional<Demand> Outlook::*demand) {
  const DemandedScale* const met = met_at(group, demand);
  if (met == nullptr) return "none";
  const Demand& found = *(std::get<Outlook>(group.outlook).*demand);
  const auto end = [](const std::optional<DemandedScale>& scale) -> std::string {
    if (!scale) return "none";
    return scale->open ? "no limit" : scale_text(scale->x);
  };
  const std::string text = end(found.x);
  if (!found.lower && !found.upper) return text;
  if (found.x->open) {  // So is what may do.
    if (!found.upper) return text + " (none is safe)";
    return found.upper->open ? text
                             : fmt::format("{} ({} {} safe)", text, scale_text(found.upper->x),
                                           found.upper->x == 1 ? "is" : "are");
  }
  if (!found.upper) return fmt::format("{} ({} may do, none is safe)", text, end(found.lower));
  // A budget holds up to a scale: its safe end is the smaller one.
  const bool turns = found.lower && found.upper && found.lower->x > found.upper->x;
  return fmt::format("{} ({} .. {})", text, end(turns ? found.upper : found.lower),
                     end(turns ? found.lower : found.upper));
}

std::vector<AskedDemand> asked_demands(const ReportOrigin& origin) {
  const std::string units = units_of_scale(origin.study.x);
  std::vector<AskedDemand> asked;
  if (origin.deadline) {
    asked.push_back(
        {"deadline", fmt::format("{} for {}", units, deadline_text(origin)), &Outlook::deadline});
  }
  if (origin.budget_gpu_hours) {
    asked.push_back({"budget_gpu_hours",
                     fmt::format("{} within {:.6g} GPU-hour{}{}", units, *origin.budget_gpu_hours,
                                 *origin.budget_gpu_hours == 1 ? "" : "s", origin.budget_words),
                     &Outlook::budget_gpu_hours});
  }
  return asked;
}

std::optional<DemandDoubt> doubt_in_demand(const ReportOrigin& origin, const GroupStudy& group) {
  const auto demand = origin.deadline ? &Outlook::deadline : &Outlook::budget_gpu_hours;
  const DemandedScale* const met = met_at(group, demand);
  if (met == nullptr) return std::nullopt;
  const Outlook& outlook = std::get<Outlook>(group.outlook);
  const std::string place =
      met->open ? "any " + noun_of_scale(origin.study.x) : place_on_scale(origin.study.x, met->x);
  const auto doubt = [&](Trust most, std::string_view where) {
    return DemandDoubt{
        most, fmt::format("{} {} {} the data", place,
                          met->open || is_one_place(origin.study.x, met->x) ? "is" : "are", where)};
  };
  if (met->open || is_far_beyond(met->x, outlook.forecast.x_max)) {
    return doubt(Trust::kLow, "far beyond");
  }
  if (met->x > outlook.forecast.x_max) return doubt(Trust::kFair, "beyond");
  if (met->x < outlook.forecast.x_min) return doubt(Trust::kFair, "below");
  return std::nullopt;
}

std::string deadline_sentence(const ReportParts& parts) {
  const ReportOrigin& origin = parts.origin;
  if (!origin.deadline) return "";
  const AskedResponse response{.y = origin.study.y,
                               .unit = origin.study.y_unit,
                               .kind = origin.job.empty() ? origin.fit.response : Response::kTime,
                               .x = origin.study.x,
                               .job = origin.job};
  std::vector<Meeting> meetings;
  std::vector<std::string> without;
  for (const AdvisedGroup& one : parts.advised) {
    const GroupStudy& group = parts.groups()[one.group];
    const DemandedScale* const met = met_at(group, &Outlook::deadline);
    if (met == nullptr) {
      without.push_back(one.name);
    } else {
      meetings.push_back({met->x, one.name, notes_on(std::get<Outlook>(group.outlook))});
    }
  }
  const std::string goal = goal_of(response, *origin.deadline, deadline_text(origin));
  if (meetings.empty())
    return fmt::format("No {} brings {}. ", noun_of_scale(origin.study.x), goal);
  const std::string cannot =
      without.empty() ? "" : fmt::format("; no number does it for {}", listed(without, 6));
  if (parts.advised.size() == 1) {
    const GroupStudy& group = parts.groups()[parts.advised.front().group];
    const Outlook& outlook = std::get<Outlook>(group.outlook);
    return demand_sentence(response, *outlook.deadline, *origin.deadline, deadline_text(origin),
                           origin.fit.confidence) +
           outside_sentence(origin.study.x, *outlook.deadline, outlook.forecast) + " " +
           frugal_sentence(parts);
  }
  const std::string settings =
      parts.findings.caps.empty()
          ? ""
          : fmt::format(", each with its setting of the table, which was chosen at the {} there",
                        noun_of_scale(origin.study.x));
  return fmt::format("To bring {} takes {}{}{}. ", goal,
                     meetings_text(std::move(meetings), origin.study.x), cannot, settings) +
         frugal_sentence(parts);
}

void add_deadline_line(const ReportOrigin& origin, Figure& figure) {
  if (!origin.deadline || !origin.job.empty()) return;  // That of a job is no rate.
  for (FigurePanel& panel : figure.panels) {
    std::optional<Interval> ends;
    for (const FigureSeries& series : panel.series) {
      for (const double x : series.points.x) {
        if (!ends) ends = Interval{x, x};
        ends = Interval{std::min(ends->lower, x), std::max(ends->upper, x)};
      }
    }
    if (!ends) continue;
    panel.references.push_back({{ends->lower, ends->upper},
                                {*origin.deadline, *origin.deadline},
                                "deadline " + deadline_text(origin)});
  }
}

}  // namespace scalelaw
