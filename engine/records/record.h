#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/clock.h"
#include "engine/base/units.h"
#include "engine/records/task_metrics.h"

namespace trainyard {

/// Every byte that a rank allocates belongs to one of these. The order is part of the journal format: append
/// only.
enum class MemoryCategory : std::uint8_t {
    Weights,
    Gradients,
    Optimizer,
    Activations,
    Communication,
    Data,
    Other,
    Host ///< in host memory, offloaded from the device
};
constexpr std::size_t kMemoryCategories = 8;
std::string_view nameOf(MemoryCategory category); ///< "weights", "gradients", ...

/// Where the time of a step goes: of the thread that trains, or of the device that it gives its work to.
/// The order is part of the journal format: append only.
enum class StepPhase : std::uint8_t {
    Input, ///< waiting for samples
    Forward,
    Backward,
    Reduce, ///< waiting for data-parallel ranks, or for all ranks to agree
    Optimizer,
    Other,
    Tensor,    ///< waiting for tensor-parallel ranks
    Context,   ///< waiting for context-parallel ranks
    Transfers, ///< sending to other pipeline stages
    Bubble,    ///< waiting for other pipeline stages, until what they send is here
    Offload,   ///< copying to and from host memory
    Expert,    ///< waiting for ranks that share experts, and their tokens
};
constexpr std::size_t kStepPhases = 12;
std::string_view nameOf(StepPhase phase); ///< "input", "forward", ...

using MemoryByCategory = std::array<Bytes, kMemoryCategories>;
using SecondsByPhase = std::array<double, kStepPhases>;

/// One rank's share of a step.
struct RankStats {
    MemoryByCategory
        peakMemory{};         ///< bytes allocated per category at the moment of the rank's peak in this step
    Bytes peakTotal = 0;      ///< largest sum of all categories in this step
    Bytes residentSet = 0;    ///< of the process, as the kernel counts
    SecondsByPhase seconds{}; ///< waits count as far as nothing hid them

    bool operator==(const RankStats&) const = default;
};

/// One optimizer step of the whole run. Written by rank 0 to the stream "steps".
struct StepRecord {
    std::int64_t step = 0;            ///< 1-based
    double loss = 0;                  ///< masked-language-model loss + next-sentence loss
    double mlmLoss = 0;               ///< mean over the masked tokens of the global batch
    double nspLoss = 0;               ///< mean over the sequences of the global batch
    double learningRate = 0;          ///< used in this step
    double gradientNorm = 0;          ///< of the whole gradient, before clipping
    double stepSeconds = 0;           ///< wall time of the slowest rank
    std::int64_t sequences = 0;       ///< in this step's global batch
    std::int64_t tokens = 0;          ///< not counting padding
    std::int64_t consumedSamples = 0; ///< since the start of the run, this step included
    std::vector<RankStats> ranks;     ///< in order of rank; zeros of those that it leaves out (told_ranks.h)
    double lossScale = 1;             ///< the loss was multiplied by it; 1 unless in float16
    bool skipped = false;             ///< gradients overflowed on some rank: no rank moved a weight

    bool operator==(const StepRecord&) const = default;
};

/// Why a GPU runs below its highest clock, each a bit (1 << value) of DeviceHealth::clockLimits. The order is
/// part of the journal format: append only.
enum class ClockLimit : std::uint8_t {
    Power,      ///< its power limit
    Heat,       ///< it is too hot
    PowerBrake, ///< the power supply asks for less
    Hardware,   ///< the driver tells no more
};
constexpr std::size_t kClockLimits = 4;

/// What the driver of a GPU tells of its state. nullopt = unknown, or not counted on this device.
struct DeviceHealth {
    std::string uuid{}; ///< of the GPU; empty = unknown
    std::optional<double> memoryCelsius{};
    std::optional<double> limitWatts{}; ///< that it may draw
    std::optional<double> clockMhz{};   ///< of its processors
    std::optional<double> maxClockMhz{};
    std::optional<std::uint64_t> clockLimits{};
    std::optional<std::uint64_t> correctedErrors{}; ///< of memory, by ECC, since the driver was loaded
    std::optional<std::uint64_t> uncorrectedErrors{};
    std::optional<double> linkSent{}; ///< bytes per second over all its NVLinks, since the value before
    std::optional<double> linkReceived{};
    std::optional<std::uint64_t>
        linkErrors{}; ///< replays, recoveries and CRC errors since the driver was loaded

    /// Whether it is limited for this reason, as far as known.
    bool isLimitedBy(ClockLimit limit) const
    {
        return (clockLimits.value_or(0) >> static_cast<unsigned>(limit) & 1U) != 0;
    }
    bool operator==(const DeviceHealth&) const = default;
};

/// A sample of one device (or of a node's host memory, as device -1). Stream "node-<n>".
struct DeviceSample {
    int device = -1;
    Bytes memoryUsed = 0;
    Bytes memoryTotal = 0;
    double utilisation = 0; ///< 0..1; all cores of the host for device -1
    Bytes diskFree = 0;     ///< on the disk of the run directory
    std::optional<double>
        celsius{}; ///< temperature, of the host that of its hottest processor; nullopt = unknown
    std::optional<double> watts{}; ///< power drawn now; nullopt = unknown
    DeviceHealth health{};         ///< of a GPU

    bool operator==(const DeviceSample&) const = default;
};

enum class Severity : std::uint8_t { Info, Warning, Error };
std::string_view nameOf(Severity severity);

/// An event of interest to a person.
struct EventRecord {
    Severity severity = Severity::Info;
    std::string kind;    ///< stable, lower case: "rank-died", "checkpoint-published", "loss-not-finite", ...
    std::string message; ///< one sentence
    std::optional<int> rank;
    std::int64_t step = 0; ///< 0 = outside of a step

    bool operator==(const EventRecord&) const = default;
};

/// The life of a run, as its supervisor sees it.
enum class RunState : std::uint8_t { Pending, Starting, Running, Stopping, Finished, Failed, Stopped };
std::string_view nameOf(RunState state);
std::optional<RunState> runStateFromName(std::string_view name);
/// True for Finished, Failed and Stopped: nothing more will come in this attempt.
bool isFinal(RunState state);

/// Stream "run", written at every change and as a heartbeat in between.
struct StateRecord {
    RunState state = RunState::Pending;
    std::string reason;     ///< one sentence: for Failed and Stopped with host and rank, for Finished why it
                            ///< ended before its last step; empty = all steps are done
    std::int64_t step = 0;  ///< last finished step known to the supervisor
    std::int64_t steps = 0; ///< of the whole run
    bool heartbeat = false; ///< nothing changed; the supervisor is alive

    bool operator==(const StateRecord&) const = default;
};

/// How far a long job is (preparing data, uploading). Several stages may be under way at once.
struct ProgressRecord {
    std::string stage; ///< "read", "clean", "tokens", "shards", ...
    std::uint64_t done = 0;
    std::uint64_t total = 0; ///< 0 = unknown
    std::string unit{};      ///< "B", "pages", "rows"
    double rate = 0;         ///< units per second
    double secondsLeft = -1; ///< negative = unknown
    std::string counters{};  ///< JSON object of more counters

    bool operator==(const ProgressRecord&) const = default;
};

/// "evaluation: 320 rows of 960 rows, 5.3 rows/s, 2 min 1 s left", for a terminal.
std::string progressText(const ProgressRecord& progress);

/// What a rank of a pipeline does in a step. The order is part of the journal format: append only.
enum class TracedWork : std::uint8_t {
    Forward,
    Backward,       ///< gradients of the input and of the weights
    BackwardInput,  ///< gradient of the input alone
    BackwardWeight, ///< gradients of the weights alone
    Reduce,         ///< of gradients, over the data-parallel ranks
    Optimizer,      ///< gradient norm, agreement of all ranks, update
};
constexpr std::size_t kTracedWorks = 6;

/// When a rank did it, in seconds since the ranks agreed on the step's batch: they all leave that all-reduce
/// within the time of a message, so the clocks of different hosts need not agree. Between spans a rank waits.
struct TracedSpan {
    TracedWork work = TracedWork::Forward;
    std::int32_t microBatch = -1; ///< -1 in Reduce and Optimizer
    std::int32_t chunk = -1;      ///< of the rank's model chunks; -1 in Optimizer
    double start = 0;
    double end = 0;

    bool operator==(const TracedSpan&) const = default;
};

/// How one step went through the pipeline of the first model replica. Stream "steps", of a step now and then.
struct PipelineTrace {
    std::int64_t step = 0;
    std::int32_t chunks = 1; ///< of the model per rank
    std::int32_t microBatches = 1;
    std::vector<std::vector<TracedSpan>> ranks; ///< by pipeline rank, each in order of time

    bool operator==(const PipelineTrace&) const = default;
};

/// The model on held-out rows, after a step's update: exact means over them all, the same ones whatever the
/// layout. Written by rank 0 to the stream "steps", behind the record of its step. A run that continues from
/// an earlier checkpoint evaluates again; of several records of a step the last one counts.
struct EvaluationRecord {
    std::int64_t step = 0;
    double loss = 0;                          ///< token loss + sequence loss
    double tokenLoss = 0;                     ///< mean over the tokens: masked, next or tagged ones
    double sequenceLoss = 0;                  ///< mean over the rows; 0 where these are not judged
    double tokenAccuracy = 0;                 ///< share of the tokens that were predicted right; of a task
                                              ///< that judges rows, share of the rows or questions
    std::optional<double> sequenceAccuracy{}; ///< share of the rows; nullopt without next-sentence head
    std::optional<double> bitsPerByte{};      ///< of a decoder; nullopt: the data set does not tell its bytes
    std::int64_t tokens = 0;                  ///< predicted
    std::int64_t rows = 0;
    double seconds = 0; ///< wall time on rank 0
    bool best = false;  ///< better by evaluation.metric than all before it
    TaskMetrics task{}; ///< of a run that is fine-tuned with a head for a task

    bool operator==(const EvaluationRecord&) const = default;
};

/// The GPU of a rank.
struct RankDevice {
    std::string device; ///< its UUID, "GPU-..." or "MIG-...", else what tells it apart on its host
    std::string name;   ///< "NVIDIA H100 80GB HBM3"; of a MIG instance with its profile, "... MIG 3g.40gb"
    Bytes memory = 0;   ///< that the rank may use; 0 = unknown

    bool operator==(const RankDevice&) const = default;
};

/// What the ranks of an attempt compute on. Written by rank 0 to the stream "steps", before the first step.
struct DevicesRecord {
    std::string whyProcessor{};      ///< in a sentence, where launch.device "auto" led to the processor
    std::vector<RankDevice> ranks{}; ///< in order of rank; empty = processors

    bool operator==(const DevicesRecord&) const = default;
};

/// How the routers of a mixture of experts shared out the tokens of a step, padding included, over all ranks.
/// Stream "steps", behind the record of its step, now and then.
struct ExpertLoad {
    std::int64_t step = 0;
    std::int32_t experts = 0;         ///< of each layer
    std::vector<std::int32_t> layers; ///< those with experts, 0-based, ascending
    /// Pairs of a token and one of its experts, [layer][expert].
    std::vector<std::uint32_t> pairs;

    std::span<const std::uint32_t> ofLayer(std::size_t index) const
    {
        const auto width = static_cast<std::size_t>(experts);
        return std::span(pairs).subspan(index * width, width);
    }
    bool operator==(const ExpertLoad&) const = default;
};

/// Append only: the index is the type number in the journal.
using Payload = std::variant<StepRecord, DeviceSample, EventRecord, StateRecord, ProgressRecord,
                             PipelineTrace, EvaluationRecord, DevicesRecord, ExpertLoad>;

/// One entry of a journal. (attempt, stream, sequence) identifies it within a run, everywhere.
struct Record {
    std::uint32_t attempt = 1;  ///< 1-based; a resumed run continues with the next attempt
    std::uint64_t sequence = 0; ///< 1, 2, 3, ... per stream, over all attempts, without gaps
    Instant time;
    Payload payload;
};

} // namespace trainyard
