#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <QObject>
#include <QString>

#include "app/data/model/prepare_options.h"
#include "app/hosts/model/host_job.h"
#include "remote/launch/run_folder_copy.h"

namespace trainyard {

/// What one of several hosts reads of a corpus: files that follow each other.
struct CorpusShare {
    QString host;
    QStringList dumps;

    bool operator==(const CorpusShare&) const = default;
};

/// Deals the files among options.readers, in their order: what names its host goes there, the others go to
/// the readers in equal runs, so that the first reader has the first files.
QList<CorpusShare> sharesOf(const PrepareOptions& options);

/// A preparation whose corpus several hosts read: each turns its files into documents, which travel to the
/// host of the data set by way of this desk; that one joins them in the order of the files and makes the same
/// bytes that it would have made alone. What was in between is removed everywhere at the end, also when it
/// fails. The desk has to stay until the documents are together. GUI thread.
class SpreadPreparation : public QObject {
    Q_OBJECT
public:
    /// Requires valid options with readers.
    SpreadPreparation(RunService& runs, PrepareOptions options, QObject* parent = nullptr);
    ~SpreadPreparation() override;

    void start();
    /// finished() follows with Cancelled once nothing is left on any host.
    void cancel();
    /// Of all hosts together.
    StageProgress progress() const;

signals:
    /// What is going on beside the stages; 0..1, negative = unknown.
    void startProgress(const QString& text, double fraction);
    /// The first job is at work.
    void launched();
    void progressed();
    void noticed(const QString& text);
    void linkChanged(trainyard::LinkState link);
    /// Exactly once. An error names its host.
    void finished(const trainyard::Status& status);

private:
    struct Share {
        CorpusShare what;
        std::unique_ptr<HostJob> job; ///< null before its host has begun with it
        std::unique_ptr<RunFolderCopy> copy;
        StageProgress progress;
        QString run;
        bool there = false; ///< its documents are on the host of the data set
    };

    void readNext(const QString& host);
    void read(Share& share);
    void onRead(Share& share, const Status& status);
    void copy(Share& share);
    void joinWhenTogether();
    void watch(HostJob& job);
    bool anythingWorks() const;
    void fail(const Error& error);
    void leave(HostJob& job, const Error& error);
    void endWhenQuiet();
    void clean();

    RunService& m_runs;
    PrepareOptions m_options;
    std::vector<Share> m_shares;
    std::unique_ptr<HostJob> m_join;
    bool m_joining = false;
    StageProgress m_joinProgress;
    std::optional<Status> m_outcome; ///< known; what is still at work is being ended
    bool m_cleaning = false;
    int m_toRemove = 0;
};

} // namespace trainyard
