#pragma once

#include <optional>
#include <vector>

#include <QJsonObject>
#include <QString>
#include <QStringList>

#include "engine/base/result.h"

namespace trainyard {

/// How a run was ended on one host.
struct HostStop {
    QString host;
    int killed = 0;             ///< processes that had to be killed
    std::optional<Error> doubt; ///< why it is not known that nothing is left there
};

/// From the answers of one host to `stop`, in their order; the last one says what is left.
HostStop hostStop(const QString& host, const std::vector<Result<QJsonObject>>& answers);

/// Nothing when every host is clean; otherwise all that are not.
Status allClean(const std::vector<HostStop>& stops);
/// "gpu-2: 3 processes had to be killed": one sentence for each host where it came to that.
QStringList killedWords(const std::vector<HostStop>& stops);

} // namespace trainyard
