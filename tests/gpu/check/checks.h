#pragma once

#include <string>
#include <vector>

#include "tests/gpu/check/check_rank.h"
#include "tests/gpu/check/check_report.h"

namespace trainyard {

// The subcommands of trainyard-gpu-check. All ranks call each together.

/// The device answers, ATen computes on it, memory comes and goes.
void checkOpen(CheckRank& rank, CheckReport& report);
/// Our kernels, and those of ATen that the engine relies on, against float64 on the processor. `isSmall`: on
/// few elements, for a sanitizer that makes them a hundred times slower.
void checkKernels(CheckRank& rank, CheckReport& report, bool isSmall);
/// Of those the operations of the device's Compute that are kernels of our own. Part of checkKernels().
void checkFused(const Device& device, CheckReport& report, bool isSmall);
/// Each collective of NCCL in each type against sums made in float64 on the processor.
void checkCollectives(CheckRank& rank, CheckReport& report);

struct TrainingChoice {
    std::string way;      ///< of one rank; empty: all
    std::string layout;   ///< of several ranks; empty: all for this number of ranks
    bool resumes = false; ///< of a way or layout that is named: also from its checkpoint, on the processor
};
/// Ten steps of a small model against the same ones in float64 on the processor of one rank.
void checkTraining(CheckRank& rank, CheckReport& report, const TrainingChoice& choice);
/// "way float64, adamw" or "layout dp2 2" in each line, with the number of ranks.
std::string trainingNames();
/// Makes `folder` the run directory of a small run of many steps on one CUDA device, with its rows.
Status writeCheckRun(const std::string& folder);

/// The ledger against LibTorch's allocator, and the plan against the ledger.
void checkMemory(CheckRank& rank, CheckReport& report);
/// NVIDIA's compute-sanitizer over the small kernels, tool by tool. `program`: ownCommand().
void checkSanitizers(const std::vector<std::string>& program, CheckReport& report);

/// Ranks that share a GPU lose one of them: the others end with status 4 in good time. `program`: likewise.
void checkFaults(const std::vector<std::string>& program, CheckReport& report);
/// One of those ranks; returns its exit status.
int runFaultRank(const std::vector<std::string>& arguments);

/// The command that started this program, without its arguments: one word, or a loader with its options.
std::vector<std::string> ownCommand(int argumentCount);

} // namespace trainyard
