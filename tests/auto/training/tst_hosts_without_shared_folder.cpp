#include <ATen/Parallel.h>

#include <QTemporaryDir>
#include <QTest>

#include <algorithm>
#include <fstream>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
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
        train(spec, hosts, {.attempt = 2});
        compareWithWhole(hosts.front(), kStepsPlanned);
        QCOMPARE(shardsIn(checkpointAt(hosts.back(), kStepsPlanned)).size(), std::size_t(4));
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
        train(specOn(dataset(), {.data = int(after.size())}, 2), after, {.attempt = 2});
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
        train(spec, ranks == 1 ? std::vector{hosts[0]} : hosts, {.attempt = 2});
        compareWithWhole(hosts.front(), kStepsPlanned);
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
        QCOMPARE(status.error().kind, ErrorKind::Refused);
        const QString text = QString::fromStdString(status.error().text());
        QVERIFY2(text.contains("shard-0001-of-0002.safetensors is on none of the hosts present") &&
                     text.contains("it was written on"),
                 qPrintable(text));
        QCOMPARE(namesIn(hosts[0]), before); // nothing was changed

        fs::remove_all(hosts[1]);
        fs::rename(path("away"), hosts[1]);
        train(spec, hosts, {.attempt = 3});
        compareWithWhole(hosts.front(), kStepsPlanned);
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
        else {
            std::fstream file(shard, std::ios::in | std::ios::out | std::ios::binary);
            file.seekp(-8, std::ios::end);
            file.write("damaged!", 8);
        }
        train(spec, hosts, {.attempt = 2});
        compareWithWhole(hosts.front(), kStepsPlanned);
        if (cut)
            return;
        QVERIFY(std::ranges::any_of(eventsOf(hosts[0]), [](const EventRecord& event) {
            return event.message.find("shard-0000-of-0002.safetensors of step 4 is damaged on") != std::string::npos;
        }));
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
        for (const int host : unpublished) {
            const fs::path folder = checkpointsOf(ranks[std::size_t(host)]);
            const std::string name = checkpointFolderName(Step{kStepSaved});
            fs::rename(folder / name, folder / ("." + name + ".partial"));
            QVERIFY(writeFileAtomically(folder / "latest", checkpointFolderName(Step{2}) + "\n").ok());
            LineRecord record = LineRecord::load(folder).value();
            record.latest = checkpointFolderName(Step{2});
            QVERIFY(record.save(folder).ok());
        }
        train(spec, ranks, {.attempt = 2});
        compareWithWhole(ranks.front(), kStepsPlanned);
        QCOMPARE(timesPublished(ranks.front(), kStepSaved), start == kStepSaved ? 1 : 2);
        for (const int host : {0, 1, 2})
            QCOMPARE(namesIn(ranks[std::size_t(host)]),
                     (std::vector<std::string>{"latest", "line.json", "step-000000006", "step-000000008"}));
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
