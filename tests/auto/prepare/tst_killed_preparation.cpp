// A preparation that is killed at any moment goes on where it stopped, and gives the bytes of one that was
// not.
#include <QDir>
#include <QElapsedTimer>
#include <QFile>
#include <QProcess>
#include <QTemporaryDir>
#include <QTest>

#include <csignal>
#include <map>
#include <random>
#include <unistd.h>

#include "datasets/shards/manifest.h"
#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/auto/prepare/sample_dump.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace fs = std::filesystem;

namespace {

constexpr int kFiles = 3;

/// A corpus of several files, both phases, kept on the disk as often as possible.
QStringList argumentsFor(const QString& out, const QString& vocabulary)
{
    QStringList arguments{"prepare"};
    for (int i = 0; i < kFiles; ++i)
        arguments << QString::fromStdString(sampleDump());
    arguments << QStringList{"--vocab", vocabulary, "--out", out, "--seq-len", "64,128", "--max-pred"}
              << QStringList{"10,20", "--dupe", "2", "--shards", "4", "--threads", "2"}
              << QStringList{"--save-every", "0.001"};
    return arguments;
}

/// SHA-256 of every file, by name.
std::map<std::string, std::string> fileHashesIn(const fs::path& folder)
{
    std::map<std::string, std::string> hashes;
    for (const auto& entry : fs::recursive_directory_iterator(folder)) {
        if (entry.is_regular_file())
            hashes[fs::relative(entry.path(), folder)] = sha256OfFile(entry.path()).value();
    }
    return hashes;
}

} // namespace

class TestKilledPreparation : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        const QStringList arguments{
            "prepare", QString::fromStdString(sampleDump()), "--train-vocab", "1000", "--out", at("words")};
        QCOMPARE(QProcess::execute(program(), arguments), 0);
        QElapsedTimer timer;
        timer.start();
        QVERIFY(finish("whole").isEmpty());
        m_usual = timer.nsecsElapsed() / 1000;
        m_expected = fileHashesIn(at("whole").toStdString());
        QCOMPARE(m_expected.size(), std::size_t(16)); // 6 shards, vocabulary and manifest, twice
    }

    void endsTheSameAfterAKillAtAnyMoment_data()
    {
        QTest::addColumn<qint64>("microseconds");
        const QByteArray given = qgetenv("TRAINYARD_SEED");
        const unsigned seed = given.isEmpty() ? std::random_device{}() : given.toUInt();
        qInfo("seed %u, of %lld us", seed, static_cast<long long>(m_usual));
        std::mt19937_64 random(seed);
        for (int i = 0; i < 20; ++i)
            QTest::addRow("%d", i) << static_cast<qint64>(random() % static_cast<std::uint64_t>(m_usual));
    }
    void endsTheSameAfterAKillAtAnyMoment()
    {
        QFETCH(qint64, microseconds);
        const QString out = QStringLiteral("once%1").arg(QTest::currentDataTag());
        if (killAfter(out, microseconds))
            finish(out);
        QCOMPARE(fileHashesIn(at(out).toStdString()), m_expected);
        QVERIFY(!fs::exists(at("." + out + ".part").toStdString()));
    }

    /// Every process adds something, so that kills without end are no work without end.
    void getsThereThroughManyKills()
    {
        int kills = 0;
        for (qint64 firstLife = m_usual / 4; kills < 2; firstLife /= 2) { // the machine may be faster now
            fs::remove_all(at("often").toStdString());
            kills = 0;
            for (qint64 life = firstLife; killAfter("often", life); life += life / 10)
                ++kills;
        }
        qInfo("%d kills", kills);
        QCOMPARE(fileHashesIn(at("often").toStdString()), m_expected);
    }

    void doesNotTrustNotesOfShardsThatAreGone_data()
    {
        QTest::addColumn<QString>("gone");
        QTest::newRow("all that was made") << "content";
        QTest::newRow("the shards of one width") << "content/seq64";
    }
    void doesNotTrustNotesOfShardsThatAreGone()
    {
        QFETCH(QString, gone);
        leaveHalfDone("gone", "content/seq128");
        QVERIFY(fs::remove_all((partOf("gone") + '/' + gone).toStdString()) > 0);
        finish("gone");
        QCOMPARE(fileHashesIn(at("gone").toStdString()), m_expected);
        fs::remove_all(at("gone").toStdString());
    }

    void saysThatItGoesOn()
    {
        leaveHalfDone("half");
        QVERIFY(finish("half").contains("resuming"));
    }

    void startsAnewForAnotherJob()
    {
        leaveHalfDone("other");
        QStringList arguments = argumentsFor(at("other"), vocabulary());
        arguments << "--seed"
                  << "9";
        const QString said = run(arguments);
        QVERIFY2(!said.contains("resuming"), qPrintable(said));
        QVERIFY(fileHashesIn(at("other").toStdString()) != m_expected);
        QCOMPARE(Manifest::load((at("other") + "/seq64").toStdString())->seed, std::uint64_t(9));
    }

private:
    static QString program() { return TRAINYARD_BIN_DIR "/trainyard-prepare"; }
    QString at(const QString& name) const { return m_folder.filePath(name); }
    QString vocabulary() const { return at("words") + "/vocab.txt"; }

    /// What it says on stderr; the test fails when the program does.
    QString run(const QStringList& arguments)
    {
        QProcess process;
        process.start(program(), arguments);
        [&] {
            QVERIFY(process.waitForFinished(kPatienceMs));
            QCOMPARE(process.exitCode(), 0);
        }();
        QString said = process.readAllStandardError();
        return said.contains("warning") ? said : QString();
    }
    QString finish(const QString& out) { return run(argumentsFor(at(out), vocabulary())); }
    QString partOf(const QString& out) const { return at("." + out + ".part"); }
    /// False when nothing was left to do, whether or not the process had ended.
    bool killAfter(const QString& out, qint64 microseconds)
    {
        QProcess process;
        process.start(program(), argumentsFor(at(out), vocabulary()));
        [&] { QVERIFY(process.waitForStarted(kPatienceMs)); }();
        ::usleep(static_cast<useconds_t>(microseconds));
        ::kill(static_cast<pid_t>(process.processId()), SIGKILL);
        [&] { QVERIFY(process.waitForFinished(kPatienceMs)); }();
        return !QFile::exists(at(out)) || QFile::exists(partOf(out));
    }
    /// What a later process can go on with, on a machine of any speed: processes that live longer and longer
    /// go on until `made` is in the part, and begin anew with a shorter life when the data set was done
    /// first.
    void leaveHalfDone(const QString& out, const QString& made = "job")
    {
        qint64 life = m_usual / 8;
        while (QFile::exists(at(out)) || !QFile::exists(partOf(out) + '/' + made)) {
            if (QFile::exists(at(out))) {
                fs::remove_all(at(out).toStdString());
                life /= 2;
            }
            killAfter(out, life);
            life += life / 8;
        }
    }

    QTemporaryDir m_folder;
    qint64 m_usual = 0; ///< microseconds that a whole run takes
    std::map<std::string, std::string> m_expected;
};

QTEST_GUILESS_MAIN(TestKilledPreparation)
#include "tst_killed_preparation.moc"
