#pragma once

#include <QTemporaryDir>

#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/spec/run_spec.h"
#include "tests/auto/training/train_as_threads.h"

namespace trainyard {

/// Training on hosts without a shared folder: ranks are threads, those with a run directory of their own are
/// on a host of their own. What fails, fails the test that runs.
class SeparateHosts {
protected:
    static constexpr int kStepSaved = 4;
    static constexpr int kStepsPlanned = 8;

    /// Writes the data set, and trains on one rank what all others are compared with.
    void trainWhole();
    /// Other run directories than those before.
    void useOtherHosts() { ++m_number; }

    std::filesystem::path path(const std::string& name) const;
    std::filesystem::path dataset() const { return path("dataset"); }
    /// A host that took part in nothing.
    std::filesystem::path newHost() const { return path(std::to_string(m_number) + "-new"); }
    /// A run directory by rank, for hosts of so many ranks each.
    std::vector<std::filesystem::path> hostsOf(const std::vector<int>& ranks) const;
    static RunSpec specOn(const std::filesystem::path& dataset, const ParallelLayout& layout, int zeroStage);

    void train(const RunSpec& spec, const std::vector<std::filesystem::path>& directories,
               TrainOptions options);
    /// Attempt `attempt` begins with the checkpoint of step `start`, and sets nothing aside.
    void goOn(const RunSpec& spec, const std::vector<std::filesystem::path>& directories, std::int64_t start,
              std::uint32_t attempt = 2);
    /// The last `count` steps in the journal of `run`.
    void compareWithWhole(const std::filesystem::path& run, int count);

    static std::filesystem::path checkpointsOf(const std::filesystem::path& run);
    static std::filesystem::path checkpointAt(const std::filesystem::path& run, std::int64_t step);
    static std::vector<std::string> shardsIn(const std::filesystem::path& folder);
    static std::vector<std::string> namesIn(const std::filesystem::path& run);
    static bool saysOn(const std::filesystem::path& run, const std::string& text);
    /// By all attempts: again where the checkpoint was not there any more.
    static int timesPublished(const std::filesystem::path& run, std::int64_t step);

    enum Where { AtBegin, AtEnd };
    /// Of the tensors in a shard.
    static void damage(const std::filesystem::path& shard, Where where);

private:
    QTemporaryDir m_folder;
    int m_number = 0;
};

} // namespace trainyard
