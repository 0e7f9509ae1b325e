#pragma once

#include <QList>
#include <QString>

#include "remote/launch/run_service.h"

namespace trainyard {

class Desk;

/// What a host says of its runs, once it has answered; empty when it cannot be reached, which is told.
QList<HostRun> askHost(Desk& desk, const QString& host);

} // namespace trainyard
