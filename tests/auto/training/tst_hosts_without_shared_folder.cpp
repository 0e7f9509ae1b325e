#include <QTest>

#include <algorithm>
#include <fstream>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "tests/auto/training/separate_hosts.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;
namespace fs = std::filesystem;

namespace {

struct SplitLayout {
    const char* name;
    ParallelLayout parallel;
    int zeroStage = 0;
};

const std::vector<SplitLayout>& splitLayouts()
{
    static const std::vector<SplitLayout> all{
        {"data 4, ZeRO 2", {.data = 4}, 2},
        {"tensor 4", {.tensor = 4}},
        {"pipeline 2, data 2, ZeRO 1", {.data = 2, .pipeline = 2}, 1},
    };
    return all;
}

} // namespace

/// Every host keeps the shards of its ranks and of another host: a run goes on with those that are left.
class TestHostsWithoutSharedFolder : public QObject, private SeparateHosts {
    Q_OBJECT

private slots:
    void initTestCase() { trainWhole(); }
    void init() { useOtherHosts(); }

    void goesOnAfterAHostIsLost_data()
    {
        QTest::addColumn<int>("layout");
        QTest::addColumn<int>("lost");
        for (int layout = 0; layout < int(splitLayouts().size()); ++layout) {
            QTest::addRow("%s, none", splitLayouts()[std::size_t(layout)].name) << layout << -1;
            QTest::addRow("%s, the head", splitLayouts()[std::size_t(layout)].name) << layout << 0;
            QTest::addRow("%s, the other one", splitLayouts()[std::size_t(layout)].name) << layout << 1;
        }
    }
    void goesOnAfterAHostIsLost()
    {
        QFETCH(int, layout);
        QFETCH(int, lost);
        const SplitLayout& split = splitLayouts()[std::size_t(layout)];
        const RunSpec spec = specOn(dataset(), split.parallel, split.zeroStage);
        const auto hosts = hostsOf({2, 2});
        train(spec, hosts, {.lastStep = kStepSaved});
        for (const fs::path& host : {hosts.front(), hosts.back()}) {
            QCOMPARE(shardsIn(checkpointAt(host, kStepSaved)).size(), std::size_t(4)); // two are copies
            QCOMPARE(readFile(checkpointsOf(host) / "latest").value(),
                     checkpointFolderName(Step{kStepSaved}) + "\n");
        }
        const fs::path other = lost == 0 ? hosts.front() : hosts.back();
        if (lost >= 0)
            fs::remove_all(checkpointsOf(other)); // a new disk
        goOn(spec, hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
        QCOMPARE(shardsIn(checkpointAt(hosts.back(), kStepsPlanned)).size(), std::size_t(4));
    }

    /// Its ranks may be killed while they copy.
    void aStopPublishesBeforeItCopies()
    {
        const RunSpec spec = specOn(dataset(), {.data = 4}, 2);
        const auto hosts = hostsOf({2, 2});
        const fs::path request = hosts.front() / "control" / "stop";
        fs::create_directories(request.parent_path());
        std::ofstream(request).close();
        const Status stopped = trainAsThreads(hosts.front(), spec, {.directories = hosts});
        QVERIFY(!stopped.ok());
        QCOMPARE(stopped.error().kind, ErrorKind::Cancelled);
        QCOMPARE(timesPublished(hosts.front(), 1), 1);
        const auto published = fs::last_write_time(checkpointsOf(hosts.front()) / "latest");
        for (const int copied : {0, 1}) { // of the head, on the other host
            const fs::path copy = checkpointAt(hosts.back(), 1) / CheckpointWriter::shardFile(copied, 4);
            QVERIFY(fs::exists(copy));
            QVERIFY(fs::last_write_time(copy) >= published);
        }
        for (const fs::path& host : {hosts.front(), hosts.back()}) {
            QCOMPARE(shardsIn(checkpointAt(host, 1)).size(), std::size_t(4));
            for (const std::string& name : namesIn(host))
                QVERIFY2(!name.ends_with(".partial"), name.c_str());
        }
        fs::remove(request);
        fs::remove_all(checkpointsOf(hosts.front())); // the copies are good
        goOn(spec, hosts, 1);
        compareWithWhole(hosts.front(), kStepsPlanned - 1);
    }

    /// Of three hosts each has a third and a copy of another third.
    void goesOnOnOtherHosts_data()
    {
        QTest::addColumn<std::vector<int>>("present");
        QTest::addColumn<int>("added");
        QTest::addRow("without the last") << std::vector<int>{0, 1} << 0;
        QTest::addRow("without the second") << std::vector<int>{0, 2} << 0;
        QTest::addRow("without the head") << std::vector<int>{1, 2} << 0;
        QTest::addRow("two and a new one") << std::vector<int>{0, 2} << 1;
        QTest::addRow("all, in another order") << std::vector<int>{0, 2, 1} << 0;
        QTest::addRow("all and a new one") << std::vector<int>{0, 1, 2} << 1;
    }
    void goesOnOnOtherHosts()
    {
        QFETCH(std::vector<int>, present);
        QFETCH(int, added);
        const auto before = hostsOf({1, 1, 2});
        train(specOn(dataset(), {.data = 4}, 2), before, {.lastStep = kStepSaved});
        const std::vector<fs::path> distinct{before[0], before[1], before[2]};
        QCOMPARE(shardsIn(checkpointAt(distinct[0], kStepSaved)).size(),
                 std::size_t(3)); // and two of the last
        QCOMPARE(shardsIn(checkpointAt(distinct[1], kStepSaved)).size(), std::size_t(2));

        std::vector<fs::path> after;
        for (const int host : present)
            after.push_back(distinct[std::size_t(host)]);
        for (int i = 0; i < added; ++i)
            after.push_back(newHost());
        while (after.size() != 1 && after.size() != 2 && after.size() != 4) // ranks divide the batch
            after.push_back(after.back());
        goOn(specOn(dataset(), {.data = int(after.size())}, 2), after, kStepSaved);
        compareWithWhole(after.front(), kStepsPlanned - kStepSaved);
    }

    void loadsInALayoutThatSharesNothing_data()
    {
        QTest::addColumn<int>("ranks");
        QTest::addRow("on one host") << 1;
        QTest::addRow("on two hosts") << 2;
    }
    void loadsInALayoutThatSharesNothing()
    {
        QFETCH(int, ranks);
        const auto hosts = hostsOf({1, 1});
        RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        spec.checkpoint.copies = ranks == 1 ? 1 : 0; // on two hosts the head has its own half alone
        train(spec, hosts, {.lastStep = kStepSaved});
        spec = specOn(dataset(), {.data = ranks}, 0);
        goOn(spec, ranks == 1 ? std::vector{hosts[0]} : hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
    }

    void needsNoFolderOnHostsThatKeepNothing()
    {
        const auto hosts = hostsOf({1, 1});
        fs::create_directories(hosts[1]);
        fs::create_symlink("/proc", checkpointsOf(hosts[1])); // nobody can write there
        train(specOn(dataset(), {.data = 2}, 0), hosts, {});
        compareWithWhole(hosts.front(), kStepsPlanned);
        QCOMPARE(LineRecord::load(checkpointsOf(hosts[0])).value().hosts.size(), std::size_t(0));
    }

    void saysWhichShardIsLostWithoutCopies()
    {
        const auto hosts = hostsOf({1, 1});
        RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        spec.checkpoint.copies = 0;
        train(spec, hosts, {.lastStep = kStepSaved});
        QCOMPARE(shardsIn(checkpointAt(hosts[0], kStepSaved)),
                 std::vector<std::string>{"shard-0000-of-0002.safetensors"});
        const auto before = namesIn(hosts[0]);
        fs::rename(hosts[1], path("away"));
        const Status status = trainAsThreads(hosts[0], spec, {.attempt = 2, .directories = hosts});
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::Unreachable);
        const QString text = QString::fromStdString(status.error().text());
        QVERIFY2(text.contains("shard-0001-of-0002.safetensors is on none of the hosts present") &&
                     text.contains("it was written on"),
                 qPrintable(text));
        QCOMPARE(namesIn(hosts[0]), before); // nothing was changed

        fs::remove_all(hosts[1]);
        fs::rename(path("away"), hosts[1]);
        goOn(spec, hosts, kStepSaved, 3);
        compareWithWhole(hosts.front(), kStepsPlanned);
    }

    /// An older checkpoint is complete here, but nobody asked for it.
    void waitsForTheHostThatHasTheRest()
    {
        const auto hosts = hostsOf({1, 1});
        RunSpec alone = specOn(dataset(), {.data = 1}, 2);
        train(alone, {hosts[0]}, {.lastStep = 2});
        RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        spec.checkpoint.copies = 0;
        train(spec, hosts, {.attempt = 2, .lastStep = kStepSaved});
        const auto before = namesIn(hosts[0]);
        const Status status = trainAsThreads(hosts[0], alone, {.attempt = 3, .directories = {hosts[0]}});
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::Unreachable);
        QCOMPARE(namesIn(hosts[0]), before);

        QVERIFY(goBackTo(checkpointsOf(hosts[0]), 2).ok());
        train(alone, {hosts[0]}, {.attempt = 4, .lastStep = 3});
        QVERIFY(fs::exists(checkpointsOf(hosts[0]) / "step-000000004.line-1"));
    }

    void namesThePlaces()
    {
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, hosts, {.lastStep = 2});
        const auto manifest = CheckpointManifest::load(checkpointAt(hosts[0], 2) / "manifest.json");
        QVERIFY(manifest.ok());
        QCOMPARE(manifest->places.size(), std::size_t(2));
        const auto& places = manifest->places.at("shard-0000-of-0002.safetensors");
        QCOMPARE(places.size(), std::size_t(2));
        QVERIFY(places[0] != places[1]);
        QCOMPARE(readFile(checkpointAt(hosts[0], 2) / "manifest.json").value(),
                 readFile(checkpointAt(hosts[1], 2) / "manifest.json").value());
        QVERIFY(std::ranges::any_of(
            eventsOf(hosts[0]), [](const EventRecord& event) { return event.kind == "checkpoint-places"; }));
    }

    void copiesNothingInASharedFolder()
    {
        const auto shared = std::vector<fs::path>(2, path("shared"));
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, shared, {.lastStep = 2});
        const auto manifest = CheckpointManifest::load(checkpointAt(shared[0], 2) / "manifest.json");
        QVERIFY(manifest.ok());
        QVERIFY(manifest->places.empty());
    }
};

QTEST_APPLESS_MAIN(TestHostsWithoutSharedFolder)
#include "tst_hosts_without_shared_folder.moc"
