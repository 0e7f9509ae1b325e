#include <optional>

#include <QTemporaryDir>
#include <QTest>
#include <QTimer>

#include "remote/data/data_adoption.h"
#include "tests/auto/data/made_data_set.h"
#include "tests/support/lab/netns_lab.h"
#include "tests/support/patience.h"

using namespace trainyard;

namespace {

constexpr int kAdoptedShards = 5;
const QString kOwnFolder = QStringLiteral("/root/own");

std::string adoptionText(const Status& status)
{
    return status.ok() ? "ok" : status.error().text();
}

} // namespace

/// A data set that a host has outside the agent's folder.
class TestDataAdoption : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        if (const QString why = lab::NetnsLab::whyNot(); !why.isEmpty())
            QSKIP(qPrintable(why));
        m_lab = std::make_unique<lab::NetnsLab>(lab::NetnsLab::Options{1, "100m", {}});
        const QString trouble = m_lab->start();
        QVERIFY2(trouble.isEmpty(), qPrintable(trouble));
        m_lab->trustHosts();
        test::makeDataSet(m_lab->host(0).path(kOwnFolder).toStdString(), kAdoptedShards, 4'000'000);
        const auto content = readDataSetContent(m_lab->host(0).path(kOwnFolder).toStdString());
        QVERIFY(content.ok());
        m_content = *content;
    }
    void cleanupTestCase() { m_lab.reset(); }

    void init()
    {
        m_pool = std::make_unique<TargetPool>(m_lab->targetOptions());
        m_lab->host(0).run({"sh", "-c", "rm -rf /root/.trainyard/cas /root/filler"});
    }
    void cleanup() { m_pool.reset(); }

    void copiesWhatIsMissingAndTellsHowFarItIs()
    {
        QList<qint64> done;
        const auto watch = [&](qint64 bytes, qint64 total) {
            done << bytes;
            QCOMPARE(total, static_cast<qint64>(m_content.bytes()));
        };
        const Status adopted = adopt(watch);
        QVERIFY2(adopted.ok(), adoptionText(adopted).c_str());
        QCOMPARE(done.size(), kAdoptedShards + 3); // the first word, vocabulary, shards, manifest
        QCOMPARE(blobs(), kAdoptedShards + 2);

        done.clear();
        QVERIFY(adopt([&](qint64 bytes, qint64) { done << bytes; }).ok());
        QCOMPARE(done, QList<qint64>{0}); // nothing is missing any more
    }

    void goesOnWhenTheLinkBreaks()
    {
        bool broke = false;
        const Status adopted = adopt([&](qint64 bytes, qint64) {
            if (bytes > 6'000'000 && !std::exchange(broke, true))
                QTimer::singleShot(0, this, [this] { m_lab->host(0).resetConnections(); });
        });
        QVERIFY2(adopted.ok(), adoptionText(adopted).c_str());
        QVERIFY(broke);
        QCOMPARE(blobs(), kAdoptedShards + 2);
    }

    void looksForRoomBeforeItCopies()
    {
        HostGroup group({m_lab->host(0).address()}, *m_pool); // the agent takes room as well
        std::optional<Status> ready;
        group.whenReady([&](const Status& status) { ready = status; });
        AWAIT(ready.has_value());
        m_lab->host(0).run(
            {"sh", "-c", "head -c 200000000 /dev/zero > /root/filler; truncate -s -10000000 /root/filler"});
        const Status adopted = adopt({});
        QCOMPARE(adopted.ok(), false);
        QCOMPARE(adopted.error().kind, ErrorKind::Refused);
        QVERIFY2(adoptionText(adopted).find("/root/own does not fit in /root/.trainyard of " +
                                            m_lab->host(0).address().toStdString()) != std::string::npos,
                 adoptionText(adopted).c_str());
        QCOMPARE(blobs(), 0);
    }

    void namesADamagedFile()
    {
        DataSetContent wrong = m_content;
        wrong.files[1].sha256 = std::string(64, '0');
        m_content.files.swap(wrong.files);
        const Status adopted = adopt({});
        m_content.files.swap(wrong.files);
        QCOMPARE(adopted.ok(), false);
        QVERIFY2(adoptionText(adopted).find(wrong.files[1].path + " is damaged") != std::string::npos,
                 adoptionText(adopted).c_str());
    }

private:
    Status adopt(const std::function<void(qint64, qint64)>& watch)
    {
        DataAdoption adoption(m_lab->host(0).address(), kOwnFolder, m_content, *m_pool);
        std::optional<Status> result;
        if (watch)
            connect(&adoption, &DataAdoption::progress, this, watch);
        connect(&adoption, &DataAdoption::finished, this, [&](const Status& status) { result = status; });
        adoption.start();
        [&] { AWAIT(result.has_value()); }();
        return result.value_or(failed("no answer"));
    }
    int blobs()
    {
        const auto found = m_lab->host(0).run(
            {"sh", "-c", "find /root/.trainyard/cas -type f 2> /dev/null | grep -c '/[0-9a-f]\\{64\\}$'"});
        return found.output.trimmed().toInt();
    }

    std::unique_ptr<lab::NetnsLab> m_lab;
    std::unique_ptr<TargetPool> m_pool;
    DataSetContent m_content;
};

QTEST_GUILESS_MAIN(TestDataAdoption)
#include "tst_data_adoption.moc"
