#include "app/runs/run_condition.h"

#include <array>

namespace trainyard {

namespace {

struct Look {
    const char* shape;
    const char* word;
    Tone tone;
};

// In the order of RunCondition.
constexpr std::array<Look, 8> kLooks{{
    {"◷", "queued", Tone::Muted},
    {"●", "running", Tone::Accent},
    {"◆", "stalled", Tone::Warning},
    {"◌", "link lost, still running", Tone::Warning},
    {"●", "stopping", Tone::Accent},
    {"✓", "done", Tone::Good},
    {"✕", "failed", Tone::Bad},
    {"‖", "stopped", Tone::Muted},
}};

const Look& lookOf(RunCondition condition)
{
    return kLooks[static_cast<std::size_t>(condition)];
}

} // namespace

QString wordOf(RunCondition condition)
{
    return QString::fromUtf8(lookOf(condition).word);
}

QString shapeOf(RunCondition condition)
{
    return QString::fromUtf8(lookOf(condition).shape);
}

Tone toneOf(RunCondition condition)
{
    return lookOf(condition).tone;
}

QString textOf(RunCondition condition)
{
    return shapeOf(condition) + QLatin1Char(' ') + wordOf(condition);
}

RunCondition conditionOf(RunState state)
{
    switch (state) {
    case RunState::Pending:
    case RunState::Starting:
        return RunCondition::Queued;
    case RunState::Running:
        return RunCondition::Running;
    case RunState::Stopping:
        return RunCondition::Stopping;
    case RunState::Finished:
        return RunCondition::Done;
    case RunState::Failed:
        return RunCondition::Failed;
    case RunState::Stopped:
        return RunCondition::Stopped;
    }
    return RunCondition::Queued;
}

} // namespace trainyard
