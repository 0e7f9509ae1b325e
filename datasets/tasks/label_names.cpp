#include "datasets/tasks/label_names.h"

#include <algorithm>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/parsed_number.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxListed = 20;

std::set<std::string> namesIn(const TaskExamples& examples, TaskKind kind)
{
    std::set<std::string> names;
    for (const TaskExample& example : examples.examples) {
        if (kind == TaskKind::Classify)
            names.insert(example.label);
        names.insert(example.tags.begin(), example.tags.end());
    }
    return names;
}

std::vector<std::string> sorted(const std::set<std::string>& names)
{
    std::vector<std::string> list(names.begin(), names.end());
    const auto number = [](const std::string& name) { return parsedNumber<std::int64_t>(name); };
    if (std::ranges::all_of(list, [&](const std::string& name) { return number(name).has_value(); }))
        std::ranges::sort(list, {}, number);
    return list;
}

/// "train.tsv: column label: ".
std::string originOf(const TaskExamples& examples, TaskKind kind)
{
    if (examples.files.empty())
        return {};
    const std::string more =
        examples.files.size() > 1 ? fmt::format(" and {} more", examples.files.size() - 1) : std::string();
    return fmt::format("{}{}: column {}: ", examples.files.front().string(), more,
                       kind == TaskKind::Tag ? "of the tags" : examples.labelColumn);
}

} // namespace

Result<LabelNames> LabelNames::create(const TaskExamples& training, const TaskOptions& options)
{
    LabelNames labels;
    if (options.kind != TaskKind::Classify && options.kind != TaskKind::Tag)
        return labels;
    labels.m_names = options.labels.empty() ? sorted(namesIn(training, options.kind)) : options.labels;
    for (const std::string& name : labels.m_names) {
        if (!labels.m_numbers.emplace(name, static_cast<std::int32_t>(labels.m_numbers.size())).second)
            return badInput(fmt::format("--labels names \"{}\" twice", name), "name every label once");
    }
    if (labels.m_names.size() < 2 || labels.m_names.size() > kMaxLabels)
        return badInput(
            fmt::format("{}the examples have {} label{}", originOf(training, options.kind),
                        labels.m_names.size(), labels.m_names.size() == 1 ? "" : "s"),
            fmt::format("2 to {} are needed: check that --label names the right column, or give all "
                        "of them with --labels",
                        kMaxLabels));
    return labels;
}

std::int32_t LabelNames::numberOf(const std::string& name) const
{
    const auto found = m_numbers.find(name);
    return found == m_numbers.end() ? -1 : found->second;
}

std::string LabelNames::listed() const
{
    const std::size_t shown = std::min(m_names.size(), kMaxListed);
    return fmt::format("the labels are: {}{}",
                       fmt::join(m_names.begin(), m_names.begin() + std::ptrdiff_t(shown), ", "),
                       shown < m_names.size() ? " ..." : "");
}

} // namespace trainyard
