#pragma once

#include <chrono>
#include <cstdint>
#include <set>
#include <string>
#include <vector>

#include "engine/base/units.h"

namespace trainyard {

/// What a model is called after. It decides the names of the tensors and the defaults of the description;
/// engine/spec/families has one table for each.
enum class ModelFamily {
    Bert,
    Gpt, ///< GPT-2
    Llama,
    Mistral,
    Qwen2,
    Qwen3,
    Olmo2,
    GptNeox, ///< Pythia
    Gemma2,
    Roberta,
    ModernBert,
    Mixtral,
    Qwen3Moe,
};

/// Whether tokens of its models see nothing behind them.
bool isDecoder(ModelFamily family);

/// Of the feed-forward layer. Spelt as Hugging Face does, where it has the function.
enum class Activation {
    Gelu,    ///< exact, with the error function
    GeluNew, ///< its approximation with tanh
    Relu,
    Swiglu, ///< silu(W x) * V x (Shazeer, arXiv:2002.05202): a second matrix of the same size
    Silu,
    Geglu,    ///< gelu(W x) * V x
    GegluNew, ///< gelu_new(W x) * V x
};

/// Whether the feed-forward layer has a second matrix, whose product is multiplied with the activation.
constexpr bool isGated(Activation activation)
{
    return activation == Activation::Swiglu || activation == Activation::Geglu ||
           activation == Activation::GegluNew;
}

enum class NormKind {
    LayerNorm,     ///< Ba et al., arXiv:1607.06450
    RmsNorm,       ///< without mean and shift (Zhang and Sennrich, arXiv:1910.07467)
    RmsNormOffset, ///< the same, multiplied with 1 + weight
};

/// Where the norms of a layer stand.
enum class NormPlacement {
    Post,   ///< after each residual sum
    Pre,    ///< before attention and feed-forward, and once after the last layer
    Both,   ///< before them, and of what they give before it is added; once after the last layer
    Output, ///< of what they give before it is added; once after the last layer
};

/// Which products of attention have a bias.
enum class AttentionBiases {
    All,
    QueryKeyValue,
    None,
};

/// Norms of queries and keys before their product (Henry et al., arXiv:2010.04245).
enum class QueryKeyNorm {
    None,
    Head,  ///< of each head, with one weight for all heads
    Whole, ///< of all heads together
};

enum class PositionEncoding {
    Learned, ///< a table, added to the word embeddings
    Rotary,  ///< queries and keys are turned by an angle per position (Su et al., arXiv:2104.09864)
};

/// How rotary positions reach beyond the lengths that a model was trained with at first.
enum class RopeScaling {
    None,
    Linear, ///< all angles divided by the factor
    Llama3, ///< slow turns divided by the factor, fast ones not (Llama 3, arXiv:2407.21783)
    Yarn,   ///< the same with another ramp, and scores scaled (Peng et al., arXiv:2309.00071)
};

/// What the output layers learn.
enum class TaskKind {
    None,     ///< pre-training: masked words and next sentence, or the next tokens
    Classify, ///< the class of a row: of a sentence or of a pair
    Regress,  ///< a number for a row
    Tag,      ///< the class of each word
    Answer,   ///< where in a row the answer to its question begins and ends
    Complete, ///< a decoder's next tokens, in the completions alone
};

// Each struct is a section of the file. Key, help, range, unit and source of every member: its describe() in
// *_fields.h, and FIELDS.md made from it. Comments here say what only code needs to know.

/// A task to fine-tune for. Its head replaces that of pre-training, as Hugging Face's BertFor... classes do.
struct TaskSpec {
    TaskKind kind = TaskKind::None;
    int labels = 2;       ///< Classify and Tag only
    double dropout = 0.1; ///< before the head's last product; Classify, Regress and Tag only

    bool isOn() const { return kind != TaskKind::None; }
    /// The head is the task's own: it predicts no words.
    bool hasHead() const { return isOn() && kind != TaskKind::Complete; }
    /// Whose loss is one of sequences: of their class, value or answer.
    bool judgesSequences() const { return hasHead() && kind != TaskKind::Tag; }
    /// The head begins with a pooler of the first token.
    bool poolsFirstToken() const { return kind == TaskKind::Classify || kind == TaskKind::Regress; }
    bool hasLabels() const { return kind == TaskKind::Classify || kind == TaskKind::Tag; }
    /// Numbers that the last product gives for a row or a token; requires hasHead().
    int outputs() const { return hasLabels() ? labels : kind == TaskKind::Answer ? 2 : 1; }
    bool operator==(const TaskSpec&) const = default;
};

/// Low-rank adapters, which are trained in place of the products that they are added to (Hu et al.,
/// arXiv:2106.09685). All weights but theirs and those of a task's last product are frozen.
struct LoraSpec {
    int rank = 0; ///< 0: no adapters, and every weight is trained
    double alpha = 8;
    double dropout = 0;                 ///< of an adapter's input
    std::vector<std::string> targets{}; ///< empty: PEFT's for the family; engine/spec/lora_targets.h

    bool isOn() const { return rank > 0; }
    /// What an adapter's output is multiplied with.
    double scale() const { return alpha / rank; }
    bool operator==(const LoraSpec&) const = default;
};

/// Rotary positions.
struct RopeSpec {
    double base = 10000;
    double windowBase = 0; ///< of layers with a window; 0: base
    double share = 1;      ///< of each head's numbers; the rest is not turned
    RopeScaling scaling = RopeScaling::None;
    double factor = 1;
    int originalPositions = 0;     ///< Llama3 and Yarn only; 0: the model's positions
    double lowFrequencyFactor = 1; ///< Llama3 only
    double highFrequencyFactor = 4;
    double betaFast = 32; ///< Yarn only
    double betaSlow = 1;
    double attentionFactor = 0; ///< Yarn only; 0: by the paper

    bool operator==(const RopeSpec&) const = default;
};

/// Feed-forwards of which each token takes a few, chosen by a router (Shazeer et al., arXiv:1701.06538;
/// Lepikhin et al., arXiv:2006.16668). No token is dropped.
struct ExpertSpec {
    int count = 0; ///< 0: one feed-forward for all tokens
    int perToken = 2;
    int width = 0;          ///< of one expert; 0: the model's intermediate
    int every = 1;          ///< each so many layers one has experts: the last of them
    bool normalized = true; ///< a token's weights add up to 1
    /// Times count * sum(share of tokens * mean probability) (Fedus et al., arXiv:2101.03961, eq. 4).
    double balanceLoss = 0.001;
    /// Times mean(logsumexp(logits)^2) of the router (Zoph et al., arXiv:2202.08906, eq. 5).
    double zLoss = 0;

    bool isOn() const { return count > 0; }
    bool operator==(const ExpertSpec&) const = default;
};

/// A transformer's shape. Field names follow Hugging Face's config.json where it has one. The defaults of
/// what a family decides are BERT's; setFamily() changes them together.
struct ModelSpec {
    std::string preset; ///< where the values came from; empty = all given by hand
    ModelFamily family = ModelFamily::Bert;
    int layers = 2;
    int hidden = 128;
    int heads = 2;
    int intermediate = 512;
    int vocabulary = 30522;
    int maxPositions = 512;
    int tokenTypes = 2; ///< 0: the model has no token type embeddings
    Activation activation = Activation::Gelu;
    NormPlacement norm = NormPlacement::Post;
    PositionEncoding positions = PositionEncoding::Learned;
    bool tiedHead = true;
    bool nextSentence = true;
    double dropout = 0.1;
    double attentionDropout = 0.1;
    double layerNormEpsilon = 1e-12;
    double initializerRange = 0.02;
    int keyValueHeads = 0; ///< 0: as many as there are heads
    int headWidth = 0;     ///< 0: hidden / heads
    NormKind normKind = NormKind::LayerNorm;
    bool normBiases = true; ///< NormKind::LayerNorm only
    AttentionBiases attentionBiases = AttentionBiases::All;
    bool feedForwardBiases = true;
    QueryKeyNorm queryKeyNorm = QueryKeyNorm::None;
    bool parallelResidual = false; ///< attention and feed-forward both see the layer's input
    int window = 0;                ///< tokens that a query sees of keys on one side; 0: all
    int globalEvery = 0;           ///< with a window: each so many layers one sees all; 0: none does
    int globalFirst = 0;           ///< the first of them
    int globalLeading = 0;         ///< with a window: so many layers at the front see all as well
    double queryScaleWidth = 0;    ///< scores are divided by its square root; 0: width of a head
    double scoreCap = 0;           ///< scores become cap * tanh(score / cap); 0: as they are
    double logitCap = 0;           ///< likewise
    bool scaledEmbeddings = false; ///< words are multiplied with sqrt(hidden)
    bool embeddingNorm = true;
    bool firstLayerNorm = true; ///< false: the first layer has no norm before attention
    int positionOffset = 0;     ///< rows of the table of positions before that of the first token
    int paddingWord = 0;        ///< whose look-ups leave no gradient, as in Hugging Face; -1: none
    bool transformBias = true;  ///< of the product in an encoder's head
    RopeSpec rope{};
    ExpertSpec experts{};
    TaskSpec task{}; ///< decides the head; a section of the file by itself
    LoraSpec lora{}; ///< likewise

    /// A token sees nothing behind it.
    bool isDecoder() const { return trainyard::isDecoder(family); }
    int headSize() const { return headWidth > 0 || heads < 1 ? headWidth : hidden / heads; }
    /// Heads of keys and values, each for several of the queries' (Ainslie et al., arXiv:2305.13245).
    int keyHeads() const { return keyValueHeads > 0 ? keyValueHeads : heads; }
    /// Numbers of all heads of queries.
    int queryWidth() const { return heads * headSize(); }
    int keyWidth() const { return keyHeads() * headSize(); }
    /// Queries, keys and values, one behind the other.
    int attentionWidth() const { return queryWidth() + 2 * keyWidth(); }
    bool hasExperts(int layer) const
    {
        return experts.isOn() && (experts.every < 2 || (layer + 1) % experts.every == 0);
    }
    /// Of the feed-forward of one expert.
    int expertWidth() const { return experts.width > 0 ? experts.width : intermediate; }
    bool isGated() const { return trainyard::isGated(activation); }
    bool hasNormBiases() const { return normKind == NormKind::LayerNorm && normBiases; }
    bool hasFinalNorm() const { return norm != NormPlacement::Post; }
    /// Whether queries of that layer see keys within the window alone.
    bool hasWindow(int layer) const
    {
        return window > 0 && layer >= globalLeading &&
               (globalEvery == 0 || layer % globalEvery != globalFirst % globalEvery);
    }
    /// The head predicts words, from the embeddings' matrix or from one of its own.
    bool predictsWords() const { return !task.hasHead(); }
    bool sharesWordsWithHead() const { return tiedHead && predictsWords(); }
    bool predictsNextSentence() const { return nextSentence && predictsWords(); }
    /// A tied matrix gets gradients from the embeddings and from the head.
    bool trainsSharedWords() const { return sharesWordsWithHead() && !lora.isOn(); }
    /// Sets the family and what it decides: all but sizes, dropout and initial weights.
    void setFamily(ModelFamily value);
    bool operator==(const ModelSpec&) const = default;
};

/// One machine of the cluster.
struct NodeSpec {
    std::string host = "localhost";
    int slotCount = 1;      ///< key "slots", which Qt makes a macro
    Bytes memory = 0;       ///< per slot; 0 = unknown
    std::string hardware{}; ///< empty = unknown; a launch never asks
    /// GPUs that its ranks may take, in this order: indices, or names that begin with "GPU-" or "MIG-", as
    /// nvidia-smi prints them. Empty = all.
    std::vector<std::string> devices{};

    bool operator==(const NodeSpec&) const = default;
};

struct ClusterSpec {
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

/// Which of the data-parallel ranks share the experts of a layer.
enum class ExpertPlacement {
    Inner, ///< neighbours along the data axis: tokens travel a short way
    Outer, ///< as far apart as there are copies: the copies of an expert are neighbours
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
    /// Data-parallel ranks that share the experts of each layer: each has count / expert of them, and tokens
    /// travel to their experts and back. They count in `data`, which `expert` divides.
    int expert = 1;
    ExpertPlacement expertPlacement = ExpertPlacement::Inner; ///< only matters with expert > 1
    /// Neighbours among the ranks of data x context that share one copy of what ZeRO shards (hybrid
    /// sharding: the other copies are equal); 0: all of them. Divides their number. Only matters with ZeRO.
    int shard = 0;
    std::string placement = "cluster";
    bool sequence = false; ///< only matters with tensor > 1
    // These three only matter with pipeline > 1.
    PipelineScheduleKind schedule = PipelineScheduleKind::OneForwardOneBackward;
    int virtualStages = 1;
    StagePartition partition{};
    Bytes bucketSize = 25 * kMiB;

    int worldSize() const { return data * context * tensor * pipeline; }
    int stages() const { return pipeline * virtualStages; }
    /// Ranks that hold the same parameters, experts that ranks share apart.
    int holders() const { return data * context; }
    /// Ranks that have the same experts of a layer.
    int expertCopies() const { return holders() / expert; }
    /// Of the holders those that share one copy of the states, and of these those with the same experts.
    int shardRanks() const { return shard == 0 ? holders() : shard; }
    int expertShardRanks() const;
    /// Whether each copy of the states has every expert equally often.
    bool cutsExpertsAlike() const;
    /// With so many data-parallel ranks: fewer may have to share the experts, and more one copy of the
    /// states.
    ParallelLayout withData(int ranks) const;
    bool operator==(const ParallelLayout&) const = default;
};

/// The growth of the global batch over the first sequences of a run or phase; engine/spec/phases/batch_ramp.h
/// has the rule.
struct BatchRampSpec {
    int start = 0; ///< 0: the batch does not grow
    int increment = 0;
    int samples = 0;

    bool isOn() const { return start > 0; }
    bool operator==(const BatchRampSpec&) const = default;
};

/// global = micro * accumulation * data-parallel degree, in sequences. While the batch grows, global and
/// accumulation are those at its end.
struct BatchSpec {
    int global = 32;
    int micro = 8;
    int accumulation = 4;
    bool packing = false;
    BatchRampSpec ramp{};

    bool operator==(const BatchSpec&) const = default;
};

enum class OptimizerKind {
    AdamW,
    Lamb,      ///< as NVIDIA's BERT recipes have it
    LambPaper, ///< as its paper has it: a trust ratio for every tensor
    Lans,
    Sgd, ///< with momentum
};
enum class ScheduleKind { Constant, Linear, Polynomial, Cosine, WarmupStableDecay };

/// How the rate falls in the decay of ScheduleKind::WarmupStableDecay. Formulas: LearningRateSchedule.
enum class DecayShape { Linear, Cosine, Exponential, OneMinusSqrt };

struct OptimizerSpec {
    OptimizerKind kind = OptimizerKind::AdamW;
    double learningRate = 1e-3;
    double beta1 = 0.9;
    double beta2 = 0.999;
    double momentum = 0.9;
    double epsilon = 1e-8;
    double weightDecay = 0.01;
    double clipNorm = 1.0;
    ScheduleKind schedule = ScheduleKind::Linear;
    int warmupSteps = 0;
    double decayPower = 0.5;
    // These two only matter with WarmupStableDecay.
    int decaySteps = 0; ///< 0: a tenth of the steps
    DecayShape decayShape = DecayShape::Exponential;

    /// Steps over which a run of `steps` steps decays with WarmupStableDecay: at most those after its
    /// warm-up.
    std::int64_t decayStepsOf(std::int64_t steps) const;

    bool operator==(const OptimizerSpec&) const = default;
};

/// Type of the forward and backward pass. Reduction and master weights are float32 (float64 with Float64).
enum class ComputeType { Float64, Float32, BFloat16, Float16 };

/// Bytes of one number of that type.
constexpr int elementSize(ComputeType type)
{
    return type == ComputeType::Float64 ? 8 : type == ComputeType::Float32 ? 4 : 2;
}

/// Dynamic loss scaling; only with Float16. engine/optim/loss_scaler.h has the rule.
struct LossScaleSpec {
    double initial = 65536;
    int growthInterval = 1000;
    double backoff = 0.5;
    int hysteresis = 1;
    double minimum = 1;

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
    int recomputeEvery = 1; ///< counted from the first layer
    bool offloadActivations = false;
    int offloadHorizon = 1;
    bool offloadOptimizer = false;
    bool offloadParameters = false;

    bool operator==(const MemorySpec&) const = default;
};

/// One of several data sets that a run mixes.
struct MixedDataSet {
    std::string path;
    double weight = 1; ///< of its rows, against those of the others

    bool operator==(const MixedDataSet&) const = default;
};

struct DatasetSpec {
    std::string path;
    std::vector<MixedDataSet> mix{}; ///< in place of path; empty: path alone

    bool isMix() const { return !mix.empty(); }
    /// The data sets in their order: those of the mix, or the one of path.
    std::vector<MixedDataSet> sets() const;
    /// Path of the first one: in what a model sees the others agree with it.
    std::string first() const { return sets().front().path; }
    /// The share of the training rows that each of sets() gets, 0 to 1; 0 for weights that are not positive.
    std::vector<double> shares() const;
    /// "/data/wiki", or "70 % /data/wiki, 30 % /data/books".
    std::string text() const;
    bool operator==(const DatasetSpec&) const = default;
};

/// What a run begins with instead of weights drawn from its seed. Only its first attempt looks at it: later
/// ones continue from the run's own checkpoints.
struct InitSpec {
    std::string path{};     ///< folder, or id of a run on the hosts; empty = every weight is drawn
    int step = 0;           ///< of the run's checkpoint; 0 = its newest complete one
    bool optimizer = false; ///< its state too, not the weights alone
    bool resize = false;    ///< the words or positions may be more or fewer

    bool isOn() const { return !path.empty(); }
    bool operator==(const InitSpec&) const = default;
};

/// What a held-out evaluation is judged by.
enum class EvaluationMetric {
    Loss,     ///< lower is better
    Accuracy, ///< of the masked or next tokens; higher is better
};

/// Evaluation on held-out rows while training. planner/evaluation_schedule.h derives what is 0 here.
struct EvaluationSpec {
    int everySteps = 0; ///< 0: derived
    int batches = 8;    ///< 0: no evaluation
    std::string dataset{};
    EvaluationMetric metric = EvaluationMetric::Loss;
    double target = 0; ///< 0: none
    int patience = 0;  ///< 0: endless
    bool keepBest = false;

    bool isOn() const { return batches > 0; }
    /// Somebody asked for it, so that a data set without held-out rows is an error.
    bool isAsked() const { return isOn() && *this != EvaluationSpec(); }
    bool operator==(const EvaluationSpec&) const = default;
};

struct CheckpointSpec {
    int everySteps = 0;
    int keepLast = 2;
    int keepEvery = 0;
    int copies = 1; ///< of each shard on other hosts, where hosts keep checkpoints on disks of their own
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

/// Whose MPI, and with it whose C library, the ranks run with on the hosts.
enum class MpiSource {
    Bundled, ///< the engine bundle's; the hosts need none
    Node,    ///< each host's own; always so in batch jobs
};

/// What sbatch is asked for; only with LauncherKind::Slurm. An empty text leaves it to the cluster.
struct SlurmSpec {
    std::string partition;
    std::string account;
    std::string qos;
    std::string constraint;
    std::chrono::milliseconds timeLimit{0};
    bool requeue = true;
    std::chrono::milliseconds warning{120'000};

    bool operator==(const SlurmSpec&) const = default;
};

/// What happens when ranks or hosts are lost: the run goes on from its last checkpoint by itself.
struct RestartSpec {
    int limit = 3;
    std::chrono::milliseconds backoff{5'000};
    bool afterReboot = false;
    bool elastic = false;

    bool operator==(const RestartSpec&) const = default;
};

struct LaunchSpec {
    int steps = 100;
    int threadsPerRank = 1;
    int nice = 0;
    DeviceKind device = DeviceKind::Auto;
    std::chrono::milliseconds gracePeriod{15'000};
    std::chrono::milliseconds collectiveTimeout{600'000};
    LauncherKind launcher = LauncherKind::Mpi;
    MpiSource mpi = MpiSource::Bundled;
    SlurmSpec slurm{};
    RestartSpec restart{};
    bool waitForDevices = false;
    std::string network{}; ///< "10.1.0.0/16" or "eth1"; empty = the fastest one that connects all hosts
    std::string ports{};   ///< "20000-20063"; empty = any

    bool operator==(const LaunchSpec&) const = default;
};

/// A part of a run's steps. engine/spec/phases/phases.h lays it over the run's specification.
struct PhaseSpec {
    std::string name{};
    int steps = 1;
    bool keepOptimizer = true;
    // Only what `named` lists holds; the rest is the run's.
    DatasetSpec dataset{};
    BatchSpec batch{};
    OptimizerSpec optimizer{};
    MemorySpec memory{};
    EvaluationSpec evaluation{};
    std::set<std::string> named{}; ///< what the phase overrides: "batch.global"

    bool operator==(const PhaseSpec&) const = default;
};

/// Everything that decides what a run computes and where. A plain value: edited by the window, written as
/// spec.json, read by the planner, the agent and the worker.
struct RunSpec {
    std::string name = "run";
    std::uint64_t seed = 42;
    ModelSpec model;
    ClusterSpec cluster;
    ParallelLayout layout;
    BatchSpec batch;
    OptimizerSpec optimizer;
    PrecisionSpec precision;
    MemorySpec memory;
    DatasetSpec dataset;
    InitSpec init;
    EvaluationSpec evaluation;
    CheckpointSpec checkpoint;
    LaunchSpec launch;
    std::vector<PhaseSpec> phases; ///< in their order; empty: the run has one phase, itself

    bool operator==(const RunSpec&) const = default;
};

} // namespace trainyard
