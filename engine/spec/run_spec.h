#pragma once

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "engine/base/units.h"

namespace trainyard {

enum class ModelFamily {
    Bert, ///< encoder: every token sees every other; masked-language-model and next-sentence heads
    Gpt,  ///< decoder: a token sees what is before it; predicts the next one
};

/// Of the feed-forward layer. Spelt as Hugging Face does, where it has the function.
enum class Activation {
    Gelu,    ///< exact, with the error function
    GeluNew, ///< its approximation with tanh
    Relu,
    Swiglu, ///< silu(W x) * V x (Shazeer, arXiv:2002.05202): a second matrix of the same size
};

/// Where the layer norms stand.
enum class NormPlacement {
    Post, ///< after each residual sum
    Pre,  ///< before attention and feed-forward, and once after the last layer
};

enum class PositionEncoding {
    Learned, ///< a table, added to the word embeddings
    Rotary,  ///< queries and keys are turned by an angle per position (Su et al., arXiv:2104.09864)
};

/// A transformer's shape. Field names follow Hugging Face's config.json where it has one. The defaults of
/// what a family decides are BERT's; setFamily() changes them together.
struct ModelSpec {
    std::string preset; ///< where the values came from; empty = all given by hand
    ModelFamily family = ModelFamily::Bert;
    int layers = 2;
    int hidden = 128;
    int heads = 2;
    int intermediate = 512; ///< width of the feed-forward layer
    int vocabulary = 30522; ///< entries of the tokenizer's vocabulary
    int maxPositions = 512;
    int tokenTypes = 2; ///< 0: the model has no token type embeddings
    Activation activation = Activation::Gelu;
    NormPlacement norm = NormPlacement::Post;
    PositionEncoding positions = PositionEncoding::Learned;
    bool tiedHead = true;          ///< the head multiplies with the word embeddings
    bool nextSentence = true;      ///< BERT only: pooler and next-sentence head
    double dropout = 0.1;          ///< hidden states, share of elements
    double attentionDropout = 0.1; ///< attention probabilities, share of elements
    double layerNormEpsilon = 1e-12;
    double initializerRange = 0.02; ///< standard deviation of the initial weights

    /// Sets the family and what it decides: token types, activation, norm, next sentence, epsilon.
    void setFamily(ModelFamily value);
    bool operator==(const ModelSpec&) const = default;
};

/// One machine of the cluster.
struct NodeSpec {
    std::string host =
        "localhost";   ///< as in the user's ssh configuration; "localhost" = this machine, without SSH
    int slotCount = 1; ///< ranks that may run there (not `slots`: Qt makes that word a macro)
    Bytes memory = 0;  ///< memory per slot; 0 = unknown
    /// What it is, for planning its time and memory: the name of a preset (resources/presets/hardware) or of
    /// the user's own. Empty = unknown; a launch never asks.
    std::string hardware{};

    bool operator==(const NodeSpec&) const = default;
};

struct ClusterSpec {
    /// Each host once. With Slurm one entry per node of the job, all of them with the login host's name and
    /// the same number of slots.
    std::vector<NodeSpec> nodes{NodeSpec{}};

    int totalSlots() const;
    bool operator==(const ClusterSpec&) const = default;
};

/// In which order a pipeline rank runs its forward and backward passes (lists: engine/planner/pipeline).
enum class PipelineScheduleKind {
    GPipe,                 ///< all forward passes, then all backward passes
    OneForwardOneBackward, ///< backward passes as early as possible: fewer activations at once
    Interleaved,           ///< the same with several chunks of the model per rank: less idle time
    ZeroBubble,            ///< weight gradients apart from input gradients, to fill idle time (ZB-H1)
};

/// What makes the stages of a pipeline equal.
enum class PartitionKind {
    Layers,     ///< numbers of layers
    Parameters, ///< numbers of parameters, embeddings and head included
    Cost,       ///< time per layer, measured or estimated
    ByHand,     ///< the user's own numbers of layers
};

/// How the layers are dealt to the pipeline's stages.
struct StagePartition {
    PartitionKind kind = PartitionKind::Layers;
    std::vector<int> layerCounts; ///< ByHand only: layers of each stage, first stage first

    bool operator==(const StagePartition&) const = default;
};

/// How ranks share the work. Placement as SageMaker writes it: a permutation of D, P and T whose right-most
/// letter varies fastest with the rank, or "cluster" (DPT) or "spread" (TPD).
struct ParallelLayout {
    int data = 1;
    int tensor = 1;
    int pipeline = 1;
    /// Ranks that share the tokens of each sequence, attention included. They are neighbours along the data
    /// axis, where this degree varies faster than `data`.
    int context = 1;
    std::string placement = "cluster";
    bool sequence =
        false; ///< with tensor > 1: ranks of a tensor group share the tokens between the cut products
    // These three only matter with pipeline > 1.
    PipelineScheduleKind schedule = PipelineScheduleKind::OneForwardOneBackward;
    int virtualStages = 1; ///< chunks of the model per pipeline rank; more than 1 with Interleaved only
    StagePartition partition{};
    Bytes bucketSize = 25 * kMiB; ///< gradients are reduced in buckets of about this size

    int worldSize() const { return data * context * tensor * pipeline; }
    int stages() const { return pipeline * virtualStages; }
    bool operator==(const ParallelLayout&) const = default;
};

/// global = micro * accumulation * data-parallel degree, in sequences.
struct BatchSpec {
    int global = 32;
    int micro = 8;
    int accumulation = 4;
    /// Sequences lie one behind the other without padding, and none attends to another: less to compute.
    bool packing = false;

    bool operator==(const BatchSpec&) const = default;
};

enum class OptimizerKind {
    AdamW,
    Lamb,      ///< as NVIDIA's BERT recipes have it
    LambPaper, ///< as its paper has it: a trust ratio for every tensor
    Lans,
    Sgd, ///< with momentum
};
enum class ScheduleKind { Constant, Linear, Polynomial, Cosine };

struct OptimizerSpec {
    OptimizerKind kind = OptimizerKind::AdamW;
    double learningRate = 1e-3; ///< peak, after warm-up
    double beta1 = 0.9;
    double beta2 = 0.999;
    double momentum = 0.9; ///< Sgd only; 0 = without
    double epsilon = 1e-8;
    double weightDecay = 0.01; ///< not applied to biases and layer norms
    double clipNorm = 1.0;     ///< global gradient norm; 0 = no clipping
    ScheduleKind schedule = ScheduleKind::Linear;
    int warmupSteps = 0;     ///< learning rate rises linearly from 0
    double decayPower = 0.5; ///< polynomial schedule only

    bool operator==(const OptimizerSpec&) const = default;
};

/// Type of the forward and backward pass. Reduction and master weights are float32 (float64 with Float64).
enum class ComputeType { Float64, Float32, BFloat16, Float16 };

/// Dynamic loss scaling; only with Float16. engine/optim/loss_scaler.h has the rule.
struct LossScaleSpec {
    double initial = 65536;    ///< scale of the first step
    int growthInterval = 1000; ///< steps without overflow after which the scale doubles
    double backoff = 0.5;      ///< an overflow multiplies the scale by this
    int hysteresis = 1;        ///< overflows since the last growth before the scale is lowered
    double minimum = 1;        ///< an overflow at this scale ends the run

    bool operator==(const LossScaleSpec&) const = default;
};

struct PrecisionSpec {
    ComputeType compute = ComputeType::Float32;
    LossScaleSpec lossScale{};

    bool operator==(const PrecisionSpec&) const = default;
};

/// What is computed again in the backward pass instead of being kept from the forward pass.
enum class RecomputeKind {
    None,
    Selective, ///< the core of the attention: scores and probabilities
    Full,      ///< whole layers; only their inputs are kept
};

struct MemorySpec {
    int zeroStage = 0;
    RecomputeKind recompute = RecomputeKind::None;
    int recomputeEvery = 1; ///< Full only: every n-th layer, from the first
    /// What layers keep for their backward pass waits in host memory.
    bool offloadActivations = false;
    int offloadHorizon = 1; ///< comes back while the backward pass is still so many layers behind it
    bool offloadOptimizer =
        false; ///< moments and master weights stay in host memory, and the update runs there
    bool offloadParameters = false; ///< ZeRO 3 only: this rank's share of the weights waits in host memory

    bool operator==(const MemorySpec&) const = default;
};

struct DatasetSpec {
    std::string path; ///< folder with manifest.json, as seen by every node

    bool operator==(const DatasetSpec&) const = default;
};

struct CheckpointSpec {
    int everySteps = 0; ///< 0 = only at the end
    int keepLast = 2;   ///< older ones are removed after a newer one is published
    int keepEvery = 0;  ///< besides, those of steps that this divides stay for good; 0 = none
    /// Training goes on while a copy of the state is written; the copy needs as much host memory as the
    /// state.
    bool asynchronous = true;

    bool operator==(const CheckpointSpec&) const = default;
};

/// What the ranks compute on.
enum class DeviceKind {
    Auto, ///< CUDA where every rank has a device of its own, else Cpu
    Cpu,
    Cuda,
};

/// What starts the ranks.
enum class LauncherKind {
    Mpi,   ///< mpirun over SSH from the first host; the worker alone for one rank
    Slurm, ///< a batch job of the cluster whose login host is named by every entry of cluster.nodes
};

/// What sbatch is asked for; only with LauncherKind::Slurm. An empty text leaves it to the cluster.
struct SlurmSpec {
    std::string partition;
    std::string account;
    std::string qos;
    std::string constraint;                 ///< features of the nodes, e.g. "a100&nvlink"
    std::chrono::milliseconds timeLimit{0}; ///< in whole minutes; 0 = the partition's
    bool requeue = true;                    ///< a job that loses a node waits for another one and goes on
    std::chrono::milliseconds warning{
        120'000}; ///< so long before its end the run keeps a checkpoint and stops

    bool operator==(const SlurmSpec&) const = default;
};

/// What happens when ranks or hosts are lost: the run goes on from its last checkpoint by itself.
struct RestartSpec {
    int limit = 3; ///< restarts in a row without a new checkpoint; 0 = it stays failed
    std::chrono::milliseconds backoff{5'000}; ///< before the first; doubles with each, up to 5 min
    bool afterReboot = false;                 ///< also when the first host itself was restarted
    /// Goes on with fewer data-parallel ranks while hosts are away, and takes them in again when they return.
    bool elastic = false;

    bool operator==(const RestartSpec&) const = default;
};

struct LaunchSpec {
    int steps = 100;        ///< optimizer steps of the whole run
    int threadsPerRank = 1; ///< compute threads of each rank
    DeviceKind device = DeviceKind::Auto;
    std::chrono::milliseconds gracePeriod{15000}; ///< between asking a run to stop and killing it
    LauncherKind launcher = LauncherKind::Mpi;
    SlurmSpec slurm{};
    RestartSpec restart{};

    bool operator==(const LaunchSpec&) const = default;
};

/// Everything that decides what a run computes and where. A plain value: edited by the window, written as
/// spec.json, read by the planner, the agent and the worker.
struct RunSpec {
    std::string name = "run"; ///< letters, digits, '.', '_' and '-'
    std::uint64_t seed = 42;
    ModelSpec model;
    ClusterSpec cluster;
    ParallelLayout layout;
    BatchSpec batch;
    OptimizerSpec optimizer;
    PrecisionSpec precision;
    MemorySpec memory;
    DatasetSpec dataset;
    CheckpointSpec checkpoint;
    LaunchSpec launch;

    bool operator==(const RunSpec&) const = default;
};

} // namespace trainyard
