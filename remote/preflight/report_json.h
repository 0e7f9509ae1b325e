#pragma once

#include <QJsonArray>
#include <QJsonObject>

#include "remote/preflight/preflight.h"

namespace trainyard {

QString nameOf(Verdict verdict); ///< "ok", "warning", "fail"

/// {host, verdict, checks: [{check, found, verdict, fix}], links: [{to, way, found, verdict, fix, latency_ms,
/// bytes_per_second}]}; figures that were not measured are left out, and `links` where none were tried.
QJsonObject toJson(const HostReport& report);

/// For the record of a run, beside the hosts' own answers: {verdict, interface, hosts: [as above]} with the
/// checks that are not fine and the links that are not or were measured. There are hosts squared of them.
QJsonObject toJson(const PreflightReport& report);

} // namespace trainyard
