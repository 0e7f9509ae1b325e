#include <QTemporaryDir>
#include <QTest>

#include <atomic>
#include <mutex>

#include "engine/base/file.h"
#include "engine/comm/process_group.h"
#include "engine/comm/threads_transport.h"
#include "engine/training/run_contract.h"
#include "engine/training/shared_folder.h"

using namespace trainyard;

namespace {

RunContract someContract()
{
    return {"0.1.0", std::string(64, 'a'), std::string(64, 'b'), 1000, std::string(64, 'd')};
}

} // namespace

class TestRunContract : public QObject {
    Q_OBJECT

private slots:
    void acceptsEqualRanks()
    {
        QVERIFY(firstDifference({someContract(), someContract(), someContract()}).ok());
    }

    void namesWhatDiffersAndWhere_data()
    {
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("text");
        QTest::addRow("program") << "program"
                                 << "the ranks' program versions differ: rank 0 has 0.1.0, rank 2 has 0.2.0";
        QTest::addRow("specification")
            << "specification"
            << "the ranks' specifications differ: rank 0 has aaaaaaaaaaaa, rank 2 has cccccccccccc";
        QTest::addRow("dataset")
            << "dataset"
            << "the ranks' data sets differ: rank 0 has bbbbbbbbbbbb with 1000 training rows, rank 2 has "
               "cccccccccccc with 1000 training rows";
        QTest::addRow("rows")
            << "rows"
            << "the ranks' data sets differ: rank 0 has bbbbbbbbbbbb with 1000 training rows, rank 2 has "
               "bbbbbbbbbbbb with 999 training rows";
        QTest::addRow("held out")
            << "held out"
            << "the ranks' data sets of evaluation differ: rank 0 has dddddddddddd, rank "
               "2 has cccccccccccc";
    }
    void namesWhatDiffersAndWhere()
    {
        QFETCH(QString, field);
        QFETCH(QString, text);
        std::vector<RunContract> contracts(4, someContract());
        if (field == "program")
            contracts[2].program = "0.2.0";
        else if (field == "specification")
            contracts[2].specification = std::string(64, 'c');
        else if (field == "dataset")
            contracts[2].dataset = std::string(64, 'c');
        else if (field == "held out")
            contracts[2].heldOut = std::string(64, 'c');
        else
            contracts[2].trainingRows = 999;
        const Status status = firstDifference(contracts);
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::BadInput);
        QCOMPARE(QString::fromStdString(status.error().message), text);
        QVERIFY(!status.error().hint.empty());
    }

    void tellsEveryRank()
    {
        std::atomic<int> told = 0;
        runAsThreads(3, [&](ProcessGroup& group) {
            RunContract mine = someContract();
            mine.trainingRows += static_cast<std::uint64_t>(group.rank().value == 1);
            told += !compareContracts(group, mine).ok();
        });
        QCOMPARE(told.load(), 3);
    }

    void findsTheRanksThatShareTheFirstOnesFolder()
    {
        const QTemporaryDir shared;
        const QTemporaryDir other;
        std::mutex mutex;
        std::map<int, FolderSharing> found;
        runAsThreads(4, [&](ProcessGroup& group) {
            const int rank = group.rank().value;
            const auto& folder = rank == 1 ? other : shared;
            const auto sharing = findFolderSharing(group, folder.path().toStdString()).value();
            const std::lock_guard lock(mutex);
            found[rank] = sharing;
        });
        QCOMPARE(found[0].index, 0);
        QCOMPARE(found[1].index, -1);
        QCOMPARE(found[2].index, 1);
        QCOMPARE(found[3].index, 2);
        for (const auto& [rank, sharing] : found)
            QCOMPARE(sharing.count, 3);
        QVERIFY(std::filesystem::is_empty(shared.path().toStdString()));
    }
};

QTEST_APPLESS_MAIN(TestRunContract)
#include "tst_run_contract.moc"
