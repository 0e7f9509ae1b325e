#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct RecordedRun;

/// What a report is for: it decides which sections there are, and in which order.
enum class ReportTemplate {
    Run,        ///< one run in every detail
    Comparison, ///< several runs: what differs, and what came of it
    Scaling,    ///< one training on several numbers of ranks
    DataSet,    ///< a data set: where it comes from, what is in it, whether it is sound
};

/// "run", "comparison", "scaling", "data-set": as the command line has them.
std::string_view nameOf(ReportTemplate value);
std::vector<std::string> reportTemplateNames();
std::optional<ReportTemplate> reportTemplateFromName(std::string_view name);

/// What these runs ask for when nobody chose: Scaling where a model ran on several numbers of ranks, else
/// Comparison; Run for a single one.
ReportTemplate usualTemplate(const std::vector<RecordedRun>& runs);

} // namespace trainyard
