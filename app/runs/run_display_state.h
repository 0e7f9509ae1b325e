#pragma once

#include <QString>

#include "app/base/tone.h"
#include "engine/records/record.h"

namespace trainyard {

/// How a run appears everywhere in the window: always a word and a shape, the colour only helps.
enum class RunDisplayState {
    Queued,   ///< ◷ not started yet
    Running,  ///< ●
    Stalled,  ///< ◆ running, but its steps or its supervisor have fallen silent
    LinkLost, ///< ◌ last seen running; it goes on without us
    Stopping, ///< ● asked to stop
    Done,     ///< ✓
    Failed,   ///< ✕
    Stopped,  ///< ‖ can be resumed
};

QString wordOf(RunDisplayState state);
QString shapeOf(RunDisplayState state);
Tone toneOf(RunDisplayState state);
/// "● running"
QString textOf(RunDisplayState state);

/// The state that follows from the state in the journal alone.
RunDisplayState displayStateOf(RunState state);

} // namespace trainyard
