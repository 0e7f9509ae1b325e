#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QString>

#include "app/data/model/prepare_request.h"
#include "app/hosts/model/remote_job.h"
#include "remote/launch/run_folder_copy.h"

namespace trainyard {

/// The part of a corpus that one host reads: consecutive files.
struct CorpusShare {
    QString host;
    std::vector<std::filesystem::path> dumps;

    bool operator==(const CorpusShare&) const = default;
};

/// Distributes the files among request.readers in order: files with a host prefix go to that host, the
/// others are dealt in equal runs, so that the first reader gets the first files.
QList<CorpusShare> sharesOf(const PrepareRequest& request);

/// A preparation whose corpus is read by several hosts: each turns its files into documents, which are
/// copied through this machine to the data set's host; that host joins them in file order and produces the
/// same bytes as it would alone. Intermediate files are removed everywhere at the end, also on failure. This
/// program must keep running until the documents are joined. GUI thread.
class MultiHostPreparation : public QObject {
    Q_OBJECT
public:
    /// Requires a valid request with readers.
    MultiHostPreparation(RunService& runs, PrepareRequest request, QObject* parent = nullptr);
    ~MultiHostPreparation() override;

    void start();
    /// finished() follows with Cancelled once all hosts are cleaned up.
    void cancel();
    /// Progress of all hosts together.
    StageProgress progress() const;

signals:
    /// Activity outside the stages; 0..1, negative = unknown.
    void startProgress(const QString& text, double fraction);
    /// The first job is running.
    void launched();
    void progressed();
    void noticed(const QString& text);
    void linkChanged(trainyard::LinkState link);
    /// Emitted exactly once. An error names its host.
    void finished(const trainyard::Status& status);

private:
    struct Share {
        CorpusShare what;
        std::unique_ptr<RemoteJob> job; ///< null until its host has started it
        std::unique_ptr<RunFolderCopy> copy;
        StageProgress progress;
        QString run;
        bool there = false; ///< its documents are on the data set's host
    };

    void readNext(const QString& host);
    void read(Share& share);
    void onRead(Share& share, const Status& status);
    void copy(Share& share);
    void joinWhenTogether();
    void watch(RemoteJob& job);
    bool anythingWorks() const;
    void fail(const Error& error);
    void leave(RemoteJob& job, const Error& error);
    void endWhenQuiet();
    void clean();

    RunService& m_runs;
    PrepareRequest m_request;
    std::vector<Share> m_shares;
    std::unique_ptr<RemoteJob> m_join;
    bool m_joining = false;
    StageProgress m_joinProgress;
    std::optional<Status> m_outcome; ///< known, while running jobs are being stopped
    bool m_cleaning = false;
    int m_toRemove = 0;
};

} // namespace trainyard
