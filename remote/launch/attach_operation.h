#pragma once

#include "remote/launch/desk_run.h"
#include "remote/launch/run_operation.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Registers a run here that another computer (or an earlier session) started: reads its list entry, its
/// hosts and its specification from the head.
class AttachOperation : public RunOperation {
    Q_OBJECT

public:
    AttachOperation(const QString& host, const QString& runId, RunAccess access, TargetPool& targets,
                    QObject* parent);
    void start();
    void cancel() override;

private:
    void findRun();
    void readHosts();
    void readDocument();
    void readFile(const QString& file, std::function<void(const QByteArray&)> done);

    HostGroup m_group;
    DeskRun m_run;
};

} // namespace trainyard
