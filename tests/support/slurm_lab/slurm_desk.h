#pragma once

#include <QTemporaryDir>
#include <QTest>

#include "engine/records/record.h"
#include "engine/spec/run_spec.h"
#include "remote/launch/run_service.h"
#include "tests/support/patience.h"
#include "tests/support/slurm_lab/slurm_lab.h"

/// As AWAIT, with what was said on the cluster when it fails.
#define AWAIT_ON(condition, run)                                                                             \
    do {                                                                                                     \
        if (!QTest::qWaitFor([&] { return condition; }, kPatienceMs))                                        \
            QFAIL(qPrintable(QStringLiteral(#condition "\n") + m_desk->lastWords(run)));                     \
    } while (false)

namespace trainyard::lab {

/// A desk in front of a SlurmLab: an engine to deploy (the one of this build, seen by every host), a small
/// data set in the shared home folder, and what a test asks of runs.
class SlurmDesk {
public:
    explicit SlurmDesk(int nodes = 2);
    ~SlurmDesk();
    /// Empty when the cluster is up and the data set is there.
    QString start();

    SlurmLab& cluster() { return m_cluster; }
    RunService& service() { return *m_service; }
    TargetPool& targets() { return *m_pool; }

    /// One rank on each of `nodes` nodes, for more steps than any test waits for.
    RunSpec spec(int nodes = 2);

    /// Waits for the operation; its run, or empty with error() set.
    QString finish(RunOperation* operation);
    QString error() const { return m_error; }

    /// The answer of the login host's agent.
    Result<QJsonObject> call(const QJsonObject& request);
    /// What the login host says of the run.
    HostRun ask(const QString& run);
    /// The job of the run's last submission.
    QString jobOf(const QString& run);
    QByteArray fileOf(const QString& run, const QString& file);
    /// "pending starting running stopped": the states of stream "run" in order, without heartbeats and
    /// without one and the same again.
    QString history(const QString& run);
    /// The step of the newest checkpoint that is published; 0 = none.
    qint64 checkpointOf(const QString& run);
    /// Processes of the run on that node.
    int processesOf(const QString& run, int index);
    /// The values of CUDA_VISIBLE_DEVICES that ranks of the run were started with on that node, each once.
    QByteArrayList devicesOf(const QString& run, int index);
    /// What was said on the nodes, for a test that failed.
    QString lastWords(const QString& run);

private:
    void makeBundle() const;
    QString makeDataSet();

    QTemporaryDir m_dir;
    SlurmLab m_cluster;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_service;
    int m_vocabulary = 0;
    QString m_error;
};

} // namespace trainyard::lab
