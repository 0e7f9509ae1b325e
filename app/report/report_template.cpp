#include "app/report/report_template.h"

#include <algorithm>
#include <array>

#include "app/report/sections.h"

namespace trainyard {

namespace {

constexpr std::array<std::string_view, 4> kNames{"run", "comparison", "scaling", "data-set"};

} // namespace

std::string_view nameOf(ReportTemplate value)
{
    return kNames[static_cast<std::size_t>(value)];
}

std::vector<std::string> reportTemplateNames()
{
    return {kNames.begin(), kNames.end()};
}

std::optional<ReportTemplate> reportTemplateFromName(std::string_view name)
{
    const auto found = std::ranges::find(kNames, name);
    if (found == kNames.end())
        return std::nullopt;
    return static_cast<ReportTemplate>(found - kNames.begin());
}

ReportTemplate usualTemplate(const std::vector<RecordedRun>& runs)
{
    if (runs.size() < 2)
        return ReportTemplate::Run;
    return scalingStudies(runs).empty() ? ReportTemplate::Comparison : ReportTemplate::Scaling;
}

} // namespace trainyard
