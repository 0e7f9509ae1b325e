#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

struct RecordedRun;

/// The kind of report; determines its sections and their order.
enum class ReportTemplate {
    Run,        ///< one run in full detail
    Comparison, ///< several runs: differences and results
    Scaling,    ///< one model on several world sizes
    DataSet,    ///< a data set: source, contents, validity
};

/// Returns the name on the command line: "run", "comparison", "scaling", "data-set".
std::string_view nameOf(ReportTemplate value);
std::vector<std::string> reportTemplateNames();
std::optional<ReportTemplate> reportTemplateFromName(std::string_view name);

/// Returns the default for these runs: Scaling when a model ran on several world sizes, else Comparison; Run
/// for a single one.
ReportTemplate usualTemplate(const std::vector<RecordedRun>& runs);

} // namespace trainyard
