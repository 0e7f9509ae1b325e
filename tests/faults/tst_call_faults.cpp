#include <cerrno>

#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/hash.h"
#include "engine/records/journal.h"
#include "tests/support/faults/fault_report.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

struct Outcome {
    int status = -1;
    QStringList promises;
    int calls = 0;
};

} // namespace

/// Writers of the run, the desk and the agent, whose system calls fail one after the other.
class TestCallFaults : public QObject {
    Q_OBJECT

private slots:
    void f47_everyCallFailsOnce()
    {
        FaultReport report(
            47, "The n-th system call fails (EIO, ENOSPC, EINTR, EMFILE) or writes half, n = 1 to N",
            "no crash; what was promised is there; the next start puts the rest right");
        int tried = 0, refused = 0;
        for (const char* what : {"journal", "mirror", "blob"}) {
            const int all = reset(what) ? run(what, {}).calls : 0;
            QVERIFY(all > 5);
            for (const int error : {EIO, ENOSPC, EINTR, EMFILE, 0}) {
                for (int n = 1; n <= all; ++n) {
                    QVERIFY(reset(what));
                    const Outcome outcome = run(what, QString("%1:%2").arg(n).arg(error));
                    const QString where =
                        QString("%1, call %2 of %3 fails with %4").arg(what).arg(n).arg(all).arg(error);
                    QVERIFY2(outcome.status == 0 || outcome.status == 1, qPrintable(where));
                    QVERIFY2(keepsItsPromises(what, outcome),
                             qPrintable(where + ": " + outcome.promises.join(", ")));
                    const Outcome again = run(what, {});
                    QVERIFY2(again.status == 0 && keepsItsPromises(what, again),
                             qPrintable(where + ", then again"));
                    ++tried;
                    refused += outcome.status;
                }
            }
            report.injected(QString("%1 calls of the %2, each five times").arg(all).arg(what));
        }
        report.observed(QString("%1 runs: %2 refused, %3 were done all the same; every promise was kept")
                            .arg(tried)
                            .arg(refused)
                            .arg(tried - refused));
    }

private:
    /// An empty folder, but for the journal that the mirror is made of.
    bool reset(const QString& what)
    {
        m_folder = std::make_unique<QTemporaryDir>("/dev/shm/trainyard-XXXXXX");
        if (what != "mirror")
            return true;
        auto source = JournalWriter::open(m_folder->filePath("source").toStdString(), "steps", 1);
        for (int i = 1; source.ok() && i <= 10; ++i) {
            StepRecord record;
            record.step = i;
            if (!source->append(record).ok())
                return false;
        }
        return source.ok();
    }

    Outcome run(const QString& what, const QString& failing)
    {
        QProcess process;
        auto environment = QProcessEnvironment::systemEnvironment();
        environment.insert("LD_PRELOAD", "failing_calls.so"); // a path here may have no blanks
        environment.insert("LD_LIBRARY_PATH", TRAINYARD_TESTS_DIR);
        environment.insert("TRAINYARD_FAILING_CALL", failing);
        environment.insert("TRAINYARD_CALLS", m_folder->filePath("calls"));
        process.setProcessEnvironment(environment);
        process.start(QStringLiteral(TRAINYARD_TESTS_DIR "/careful_writer"), {what, m_folder->path()});
        process.waitForFinished(kPatienceMs);
        QFile calls(m_folder->filePath("calls"));
        Outcome outcome;
        outcome.calls = calls.open(QIODevice::ReadOnly) ? calls.readAll().toInt() : 0;
        outcome.status = process.exitStatus() == QProcess::NormalExit ? process.exitCode() : -1;
        outcome.promises = QString::fromUtf8(process.readAllStandardOutput()).split('\n', Qt::SkipEmptyParts);
        return outcome;
    }

    bool keepsItsPromises(const QString& what, const Outcome& outcome) const
    {
        const QString last = outcome.promises.isEmpty() ? QString() : outcome.promises.last().section(' ', 1);
        if (what == "blob") {
            const auto store = m_folder->path() + "/cas/" + last.left(2) + "/" + last;
            return last.isEmpty() || sha256OfFile(store.toStdString()).value() == last.toStdString();
        }
        const QString journal = m_folder->path() + (what == "journal" ? "/steps" : "/mirror/steps");
        const auto end = scanJournal(journal.toStdString(), [](std::vector<Record>) {});
        if (!end.ok())
            return last.isEmpty();
        return !end->damage &&
               last.toULongLong() <= (what == "journal" ? end->lastSequence : end->validBytes);
    }

    std::unique_ptr<QTemporaryDir> m_folder;
};

QTEST_GUILESS_MAIN(TestCallFaults)
#include "tst_call_faults.moc"
