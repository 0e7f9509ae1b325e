#pragma once

#include <QString>

namespace trainyard {

/// The path of a node executable of this machine: in $TRAINYARD_BIN or beside this program.
QString nodeProgram(const QString& name);

} // namespace trainyard
