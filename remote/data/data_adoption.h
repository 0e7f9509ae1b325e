#pragma once

#include <vector>

#include <QJsonObject>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/target/host_group.h"
#include "remote/wire/data_set_content.h"

namespace trainyard {

/// Copies a data set that a host has into its agent's store (op `adopt-data`): what is missing there, file by
/// file, after a look at the free space. A broken link is waited for, and the file under way asked for again.
/// Destroying it stops after that file. GUI thread.
class DataAdoption : public QObject {
    Q_OBJECT

public:
    /// `folder`: of the data set on the host, which has this content.
    DataAdoption(const QString& host, QString folder, const DataSetContent& content, TargetPool& targets);

    void start();

signals:
    /// Bytes of the missing files.
    void progress(qint64 done, qint64 total);
    /// Once. Refused when it does not fit, Failed when a file is damaged, Unreachable when the host stays
    /// away.
    void finished(const trainyard::Status& result);

private:
    void askWhatIsMissing();
    void onMissing(const QJsonObject& reply);
    Status checkRoom(const QJsonObject& disk) const;
    void copyNext();
    /// Unreachable: goes on when the link is back.
    void handle(const Error& error);

    HostGroup m_host;
    QString m_folder;
    std::vector<DataSetFile> m_missing; ///< first every file, then those that the store lacks
    qint64 m_left = 0;                  ///< bytes
    qint64 m_total = 0;                 ///< bytes
    int m_breaks = 0;                   ///< of the link since the last file
};

} // namespace trainyard
