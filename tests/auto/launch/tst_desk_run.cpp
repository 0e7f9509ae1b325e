#include <QRegularExpression>
#include <QTemporaryDir>
#include <QTest>

#include "engine/base/file.h"
#include "remote/launch/desk_run.h"
#include "remote/target/data_dirs.h"

using namespace trainyard;

namespace {

DeskRun agedRun(int createdNs)
{
    DeskRun run;
    run.id = QString("r%1").arg(createdNs);
    run.name = "x";
    run.hosts = QStringList{"h"};
    run.createdNs = createdNs;
    return run;
}

} // namespace

class TestDeskRun : public QObject {
    Q_OBJECT

private slots:
    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        qputenv("TRAINYARD_DATA", m_dir->path().toUtf8());
    }

    void comesBackAsItWasKept()
    {
        const DeskRun run{.id = "r1",
                          .name = "bert",
                          .kind = RunKind::Prepare,
                          .hosts = {"gpu-1", "gpu-2"},
                          .bundle = "abc",
                          .attempt = 3,
                          .access = RunAccess::ReadOnly,
                          .createdNs = 1'795'252'505'000'000'001};
        QVERIFY(saveDeskRun(run).ok());
        const auto loaded = loadDeskRun("r1");
        QVERIFY(loaded.ok());
        QCOMPARE(loaded->name, run.name);
        QCOMPARE(loaded->kind, run.kind);
        QCOMPARE(loaded->hosts, run.hosts);
        QCOMPARE(loaded->head(), QString("gpu-1"));
        QCOMPARE(loaded->bundle, run.bundle);
        QCOMPARE(loaded->attempt, run.attempt);
        QCOMPARE(loaded->access, run.access);
        QCOMPARE(loaded->createdNs, run.createdNs); // all 64 bits
    }

    /// Streams are named after the numbers of their hosts.
    void keepsTheNumbersOfHostsThatComeAndGo()
    {
        DeskRun run = agedRun(1);
        run.hosts = QStringList{"a", "b"};
        QCOMPARE(run.allHosts(), (QStringList{"a", "b"}));
        run.moveTo({"a", "c"});
        run.moveTo({"a", "b", "d"});
        QVERIFY(saveDeskRun(run).ok());
        const auto loaded = loadDeskRun(run.id);
        QVERIFY(loaded.ok());
        QCOMPARE(loaded->hosts, (QStringList{"a", "b", "d"}));
        QCOMPARE(loaded->allHosts(), (QStringList{"a", "b", "c", "d"}));
    }

    void knowsEveryKind()
    {
        for (const RunKind kind : {RunKind::Train, RunKind::Prepare, RunKind::Probe}) {
            QVERIFY(saveDeskRun({.id = "r1", .name = "bert", .kind = kind, .hosts = {"gpu-1"}, .bundle = {}})
                        .ok());
            QCOMPARE(loadDeskRun("r1")->kind, kind);
        }
        QCOMPARE(runKindFrom("something newer"), RunKind::Train);
    }

    void listsTheNewestFirstAndLeavesDamageOut()
    {
        for (const int age : {2, 1, 3})
            QVERIFY(saveDeskRun(agedRun(age)).ok());
        QVERIFY(makeFolder(runDir("broken")).ok());
        QVERIFY(writeFileAtomically(runDir("broken") / "host.json", "{").ok());
        QStringList ids;
        for (const DeskRun& run : deskRuns())
            ids << run.id;
        QCOMPARE(ids, (QStringList{"r3", "r2", "r1"}));
    }

    void saysThatItDoesNotKnowARun()
    {
        for (const QString& id : {QString("nothing"), QString("../etc"), QString()})
            QCOMPARE(loadDeskRun(id).error().kind, ErrorKind::BadInput);
    }

    void namesRunsByTimeAndName()
    {
        const QString id = makeRunId("bert-tiny");
        QVERIFY2(QRegularExpression("^\\d{8}T\\d{6}Z-bert-tiny-[0-9a-f]{4}$").match(id).hasMatch(),
                 qPrintable(id));
        QVERIFY(isPlainName(id.toStdString()));
    }

private:
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_APPLESS_MAIN(TestDeskRun)
#include "tst_desk_run.moc"
