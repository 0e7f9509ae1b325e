#include "engine/records/record.h"

namespace trainyard {

namespace {

template <typename Enum, std::size_t N>
std::string_view pick(const std::array<std::string_view, N>& names, Enum value)
{
    const auto index = static_cast<std::size_t>(value);
    return index < N ? names[index] : std::string_view("unknown");
}

} // namespace

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
        "tensor", "context", "transfers", "bubble", "offload"};
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
