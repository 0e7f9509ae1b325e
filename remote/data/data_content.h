#pragma once

#include <functional>

#include <QObject>
#include <QString>

#include "remote/target/target_pool.h"
#include "remote/wire/data_set_content.h"

namespace trainyard {

/// A data set's folder.
struct DataPlace {
    QString host;   ///< empty = this computer
    QString folder; ///< absolute on a host
    bool isHere() const { return host.isEmpty(); }
};

/// Reads which files a data set has: on this computer in a thread of its own, on a host by its agent, whose
/// link is opened where needed. `done` comes once, later, in the thread of `context`; dropped when `context`
/// is gone. Errors of readDataSetContent().
void readContent(const DataPlace& place, TargetPool& targets, QObject* context,
                 std::function<void(const Result<DataSetContent>&)> done);

} // namespace trainyard
