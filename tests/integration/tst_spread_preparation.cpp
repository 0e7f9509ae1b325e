#include <map>
#include <optional>

#include <QCryptographicHash>
#include <QDir>
#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include "app/data/model/multi_host_preparation.h"
#include "datasets/options/prepare_command_line.h"
#include "engine/base/file.h"
#include "tests/support/bundle/small_bundle.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

const QString kBin = QStringLiteral(TRAINYARD_BIN_DIR);

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// All files of a folder by name, with their hashes.
std::map<QString, QByteArray> hashesIn(const QString& folder)
{
    std::map<QString, QByteArray> hashes;
    for (const QString& name : QDir(folder).entryList(QDir::Files))
        hashes[name] =
            QCryptographicHash::hash(readAll(folder + '/' + name), QCryptographicHash::Sha256).toHex();
    return hashes;
}

QByteArray sentence(int number)
{
    static const char* const words[] = {"engine", "wagon",  "bridge", "river",
                                        "town",   "signal", "track",  "mill"};
    QByteArray text = "The";
    for (int i = 0; i < 7; ++i)
        text += QByteArray(" ") + words[(number * 7 + i * i * (number % 5 + 1)) % 8];
    return text + ". ";
}

QByteArray article(int number)
{
    QByteArray text;
    for (int i = 0; i < 9; ++i)
        text += sentence(number + i);
    return text;
}

QByteArray dump(int firstId, int pages)
{
    QByteArray text = "<mediawiki>\n";
    for (int id = firstId; id < firstId + pages; ++id)
        text += "<page><title>P" + QByteArray::number(id) + "</title><ns>0</ns><id>" +
                QByteArray::number(id) + "</id><revision><text>" + article(id * 11) +
                "</text></revision></page>\n";
    return text + "</mediawiki>\n";
}

/// Documents without ids of their own.
QByteArray lines(int from, int count)
{
    QByteArray text;
    for (int i = 0; i < count; ++i)
        text += "{\"text\": \"" + article(from + i * 13) + "\"}\n";
    return text;
}

} // namespace

/// Two machines read one corpus: what comes out is what one machine makes of all of it, and nothing else is
/// left on either.
class TestSpreadPreparation : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        qputenv("TRAINYARD_DATA", m_dir.filePath("desk").toUtf8());
        qputenv("TRAINYARD_BUNDLE", m_dir.filePath("bundle").toUtf8());
        support::writeBundle(
            m_dir.filePath("bundle").toStdString(),
            {{"bin/trainyard-prepare", readAll(kBin + "/trainyard-prepare").toStdString(), true}});
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{2, "256m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        QByteArray vocabulary = "[PAD]\n[UNK]\n[CLS]\n[SEP]\n[MASK]\nthe\n.\n";
        for (const char* word : {"engine", "wagon", "bridge", "river", "town", "signal", "track", "mill"})
            vocabulary += QByteArray(word) + '\n';
        for (int host : {0, 1})
            write(host, "vocab.txt", vocabulary);
        // Each part lies where it is read and nowhere else.
        write(0, "1.xml", dump(1, 30));
        write(1, "2.jsonl", lines(40, 25));
        write(0, "3.xml", dump(200, 20));
        write(1, "4.jsonl", lines(700, 30));
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_runs = std::make_unique<RunService>(*m_pool);
    }
    void cleanup()
    {
        m_runs.reset();
        m_pool.reset();
    }

    void dealsFilesThatNameNoHostInEqualRuns()
    {
        PrepareRequest options;
        options.readers = {"a", "b"};
        options.dumps = {"/1", "/2", "/3", "/4", "/5"};
        QCOMPARE(sharesOf(options), (QList<CorpusShare>{{"a", {"/1", "/2", "/3"}}, {"b", {"/4", "/5"}}}));
        options.dumps = {"b:/1", "/2", "/3", "b:/4", "b:/5"};
        QCOMPARE(sharesOf(options),
                 (QList<CorpusShare>{{"b", {"/1"}}, {"a", {"/2"}}, {"b", {"/3", "/4", "/5"}}}));
    }

    void twoHostsMakeWhatOneMakes()
    {
        const Status made = prepare(options("set"));
        QVERIFY2(made.ok(), made.ok() ? "" : made.error().text().c_str());
        const auto alone = prepareAlone();
        QVERIFY(alone.size() >= 5);
        QCOMPARE(hashesIn(m_lab->host(0).path("/root/set")), alone);
        nothingElseIsLeft();
    }

    void aMissingPartIsSaidWithItsHost()
    {
        PrepareRequest wrong = options("missing");
        wrong.dumps[3] = at(1, "nothing.jsonl");
        const Status made = prepare(wrong);
        QVERIFY(!made.ok());
        QVERIFY2(contains(made, "nothing.jsonl") && contains(made, host(1)), made.error().text().c_str());
        QVERIFY(!QFile::exists(m_lab->host(0).path("/root/missing")));
        nothingElseIsLeft();
    }

    void aKilledJobOfOneHostEndsTheOthers_data()
    {
        QTest::addColumn<int>("killed");
        QTest::addRow("on the host of the data set") << 0;
        QTest::addRow("on the other host") << 1;
    }
    void aKilledJobOfOneHostEndsTheOthers()
    {
        QFETCH(int, killed);
        PrepareRequest waiting = options("killed");
        waitFor(waiting, [&] {
            const auto& at = m_lab->host(killed);
            for (const QByteArray& pid : readers(killed).split('\n'))
                at.run({"kill", "-9", QString::fromLatin1(pid)});
        });
        QVERIFY(!m_outcome->ok());
        QVERIFY2(contains(*m_outcome, host(killed)) && contains(*m_outcome, "killed"),
                 m_outcome->error().text().c_str());
        nothingElseIsLeft();
    }

    void aCancelledOneLeavesNothing()
    {
        PrepareRequest waiting = options("cancelled");
        waitFor(waiting, [&] { m_job->cancel(); });
        QCOMPARE(m_outcome->error().kind, ErrorKind::Cancelled);
        nothingElseIsLeft();
    }

    void aCopyGoesOnAfterABrokenLink()
    {
        const QString run = "20260101-000000-copied", folder = "/root/.trainyard/runs/" + run;
        const std::string bytes = support::noise(24u << 20, 7); // several times what may be under way
        const QByteArray hash =
            QCryptographicHash::hash(QByteArray::fromStdString(bytes), QCryptographicHash::Sha256).toHex();
        const QString there = m_lab->host(0).path(folder + "/documents/");
        QVERIFY(QDir().mkpath(there));
        QVERIFY(writeFileAtomically((there + "content").toStdString(), bytes).ok());
        QVERIFY(writeFileAtomically((there + "documents.json").toStdString(),
                                    R"({"files": [{"name": "content", "bytes": 25165824, "sha256": ")" +
                                        hash.toStdString() + R"("}]})")
                    .ok());
        for (const bool first : {true, false}) { // what is there already is not sent again
            RunFolderCopy copy({run, host(0), host(1), R"({"command": "documents", "arguments": []})",
                                "documents", "documents.json"},
                               *m_pool);
            std::optional<Status> outcome;
            int breaks = 0, told = 0;
            connect(&copy, &RunFolderCopy::progress, this, [&](qint64 done, qint64 total) {
                ++told;
                if (done > total / 4 && ++breaks == 1)
                    m_lab->host(1).resetConnections();
            });
            connect(&copy, &RunFolderCopy::finished, this, [&](const Status& status) { outcome = status; });
            copy.start();
            AWAIT(outcome.has_value());
            QVERIFY2(outcome->ok(), outcome->ok() ? "" : outcome->error().text().c_str());
            QCOMPARE(breaks > 0, first);
            QCOMPARE(told > 0, first);
        }
        QVERIFY(readAll(m_lab->host(1).path(folder + "/documents/content")) ==
                QByteArray::fromStdString(bytes));
        for (int i : {0, 1})
            QVERIFY(QDir(m_lab->host(i).path(folder)).removeRecursively());
    }

private:
    QString host(int index) const { return m_lab->host(index).address(); }

    /// A file that this host reads.
    std::filesystem::path at(int index, const char* name) const
    {
        return (host(index) + ":/root/" + name).toStdString();
    }

    /// Ids of the processes that read on a host, as it counts.
    QByteArray readers(int host) const
    {
        return m_lab->host(host).run({"pgrep", "-f", "trainyard-prepare documents"}).output.trimmed();
    }

    void write(int host, const QString& name, const QByteArray& content)
    {
        for (const QString& path : {m_lab->host(host).path("/root/" + name), m_dir.filePath(name)}) {
            QFile file(path);
            QVERIFY(file.open(QIODevice::WriteOnly));
            QCOMPARE(file.write(content), content.size());
        }
    }

    PrepareRequest options(const QString& out) const
    {
        PrepareRequest options;
        options.host = host(0);
        options.readers = {host(0), host(1)};
        options.dumps = {at(0, "1.xml"), at(1, "2.jsonl"), at(0, "3.xml"), at(1, "4.jsonl")};
        options.vocabulary = "/root/vocab.txt";
        options.out = "/root/" + out.toStdString();
        options.shapes = {{32, 5}};
        options.dupeFactor = 2;
        options.trainingShards = 2;
        options.testShards = 1;
        options.testFraction = 0.2;
        options.threads = 1;
        return options;
    }

    Status prepare(const PrepareRequest& options)
    {
        MultiHostPreparation job(*m_runs, options);
        std::optional<Status> outcome;
        connect(&job, &MultiHostPreparation::finished, this, [&](const Status& status) { outcome = status; });
        job.start();
        [&] { AWAIT(outcome.has_value()); }();
        return outcome.value_or(failed("it did not end"));
    }

    /// Both hosts wait for text that never comes, from pipes; then `act` is done, and the end awaited.
    template <typename Act>
    void waitFor(PrepareRequest options, Act act)
    {
        for (int i : {0, 1})
            m_lab->host(i).run({"mkfifo", "/root/endless"});
        options.dumps = {at(0, "endless"), at(1, "endless")};
        options.format = CorpusFormat::Articles;
        m_outcome.reset();
        m_job = std::make_unique<MultiHostPreparation>(*m_runs, options);
        connect(m_job.get(), &MultiHostPreparation::finished, this,
                [&](const Status& status) { m_outcome = status; });
        m_job->start();
        for (int i : {0, 1})
            AWAIT(!readers(i).isEmpty());
        act();
        AWAIT(m_outcome.has_value());
        m_job.reset();
    }

    std::map<QString, QByteArray> prepareAlone()
    {
        const PrepareRequest spread = options("set");
        PrepareRequest alone = spread;
        alone.readers.clear();
        alone.dumps.clear();
        const std::filesystem::path folder = m_dir.path().toStdString();
        for (const auto& dump : spread.dumps)
            alone.dumps.push_back(folder / dump.filename());
        alone.vocabulary = folder / "vocab.txt";
        alone.out = folder / "alone";
        const auto made = lab::runCommand(QStringList{kBin + "/trainyard-prepare", "prepare"} +
                                              toStringList(prepareArguments(alone)),
                                          {}, kPatienceMs);
        [&] { QVERIFY2(made.ok(), made.errors.constData()); }();
        return hashesIn(m_dir.filePath("alone"));
    }

    static bool contains(const Status& status, const QString& text)
    {
        return QString::fromStdString(status.error().text()).contains(text);
    }

    /// No process, no documents in between, no half a data set; the joining run alone is remembered.
    void nothingElseIsLeft()
    {
        for (int i : {0, 1}) {
            const lab::LabHost& at = m_lab->host(i);
            AWAIT_EQUAL(at.run({"pgrep", "-f", "trainyard-prepare"}).output, QByteArray());
            const QByteArray left = at.run({"find", "/root", "-name", "documents*"}).output;
            QVERIFY2(left.isEmpty(), left.constData());
            QVERIFY(!at.run({"ls", "-a", "/root"}).output.contains(".part"));
        }
    }

    QTemporaryDir m_dir;
    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<RunService> m_runs;
    std::unique_ptr<MultiHostPreparation> m_job;
    std::optional<Status> m_outcome;
};

QTEST_GUILESS_MAIN(TestSpreadPreparation)
#include "tst_spread_preparation.moc"
