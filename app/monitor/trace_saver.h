#pragma once

#include <QObject>
#include <QString>

#include "app/monitor/model/trace_recorder.h"
#include "app/runs/open_run.h"

namespace trainyard {

class RunHosts;

/// Records the passes and collectives of the next steps of a run to `traces/steps-<first>-<last>.json` in its
/// folder, in Chrome's format. Deletes itself after finished().
class TraceSaver : public QObject {
    Q_OBJECT

public:
    static constexpr int kSteps = 5;

    /// The hosts must outlive it.
    TraceSaver(RunHosts& hosts, const OpenRun& run, QObject* parent);
    void start() { m_recording.start(); }

signals:
    void progress(int stepsDone);
    /// The file written, or the error.
    void finished(const trainyard::Result<QString>& file);

private:
    void end(const Status& recorded);
    Result<QString> save() const;

    QString m_folder;
    QStringList m_hostsByRank;
    TraceRecorder m_recording;
};

} // namespace trainyard
