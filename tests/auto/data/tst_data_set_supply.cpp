#include <optional>

#include <QTemporaryDir>
#include <QTest>

#include "remote/launch/data_set_supply.h"
#include "tests/auto/data/made_data_set.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

const QStringList kNames{"gpu-01", "gpu-02", "gpu-03"};

Result<QByteArray> missingManifest()
{
    return badInput("there is no data set");
}

RunSpec specReading(const QString& folder)
{
    RunSpec spec;
    spec.dataset.path = folder.toStdString();
    return spec;
}

} // namespace

/// A launch sees to it that every host has the data set of the run.
class TestDataSetSupply : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            return; // the comparisons need no hosts
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{2, "100m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_dir = std::make_unique<QTemporaryDir>();
        test::makeDataSet(folder().toStdString(), 2, 500'000);
        if (!m_lab)
            return;
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        for (int host = 0; host < 2; ++host)
            m_lab->host(host).run(
                {"sh", "-c", "rm -rf /root/.trainyard/cas /root/.trainyard/data /root/own"});
    }
    void cleanup() { m_pool.reset(); }

    void comparesManifests_data()
    {
        QTest::addColumn<QByteArrayList>("manifests"); // empty = none
        QTest::addColumn<QStringList>("words");        // empty = they agree
        QTest::addRow("all alike") << QByteArrayList{"a", "a", "a"} << QStringList{};
        QTest::addRow("one has none") << QByteArrayList{"a", "", "a"} << QStringList{};
        QTest::addRow("one differs") << QByteArrayList{"a", "b", "a"}
                                     << QStringList{"/d/wiki", "gpu-01, gpu-03 (manifest ca978112ca1b)",
                                                    "gpu-02 (manifest 3e23e8160039)", "trainyard data send"};
        QTest::addRow("each has its own")
            << QByteArrayList{"a", "b", "c"}
            << QStringList{"gpu-01", "gpu-02", "gpu-03 (manifest 2e7d2c03a950)"};
    }
    void comparesManifests()
    {
        QFETCH(QByteArrayList, manifests);
        QFETCH(QStringList, words);
        std::vector<Result<QByteArray>> answers;
        for (const QByteArray& manifest : manifests)
            answers.push_back(manifest.isEmpty() ? missingManifest() : Result<QByteArray>(manifest));
        const Status same = compareManifests("/d/wiki", kNames, answers);
        QCOMPARE(same.ok(), words.isEmpty());
        for (const QString& word : words)
            QVERIFY2(same.error().text().find(word.toStdString()) != std::string::npos,
                     same.error().text().c_str());
    }

    void renamesWhereverTheSpecificationNamesIt()
    {
        RunSpec spec = specReading("/d/wiki");
        spec.dataset.mix = {{"/d/wiki", 0.5}, {"/d/books", 0.5}};
        spec.phases.resize(2);
        spec.phases[1].dataset.path = "/d/wiki";
        spec.evaluation.dataset = "/d/wiki";
        spec.init.path = "/d/wiki";
        renameDataSet(spec, "/d/wiki", "/sent/wiki");
        QCOMPARE(spec.dataset.path, std::string("/sent/wiki"));
        QCOMPARE(spec.dataset.mix[0].path, std::string("/sent/wiki"));
        QCOMPARE(spec.dataset.mix[1].path, std::string("/d/books"));
        QCOMPARE(spec.phases[0].dataset.path, std::string());
        QCOMPARE(spec.phases[1].dataset.path, std::string("/sent/wiki"));
        QCOMPARE(spec.evaluation.dataset, std::string("/sent/wiki"));
        QCOMPARE(spec.init.path, std::string("/d/wiki")); // weights
    }

    void offersTell_data()
    {
        QTest::addColumn<qint64>("seconds");
        QTest::addColumn<QStringList>("copying");
        QTest::addColumn<QString>("text");
        const QString send = "send 3.00 GiB to gpu-03, gpu-04";
        QTest::addRow("unknown") << qint64(0) << QStringList{} << send;
        QTest::addRow("seconds") << qint64(42) << QStringList{} << send + " (about 42 s)";
        QTest::addRow("hours") << qint64(7500) << QStringList{} << send + " (about 2 h 5 min)";
        QTest::addRow("minutes") << qint64(200) << QStringList{} << send + " (about 4 min)";
        QTest::addRow("copies") << qint64(200) << QStringList{"gpu-01"}
                                << send + " (about 4 min) and copy 1.00 GiB on gpu-01";
    }
    void offersTell()
    {
        QFETCH(qint64, seconds);
        QFETCH(QStringList, copying);
        QFETCH(QString, text);
        DataOffer offer{{"gpu-03", "gpu-04"}, {"wiki"}, qint64(3) << 30, {}, copying, qint64(1) << 30};
        if (seconds > 0)
            offer.time = std::chrono::seconds(seconds);
        QCOMPARE(offer.text(), text);
    }

    void refusesWithTheCommandsThatSend()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        const Given given = supply(SendData::Refuse);
        QCOMPARE(given.result->ok(), false);
        QCOMPARE(given.result->error().kind, ErrorKind::Refused);
        const QString text = QString::fromStdString(given.result->error().text());
        QVERIFY2(text.contains(hosts().join(", ") + " have no data set set"), qPrintable(text));
        QVERIFY2(text.contains("(about "), qPrintable(text));
        QVERIFY2(text.contains("--send-data"), qPrintable(text));
        QVERIFY2(text.contains("trainyard data send " + folder() + " --host " + hosts()[0] + " --host " +
                               hosts()[1]),
                 qPrintable(text));
    }

    void sendsWhenItMay()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        const Given given = supply(SendData::Send);
        QVERIFY2(given.result->ok(), given.result->ok() ? "" : given.result->error().text().c_str());
        const SuppliedDataSets& supplied = given.result->value();
        QVERIFY(supplied.moved);
        const QString there = QString::fromStdString(supplied.spec.dataset.path);
        QVERIFY2(there.startsWith("/root/.trainyard/data/set-"), qPrintable(there));
        for (int host = 0; host < 2; ++host)
            QVERIFY(QFile::exists(m_lab->host(host).path(there + "/train-1.hdf5")));
        QCOMPARE(supplied.dataSets.manifests.size(), std::size_t(1));

        const Given again = supply(SendData::Refuse); // nothing has to be sent any more
        QVERIFY(again.result->ok());
        QCOMPARE(again.result->value().spec.dataset.path, supplied.spec.dataset.path);
    }

    void asksBeforeItSends()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        const Given given = supply(SendData::Ask);
        QVERIFY(given.offer.has_value());
        QCOMPARE(given.offer->hosts, hosts());
        QCOMPARE(given.offer->names, QStringList{"set"});
        QVERIFY(given.offer->bytes > 1'000'000);
        QVERIFY(!given.early); // nothing was there when it asked
        QVERIFY(given.result->ok());
    }

    /// Only the first host has it, in a folder of its own; this computer does not.
    void takesItFromAHostThatHasIt()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        QVERIFY(lab::runCommand({"cp", "-r", folder(), m_lab->host(0).path("/root/own")}).ok());
        const Given given = supply(SendData::Send, "/root/own");
        QVERIFY2(given.result->ok(), given.result->ok() ? "" : given.result->error().text().c_str());
        const QString there = QString::fromStdString(given.result->value().spec.dataset.path);
        for (int host = 0; host < 2; ++host)
            QVERIFY(QFile::exists(m_lab->host(host).path(there + "/train-1.hdf5")));
    }

    /// One host has it in a folder of its own, the other got it earlier: nothing is sent, and yet gigabytes
    /// may be written.
    void copiesOnAHostOnlyWhenItMay()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        QVERIFY(lab::runCommand({"cp", "-r", folder(), m_lab->host(0).path("/root/own")}).ok());
        QVERIFY(supply(SendData::Send, "/root/own").result->ok());
        m_lab->host(0).run({"sh", "-c", "rm -rf /root/.trainyard/cas /root/.trainyard/data"});

        const Given refused = supply(SendData::Refuse, "/root/own");
        QCOMPARE(refused.result->ok(), false);
        const QString text = QString::fromStdString(refused.result->error().text());
        QVERIFY2(text.contains("not all hosts have the data set own in the same folder"), qPrintable(text));
        QVERIFY2(text.contains("on " + hosts()[0] + " with --send-data"), qPrintable(text));
        QVERIFY2(
            text.contains("`trainyard data send " + hosts()[0] + ":/root/own --host " + hosts()[0] + '`'),
            qPrintable(text));
        QVERIFY(!QFile::exists(m_lab->host(0).path("/root/.trainyard/cas")));

        const Given asked = supply(SendData::Ask, "/root/own");
        QVERIFY(asked.offer.has_value());
        QCOMPARE(asked.offer->hosts, QStringList());
        QCOMPARE(asked.offer->bytes, qint64(0));
        QCOMPARE(asked.offer->copyingHosts, QStringList{hosts()[0]});
        QVERIFY(asked.offer->copiedBytes > 1'000'000);
        QVERIFY(asked.result->ok());
    }

    void refusesBeforeItSendsWhereTheAgentsFoldersDiffer()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        m_lab->host(0).run({"sh", "-c", "echo 'export TRAINYARD_HOME=/root/elsewhere' >> /root/.bashrc"});
        const Given given = supply(SendData::Send);
        m_lab->host(0).run({"sed", "-i", "/TRAINYARD_HOME/d", "/root/.bashrc"});
        QCOMPARE(given.result->ok(), false);
        const QString text = QString::fromStdString(given.result->error().text());
        QVERIFY2(text.contains("/root/elsewhere on " + hosts()[0] + ", /root/.trainyard on " + hosts()[1]),
                 qPrintable(text));
        QVERIFY(!QFile::exists(m_lab->host(1).path("/root/.trainyard/cas")));
    }

    /// A resumed run reads what it read before, also on hosts that had no ranks.
    void namesTheHostsThatLackAFixedDataSet()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        QVERIFY(lab::runCommand({"cp", "-r", folder(), m_lab->host(0).path("/root/own")}).ok());
        const Given given = supply(SendData::Send, "/root/own", false);
        QCOMPARE(given.result->ok(), false);
        const QString text = QString::fromStdString(given.result->error().text());
        QVERIFY2(text.contains(hosts()[1] + ": there is no data set"), qPrintable(text));
        QVERIFY2(text.contains("trainyard data send " + hosts()[0] + ":/root/own --host " + hosts()[1]),
                 qPrintable(text));
    }

    void leavesASpecificationAloneThatAllHostsCanRead()
    {
        if (!m_lab)
            QSKIP("needs the lab");
        for (int host = 0; host < 2; ++host)
            QVERIFY(lab::runCommand({"cp", "-r", folder(), m_lab->host(host).path("/root/own")}).ok());
        const Given given = supply(SendData::Ask, "/root/own");
        QVERIFY(given.result->ok());
        QVERIFY(!given.offer.has_value());
        QVERIFY(!given.result->value().moved);
    }

private:
    struct Given {
        std::optional<DataOffer> offer;
        bool early = false; ///< something was sent before the answer
        std::optional<Result<SuppliedDataSets>> result;
    };

    QString folder() const { return m_dir->filePath("set"); }
    QStringList hosts() const { return {m_lab->host(0).address(), m_lab->host(1).address()}; }

    Given supply(SendData sendData, const QString& path = {}, bool mayMove = true)
    {
        const RunSpec spec = specReading(path.isEmpty() ? folder() : path);
        HostGroup group(hosts(), *m_pool);
        std::optional<Status> ready;
        group.whenReady([&](const Status& status) { ready = status; });
        [&] { AWAIT(ready.has_value()); }();
        DataSetSupply supplying({spec, hosts(), sendData, 1e6, mayMove}, *m_pool);
        Given given;
        connect(&supplying, &DataSetSupply::offered, this, [&](const DataOffer& offer) {
            given.offer = offer;
            given.early = QFile::exists(m_lab->host(1).path("/root/.trainyard/data"));
            supplying.acceptOffer();
        });
        connect(&supplying, &DataSetSupply::finished, this,
                [&](const Result<SuppliedDataSets>& result) { given.result = result; });
        supplying.start();
        [&] { AWAIT(given.result.has_value()); }();
        return given;
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    std::unique_ptr<QTemporaryDir> m_dir;
};

QTEST_GUILESS_MAIN(TestDataSetSupply)
#include "tst_data_set_supply.moc"
