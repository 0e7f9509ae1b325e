#pragma once

#include <QJsonObject>

#include "app/runs/recorded_run.h"
#include "app/runs/run_entry.h"

namespace trainyard {

/// A run to be shared: what was recorded, and its entry of the history with the owner's notes and tags.
struct SharedRun {
    const RunFacts& facts;
    const RunSeries& series;
    RunEntry entry;
};

/// Name, state, progress, settings other than their defaults, events, notes and tags of a run. `hidesPlaces`
/// leaves out names of hosts and paths, wherever they are.
QJsonObject descriptionOf(const SharedRun& run, bool hidesPlaces);

/// {"name", "id", "state", "step", "steps", "metrics": {"loss": 2.31, "held_out/loss": 2.4, ...}}: the last
/// value of every metric; what is not finite is a text: "NaN", "Infinity", "-Infinity".
QJsonObject lastValuesOf(const SharedRun& run);

} // namespace trainyard
