#pragma once

#include <QString>

namespace trainyard::pictures {

/// Writes the runs of a few busy days into the desk data folder `desk`: one at work, a scaling study, a
/// failed one with a long name, one that was killed and resumed, one that was stopped.
void writeRuns(const QString& desk);

} // namespace trainyard::pictures
