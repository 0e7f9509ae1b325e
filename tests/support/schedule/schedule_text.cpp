#include "tests/support/schedule/schedule_text.h"

#include <algorithm>
#include <charconv>
#include <optional>

#include <fmt/format.h>

namespace trainyard {

namespace {

using Kind = PipelineActionKind;

bool takeText(std::string_view& text, std::string_view expected)
{
    if (!text.starts_with(expected))
        return false;
    text.remove_prefix(expected.size());
    return true;
}

bool takeNumber(std::string_view& text, int& number)
{
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    if (error != std::errc() || number < 0)
        return false;
    text.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return true;
}

/// The number that begins at `at`, or -1.
int numberAt(std::string_view word, std::size_t at)
{
    int number = -1;
    word.remove_prefix(std::min(at, word.size()));
    return takeNumber(word, number) ? number : -1;
}

/// The action with that text, among those with the numbers in it.
std::optional<PipelineAction> parseAction(std::string_view word, const PipelineShape& shape)
{
    const int microBatch = numberAt(word, word.find_first_of("0123456789"));
    const std::size_t dot = word.find('.');
    const int chunk = dot == std::string_view::npos ? 0 : numberAt(word, dot + 1);
    for (int kind = 0; kind < static_cast<int>(Kind::ReduceGradients); ++kind) {
        const PipelineAction action{static_cast<Kind>(kind), microBatch, chunk};
        if (microBatch >= 0 && chunk >= 0 && toText(action, shape) == word)
            return action;
    }
    for (const PipelineAction& action :
         {PipelineAction{Kind::ReduceGradients, -1, chunk}, PipelineAction{Kind::OptimizerStep, -1, -1}}) {
        if (toText(action, shape) == word)
            return action;
    }
    return std::nullopt;
}

std::string_view takeUntil(std::string_view& text, char separator)
{
    const std::size_t end = text.find(separator);
    const std::string_view taken = text.substr(0, end);
    text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
    return taken;
}

Result<PipelineShape> parseShape(std::string_view line)
{
    PipelineShape shape;
    const bool read = takeText(line, "ranks ") && takeNumber(line, shape.ranks) &&
                      takeText(line, ", chunks ") && takeNumber(line, shape.chunks) &&
                      takeText(line, ", micro-batches ") && takeNumber(line, shape.microBatches) &&
                      line.empty();
    if (!read || shape.ranks < 1 || shape.chunks < 1 || shape.microBatches < 1)
        return badInput("line 1: the shape of the pipeline is missing",
                        "begin with e.g. \"ranks 4, chunks 1, micro-batches 8\"");
    return shape;
}

Result<ActionList> parseRank(std::string_view line, int rank, const PipelineShape& shape)
{
    if (!takeText(line, fmt::format("{}:", rank)))
        return badInput(fmt::format("line {}: pipeline rank {} is missing", rank + 2, rank),
                        fmt::format("begin the line with \"{}:\"", rank));
    ActionList actions;
    while (!line.empty()) {
        const std::string_view word = takeUntil(line, ' ');
        if (word.empty())
            continue;
        const auto action = parseAction(word, shape);
        if (!action)
            return badInput(fmt::format("line {}: \"{}\" is not an action", rank + 2, word),
                            shape.chunks == 1 ? "write e.g. F0, F0>, >B0, B0, reduce, step"
                                              : "write e.g. F0.1, F0.1>, >B0.1, B0.1, reduce.1, step");
        actions.push_back(*action);
    }
    return actions;
}

} // namespace

std::string toText(const PipelineSchedule& schedule)
{
    const PipelineShape& shape = schedule.shape;
    std::string text =
        fmt::format("ranks {}, chunks {}, micro-batches {}\n", shape.ranks, shape.chunks, shape.microBatches);
    for (std::size_t rank = 0; rank < schedule.ranks.size(); ++rank) {
        text += fmt::format("{}:", rank);
        for (const PipelineAction& action : schedule.ranks[rank])
            text += " " + toText(action, shape);
        text += "\n";
    }
    return text;
}

Result<PipelineSchedule> parseSchedule(std::string_view text)
{
    PipelineSchedule schedule;
    TRAINYARD_TRY(schedule.shape, parseShape(takeUntil(text, '\n')));
    for (int rank = 0; rank < schedule.shape.ranks; ++rank) {
        TRAINYARD_TRY(ActionList actions, parseRank(takeUntil(text, '\n'), rank, schedule.shape));
        schedule.ranks.push_back(std::move(actions));
    }
    if (!text.empty())
        return badInput(fmt::format("line {}: the pipeline has {} ranks, but more lines follow",
                                    schedule.shape.ranks + 2, schedule.shape.ranks));
    return schedule;
}

} // namespace trainyard
