#pragma once

#include <filesystem>
#include <fstream>
#include <map>

#include <QByteArray>
#include <QFutureWatcher>
#include <QList>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Brings a folder of a run's directory to this computer, under its final name in one instant. A broken
/// connection is waited for, and resumed where it broke. Destroying this object before finished() leaves
/// nothing here. Buffers a few MiB. GUI thread.
class RunFolderFetch : public QObject {
    Q_OBJECT

public:
    struct Plan {
        QString host;
        QString runId;
        QString folder;                    ///< in the run's directory, with plain files alone
        std::filesystem::path destination; ///< must not exist
    };
    RunFolderFetch(Plan plan, TargetPool& targets, QObject* parent = nullptr);
    ~RunFolderFetch() override;

    void start();

signals:
    void progress(qint64 bytes, qint64 total);
    /// Exactly once. BadInput when the destination exists.
    void finished(const trainyard::Status& result);

private:
    struct File {
        QString name;
        qint64 bytes = 0;
    };
    Target& source() const { return m_hosts.target(0); }

    void list();
    Status takeList(const QJsonArray& entries);
    Status prepare();
    Status checkSpace() const;
    void next();
    void readOn();
    void askForMore();
    void take(qint64 offset, const QByteArray& bytes);
    Status closeFile();
    void sync();
    void publish(const Status& synced);
    Error fileBecameShorter() const;
    void fail(const Error& error);
    void finish(const Status& result);

    Plan m_plan;
    HostGroup m_hosts;
    std::filesystem::path m_temporary; ///< empty before it exists
    QList<File> m_files;               ///< still to be fetched; the first one is being written
    std::ofstream m_file;
    qint64 m_asked = 0;                     ///< of the first file, up to here
    qint64 m_written = 0;                   ///< of the first file, up to here
    std::map<qint64, QByteArray> m_arrived; ///< of the first file, before their turn
    int m_round = 0;                        ///< answers of earlier rounds are dropped
    qint64 m_done = 0;                      ///< bytes of whole files
    qint64 m_total = 0;
    int m_failures = 0; ///< broken links since the last byte
    QFutureWatcher<Status> m_syncing;
    bool m_ended = false;
};

} // namespace trainyard
