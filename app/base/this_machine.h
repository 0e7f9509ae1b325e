#pragma once

#include <QString>

namespace trainyard {

/// The user's own machine in a list of hosts: always there, reached without SSH.
inline QString thisMachine()
{
    return QStringLiteral("localhost");
}

/// Returns the path of a program of the node half on this machine: in $TRAINYARD_BIN, else beside this
/// program.
QString nodeProgram(const QString& name);

} // namespace trainyard
