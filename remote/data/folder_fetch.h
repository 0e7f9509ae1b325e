#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <optional>

#include <QByteArray>
#include <QFutureWatcher>
#include <QJsonObject>
#include <QList>
#include <QObject>
#include <QString>

#include "engine/base/hash.h"
#include "engine/base/result.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Brings a folder of a host to this computer, under its final name in one instant. Files that the host names
/// with their hashes are checked against them. A broken connection is waited for, and resumed where it broke.
/// Destroying this object before finished() leaves nothing here. Buffers a few MiB. GUI thread.
class FolderFetch : public QObject {
    Q_OBJECT

public:
    struct Plan {
        QString host;
        QString folder;   ///< for messages
        QJsonObject list; ///< the request that lists its files: `list`, `data-files`
        QJsonObject read; ///< the one that reads a file, whose name is appended to the field `file`
        std::filesystem::path destination; ///< must not exist
    };
    FolderFetch(Plan plan, TargetPool& targets, QObject* parent = nullptr);
    ~FolderFetch() override;

    void start();

signals:
    void progress(qint64 bytes, qint64 total);
    /// Exactly once. BadInput when the destination exists.
    void finished(const trainyard::Status& result);

private:
    struct File {
        QString name; ///< plain names, '/'-separated
        qint64 bytes = 0;
        QString sha256; ///< empty: the host does not say
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
    Status openFile();
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
    std::optional<Sha256> m_hash;           ///< of what is written of the first file
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
