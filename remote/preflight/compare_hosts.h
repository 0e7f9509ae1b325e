#pragma once

#include <QList>

#include "remote/preflight/host_report.h"

namespace trainyard {

/// Adds the rows that need a comparison with the other hosts to each report: one machine listed twice, equal
/// host names, different versions, folders and devices. The first host is the head, with which the others are
/// compared. Skips reports of unreachable hosts, and versions of MPI unless ranks use the hosts'.
void compareHosts(QList<HostReport>& reports, bool withMpiOfHosts = true);

} // namespace trainyard
