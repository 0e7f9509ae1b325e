#pragma once

#include <QList>
#include <QString>

#include "remote/launch/run_service.h"

namespace trainyard {

class Desk;

/// Waits for a host to list its runs. Prints the reason and returns an empty list if it cannot be reached.
QList<HostRun> askHost(Desk& desk, const QString& host);

} // namespace trainyard
