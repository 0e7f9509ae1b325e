#include "tests/auto/training/separate_hosts.h"

#include <ATen/Parallel.h>

#include <QTest>

#include <algorithm>
#include <fstream>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "tests/auto/training/training_fixture.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr double kBound = 1e-9; // float64

std::vector<StepRecord> lastOf(std::vector<StepRecord> steps, std::size_t count)
{
    steps.erase(steps.begin(), steps.end() - std::ptrdiff_t(std::min(count, steps.size())));
    return steps;
}

} // namespace

void SeparateHosts::trainWhole()
{
    at::set_num_threads(1); // each rank is a thread
    QVERIFY(writeTinyDataset(dataset()).ok());
    QVERIFY(trainAsThreads(path("whole"), specOn(dataset(), {}, 0)).ok());
}

fs::path SeparateHosts::path(const std::string& name) const
{
    return fs::path(m_folder.path().toStdString()) / name;
}

std::vector<fs::path> SeparateHosts::hostsOf(const std::vector<int>& ranks) const
{
    std::vector<fs::path> directories;
    for (std::size_t host = 0; host < ranks.size(); ++host)
        directories.insert(directories.end(), std::size_t(ranks[host]),
                           path(std::to_string(m_number) + "-host-" + std::to_string(host)));
    return directories;
}

RunSpec SeparateHosts::specOn(const fs::path& dataset, const ParallelLayout& layout, int zeroStage)
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

void SeparateHosts::train(const RunSpec& spec, const std::vector<fs::path>& directories, TrainOptions options)
{
    options.directories = directories;
    const Status status = trainAsThreads(directories.front(), spec, options);
    QVERIFY2(status.ok(), status.ok() ? "" : status.error().text().c_str());
}

void SeparateHosts::goOn(const RunSpec& spec, const std::vector<fs::path>& directories, std::int64_t start,
                         std::uint32_t attempt)
{
    train(spec, directories, {.attempt = attempt});
    QCOMPARE(firstStepOf(directories.front(), attempt), start + 1);
    for (const fs::path& directory : directories) {
        for (const std::string& name : namesIn(directory))
            QVERIFY2(name.find("damaged") == std::string::npos, name.c_str());
    }
}

void SeparateHosts::compareWithWhole(const fs::path& run, int count)
{
    const auto expected = lastOf(stepsOf(path("whole")), std::size_t(count));
    const auto found = lastOf(stepsOf(run), std::size_t(count));
    const double losses = largestDifference(expected, found);
    QVERIFY2(losses < kBound, qPrintable(QString("losses differ by %1").arg(losses)));
    QVERIFY(largestNormDifference(expected, found) < kBound);
}

fs::path SeparateHosts::checkpointsOf(const fs::path& run)
{
    return run / "checkpoints";
}

fs::path SeparateHosts::checkpointAt(const fs::path& run, std::int64_t step)
{
    return checkpointsOf(run) / checkpointFolderName(Step{step});
}

std::vector<std::string> SeparateHosts::shardsIn(const fs::path& folder)
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

std::vector<std::string> SeparateHosts::namesIn(const fs::path& run)
{
    std::vector<std::string> names;
    for (const auto& entry : fs::directory_iterator(checkpointsOf(run)))
        names.push_back(entry.path().filename());
    std::ranges::sort(names);
    return names;
}

bool SeparateHosts::saysOn(const fs::path& run, const std::string& text)
{
    return std::ranges::any_of(eventsOf(run), [&text](const EventRecord& event) {
        return event.message.find(text) != std::string::npos;
    });
}

int SeparateHosts::timesPublished(const fs::path& run, std::int64_t step)
{
    const auto events = eventsOf(run);
    return int(std::ranges::count_if(events, [step](const EventRecord& event) {
        return event.kind == "checkpoint-published" && event.step == step;
    }));
}

void SeparateHosts::damage(const fs::path& shard, Where where)
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

} // namespace trainyard
