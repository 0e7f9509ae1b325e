#include "app/runs/run_display_state.h"

#include <array>

namespace trainyard {

namespace {

struct Look {
    const char* shape;
    const char* word;
    Tone tone;
};

// In the order of RunDisplayState.
constexpr std::array<Look, 8> kLooks{{
    {"◷", "queued", Tone::Muted},
    {"●", "running", Tone::Accent},
    {"◆", "stalled", Tone::Warning},
    {"◌", "link lost, still running", Tone::Warning},
    {"●", "stopping", Tone::Accent},
    {"✓", "finished", Tone::Good},
    {"✕", "failed", Tone::Bad},
    {"‖", "stopped", Tone::Muted},
}};

const Look& lookOf(RunDisplayState state)
{
    return kLooks[static_cast<std::size_t>(state)];
}

} // namespace

QString wordOf(RunDisplayState state)
{
    return QString::fromUtf8(lookOf(state).word);
}

QString shapeOf(RunDisplayState state)
{
    return QString::fromUtf8(lookOf(state).shape);
}

Tone toneOf(RunDisplayState state)
{
    return lookOf(state).tone;
}

QString textOf(RunDisplayState state)
{
    return shapeOf(state) + QLatin1Char(' ') + wordOf(state);
}

RunDisplayState displayStateOf(RunState state)
{
    switch (state) {
    case RunState::Pending:
    case RunState::Starting:
        return RunDisplayState::Queued;
    case RunState::Running:
        return RunDisplayState::Running;
    case RunState::Stopping:
        return RunDisplayState::Stopping;
    case RunState::Finished:
        return RunDisplayState::Finished;
    case RunState::Failed:
        return RunDisplayState::Failed;
    case RunState::Stopped:
        return RunDisplayState::Stopped;
    }
    return RunDisplayState::Queued;
}

} // namespace trainyard
