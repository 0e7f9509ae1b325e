#pragma once

#include <memory>

#include <QByteArray>
#include <QList>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "remote/launch/host_group.h"

namespace trainyard {

class FileRelay;

/// Copies the result of a data job, a folder of its run's directory, from one host to the same place on
/// another through this computer, so that no host needs a key of the other. The folder has an index that
/// lists its files, `{"files": [{"name", "bytes", "sha256"}]}`. Checks the hash of every file on arrival;
/// resumes a broken connection after the last verified MiB. Copies nothing when the other host sees the same
/// folder (a shared disk). Buffers a few MiB. GUI thread.
class RunFolderCopy : public QObject {
    Q_OBJECT

public:
    struct Plan {
        QString runId;
        QString from;
        QString to;
        QByteArray job; ///< text of the run's job.json, which makes its directory on the other host
        QString folder; ///< "documents"
        QString index;  ///< "documents.json"
    };
    RunFolderCopy(Plan plan, TargetPool& targets, QObject* parent = nullptr);
    ~RunFolderCopy() override;

    void start();

signals:
    void progress(qint64 bytes, qint64 total);
    /// Exactly once.
    void finished(const trainyard::Status& result);

private:
    struct File {
        QString name;
        QString sha256;
        qint64 bytes = 0;
    };
    Target& source() const { return m_hosts.target(0); }
    Target& goal() const { return m_hosts.target(1); }
    QString inFolder(const QString& name) const;

    void readIndex();
    void compareIndex(const QByteArray& index);
    Status parseIndex();
    void makeRun();
    void next();
    void askForBytes(const File& file);
    void send(const File& file, qint64 offset);
    void place(const File& file);
    void fail(const Error& error);
    void finish(const Status& result);

    Plan m_plan;
    HostGroup m_hosts;
    QByteArray m_index;
    QList<File> m_files; ///< that are still to be sent, the index last
    std::unique_ptr<FileRelay> m_relay;
    qint64 m_done = 0; ///< bytes of files that are there
    qint64 m_total = 0;
    int m_failures = 0; ///< broken links since the last byte
    bool m_ended = false;
};

} // namespace trainyard
