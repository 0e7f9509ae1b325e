#include <algorithm>
#include <array>
#include <limits>

#include <fmt/format.h>

#include "engine/spec/foreign/batch_settings.h"
#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/megatron_arguments.h"
#include "engine/spec/foreign/megatron_names.h"
#include "engine/spec/foreign/settings_reader.h"
#include "engine/spec/limits.h"
#include "engine/spec/phases/batch_ramp.h"

namespace trainyard {

namespace {

constexpr const char* kNothing = "nothing to do";
constexpr const char* kRecords = "every run keeps its records, and the window shows them";
constexpr const char* kItself = "Trainyard chooses it itself";

constexpr std::array kKnown{
    Explanation{"--num-query-groups", "it belongs to --group-query-attention", "set model.kv_heads"},
    Explanation{"--squared-relu", "there is no such activation", "choose model.activation"},
    Explanation{"--rotary-*", "it is not known here", "see the fields of model.rope"},
    Explanation{"--make-vocab-size-divisible-by", "the vocabulary is never padded", kNothing},
    Explanation{"--moe-layer-freq", "experts are in all layers or in the last of each so many",
                "set model.experts.every"},
    Explanation{"--moe-*", "it is not known here", "see the fields of model.experts"},
    Explanation{"--expert-*", "experts are cut as other layers are", "set layout.tensor"},
    Explanation{"--decoder-first-pipeline-num-layers", "stages are given one by one", "set layout.partition"},
    Explanation{"--decoder-last-pipeline-num-layers", "stages are given one by one", "set layout.partition"},
    Explanation{"--pipeline-model-parallel-layout", "stages are given as numbers of layers",
                "set layout.partition"},
    Explanation{"--account-for-*", "embeddings and head are counted by layout.partition \"parameters\"",
                "set layout.partition"},
    Explanation{"--decrease-batch-size-if-needed", "the global batch is exact", kNothing},
    Explanation{"--lr-warmup-init", "the warm-up starts from 0", "reckon with a slightly lower rate"},
    Explanation{"--lr-wsd-*", "it belongs to --lr-decay-style WSD", "choose optimizer.schedule"},
    Explanation{"--start-weight-decay", "weight decay is constant", "use optimizer.weight_decay"},
    Explanation{"--end-weight-decay", "weight decay is constant", "use optimizer.weight_decay"},
    Explanation{"--weight-decay-incr-style", "weight decay is constant", "use optimizer.weight_decay"},
    Explanation{"--fp8-*", "there is no 8-bit training", "use precision.compute"},
    Explanation{"--accumulate-allreduce-grads-in-fp32", "gradients are added up in float32", kNothing},
    Explanation{"--attention-softmax-in-fp32", "the softmax is always float32", kNothing},
    Explanation{"--overlap-*", "communication overlaps with computing by itself", kNothing},
    Explanation{"--no-overlap-*", "communication overlaps with computing by itself", kNothing},
    Explanation{"--tp-comm-overlap*", kItself, kNothing},
    Explanation{"--use-flash-attn", kItself, kNothing},
    Explanation{"--attention-backend", kItself, kNothing},
    Explanation{"--transformer-impl", "there is one implementation", kNothing},
    Explanation{"--use-mcore-models", "there is one implementation", kNothing},
    Explanation{"--no-gradient-accumulation-fusion", kItself, kNothing},
    Explanation{"--no-masked-softmax-fusion", kItself, kNothing},
    Explanation{"--no-bias-dropout-fusion", kItself, kNothing},
    Explanation{"--distribute-saved-activations", "layer inputs are shared with layout.sequence instead",
                "set layout.sequence"},
    Explanation{"--recompute-modules", "selective recomputation is that of the attention's core",
                "see memory.recompute"},
    Explanation{"--cpu-offloading-num-layers", "all layers' activations are offloaded or none",
                "set memory.offload_activations"},
    Explanation{"--seq-length", "the data set decides it", "prepare the data with --seq-len"},
    Explanation{"--data-*", "data sets are prepared by Trainyard",
                "use `trainyard prepare` and dataset.path"},
    Explanation{"--split", "data sets are prepared by Trainyard", "use `trainyard prepare`"},
    Explanation{"--vocab-file", "data sets are prepared by Trainyard", "use `trainyard prepare --vocab`"},
    Explanation{"--merge-file", "data sets are prepared by Trainyard", "use `trainyard prepare`"},
    Explanation{"--tokenizer-*", "data sets are prepared by Trainyard", "use `trainyard prepare --vocab`"},
    Explanation{"--num-workers", kItself, kNothing},
    Explanation{"--mask-prob", "data sets are prepared by Trainyard", "use `trainyard prepare`"},
    Explanation{"--short-seq-prob", "data sets are prepared by Trainyard", "use `trainyard prepare`"},
    Explanation{"--save", "a run keeps its checkpoints in its own folder", kNothing},
    Explanation{"--load", "a run resumes from its own checkpoints", "use `trainyard resume`"},
    Explanation{"--ckpt-format", "checkpoints have one format that any layout loads", kNothing},
    Explanation{"--use-dist-ckpt", "checkpoints have one format that any layout loads", kNothing},
    Explanation{"--eval-*", "a run only trains", "use `trainyard eval`"},
    Explanation{"--log-*", kRecords, kNothing},
    Explanation{"--tensorboard-*", kRecords, "use `trainyard export --tensorboard`"},
    Explanation{"--wandb-*", kRecords, "use `trainyard report`"},
    Explanation{"--timing-*", kRecords, kNothing},
    Explanation{"--distributed-backend", kItself, kNothing},
    Explanation{"--distributed-timeout-minutes", "a hang is named within seconds", kNothing},
    Explanation{"--node-rank", "Trainyard starts all hosts itself", "write them to cluster.nodes"},
    Explanation{"--master-*", "Trainyard starts all hosts itself", "write them to cluster.nodes"},
    Explanation{"--rdzv-*", "Trainyard starts all hosts itself", "write them to cluster.nodes"},
};

void readActivation(SettingsReader& arguments, ModelSpec& model)
{
    model.activation =
        arguments.getOr("--no-bias-gelu-fusion", false) ? Activation::Gelu : Activation::GeluNew;
    if (arguments.getOr("--openai-gelu", false))
        model.activation = Activation::GeluNew; // the fused one is the approximation with tanh, too
    if (arguments.getOr("--swiglu", false))
        model.activation = Activation::Swiglu;
}

/// Keys and values for several heads, heads of another width than hidden / heads, norms and biases.
void readAttention(SettingsReader& arguments, ModelSpec& model)
{
    if (arguments.getOr("--group-query-attention", false))
        model.keyValueHeads = arguments.getCount("--num-query-groups", kMaxWidth).value_or(1);
    if (const auto width = arguments.getCount("--kv-channels", kMaxWidth))
        model.headWidth = *width;
    const bool hasBiases = !arguments.getOr("--disable-bias-linear", false);
    const bool ofQueries = arguments.getOr("--add-qkv-bias", false);
    model.attentionBiases = hasBiases   ? AttentionBiases::All
                            : ofQueries ? AttentionBiases::QueryKeyValue
                                        : AttentionBiases::None;
    model.feedForwardBiases = hasBiases;
    model.queryKeyNorm = arguments.getOr("--qk-layernorm", false) ? QueryKeyNorm::Head : QueryKeyNorm::None;
}

void readPositions(SettingsReader& arguments, ModelSpec& model)
{
    model.rope.base = arguments.getOr("--rotary-base", 10000.0);
    model.rope.share = arguments.getOr("--rotary-percent", 1.0);
    const std::string type = arguments.getOr<std::string>("--position-embedding-type", "learned_absolute");
    const bool rotary = arguments.getOr("--use-rotary-position-embeddings", false) || type == "rope";
    model.positions = rotary ? PositionEncoding::Rotary : PositionEncoding::Learned;
    if (type != "rope" && type != "learned_absolute")
        arguments.omit("--position-embedding-type", "there are no such positions", "choose model.positions");
}

/// Names of the scripts and of the arguments that train other models than BERT and GPT.
std::optional<std::string> otherModel(const std::string& program, const SettingsReader& arguments)
{
    const std::string name = program.substr(program.find_last_of('/') + 1);
    constexpr std::string_view kStart = "pretrain_";
    const bool isOfGpt = name.find("gpt") != std::string::npos || name.find("bert") != std::string::npos;
    if (name.starts_with(kStart) && !isOfGpt)
        return name;
    for (const char* argument : {"--encoder-num-layers", "--decoder-num-layers", "--decoder-seq-length"}) {
        if (arguments.has(argument))
            return argument;
    }
    return std::nullopt;
}

/// Of tokenizers whose words are always the same, or, where a file has them, usually.
struct TokenizerSize {
    std::string_view type;
    int words;
};
constexpr std::array kTokenizerSizes{TokenizerSize{"GPT2BPETokenizer", 50257},
                                     TokenizerSize{"BertWordPieceLowerCase", 30522},
                                     TokenizerSize{"BertWordPieceCase", 28996}};

/// Megatron reads the vocabulary from the tokenizer's files, which are not here.
void readVocabulary(SettingsReader& arguments, ModelSpec& model)
{
    if (arguments.has("--vocab-size"))
        return arguments.readCount("--vocab-size", kMaxEntries, model.vocabulary);
    const auto type = arguments.get<std::string>("--tokenizer-type");
    if (!type)
        return;
    const auto known = std::ranges::find(kTokenizerSizes, std::string_view(*type), &TokenizerSize::type);
    if (known != kTokenizerSizes.end()) {
        model.vocabulary = known->words;
        arguments.omit("--tokenizer-type", fmt::format("its usual {} words are taken", known->words),
                       "set model.vocabulary if yours has others");
    } else {
        arguments.omit("--tokenizer-type",
                       fmt::format("how many words \"{}\" has is not in this text, so {} are taken", *type,
                                   model.vocabulary),
                       "set model.vocabulary");
    }
}

/// Megatron's own width: 4 h, and with a gate about two thirds of it, in multiples of 64.
int usualWidth(const ModelSpec& model)
{
    return model.activation == Activation::Swiglu ? model.hidden * 8 / 3 / 64 * 64 : 4 * model.hidden;
}

void readSizes(SettingsReader& arguments, ModelSpec& model)
{
    arguments.readCount("--num-layers", kMaxLayers, model.layers);
    arguments.readCount("--num-attention-heads", kMaxWidth, model.heads);
    if (const auto hidden = arguments.getCount("--hidden-size", kMaxWidth)) {
        model.hidden = *hidden;
        model.intermediate = usualWidth(model);
    }
    arguments.readCount("--ffn-hidden-size", kMaxWidth, model.intermediate);
    arguments.readCount("--max-position-embeddings", kMaxEntries, model.maxPositions);
    readVocabulary(arguments, model);
}

void readNorm(SettingsReader& arguments, ModelSpec& model)
{
    model.norm = NormPlacement::Pre;
    if (arguments.getOr("--apply-residual-connection-post-layernorm", false))
        arguments.omit("--apply-residual-connection-post-layernorm",
                       "residuals go around the layer norm, or end before it", "choose model.norm");
    const auto kind = arguments.getOr<std::string>("--normalization", "LayerNorm");
    model.normKind = kind == "RMSNorm" ? NormKind::RmsNorm : NormKind::LayerNorm;
    if (kind != "LayerNorm" && kind != "RMSNorm")
        arguments.omit("--normalization", "there are layer norms and RMS norms", "choose model.norm_kind");
    const char* epsilon = arguments.has("--layernorm-epsilon") ? "--layernorm-epsilon" : "--norm-epsilon";
    model.layerNormEpsilon = arguments.getOr(epsilon, 1e-5);
}

/// Megatron adds up the losses of all layers, and divides that of the balance by the experts of a token.
void readExperts(SettingsReader& arguments, ModelSpec& model)
{
    ExpertSpec& experts = model.experts;
    experts = {};
    arguments.readCount("--num-experts", kMaxExperts, experts.count);
    if (!experts.isOn())
        return;
    experts.perToken = arguments.getCount("--moe-router-topk", kMaxExperts).value_or(2);
    experts.width = arguments.getCount("--moe-ffn-hidden-size", kMaxWidth).value_or(0);
    experts.normalized = !arguments.getOr("--moe-router-pre-softmax", false);
    const std::string balancing =
        arguments.getOr<std::string>("--moe-router-load-balancing-type", "aux_loss");
    experts.balanceLoss = arguments.getOr("--moe-aux-loss-coeff", 0.0) * model.layers / experts.perToken;
    experts.zLoss = arguments.getOr("--moe-z-loss-coeff", 0.0) * model.layers;
    if (balancing == "none")
        experts.balanceLoss = 0;
    else if (balancing != "aux_loss")
        arguments.omit("--moe-router-load-balancing-type", "the loss is that of a micro-batch",
                       "check model.experts.balance_loss");
}

/// Of experts, of grouped queries, or of one tensor of as many queries, keys and values, as GPT-2 has.
ModelFamily decoderFamily(const SettingsReader& arguments)
{
    if (arguments.has("--num-experts"))
        return arguments.has("--qk-layernorm") ? ModelFamily::Qwen3Moe : ModelFamily::Mixtral;
    return arguments.has("--group-query-attention") ? ModelFamily::Llama : ModelFamily::Gpt;
}

/// A model begins with --num-layers; without it the arguments leave the base's alone.
void readModel(SettingsReader& arguments, bool bert, ModelSpec& model)
{
    if (!arguments.has("--num-layers"))
        return;
    model.preset.clear();
    model.setFamily(bert ? ModelFamily::Bert : decoderFamily(arguments));
    readAttention(arguments, model);
    readActivation(arguments, model);
    readPositions(arguments, model);
    readSizes(arguments, model);
    readExperts(arguments, model);
    readNorm(arguments, model);
    model.tiedHead = !arguments.getOr("--untie-embeddings-and-output-weights", false);
    model.nextSentence = bert && !arguments.getOr("--bert-no-binary-head", false);
    model.dropout = arguments.getOr("--hidden-dropout", 0.1);
    model.attentionDropout = arguments.getOr("--attention-dropout", 0.1);
    model.initializerRange = arguments.getOr("--init-method-std", 0.02);
}

/// Chunks of the model per pipeline rank: Megatron counts them, or the layers of each.
int virtualStages(SettingsReader& arguments, const RunSpec& spec)
{
    const int stages = arguments.getCount("--num-virtual-stages-per-pipeline-rank", kMaxLayers).value_or(1);
    const auto layers = arguments.getCount("--num-layers-per-virtual-pipeline-stage", kMaxLayers);
    if (!layers)
        return stages;
    const long perChunk = long{*layers} * spec.layout.pipeline;
    if (spec.model.layers % perChunk == 0)
        return static_cast<int>(spec.model.layers / perChunk);
    arguments.complain("--num-layers-per-virtual-pipeline-stage",
                       fmt::format("{} layers do not divide by {} x pipeline {}", spec.model.layers, *layers,
                                   spec.layout.pipeline),
                       "use a number that divides the layers of a pipeline rank");
    return 1;
}

void readLayout(SettingsReader& arguments, RunSpec& spec)
{
    ParallelLayout& layout = spec.layout;
    layout.tensor = arguments.getCount("--tensor-model-parallel-size", kMaxRanks).value_or(1);
    layout.pipeline = arguments.getCount("--pipeline-model-parallel-size", kMaxRanks).value_or(1);
    layout.context = arguments.getCount("--context-parallel-size", kMaxRanks).value_or(1);
    layout.expert = arguments.getCount("--expert-model-parallel-size", kMaxRanks).value_or(1);
    layout.sequence = arguments.getOr("--sequence-parallel", false);
    layout.virtualStages = virtualStages(arguments, spec);
    layout.schedule = layout.virtualStages > 1 ? PipelineScheduleKind::Interleaved
                                               : PipelineScheduleKind::OneForwardOneBackward;
    layout.placement = arguments.getOr("--use-tp-pp-dp-mapping", false) ? "cluster" : "PDT";
    layout.partition = {};
    arguments.readBucketSize("--ddp-bucket-size", layout.bucketSize);
}

void readOptimizer(SettingsReader& arguments, OptimizerSpec& optimizer)
{
    const std::string kind = arguments.getOr<std::string>("--optimizer", "adam");
    optimizer.kind = kind == "sgd" ? OptimizerKind::Sgd : OptimizerKind::AdamW;
    if (kind != "sgd" && kind != "adam")
        arguments.omit("--optimizer", "there is no such optimizer",
                       "choose one of adamw, lamb, lamb-paper, lans, sgd");
    arguments.read("--lr", optimizer.learningRate);
    optimizer.weightDecay = arguments.getOr("--weight-decay", 0.01);
    optimizer.clipNorm = arguments.getOr("--clip-grad", 1.0);
    optimizer.beta1 = arguments.getOr("--adam-beta1", 0.9);
    optimizer.beta2 = arguments.getOr("--adam-beta2", 0.999);
    optimizer.epsilon = arguments.getOr("--adam-eps", 1e-8);
    optimizer.momentum = arguments.getOr("--sgd-momentum", 0.9);
    if (arguments.getOr("--min-lr", 0.0) != 0)
        arguments.omit("--min-lr", "the rate falls to 0", "set launch.steps a little higher");
}

void readDecay(SettingsReader& arguments, OptimizerSpec& optimizer)
{
    const std::string style = arguments.getOr<std::string>("--lr-decay-style", "linear");
    if (const auto schedule = fromMegatronName<ScheduleKind>(style); schedule && style != "polynomial")
        optimizer.schedule = *schedule;
    else
        arguments.omit("--lr-decay-style", "there is no such schedule", "choose optimizer.schedule");
}

/// Samples are counted in whole steps, from the start of the run.
std::optional<int> stepsOf(SettingsReader& arguments, const char* iterations, const char* samples,
                           const BatchSpec& batch)
{
    const auto steps = arguments.get<int>(iterations);
    const auto rows = arguments.get<std::uint64_t>(samples);
    if (steps || !rows)
        return steps;
    return static_cast<int>(std::min<std::int64_t>(BatchRamp(batch).stepsWithin(*rows), 1 << 30));
}

/// The last part of Megatron's "WSD".
void readStableDecay(SettingsReader& arguments, RunSpec& spec)
{
    OptimizerSpec& optimizer = spec.optimizer;
    if (optimizer.schedule != ScheduleKind::WarmupStableDecay)
        return;
    const std::string style = arguments.getOr<std::string>("--lr-wsd-decay-style", "exponential");
    if (const auto shape = fromMegatronName<DecayShape>(style))
        optimizer.decayShape = *shape;
    else
        arguments.omit("--lr-wsd-decay-style", "there is no such decay", "choose optimizer.decay_shape");
    if (const auto steps = stepsOf(arguments, "--lr-wsd-decay-iters", "--lr-wsd-decay-samples", spec.batch))
        optimizer.decaySteps = *steps;
}

void readSteps(SettingsReader& arguments, RunSpec& spec)
{
    const BatchSpec& batch = spec.batch;
    if (const auto steps = stepsOf(arguments, "--train-iters", "--train-samples", batch))
        spec.launch.steps = *steps;
    const int decay =
        stepsOf(arguments, "--lr-decay-iters", "--lr-decay-samples", batch).value_or(spec.launch.steps);
    if (decay != spec.launch.steps)
        arguments.omit(arguments.has("--lr-decay-iters") ? "--lr-decay-iters" : "--lr-decay-samples",
                       "the rate falls until the last step", "set launch.steps");
    const int warmup = stepsOf(arguments, "--lr-warmup-iters", "--lr-warmup-samples", batch).value_or(0);
    const double fraction = arguments.getOr("--lr-warmup-fraction", 0.0);
    if (fraction < 0 || fraction > 1)
        arguments.complain("--lr-warmup-fraction", fmt::format("is {}", fraction), "must be from 0 to 1");
    spec.optimizer.warmupSteps = fraction > 0 && fraction <= 1 ? static_cast<int>(fraction * decay) : warmup;
    readStableDecay(arguments, spec);
}

void readPrecision(SettingsReader& arguments, PrecisionSpec& precision)
{
    const bool bf16 = arguments.getOr("--bf16", false);
    const bool fp16 = arguments.getOr("--fp16", false);
    if (bf16 && fp16)
        arguments.complain("--bf16", "is given together with --fp16", "give one of them");
    precision.compute = bf16 ? ComputeType::BFloat16 : fp16 ? ComputeType::Float16 : ComputeType::Float32;
    LossScaleSpec& scale = precision.lossScale;
    scale.initial = arguments.getOr("--initial-loss-scale", 4294967296.0);
    scale.minimum = arguments.getOr("--min-loss-scale", 1.0);
    scale.growthInterval = arguments.getOr("--loss-scale-window", 1000);
    scale.hysteresis = arguments.getOr("--hysteresis", 2);
    scale.backoff = 0.5;
    if (arguments.has("--loss-scale")) {
        arguments.take("--loss-scale");
        arguments.omit("--loss-scale", "the loss scale is always dynamic",
                       "start with precision.loss_scale.initial");
    }
}

int zeroStage(SettingsReader& arguments)
{
    const bool distributed = arguments.getOr("--use-distributed-optimizer", false);
    const bool fullySharded = arguments.getOr("--use-torch-fsdp2", false);
    const bool megatronSharded = arguments.getOr("--use-megatron-fsdp", false);
    const std::string strategy =
        arguments.getOr<std::string>("--data-parallel-sharding-strategy", "no_shard");
    constexpr std::array<std::string_view, 4> kStrategies{"no_shard", "optim", "optim_grads",
                                                          "optim_grads_params"};
    const auto found = std::find(kStrategies.begin(), kStrategies.end(), strategy);
    if (found == kStrategies.end())
        arguments.complain("--data-parallel-sharding-strategy", "unknown strategy \"" + strategy + "\"",
                           "use one of: no_shard, optim, optim_grads, optim_grads_params");
    else if (megatronSharded)
        return static_cast<int>(found - kStrategies.begin());
    return fullySharded ? 3 : distributed ? 1 : 0;
}

/// Full recomputation of single layers has a counterpart; that of groups, or of some layers, does not.
void readFullRecompute(SettingsReader& arguments)
{
    const std::string method = arguments.getOr<std::string>("--recompute-method", "uniform");
    const int layers = arguments.getCount("--recompute-num-layers", kMaxLayers).value_or(1);
    if (method != "uniform")
        arguments.omit("--recompute-method", "every layer of a stage is recomputed, or every n-th",
                       "set memory.recompute_every");
    if (layers != 1)
        arguments.omit("--recompute-num-layers", "every layer keeps its own input",
                       "reckon with a little more memory");
}

RecomputeKind recompute(SettingsReader& arguments)
{
    const bool selective = arguments.getOr("--recompute-activations", false);
    const std::string granularity =
        arguments.getOr<std::string>("--recompute-granularity", selective ? "selective" : "none");
    const auto kind = enumFromName<RecomputeKind>(granularity);
    if (!kind)
        arguments.complain("--recompute-granularity", "unknown value \"" + granularity + "\"",
                           "use full or selective");
    if (kind == RecomputeKind::Full)
        readFullRecompute(arguments);
    return kind.value_or(RecomputeKind::None);
}

/// Each instance of the distributed optimizer is one copy of the states.
void readShard(SettingsReader& arguments, ParallelLayout& layout)
{
    constexpr const char* kInstances = "--num-distributed-optimizer-instances";
    const int copies = arguments.getCount(kInstances, kMaxRanks).value_or(1);
    layout.shard = copies > 1 && layout.holders() % copies == 0 ? layout.holders() / copies : 0;
    if (layout.holders() % copies != 0)
        arguments.complain(
            kInstances, fmt::format("{} data-parallel ranks do not divide by {}", layout.holders(), copies),
            "use a number that divides the data-parallel ranks");
}

void readMemory(SettingsReader& arguments, MemorySpec& memory)
{
    memory.zeroStage = zeroStage(arguments);
    memory.recompute = recompute(arguments);
    memory.recomputeEvery = 1;
    memory.offloadOptimizer = arguments.getOr("--optimizer-cpu-offload", false);
    if (arguments.getOr("--optimizer-offload-fraction", 1.0) != 1)
        arguments.omit("--optimizer-offload-fraction", "the whole optimizer is offloaded, or nothing of it",
                       "choose memory.offload_optimizer");
}

/// What torchrun was told, where the text has its arguments; the caller's number counts before it.
std::optional<int> launchedRanks(SettingsReader& arguments)
{
    const auto perNode = arguments.getCount("--nproc-per-node", kMaxRanks);
    const int nodes = arguments.getCount("--nnodes", kMaxRanks).value_or(1);
    if (!perNode)
        return std::nullopt;
    return static_cast<int>(std::min<long>(long{*perNode} * nodes, kMaxRanks));
}

void readBatch(SettingsReader& arguments, ImportBase base, ImportedSpec& imported)
{
    const auto launched = launchedRanks(arguments);
    if (!base.ranks)
        base.ranks = launched;
    settleBatch({arguments.getCount("--global-batch-size", kMaxSequences),
                 arguments.getCount("--micro-batch-size", kMaxSequences), std::nullopt},
                base, imported);
}

/// START INCREMENT SAMPLES.
void readRamp(SettingsReader& arguments, BatchRampSpec& ramp)
{
    const auto isCount = [](const nlohmann::json& value) {
        return value.is_number_unsigned() && value <= std::numeric_limits<int>::max();
    };
    ramp = {};
    const nlohmann::json* values = arguments.take("--rampup-batch-size");
    if (!values)
        return;
    if (values->is_array() && values->size() == 3 && std::ranges::all_of(*values, isCount))
        ramp = {values->at(0).get<int>(), values->at(1).get<int>(), values->at(2).get<int>()};
    else
        arguments.complain("--rampup-batch-size", "is " + values->dump(),
                           "give three whole numbers: first batch, increment, samples");
}

void readRun(SettingsReader& arguments, RunSpec& spec)
{
    spec.seed = arguments.getOr<std::uint64_t>("--seed", 1234);
    arguments.read("--save-interval", spec.checkpoint.everySteps);
    spec.checkpoint.asynchronous = arguments.getOr("--async-save", false);
}

/// Whether a variable or a command is left in it.
bool isUnresolved(const nlohmann::json& value)
{
    return value.dump().find_first_of("$`") != std::string::npos;
}

/// Says of arguments without a value, or whose variables are set elsewhere, that this is what is wrong with
/// them.
void nameMissingValues(const nlohmann::json& values, ImportedSpec& imported)
{
    for (Diagnostic& problem : imported.problems) {
        const auto value = values.find(problem.path);
        if (value == values.end())
            continue;
        if (*value == true) { // a flag where a value is needed
            problem.message = "has no value";
            problem.hint = "write it behind the argument";
        } else if (isUnresolved(*value)) {
            problem.message = fmt::format("{} has no value in this text", value->dump());
            problem.hint = "write the value in its place, or set the variable above it";
        }
    }
    for (Omission& omission : imported.omissions) {
        if (const auto value = values.find(omission.field); value != values.end() && isUnresolved(*value))
            omission.reason += "; what it is set to is not in this text";
    }
}

} // namespace

ImportedSpec importMegatron(std::string_view text, const ImportBase& base)
{
    ImportedSpec imported{base.spec, {}, {}};
    const MegatronArguments parsed = parseMegatronArguments(text);
    if (parsed.values.empty()) {
        imported.problems.push_back(
            {"", "there is no argument that starts with --",
             "give a file with Megatron-LM's arguments, or the script that has them"});
        return imported;
    }
    SettingsReader arguments(parsed.values, "", kKnown, imported);
    if (const auto other = otherModel(parsed.program, arguments)) {
        imported.problems.push_back({"model.family", *other + " trains a model that Trainyard does not have",
                                     "import arguments of pretrain_bert.py or pretrain_gpt.py"});
        return imported;
    }
    RunSpec& spec = imported.spec;
    readModel(arguments, parsed.program.find("bert") != std::string::npos, spec.model);
    readLayout(arguments, spec);
    readBatch(arguments, base, imported);
    readRamp(arguments, spec.batch.ramp);
    readOptimizer(arguments, spec.optimizer);
    readDecay(arguments, spec.optimizer);
    readSteps(arguments, spec);
    readPrecision(arguments, spec.precision);
    readMemory(arguments, spec.memory);
    readShard(arguments, spec.layout);
    readRun(arguments, spec);
    arguments.finish();
    nameMissingValues(parsed.values, imported);
    return imported;
}

} // namespace trainyard
