#pragma once

#include "tests/gui/pictures/picture.h"

namespace trainyard::pictures {

/// Parts of runPictures(): Compare and Reports; Try.
const QList<Picture>& historyPictures();
const QList<Picture>& trialPictures();

/// Shows a run on the page Runs with this panel in front, without messages and with folded thresholds.
void showRun(DeskWindow& desk, const QString& id, const char* panel);
/// Shows runs on the page Compare, in this tab.
void compare(DeskWindow& desk, const QStringList& runs, int tab);
/// Shows the report of runs.
void report(DeskWindow& desk, const QStringList& runs);
/// Removes the run without a folder that a picture of the page Runs adds to the list.
void forgetGone(DeskWindow& desk);

/// The panels by their ids.
inline constexpr auto Charts = "charts", Devices = "devices", Timeline = "timeline", Plan = "plan",
                      Scaling = "scaling", Log = "log", Events = "events", Checkpoints = "checkpoints",
                      Specification = "specification", Notes = "notes";

} // namespace trainyard::pictures
