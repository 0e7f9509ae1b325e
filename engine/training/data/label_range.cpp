#include "engine/training/data/label_range.h"

#include <cmath>
#include <string>

#include <fmt/format.h>

namespace trainyard {

namespace {

std::string classProblem(std::int32_t label, int classes)
{
    if (label >= 0 && label < classes)
        return {};
    return fmt::format("has label {}, and the data set has the labels 0 to {}", label, classes - 1);
}

/// Of the tokens of a row, those without a label left out.
template <typename Judge>
std::string tokenProblem(const RowBlock& rows, std::size_t row, Judge problemOf)
{
    const auto length = static_cast<std::size_t>(rows.sequenceLength);
    for (std::size_t token = row * length; token < (row + 1) * length; ++token) {
        if (rows.labels[token] == RowBlock::kNoLabel)
            continue;
        if (const std::string problem = problemOf(token); !problem.empty())
            return problem;
    }
    return {};
}

std::string completionProblem(const RowBlock& rows, std::size_t token)
{
    if (rows.labels[token] == rows.inputIds[token])
        return {};
    return fmt::format("has label {} on token {}", rows.labels[token], rows.inputIds[token]);
}

std::string answerProblem(const RowBlock& rows, std::size_t row)
{
    const std::int32_t start = rows.startPositions[row];
    const std::int32_t end = rows.endPositions[row];
    if (start >= 0 && start <= end && end < rows.sequenceLength)
        return {};
    return fmt::format("has an answer from token {} to {}, and its tokens are 0 to {}", start, end,
                       rows.sequenceLength - 1);
}

std::string labelProblem(const LabelRange& range, const RowBlock& rows, std::size_t row)
{
    switch (range.task) {
    case TaskKind::Classify:
        return classProblem(rows.labels[row], range.classes);
    case TaskKind::Regress:
        return std::isfinite(rows.values[row]) ? std::string()
                                               : fmt::format("has the value {}", rows.values[row]);
    case TaskKind::Tag:
        return tokenProblem(
            rows, row, [&](std::size_t token) { return classProblem(rows.labels[token], range.classes); });
    case TaskKind::Complete:
        return tokenProblem(rows, row, [&](std::size_t token) { return completionProblem(rows, token); });
    case TaskKind::Answer:
        return answerProblem(rows, row);
    case TaskKind::None:
        break;
    }
    return {};
}

} // namespace

LabelRange LabelRange::of(const Manifest& manifest)
{
    return {manifest.taskKind(), static_cast<int>(manifest.task.labels.size())};
}

Status LabelRange::check(const RowBlock& rows, const std::filesystem::path& file,
                         std::uint64_t firstRow) const
{
    for (std::size_t row = 0; task != TaskKind::None && row < rows.rows; ++row) {
        if (const std::string problem = labelProblem(*this, rows, row); !problem.empty())
            return badInput(fmt::format("{}: row {} {}", file.string(), firstRow + row, problem),
                            "prepare the data set again; `trainyard verify` lists what is wrong with it");
    }
    return {};
}

} // namespace trainyard
