#pragma once

#include <filesystem>
#include <memory>

#include <QObject>
#include <QString>

#include "app/hosts/model/remote_job.h"
#include "engine/hand_over/options/export_command_line.h"

namespace trainyard {

class RunFolderFetch;

/// Exports a model where its checkpoint is, by a job of its host, and brings the folder to this computer.
/// Leaves no other files here or there. GUI thread.
class ModelExport : public QObject {
    Q_OBJECT

public:
    enum class Place {
        Here, ///< the folder is on this computer
        Host  ///< the folder stays on the host; an absolute path there
    };
    /// `options.model`: id of a run of the host, or an absolute path there; so is `options.vocabulary`.
    ModelExport(RunService& runs, const QString& host, ModelExportOptions options, Place place = Place::Here,
                QObject* parent = nullptr);
    ~ModelExport() override;

    void start();
    /// finished() follows with Cancelled once the host is cleaned up.
    void cancel();

signals:
    /// Current activity; 0..1, negative = unknown.
    void progress(const QString& text, double fraction);
    /// Something that does not stop the export, e.g. that the newest checkpoint is damaged.
    void noticed(const QString& text);
    /// Emitted exactly once.
    void finished(const trainyard::Status& status);

private:
    void showProgress();
    void onJobFinished(const Status& status);
    void fetch();
    void finish(const Status& status);

    RunService& m_runs;
    RemoteJob m_job;
    ModelExportOptions m_options; ///< as the job gets them
    std::filesystem::path m_destination;
    bool m_isFetched; ///< the job writes into its run's directory
    std::unique_ptr<RunFolderFetch> m_fetch;
    bool m_isOver = false; ///< finished() was emitted
};

} // namespace trainyard
