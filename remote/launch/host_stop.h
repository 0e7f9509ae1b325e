#pragma once

#include <optional>
#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// Result of stopping a run on one host.
struct HostStop {
    QString host;
    int killed = 0;             ///< processes that had to be killed
    std::optional<Error> doubt; ///< why it is not known that nothing is left there
};

/// Combines the answers of one host to `stop`, in order; the last one decides whether processes remain.
HostStop hostStop(const QString& host, const std::vector<Result<QJsonObject>>& answers);

/// Ok when every host is clean; otherwise lists all that are not.
Status allClean(const std::vector<HostStop>& stops);
/// "gpu-2: 3 processes had to be killed": one sentence for each host with killed processes.
QStringList killedWords(const std::vector<HostStop>& stops);

} // namespace trainyard
