#pragma once

#include <chrono>
#include <functional>

#include <QList>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// A data set that was sent to a host (op `data-sets`).
struct HostDataSet {
    QString name; ///< of its folder: "wiki-128-0f3a9c21b7de"
    QString id;   ///< SHA-256 of its manifest
    QString folder;
    qint64 bytes = 0;
    qint64 files = 0;
    std::chrono::seconds age{0}; ///< since it was sent
    QString lastRun;             ///< the newest run on that host that reads it; empty = none
    QString activeRun;           ///< empty = none
};

/// Lists the data sets that were sent to a host, by name. The question belongs to `parent`; drops the answer
/// when `context` is gone.
void listDataSets(const QString& host, TargetPool& targets, QObject* parent, const QObject* context,
                  std::function<void(const Result<QList<HostDataSet>>&)> done);

/// Removes one by the name of its folder; answers with the freed bytes. Refused while an active run reads it,
/// BadInput when there is none.
void removeDataSet(const QString& host, const QString& name, TargetPool& targets, QObject* parent,
                   const QObject* context, std::function<void(const Result<qint64>&)> done);

} // namespace trainyard
