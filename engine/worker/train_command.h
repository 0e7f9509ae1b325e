#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

namespace trainyard {

struct TrainOptions {
    std::filesystem::path runDirectory;
    std::uint32_t attempt = 1;
    int replicas = 0;          ///< data-parallel degree instead of the specification's; 0 = that one
    double learningRate = 0;   ///< peak of the schedule instead of the specification's; 0 = that one
    std::string layout;        ///< as engine/spec/layout_change.h has it; empty = the specification's
    std::int64_t lastStep = 0; ///< end after this step; 0 = after the specification's last one
};

/// `trainyard-worker train`: one rank of a training run, from its run directory. Returns the exit status. An
/// error on this rank alone ends the whole job, so that no other rank waits for it.
int runTrain(const TrainOptions& options);

} // namespace trainyard
