#pragma once

#include <QString>

#include "engine/base/result.h"

namespace trainyard {

/// Where this desk's own executables are: $TRAINYARD_BIN, or the folder of this program.
QString programFolder();
/// An executable of that folder. Refused with what to do when it is not there.
Result<QString> findProgram(const QString& name);

} // namespace trainyard
