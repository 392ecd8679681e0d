#pragma once

#include <string>

#include "scalelaw/render/gate_report.hpp"

namespace scalelaw {

// Formats that CI systems read.

void write_gate_junit(const GateReport& report, const Gate& gate, const TextSink& sink);
void write_gate_github(const GateReport& report, const Gate& gate, const TextSink& sink);
void write_gate_benchmark(const GateReport& report, const Gate& gate, const TextSink& sink);

// Texts that several formats share.

/// "beta", "epoch_seconds at 424 GPUs", "epoch_seconds at the middle (29 GPUs)".
std::string figure_name(const GateReport& report, const GateGroup& group,
                        const GateComparison& comparison);
/// The same with the name of the column and all digits of x ("epoch_seconds at gpus 424"), which
/// names the figure from one gate to the next.
std::string figure_key(const GateReport& report, const GateGroup& group,
                       const GateComparison& comparison);
/// "+5.3 %" of a curve, "-0.012" of an exponent; "-" where there is none.
std::string change_text(const GateComparison& comparison);
/// Its interval in the same form.
std::string change_interval(const GateComparison& comparison);
/// The limit on the side of the worse: "+5 %" of a time, "-0.05" of an exponent.
std::string limit_text(const GateComparison& comparison);
/// The standard deviation between nights, "1.9 %" of a curve and "0.011" of an exponent; "-" if it
/// is not known.
std::string night_text(const GateComparison& comparison);
/// One sentence with change, interval and limit, or the reason why there are none.
std::string comparison_sentence(const GateReport& report, const GateComparison& comparison);
/// How the nights of BASE, of which there are several, count in the verdicts.
std::string nights_sentence(const Gate& gate);
/// Which change the gate finds and what would help, where comparisons of several nights are
/// inconclusive; else empty.
std::string reach_sentence(const GateReport& report, const Gate& gate);
/// What the verdicts mean.
std::string multiplicity_sentence(const GateReport& report, const Gate& gate);
/// What all groups share: "All 6 groups together: epoch_seconds changed by +8.2 % (...)".
std::string shared_sentence(const GateReport& report, const SharedChange& shared);
/// What all groups share, the warnings, and what the gate finds.
std::vector<std::string> common_sentences(const GateReport& report, const Gate& gate);
/// How nights count, and what the verdicts mean.
std::vector<std::string> method_sentences(const GateReport& report, const Gate& gate);

}  // namespace scalelaw
