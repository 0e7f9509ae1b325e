#include <ATen/Parallel.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_writer.h"
#include "engine/checkpoint/format/manifest.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "tests/auto/training/train_as_threads.h"
#include "tests/auto/training/training_fixture.h"

using namespace trainyard;

namespace {

namespace fs = std::filesystem;

constexpr int kStepSaved = 4;
constexpr int kStepsPlanned = 8;
constexpr double kBound = 1e-9; // float64

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

RunSpec specOn(const fs::path& dataset, const ParallelLayout& layout, int zeroStage)
{
    RunSpec spec = tinySpec(dataset, 1, ComputeType::Float64);
    spec.model.layers = 4;
    spec.model.heads = 4;
    spec.model.intermediate = 66;
    spec.launch.steps = kStepsPlanned;
    spec.layout = layout;
    spec.layout.bucketSize = 64 * kKiB;
    spec.memory.zeroStage = zeroStage;
    spec.batch = {8, 2, 4 / layout.data};
    spec.checkpoint.everySteps = 2;
    spec.cluster.nodes.front().slotCount = spec.layout.worldSize();
    return spec;
}

fs::path checkpointsOf(const fs::path& run)
{
    return run / "checkpoints";
}

fs::path checkpointAt(const fs::path& run, std::int64_t step)
{
    return checkpointsOf(run) / checkpointFolderName(Step{step});
}

std::vector<std::string> shardsIn(const fs::path& folder)
{
    std::vector<std::string> shards;
    std::error_code none;
    for (const auto& entry : fs::directory_iterator(folder, none)) {
        if (entry.path().extension() == ".safetensors")
            shards.push_back(entry.path().filename());
    }
    std::ranges::sort(shards);
    return shards;
}

std::vector<std::string> namesIn(const fs::path& run)
{
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(checkpointsOf(run)))
        names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

std::vector<StepRecord> lastOf(std::vector<StepRecord> steps, std::size_t count)
{
    steps.erase(steps.begin(), steps.end() - std::ptrdiff_t(std::min(count, steps.size())));
    return steps;
}

} // namespace

/// Ranks as threads; those with a run directory of their own are on a host of their own.
class TestHostsWithoutSharedFolder : public QObject {
    Q_OBJECT

private slots:
    void initTestCase()
    {
        at::set_num_threads(1); // each rank is a thread
        QVERIFY(writeTinyDataset(dataset()).ok());
        QVERIFY(trainAsThreads(path("whole"), specOn(dataset(), {}, 0)).ok());
    }
    void init() { ++m_number; }

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
        QCOMPARE(shardsIn(checkpointAt(distinct[0], kStepSaved)).size(), std::size_t(3)); // and two of the last
        QCOMPARE(shardsIn(checkpointAt(distinct[1], kStepSaved)).size(), std::size_t(2));

        std::vector<fs::path> after;
        for (const int host : present)
            after.push_back(distinct[std::size_t(host)]);
        for (int i = 0; i < added; ++i)
            after.push_back(path(std::to_string(m_number) + "-new"));
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
        const fs::path added = path(std::to_string(m_number) + "-new");
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
        const std::vector<std::string> names{"latest",         "line.json",      "step-000000002",
                                             "step-000000004", "step-000000006", "step-000000006.line-1",
                                             "step-000000008.line-1"};
        QCOMPARE(namesIn(hosts[0]), names);
        QCOMPARE(namesIn(hosts[1]), names);
        QCOMPARE(readFile(checkpointsOf(hosts[1]) / "line.json").value(),
                 readFile(checkpointsOf(hosts[0]) / "line.json").value());
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
        QVERIFY(std::ranges::any_of(eventsOf(hosts[0]), [](const EventRecord& event) {
            return event.kind == "checkpoint-places";
        }));
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

private:
    fs::path path(const std::string& name) const { return fs::path(m_folder.path().toStdString()) / name; }
    fs::path dataset() const { return path("dataset"); }
    /// A run directory by rank, for hosts of so many ranks each.
    std::vector<fs::path> hostsOf(const std::vector<int>& ranks) const
    {
        std::vector<fs::path> directories;
        for (std::size_t host = 0; host < ranks.size(); ++host)
            directories.insert(directories.end(), std::size_t(ranks[host]),
                               path(std::to_string(m_number) + "-host-" + std::to_string(host)));
        return directories;
    }
    void train(const RunSpec& spec, const std::vector<fs::path>& directories, TrainOptions options)
    {
        options.directories = directories;
        const Status status = trainAsThreads(directories.front(), spec, options);
        QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
    }
    /// Attempt `attempt` begins with the checkpoint of step `start`, and sets nothing aside.
    void goOn(const RunSpec& spec, const std::vector<fs::path>& directories, std::int64_t start,
              std::uint32_t attempt = 2)
    {
        train(spec, directories, {.attempt = attempt});
        QCOMPARE(firstStepOf(directories.front(), attempt), start + 1);
        for (const fs::path& directory : directories) {
            for (const std::string& name : namesIn(directory))
                QVERIFY2(name.find("damaged") == std::string::npos, name.c_str());
        }
    }
    static bool saysOn(const fs::path& run, const std::string& text)
    {
        return std::ranges::any_of(eventsOf(run), [&text](const EventRecord& event) {
            return event.message.find(text) != std::string::npos;
        });
    }
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
    enum Where { AtBegin, AtEnd };
    /// Of the tensors in a shard.
    static void damage(const fs::path& shard, Where where)
    {
        std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
        std::uint64_t header = 0;
        file.read(reinterpret_cast<char*>(&header), sizeof header);
        if (where == AtBegin)
            file.seekp(std::streamoff(sizeof header + header));
        else
            file.seekp(-8, std::ios::end);
        file.write("damaged!", 8);
    }
    /// The last `count` steps in the journal of `run`.
    void compareWithWhole(const fs::path& run, int count)
    {
        const auto expected = lastOf(stepsOf(path("whole")), std::size_t(count));
        const auto found = lastOf(stepsOf(run), std::size_t(count));
        const double losses = largestDifference(expected, found);
        QVERIFY2(losses < kBound, qPrintable(QString("losses differ by %1").arg(losses)));
        QVERIFY(largestNormDifference(expected, found) < kBound);
    }
    /// By all attempts: again where the checkpoint was not there any more.
    static int timesPublished(const fs::path& run, std::int64_t step)
    {
        const auto events = eventsOf(run);
        return int(std::ranges::count_if(events, [step](const EventRecord& event) {
            return event.kind == "checkpoint-published" && event.step == step;
        }));
    }

    QTemporaryDir m_folder;
    int m_number = 0;
};

QTEST_APPLESS_MAIN(TestHostsWithoutSharedFolder)
#include "tst_hosts_without_shared_folder.moc"
