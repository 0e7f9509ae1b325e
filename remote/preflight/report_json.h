#pragma once

#include <QJsonArray>
#include <QJsonObject>

#include "remote/preflight/preflight.h"

namespace trainyard {

QString nameOf(Verdict verdict); ///< "ok", "warning", "fail"

/// {host, verdict, checks: [{check, found, verdict, fix}], links: [{to, way, found, verdict, fix, latency_ms,
/// bytes_per_second}]}; omits values that were not measured, and `links` where none were tested.
QJsonObject toJson(const HostReport& report);

/// For the record of a run, next to the hosts' own answers: {verdict, interface, hosts: [as above]}, limited
/// to the network of the ranks, to checks that were not fine and to links that failed or were measured: their
/// number is the square of the number of hosts.
QJsonObject toJson(const PreflightReport& report);

} // namespace trainyard
