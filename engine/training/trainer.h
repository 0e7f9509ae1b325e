#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "engine/base/ids.h"
#include "engine/base/result.h"
#include "engine/comm/group_maker.h"
#include "engine/comm/process_group.h"
#include "engine/nn/device.h"
#include "engine/records/fence.h"
#include "engine/spec/run_spec.h"
#include "engine/training/run_directory.h"
#include "engine/training/run_requests.h"

namespace trainyard {

class AccountingAllocator;
class DeviceTimer;
class FlightRecorder;
class MemoryLedger;
class StepJournal;

/// The dependencies of a Trainer; all of them outlive it.
struct TrainerSetup {
    RunSpec spec;
    RunDirectory directory;
    GroupMaker& maker;   ///< creates the layout's groups
    ProcessGroup& world; ///< all ranks
    AccountingAllocator& memory;
    FlightRecorder* recorder = nullptr;    ///< null: no flight ring
    StepJournal* journal = nullptr;        ///< on rank 0; null elsewhere
    Fence fence{};                         ///< of this attempt
    const StopFlag* stopFlag = nullptr;    ///< null: only the control files can stop the run
    std::int64_t lastStep = 0;             ///< end after this step; 0 = the specification's last step
    Device device{};                       ///< of this rank; all ranks have the same kind
    MemoryLedger* deviceMemory = nullptr;  ///< of a device; null on the processor
    DeviceTimer* deviceTimer = nullptr;    ///< of a device; null on the processor
    bool savesCheckpoints = true;          ///< false: the run only measures, and leaves none
    std::function<void(Step)> afterStep{}; ///< on the training thread, when a step was recorded
};

/// Trains the model of a specification over all ranks of its groups, from the latest checkpoint if there is
/// one. One thread per rank; all ranks make the same calls. Errors are agreed: every rank returns the same
/// one, so no rank is left waiting. Errors that only one rank can know (out of memory in ATen) are thrown.
class Trainer {
public:
    /// Opens the data set, compares it and the specification over the ranks, creates the model and loads the
    /// checkpoint, or for a fresh run the weights of section init. BadInput names the problem and the rank.
    static Result<std::unique_ptr<Trainer>> create(const TrainerSetup& setup);
    ~Trainer();

    /// Runs until the last step is done and its checkpoint, if any, published. Cancelled after a stop
    /// request: the current step is finished and its checkpoint published.
    Status run();

    Step step() const;

private:
    class Run;
    explicit Trainer(std::unique_ptr<Run> run);
    std::unique_ptr<Run> m_run;
};

} // namespace trainyard
