#pragma once

#include <QString>

#include "app/base/tone.h"
#include "engine/records/record.h"

namespace trainyard {

/// The state of a run as the window shows it: always a word and a shape, which colour only supports.
enum class RunDisplayState {
    Queued,   ///< ◷ not started yet
    Running,  ///< ●
    Stalled,  ///< ◆ running, but its steps or its supervisor have fallen silent
    LinkLost, ///< ◌ last seen running; it continues without us
    Stopping, ///< ● asked to stop
    Finished, ///< ✓
    Failed,   ///< ✕
    Stopped,  ///< ‖ can be resumed
};

QString wordOf(RunDisplayState state);
QString shapeOf(RunDisplayState state);
Tone toneOf(RunDisplayState state);
/// "● running"
QString textOf(RunDisplayState state);

/// Returns the display state of a state in the journal.
RunDisplayState displayStateOf(RunState state);

} // namespace trainyard
