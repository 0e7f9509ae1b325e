#include "engine/records/record.h"

#include <fmt/format.h>

#include "engine/base/units.h"

namespace trainyard {

namespace {

template <typename Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Enum value)
{
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : std::string_view("unknown");
}

std::string amount(double value, const std::string& unit)
{
    return unit == "B" ? formatBytes(static_cast<Bytes>(value)) : formatNumber(value) + " " + unit;
}

} // namespace

std::string progressText(const ProgressRecord& progress)
{
    const auto ofStage = [&](auto value) { return amount(static_cast<double>(value), progress.unit); };
    std::string text = fmt::format("{}: {}", progress.stage, ofStage(progress.done));
    if (progress.total > 0)
        text += fmt::format(" of {}", ofStage(progress.total));
    if (progress.rate > 0)
        text += fmt::format(", {}/s", ofStage(progress.rate));
    if (progress.done < progress.total && progress.secondsLeft >= 0)
        text += fmt::format(", {} left", formatDuration(std::chrono::milliseconds(
                                             static_cast<std::int64_t>(progress.secondsLeft * 1e3))));
    return text;
}

std::string_view nameOf(MemoryCategory category)
{
    static constexpr std::array<std::string_view, kMemoryCategories> names{
        "weights", "gradients", "optimizer", "activations", "communication", "data", "other", "host"};
    return pick(names, category);
}

std::string_view nameOf(StepPhase phase)
{
    static constexpr std::array<std::string_view, kStepPhases> names{
        "input",  "forward", "backward",  "reduce", "optimizer", "other",
        "tensor", "context", "transfers", "bubble", "offload",   "expert"};
    return pick(names, phase);
}

std::string_view nameOf(Severity severity)
{
    static constexpr std::array<std::string_view, 3> names{"info", "warning", "error"};
    return pick(names, severity);
}

std::string_view nameOf(RunState state)
{
    static constexpr std::array<std::string_view, 7> names{"pending",  "starting", "running", "stopping",
                                                           "finished", "failed",   "stopped"};
    return pick(names, state);
}

std::optional<RunState> runStateFromName(std::string_view name)
{
    for (int i = 0; i <= static_cast<int>(RunState::Stopped); ++i) {
        if (const auto state = static_cast<RunState>(i); nameOf(state) == name)
            return state;
    }
    return std::nullopt;
}

bool isFinal(RunState state)
{
    return state == RunState::Finished || state == RunState::Failed || state == RunState::Stopped;
}

} // namespace trainyard
