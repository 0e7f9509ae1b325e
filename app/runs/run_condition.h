#pragma once

#include <QString>

#include "app/base/tone.h"
#include "engine/records/record.h"

namespace trainyard {

/// How a run appears everywhere in the window: always a word and a shape, the colour only helps.
enum class RunCondition {
    Queued,   ///< ◷ not started yet
    Running,  ///< ●
    Stalled,  ///< ◆ running, but its steps or its supervisor have fallen silent
    LinkLost, ///< ◌ last seen running; it goes on without us
    Stopping, ///< ● asked to stop
    Done,     ///< ✓
    Failed,   ///< ✕
    Stopped,  ///< ‖ can be resumed
};

QString wordOf(RunCondition condition);
QString shapeOf(RunCondition condition);
Tone toneOf(RunCondition condition);
/// "● running"
QString textOf(RunCondition condition);

/// The condition that follows from the state in the journal alone.
RunCondition conditionOf(RunState state);

} // namespace trainyard
