#include <QTest>

#include <algorithm>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "tests/auto/training/separate_hosts.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;
namespace fs = std::filesystem;

/// Hosts whose folders tell different stories, because one was away, or a start or a save was interrupted.
class TestStoreHistories : public QObject, private SeparateHosts {
    Q_OBJECT

private slots:
    void initTestCase() { trainWhole(); }
    void init() { useOtherHosts(); }

    /// The other host published, the head did not, and the run went on without the other one.
    void leavesTheCheckpointThatAHostBringsFromALineThatWasLeft()
    {
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, hosts, {.lastStep = kStepSaved});
        unpublish(hosts[0]);
        RunSpec alone = specOn(dataset(), {.data = 1}, 2);
        train(alone, {hosts[0]}, {.attempt = 2, .lastStep = 3});
        QVERIFY(saysOn(hosts[0], "line 2 begins at step 2"));
        goOn(spec, hosts, 3, 3);
        compareWithWhole(hosts.front(), kStepsPlanned);
        QVERIFY(fs::exists(checkpointsOf(hosts[1]) / "step-000000004.line-1"));
        QCOMPARE(timesPublished(hosts[0], kStepSaved), 2); // of both lines
    }

    /// The first host was away when the run went back.
    void takesTheNewestLineWhateverHostIsFirst()
    {
        const auto all = hostsOf({1, 1, 2});
        train(specOn(dataset(), {.data = 4}, 2), all, {.lastStep = kStepSaved});
        const std::vector<fs::path> two{all[0], all[2]};
        QVERIFY(goBackTo(checkpointsOf(all[0]), 2).ok());
        train(specOn(dataset(), {.data = 2}, 2), two, {.attempt = 2, .lastStep = 6});
        goOn(specOn(dataset(), {.data = 4}, 2), {all[1], all[0], all[2], all[2]}, 6, 3);
        compareWithWhole(all[1], kStepsPlanned - 6);
        QVERIFY(fs::exists(checkpointsOf(all[1]) / "step-000000004.line-1"));
        QCOMPARE(LineRecord::load(checkpointsOf(all[1])).value(),
                 LineRecord::load(checkpointsOf(all[2])).value());
    }

    /// The disk of one host fails while others have published.
    void completesAPublicationThatFailedOnOneHost()
    {
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        fs::create_directories(checkpointsOf(hosts[1]) / "latest"); // cannot become a file
        const Status status = trainAsThreads(hosts[0], spec, {.lastStep = kStepSaved, .directories = hosts});
        QVERIFY(!status.ok()); // the last checkpoint must succeed
        QVERIFY(!fs::exists(checkpointAt(hosts[0], kStepSaved)));
        QVERIFY(fs::exists(checkpointAt(hosts[1], kStepSaved)));
        fs::remove(checkpointsOf(hosts[1]) / "latest");
        goOn(spec, hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
        for (const fs::path& host : hosts)
            QCOMPARE(namesIn(host),
                     (std::vector<std::string>{"latest", "line.json", "step-000000006", "step-000000008"}));
    }

    /// Every state in which a crash may leave a publication: none, the others or all have renamed.
    void hasTheOldOrTheNewCheckpointAfterACrash_data()
    {
        QTest::addColumn<std::vector<int>>("unpublished");
        QTest::addColumn<int>("start");
        QTest::addRow("before anybody") << std::vector<int>{0, 1, 2} << 2;
        QTest::addRow("after one") << std::vector<int>{0, 1} << 4;
        QTest::addRow("before the head") << std::vector<int>{0} << 4;
        QTest::addRow("after the head") << std::vector<int>{} << 4;
    }
    void hasTheOldOrTheNewCheckpointAfterACrash()
    {
        QFETCH(std::vector<int>, unpublished);
        QFETCH(int, start);
        const auto ranks = hostsOf({1, 1, 2});
        const RunSpec spec = specOn(dataset(), {.data = 4}, 2);
        train(spec, ranks, {.lastStep = kStepSaved});
        for (const int host : unpublished)
            unpublish(ranks[std::size_t(host)]);
        goOn(spec, ranks, start);
        compareWithWhole(ranks.front(), kStepsPlanned);
        QCOMPARE(timesPublished(ranks.front(), kStepSaved), start == kStepSaved ? 1 : 2);
        for (const int host : {0, 1, 2})
            QCOMPARE(namesIn(ranks[std::size_t(host)]),
                     (std::vector<std::string>{"latest", "line.json", "step-000000006", "step-000000008"}));
    }

    /// A step that is saved again trades places with the older one on one host after the other.
    void replacesACheckpointOnAllHostsOrOnNone_data()
    {
        QTest::addColumn<std::vector<int>>("exchanged");
        QTest::addRow("before anybody") << std::vector<int>{};
        QTest::addRow("after one") << std::vector<int>{2};
        QTest::addRow("before the head") << std::vector<int>{1, 2};
        QTest::addRow("after the head") << std::vector<int>{0, 1, 2};
    }
    void replacesACheckpointOnAllHostsOrOnNone()
    {
        QFETCH(std::vector<int>, exchanged);
        const auto ranks = hostsOf({1, 1, 2});
        RunSpec spec = specOn(dataset(), {.data = 4}, 2);
        spec.checkpoint.copies = 0; // nothing replaces a part that is lost
        train(spec, ranks, {.lastStep = kStepSaved});
        for (const int host : {0, 1, 2})
            saveAgain(ranks[std::size_t(host)], std::ranges::find(exchanged, host) != exchanged.end());
        train(spec, ranks, {.attempt = 2, .lastStep = kStepSaved + 1});
        QCOMPARE(firstStepOf(ranks.front(), 2), std::int64_t(kStepSaved + 1));
        for (const int host : {0, 1, 2}) {
            const fs::path folder = checkpointAt(ranks[std::size_t(host)], kStepSaved);
            const auto manifest = CheckpointManifest::load(folder / "manifest.json");
            QVERIFY(manifest.ok());
            QCOMPARE(!manifest->replaces.empty(), !exchanged.empty());
            QCOMPARE(shardsIn(folder).size(), std::size_t(host == 2 ? 2 : 1));
            QCOMPARE(namesIn(ranks[std::size_t(host)]),
                     (std::vector<std::string>{"latest", "line.json", "step-000000004", "step-000000005"}));
        }
    }

    /// A start changes one host after the other.
    void startsAgainAfterAnInterruptedStart_data()
    {
        QTest::addColumn<QString>("crash");
        QTest::addRow("the head has begun a line, the other host does not know") << "head's line";
        QTest::addRow("the head was told of a checkpoint, and no more") << "told";
        QTest::addRow("the other host has renamed, its lines are old") << "renamed";
    }
    void startsAgainAfterAnInterruptedStart()
    {
        QFETCH(QString, crash);
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, hosts, {.lastStep = kStepSaved});
        std::int64_t start = kStepSaved;
        if (crash == "head's line" || crash == "renamed") {
            LineRecord record = LineRecord::load(checkpointsOf(hosts[0])).value();
            start = crash == "renamed" ? 2 : kStepSaved;
            record.lines.push_back({2, 1, start, "x"});
            record.latest = checkpointFolderName(Step{start});
            QVERIFY(record.save(checkpointsOf(hosts[0])).ok());
            QVERIFY(writeFileAtomically(checkpointsOf(hosts[0]) / "latest", record.latest + "\n").ok());
        }
        if (crash == "renamed") {
            for (const fs::path& host : hosts)
                fs::rename(checkpointAt(host, kStepSaved), checkpointsOf(host) / "step-000000004.line-1");
        }
        if (crash == "told") {
            for (const std::string& shard : shardsIn(checkpointAt(hosts[0], kStepSaved)))
                fs::remove(checkpointAt(hosts[0], kStepSaved) / shard);
            fs::remove_all(checkpointAt(hosts[0], 2));
            fs::remove(checkpointsOf(hosts[0]) / "line.json");
            fs::remove(checkpointsOf(hosts[0]) / "latest");
        }
        goOn(spec, hosts, start);
        compareWithWhole(hosts.front(), kStepsPlanned);
        for (const fs::path& host : hosts)
            QCOMPARE(fs::exists(checkpointsOf(host) / "step-000000004.line-1"), crash == "renamed");
        QCOMPARE(LineRecord::load(checkpointsOf(hosts[1])).value(),
                 LineRecord::load(checkpointsOf(hosts[0])).value());
    }

    void goesBackOnAllHosts()
    {
        const auto hosts = hostsOf({1, 1});
        RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        spec.checkpoint.keepLast = 10;
        train(spec, hosts, {});
        QVERIFY(goBackTo(checkpointsOf(hosts[0]), 4).ok());
        train(spec, hosts, {.attempt = 2, .lastStep = 6});
        const std::vector<std::string> names{"latest",
                                             "line.json",
                                             "step-000000002",
                                             "step-000000004",
                                             "step-000000006",
                                             "step-000000006.line-1",
                                             "step-000000008.line-1"};
        QCOMPARE(namesIn(hosts[0]), names);
        QCOMPARE(namesIn(hosts[1]), names);
        QCOMPARE(readFile(checkpointsOf(hosts[1]) / "line.json").value(),
                 readFile(checkpointsOf(hosts[0]) / "line.json").value());
    }

private:
    /// As a crash leaves it before the host gave the checkpoint its name.
    static void unpublish(const fs::path& run)
    {
        const fs::path folder = checkpointsOf(run);
        const std::string name = checkpointFolderName(Step{kStepSaved});
        fs::rename(folder / name, folder / ("." + name + ".partial"));
        QVERIFY(writeFileAtomically(folder / "latest", checkpointFolderName(Step{2}) + "\n").ok());
        LineRecord record = LineRecord::load(folder).value();
        record.latest = checkpointFolderName(Step{2});
        QVERIFY(record.save(folder).ok());
    }
    /// The same checkpoint with another manifest; `exchanged`: in the place of the old one, whose removal has
    /// begun.
    static void saveAgain(const fs::path& run, bool exchanged)
    {
        const fs::path old = checkpointAt(run, kStepSaved);
        const fs::path staged =
            checkpointsOf(run) / ("." + checkpointFolderName(Step{kStepSaved}) + ".partial");
        fs::copy(old, staged);
        const std::string text = readFile(old / "manifest.json").value();
        CheckpointManifest manifest = CheckpointManifest::parse(text).value();
        manifest.replaces = xxh3Hex(text);
        QVERIFY(writeFileAtomically(staged / "manifest.json", manifest.toJson()).ok());
        if (!exchanged)
            return;
        fs::rename(old, checkpointsOf(run) / "aside");
        fs::rename(staged, old);
        fs::rename(checkpointsOf(run) / "aside", staged);
        fs::remove(staged / shardsIn(staged).front());
    }
};

QTEST_APPLESS_MAIN(TestStoreHistories)
#include "tst_store_histories.moc"
