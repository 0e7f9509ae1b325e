#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <nlohmann/json.hpp>

#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "tests/auto/prepare/prepare_program.h"
#include "tests/auto/prepare/sample_dump.h"

using namespace trainyard;

/// Exports of every version, language and oddity become data sets that verify accepts; damaged ones end with
/// a sentence about the damage and leave nothing behind.
class TestOddDumps : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        QVERIFY(QDir().mkpath(at("dumps")));
        const ProgramOutcome trained = runPrepareProgram({"prepare", QString::fromStdString(sampleDump()),
                                                          "--train-vocab", "1000", "--out", at("trained")});
        QVERIFY2(trained.status == 0, qPrintable(trained.err));
    }

    void becomesADataSetOrAMessage_data()
    {
        QTest::addColumn<QString>("name");
        QTest::addColumn<int>("documents");
        QTest::addColumn<QString>("said");
        QVERIFY(QDir().mkpath(at("dumps")));
        QCOMPARE(
            QProcess::execute(TRAINYARD_SOURCE_DIR "/tests/auto/prepare/write_odd_dumps.py", {at("dumps")}),
            0);
        const auto expected =
            nlohmann::json::parse(readFile(at("dumps/expected.json").toStdString()).value());
        for (const auto& [name, outcome] : expected.items())
            QTest::addRow("%s", name.c_str())
                << QString::fromStdString(name) << outcome.value("documents", -1)
                << QString::fromStdString(outcome.value("said", ""));
    }
    void becomesADataSetOrAMessage()
    {
        QFETCH(QString, name);
        QFETCH(int, documents);
        QFETCH(QString, said);
        const ProgramOutcome made =
            runPrepareProgram({"prepare", at("dumps/" + name), "--vocab", at("trained/vocab.txt"), "--out",
                               at("out"), "--seq-len", "64", "--max-pred", "10", "--dupe", "2", "--shards",
                               "2", "--test-shards", "1", "--threads", "2"});
        if (documents >= 0)
            checkSet(made, documents);
        else
            checkMessage(made, name, said);
        QVERIFY(QDir(at("out")).removeRecursively());
    }

private:
    QString at(const QString& name) const { return m_folder.filePath(name); }

    void checkSet(const ProgramOutcome& made, int documents) const
    {
        QVERIFY2(made.status == 0, qPrintable(made.err));
        QCOMPARE(Manifest::load(at("out").toStdString())->statistics.documents, std::uint64_t(documents));
        const ProgramOutcome verified = runPrepareProgram({"verify", at("out")});
        QVERIFY2(verified.status == 0, qPrintable(verified.err));
    }

    void checkMessage(const ProgramOutcome& made, const QString& name, const QString& said) const
    {
        QCOMPARE(made.status, 2);
        QVERIFY2(made.err.contains(said), qPrintable(made.err));
        QVERIFY2(made.err.contains(name) || said == "no document of the corpus", qPrintable(made.err));
        QVERIFY(!QFile::exists(at("out")) && !QFile::exists(at(".out.part")));
    }

    QTemporaryDir m_folder;
};

QTEST_GUILESS_MAIN(TestOddDumps)
#include "tst_odd_dumps.moc"
