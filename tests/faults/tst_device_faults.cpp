#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "tests/faults/small_training.h"
#include "tests/faults/supervised_run.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr int kHosts = 2;

/// A worker that has tests/support/broken_device in front of its MPI.
bool writeWorker(const QString& folder)
{
    const QString build = lab::seenInHosts(TRAINYARD_TESTS_DIR "/broken_device.so");
    const QString worker = lab::seenInHosts(TRAINYARD_BIN_DIR "/trainyard-worker");
    QFile script(folder + "/trainyard-worker");
    return script.open(QIODevice::WriteOnly) &&
           script.write(
               QString("#!/bin/sh\nexport LD_PRELOAD=%1\nexec %2 \"$@\"\n").arg(build, worker).toUtf8()) >
               0 &&
           script.setPermissions(QFile::ReadOwner | QFile::WriteOwner | QFile::ExeOwner);
}

} // namespace

/// What a run makes of a GPU that breaks: the real ranks train on processors, and one of their collectives
/// fails in CUDA's words.
class TestDeviceFaults : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        QVERIFY(m_programs.isValid() && writeWorker(m_programs.path()));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{kHosts, "200m", {}});
        QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_training = std::make_unique<SmallTraining>(*m_lab, kHosts);
        trouble = m_training->prepare();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
    }
    void cleanupTestCase()
    {
        m_training.reset();
        m_lab.reset();
    }

    void f63_gpuBreaks()
    {
        FaultReport report(63, "GPU of one rank lost (uncorrectable memory error)",
                           "status 4, the cause is named, the next attempt goes on from the checkpoint");
        SupervisedRun run(*m_lab, spec(), m_programs.path().toStdString());
        QCOMPARE(run.launch(), QString());
        AWAIT(run.folder().publishedCheckpoint() > 0);
        breakDevice("214");
        report.injected("CUDA error 214 in an all-reduce of rank 0");
        AWAIT(run.isRunning(2));
        QCOMPARE(run.events("restarting").size(), 1);
        const QString told = run.events("restarting").first();
        QVERIFY2(told.contains("ended with status 4"), qPrintable(told));
        QVERIFY2(told.contains("CUDA error: 214"), qPrintable(told));
        report.observed(told);
        QVERIFY(run.stopEverywhere());
    }

    void f63_gpuOutOfMemory()
    {
        FaultReport report(63, "GPU of one rank out of memory",
                           "status 3, the cause is named, not tried again");
        SupervisedRun run(*m_lab, spec(), m_programs.path().toStdString());
        QCOMPARE(run.launch(), QString());
        AWAIT(run.folder().publishedCheckpoint() > 0);
        breakDevice("memory");
        report.injected("c10::OutOfMemoryError in an all-reduce of rank 0");
        AWAIT_EQUAL(run.status().state, RunState::Failed);
        const QString reason = QString::fromStdString(run.status().reason);
        QVERIFY2(reason.contains("ended with status 3"), qPrintable(reason));
        QVERIFY2(reason.contains("CUDA out of memory"), qPrintable(reason));
        QCOMPARE(run.events("restarting"), QStringList());
        report.observed(reason);
        QVERIFY(run.stopEverywhere());
    }

private:
    RunSpec spec() const
    {
        RunSpec spec = m_training->spec();
        spec.checkpoint.everySteps = 10;
        spec.launch.restart = {3, std::chrono::milliseconds(100), false, false};
        return spec;
    }

    /// On the head, which has the log of its rank and so its last word. Written elsewhere first: the worker
    /// reads it whole or not at all.
    void breakDevice(const QString& fault)
    {
        m_lab->host(0).run(
            {"sh", "-c", QString("echo %1 > /root/fault && mv /root/fault /root/device_breaks").arg(fault)});
    }

    const QTemporaryDir m_programs{QStringLiteral(TRAINYARD_TESTS_DIR "/broken-device-XXXXXX")};
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<SmallTraining> m_training;
};

QTEST_GUILESS_MAIN(TestDeviceFaults)
#include "tst_device_faults.moc"
