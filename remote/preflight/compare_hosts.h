#pragma once

#include <QList>

#include "remote/preflight/host_report.h"

namespace trainyard {

/// Adds to each report the rows about what only shows beside the other hosts: one machine listed twice, equal
/// host names, unequal versions, folders and devices. The first host is the head, with which the others are
/// compared. Reports of hosts that were not reached are left alone.
void compareHosts(QList<HostReport>& reports);

} // namespace trainyard
