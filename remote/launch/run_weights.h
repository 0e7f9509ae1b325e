#pragma once

#include <filesystem>
#include <functional>
#include <memory>
#include <vector>

#include <QList>
#include <QObject>
#include <QString>

#include "engine/base/result.h"
#include "engine/checkpoint/weights/weight_description.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/weights_upload.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// The weights of section init that a run begins with: found on its head or on this computer, compared with
/// its model, and sent where only this computer has them. GUI thread; destroying it stops what goes on. The
/// hosts outlive it.
class RunWeights : public QObject {
    Q_OBJECT

public:
    RunWeights(RunSpec spec, QString runId, const HostGroup& hosts);

    /// Calls `done` with a remark for the user, which is empty where the model takes all of them. BadInput
    /// when there are none of that name, or they do not fit.
    void find(std::function<void(const Result<QString>&)> done);
    /// After find().
    bool mustBeSent() const { return !m_files.empty(); }
    /// To these nodes, one after another.
    void send(const QList<int>& nodes, std::function<void(const Status&)> done);

signals:
    void progress(const QString& text, double fraction);

private:
    Result<QString> findHere();
    Result<QString> compare(const WeightDescription& stored) const;
    void sendNext();

    RunSpec m_spec;
    QString m_runId;
    const HostGroup& m_hosts;
    std::vector<std::filesystem::path> m_files; ///< of this computer; empty: the head has them
    QList<int> m_nodes;                         ///< still to be sent to
    std::function<void(const Status&)> m_sent;
    std::unique_ptr<WeightsUpload> m_upload;
};

} // namespace trainyard
