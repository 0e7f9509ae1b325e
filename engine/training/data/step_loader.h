#pragma once

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <thread>
#include <vector>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/spec/phases/batch_ramp.h"
#include "engine/spec/run_spec.h"
#include "engine/training/data/batch_maker.h"
#include "engine/training/data/mixed_rows.h"

namespace trainyard {

/// This rank's share of one optimizer step.
struct StepInput {
    std::vector<MicroBatch> microBatches;
    std::int64_t targets = 0; ///< tokens to be predicted
    std::int64_t sequences = 0;
    std::int64_t tokens = 0; ///< not counting padding
};

/// Reads this rank's samples step by step, a few steps ahead, in a separate thread. A step consumes the next
/// G samples, of which each rank takes G / ranks consecutive ones: the samples of a step do not depend on the
/// number of ranks. G is the global batch, or what BatchRamp says.
class StepLoader {
public:
    struct Position {
        Rank rank;
        WorldSize ranks;
        std::uint64_t consumedSamples = 0; ///< where to start
        bool pinned = false;               ///< keep batches in pinned memory, to copy to a device
        std::uint64_t firstSample = 0;     ///< from which a growing batch counts
    };

    StepLoader(MixedRows rows, const RunSpec& spec, Position position);
    ~StepLoader();
    StepLoader(const StepLoader&) = delete;
    StepLoader& operator=(const StepLoader&) = delete;

    /// Returns the next step's input; waits until it has been read. Every call after an error returns it
    /// again.
    Result<StepInput> next();

private:
    static constexpr std::size_t kStepsAhead = 2;

    void readAhead();
    Result<StepInput> readStep();
    Result<MicroBatch> readMicroBatch(std::uint64_t firstSample);

    MixedRows m_rows;
    const BatchSpec m_batch;
    const BatchRamp m_ramp;
    const BatchForm m_form;
    const Position m_position;
    std::uint64_t m_consumedSamples; // by all ranks; only the reading thread

    std::mutex m_mutex;
    std::condition_variable m_changed;
    std::deque<Result<StepInput>> m_ready;
    bool m_stopping = false;
    std::thread m_thread;
};

} // namespace trainyard
