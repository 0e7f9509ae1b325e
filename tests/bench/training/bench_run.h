#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/base/units.h"
#include "engine/planner/layout/shape.h"
#include "engine/records/record.h"
#include "engine/spec/run_spec.h"
#include "tests/bench/training/bench_options.h"

namespace trainyard {

class DeviceSession;
class GroupMaker;
class ProcessGroup;

/// The run that the options describe, on `ranks` data-parallel ranks, and the rows that it trains on.
struct BenchRun {
    RunSpec spec;
    SequenceShape shape;
};
/// BadInput when the model has fewer positions than a row has tokens, or a row no place for its predictions.
Result<BenchRun> benchRunOf(const BenchOptions& options, int ranks, const std::filesystem::path& dataset);
/// Writes as many full rows as the run needs, but for passes over the same ones.
Status writeRowsOf(const BenchRun& run);

/// The memory of the device, or of the process.
struct BenchMemory {
    Bytes tensors = 0;   ///< peak of a step that counts, as the ledger has it
    Bytes planned = 0;   ///< the planner's figure for it
    Bytes resident = 0;  ///< of the process
    Bytes allocated = 0; ///< peak of the device's allocator; this and the rest 0 on the processor
    Bytes reserved = 0;  ///< peak of what the allocator took from the device
    Bytes used = 0;      ///< of the device by whatever processes, at the end
    Bytes total = 0;     ///< of the device
};

/// Steps without the skipped ones, and what they took.
struct Measurement {
    std::vector<StepRecord> steps;
    double startSeconds = 0;     ///< until the first step was done
    double wallSeconds = 0;      ///< of all of them
    double processorSeconds = 0; ///< of all threads of rank 0
    BenchMemory memory;
};

/// Trains on all ranks of `world`. `session`: null on the processor. Rank 0 returns the measurement.
Measurement measure(const BenchRun& run, const BenchOptions& options, GroupMaker& maker, ProcessGroup& world,
                    DeviceSession* session, const std::filesystem::path& folder);

} // namespace trainyard
