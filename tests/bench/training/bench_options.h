#pragma once

#include <filesystem>
#include <string>

#include "engine/spec/run_spec.h"

namespace trainyard {

constexpr int kProfiledSteps = 3; ///< the last ones, where a profile is asked for: they do not count

/// What bench_training is asked to measure.
struct BenchOptions {
    std::string model = "a"; ///< a model preset, or "a" and "b" of bench_models.h
    std::string optimizer = "adamw";
    std::string compute = "float32";
    std::string recompute = "none";
    std::string device = "cpu";
    int threads = 0;      ///< of each rank; 0: the cores, shared by the ranks
    int length = 0;       ///< 0: 128 tokens, or all positions of a decoder
    int predictions = -1; ///< masked positions of a row; -1: as many as the reference has for its length
    int micro = 8;
    int accumulation = 1;
    int steps = 40;
    int skipped = 10; ///< of the steps, the first ones
    int zeroStage = 0;
    double dropout = 0;
    double attentionDropout = -1; ///< -1: as dropout
    bool offloadsActivations = false;
    bool offloadsOptimizer = false;
    bool offloadsParameters = false;
    bool savesCheckpoint = true;
    double peakTflops = 0; ///< dense, of the compute type, of one rank; 0: no utilisation
    std::filesystem::path json;
    std::filesystem::path profile; ///< trace of the last steps; empty: none

    int lastCounted() const { return steps - (profile.empty() ? 0 : kProfiledSteps); }
};

/// Reads the command line. Ends the process after --help and for options that it does not know.
BenchOptions readBenchOptions(int argc, char** argv);

} // namespace trainyard
