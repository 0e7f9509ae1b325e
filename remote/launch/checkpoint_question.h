#pragma once

#include <chrono>
#include <functional>

#include <QObject>
#include <QPointer>

#include "engine/base/result.h"
#include "remote/launch/desk_run.h"
#include "remote/launch/run_checkpoints.h"
#include "remote/target/target_pool.h"

namespace trainyard {

/// Asks the head of a run for its checkpoints, then the other hosts, if they may have parts of them. Fails
/// when the head does not answer; another host may be silent. Deletes itself after one answer, which it drops
/// when `context` is gone. Belongs to `parent`.
class CheckpointQuestion : public QObject {
public:
    using Answer = std::function<void(const Result<QList<RunCheckpoint>>&)>;

    CheckpointQuestion(const DeskRun& run, TargetPool& targets, QObject* parent, const QObject* context,
                       Answer answer);
    void ask(std::chrono::milliseconds verification);

private:
    void askOthers(const QJsonObject& request);
    void take(const QString& host, const Result<QJsonObject>& reply);
    void answer(const Result<QList<RunCheckpoint>>& result);

    DeskRun m_run;
    TargetPool& m_targets;
    QPointer<const QObject> m_context;
    Answer m_answer;
    QList<HostCheckpoints> m_answers; ///< the head's first
    QStringList m_silent;
    qsizetype m_waiting = 0;
};

} // namespace trainyard
