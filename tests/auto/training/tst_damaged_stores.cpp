#include <QTest>

#include <algorithm>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "tests/auto/training/separate_hosts.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;
namespace fs = std::filesystem;

/// What is damaged on one host and whole on another.
class TestDamagedStores : public QObject, private SeparateHosts {
    Q_OBJECT

private slots:
    void initTestCase() { trainWhole(); }
    void init() { useOtherHosts(); }

    /// Rank 0 reads alone for all.
    void readsTheCopyOfAnotherHostWhereOneReadsForAll()
    {
        const auto hosts = hostsOf({1, 1});
        train(specOn(dataset(), {.data = 2}, 2), hosts, {.lastStep = kStepSaved});
        damage(checkpointAt(hosts[0], kStepSaved) / "shard-0001-of-0002.safetensors", AtEnd);
        fs::create_directory(checkpointsOf(hosts[1]) /
                             ".step-000000004.1.partial"); // of an interrupted start
        goOn(specOn(dataset(), {.data = 2}, 0), hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
        QVERIFY(!fs::exists(checkpointsOf(hosts[1]) / ".step-000000004.1.partial"));
    }

    void refusesToPassOverACheckpointOfAnotherHostThatItCannotRead_data()
    {
        QTest::addColumn<bool>("blank");
        QTest::addRow("the head has an older one") << false;
        QTest::addRow("the head has none") << true;
    }
    void refusesToPassOverACheckpointOfAnotherHostThatItCannotRead()
    {
        QFETCH(bool, blank);
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, hosts, {.lastStep = 2});
        const fs::path newer = checkpointAt(hosts[1], kStepSaved);
        fs::create_directory(newer);
        QVERIFY(writeFileAtomically(newer / "manifest.json", "{\"trainyard_checkpoint\": 1}").ok());
        if (blank) {
            fs::remove_all(checkpointsOf(hosts[0]));
            fs::remove_all(checkpointAt(hosts[1], 2));
        }
        const Status status = trainAsThreads(hosts[0], spec, {.attempt = 2, .directories = hosts});
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        QVERIFY(status.error().message.find("another version") != std::string::npos);
        QVERIFY(fs::exists(newer));
    }

    void readsTheCopyOfADamagedShard_data()
    {
        QTest::addColumn<bool>("cut");
        QTest::addRow("a bit") << false;
        QTest::addRow("cut off") << true;
    }
    void readsTheCopyOfADamagedShard()
    {
        QFETCH(bool, cut);
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, hosts, {.lastStep = kStepSaved});
        const fs::path shard = checkpointAt(hosts[0], kStepSaved) / "shard-0000-of-0002.safetensors";
        if (cut)
            fs::resize_file(shard, fs::file_size(shard) - 8);
        else
            damage(shard, AtEnd);
        goOn(spec, hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
        if (!cut)
            QVERIFY(saysOn(hosts[0], "shard-0000-of-0002.safetensors of step 4 is damaged on"));
    }

    /// A new host reads parts of one file from both of the others.
    void blamesTheHostThatHasTheDamagedCopy()
    {
        const auto hosts = hostsOf({1, 1});
        train(specOn(dataset(), {.data = 2}, 2), hosts, {.lastStep = kStepSaved});
        for (const Where where : {AtBegin, AtEnd})
            damage(checkpointAt(hosts[0], kStepSaved) / "shard-0001-of-0002.safetensors", where);
        const fs::path added = newHost();
        goOn(specOn(dataset(), {.data = 4}, 2), {added, hosts[0], hosts[1], hosts[1]}, kStepSaved);
        compareWithWhole(added, kStepsPlanned - kStepSaved);
        QVERIFY(saysOn(added, "shard-0001-of-0002.safetensors of step 4 is damaged on"));
        QVERIFY(saysOn(added, "(2)"));
        QVERIFY(!saysOn(added, "(3)"));
    }

    void putsTogetherTwoDamagedCopies()
    {
        const auto hosts = hostsOf({1, 1});
        const RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        train(spec, hosts, {.lastStep = kStepSaved});
        damage(checkpointAt(hosts[0], kStepSaved) / "shard-0001-of-0002.safetensors", AtBegin);
        damage(checkpointAt(hosts[1], kStepSaved) / "shard-0001-of-0002.safetensors", AtEnd);
        goOn(spec, hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
    }

    /// Another copy may be on a host that is away.
    void setsNothingAsideWhileAHostIsAway()
    {
        const auto all = hostsOf({1, 1, 2});
        train(specOn(dataset(), {.data = 4}, 2), all, {.lastStep = kStepSaved});
        damage(checkpointAt(all[1], kStepSaved) / "shard-0000-of-0004.safetensors", AtEnd);
        const std::vector<fs::path> two{all[1], all[2]};
        const Status status =
            trainAsThreads(all[1], specOn(dataset(), {.data = 2}, 2), {.attempt = 2, .directories = two});
        QVERIFY(!status.ok());
        QCOMPARE(status.error().kind, ErrorKind::Unreachable);
        QVERIFY(fs::exists(checkpointAt(all[1], kStepSaved)));
        goOn(specOn(dataset(), {.data = 4}, 2), all, kStepSaved, 3);
    }

    /// On the head alone: another host has it, and the shards are where they were.
    void goesBackWhereAManifestIsDamagedOnTheHead_data()
    {
        QTest::addColumn<int>("copies");
        QTest::addRow("with copies") << 1;
        QTest::addRow("without copies") << 0;
    }
    void goesBackWhereAManifestIsDamagedOnTheHead()
    {
        QFETCH(int, copies);
        const auto hosts = hostsOf({1, 1});
        RunSpec spec = specOn(dataset(), {.data = 2}, 2);
        spec.checkpoint.keepLast = 10;
        spec.checkpoint.copies = copies;
        train(spec, hosts, {});
        fs::resize_file(checkpointAt(hosts[0], kStepSaved) / "manifest.json", 100);
        QVERIFY(goBackTo(checkpointsOf(hosts[0]), kStepSaved).ok());
        goOn(spec, hosts, kStepSaved);
        compareWithWhole(hosts.front(), kStepsPlanned);
        QVERIFY(fs::exists(checkpointsOf(hosts[1]) / "step-000000008.line-1"));
    }
};

QTEST_APPLESS_MAIN(TestDamagedStores)
#include "tst_damaged_stores.moc"
