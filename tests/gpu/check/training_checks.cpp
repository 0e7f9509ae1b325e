#include <algorithm>
#include <optional>

#include <fmt/format.h>

#include "engine/comm/agreement.h"
#include "tests/auto/training/training_fixture.h"
#include "tests/gpu/check/check_training_run.h"
#include "tests/gpu/check/checks.h"
#include "tests/gpu/check/training_ways.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

class TrainingChecks {
public:
    TrainingChecks(CheckRank& rank, CheckReport& report)
        : m_rank(rank), m_report(report), m_folder(rank.world())
    {
    }

    Status writeRows()
    {
        return agree(m_rank.world(), m_rank.isFirst() ? writeTinyDataset(m_folder.dataset()) : Status());
    }
    fs::path dataset() const { return m_folder.dataset(); }

    /// All ranks train; rank 0 also trains alone on its processor, and compares.
    void compare(const TrainingWay& way)
    {
        const fs::path found = m_folder.nextRun(), expected = m_folder.nextRun();
        m_report.error(way.name + ", losses", way.lossBound, [&]() -> Result<double> {
            TRAINYARD_TRY_STATUS(trainOnDevice(m_rank, found, way.spec));
            if (!m_rank.isFirst())
                return 0.0;
            TRAINYARD_TRY_STATUS(trainOnProcessor(expected, referenceOf(way.spec)));
            return largestDifference(stepsOf(expected), stepsOf(found));
        });
        m_report.error(way.name + ", norms", way.normBound, [&]() -> Result<double> {
            return m_rank.isFirst() ? largestNormDifference(stepsOf(expected), stepsOf(found)) : 0.0;
        });
    }

    /// Half of the steps on the device; from their checkpoint the processor takes the others.
    void resumeOnProcessor(const TrainingWay& way)
    {
        m_report.error(fmt::format("{}, resumed on the processor", way.name), way.lossBound,
                       [&]() -> Result<double> {
                           const fs::path whole = m_folder.nextRun(), parts = m_folder.nextRun();
                           TRAINYARD_TRY_STATUS(trainOnDevice(m_rank, parts, way.spec,
                                                              {.lastStep = 5, .savesCheckpoints = true}));
                           if (!m_rank.isFirst())
                               return 0.0;
                           TRAINYARD_TRY_STATUS(trainOnProcessor(whole, referenceOf(way.spec)));
                           TRAINYARD_TRY_STATUS(trainOnProcessor(parts, referenceOf(way.spec),
                                                                 {.attempt = 2, .savesCheckpoints = true}));
                           return largestDifference(stepsOf(whole), stepsOf(parts));
                       });
    }

    void countCategories(const TrainingWay& way)
    {
        m_report.holds(way.name + ", memory of each category", [&]() -> Status {
            const fs::path folder = m_folder.nextRun();
            TRAINYARD_TRY_STATUS(trainOnDevice(m_rank, folder, way.spec));
            const RankStats figures = stepsOf(folder).back().ranks.front();
            for (const auto category :
                 {MemoryCategory::Weights, MemoryCategory::Gradients, MemoryCategory::Optimizer,
                  MemoryCategory::Activations, MemoryCategory::Data}) {
                if (figures.peakMemory[std::size_t(category)] == 0)
                    return failed(fmt::format("nothing is counted as {}", nameOf(category)));
            }
            return {};
        });
    }

private:
    CheckRank& m_rank;
    CheckReport& m_report;
    CheckFolder m_folder;
};

/// Those of this name, or of this number of ranks.
std::vector<TrainingWay> chosen(const std::vector<TrainingWay>& all, const std::string& name, int ranks)
{
    std::vector<TrainingWay> ways;
    for (const TrainingWay& way : all) {
        if (name.empty() ? way.spec.layout.worldSize() == ranks : way.name == name)
            ways.push_back(way);
    }
    return ways;
}

} // namespace

std::string trainingNames()
{
    std::string text;
    for (const TrainingWay& way : trainingWays({}))
        text += fmt::format("way {}\n", way.name);
    for (const TrainingWay& layout : trainingLayouts({}))
        text += fmt::format("layout {} {}\n", layout.name, layout.spec.layout.worldSize());
    return text;
}

Status writeCheckRun(const std::string& folder)
{
    constexpr int kManySteps = 100000; // it is to be stopped
    TRAINYARD_TRY_STATUS(writeTinyDataset(fs::path(folder) / "data"));
    RunSpec spec = tinySpec(fs::absolute(folder) / "data", 1, ComputeType::BFloat16);
    spec.launch.device = DeviceKind::Cuda;
    spec.launch.steps = kManySteps;
    return makeRunDirectory(folder, spec);
}

void checkTraining(CheckRank& rank, CheckReport& report, const TrainingChoice& choice)
{
    report.beginGroup("training");
    TrainingChecks checks(rank, report);
    if (const Status written = checks.writeRows(); !written.ok())
        return report.holds("rows to train on", [&] { return written; });
    const int ranks = rank.world().size().value;
    const bool isOfLayouts = ranks > 1 || !choice.layout.empty();
    const auto ways = isOfLayouts ? chosen(trainingLayouts(checks.dataset()), choice.layout, ranks)
                                  : chosen(trainingWays(checks.dataset()), choice.way, 1);
    if (ways.empty())
        report.holds(choice.way + choice.layout, [&] {
            return failed(fmt::format("there is no such way for {} ranks; --list names all", ranks));
        });
    for (const TrainingWay& way : ways)
        checks.compare(way);
    const bool isWhole = choice.way.empty() && choice.layout.empty();
    if (!ways.empty() && (isWhole || choice.resumes))
        checks.resumeOnProcessor(ways.front());
    if (isWhole && rank.plugin() && !isOfLayouts)
        checks.countCategories(chosen(trainingWays(checks.dataset()), "bfloat16", 1).front());
}

} // namespace trainyard
