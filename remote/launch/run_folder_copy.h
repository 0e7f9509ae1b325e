#pragma once

#include <memory>

#include <QByteArray>

#include "remote/launch/run_folder_writer.h"
#include "remote/target/host_group.h"

namespace trainyard {

class FileRelay;

/// Copies the result of a data job, a folder of its run's directory, from one host to the same place on
/// another through this computer, so that no host needs a key of the other. The folder has an index that
/// lists its files, `{"files": [{"name", "bytes", "sha256"}]}`. Copies nothing when the other host sees the
/// same folder (a shared disk). Buffers a few MiB. GUI thread.
class RunFolderCopy : public RunFolderWriter {
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

private:
    Target& source() const { return m_hosts.target(0); }
    Target& goal() const override { return m_hosts.target(1); }
    void startAgain() override { start(); }
    void send(const File& file, qint64 offset) override;
    QString inFolder(const QString& name) const;

    void readIndex();
    void compareIndex(const QByteArray& index);
    Result<QList<File>> parseIndex() const;
    void makeRun(const QList<File>& files);

    Plan m_plan;
    HostGroup m_hosts;
    QByteArray m_index;
    std::unique_ptr<FileRelay> m_relay;
};

} // namespace trainyard
