#include <array>

#include <fmt/format.h>

#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/megatron_names.h"
#include "engine/spec/foreign/settings_reader.h"
#include "engine/spec/foreign/spec_difference.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

constexpr std::array kNotCarried{
    Explanation{"model.preset", "Megatron-LM has no presets; the sizes are all there", "nothing to do"},
    Explanation{"model.activation", "Megatron-LM has gelu, its approximation and swiglu",
                "change the model's code"},
    Explanation{"model.norm", "Megatron-LM's layer norms stand before attention and feed-forward",
                "use \"pre\""},
    Explanation{"model", "Megatron-LM's model does not vary in it", "change the model's code"},
    Explanation{"task", "Megatron-LM's tasks have programs of their own", "use those of its tasks folder"},
    Explanation{"cluster", "the launcher is told the hosts", "start torchrun on each host"},
    Explanation{"dataset", "Megatron-LM reads data sets of its own", "prepare them and give --data-path"},
    Explanation{"layout.schedule", "Megatron-LM runs 1F1B, interleaved with several chunks per rank",
                "use \"1f1b\" or \"interleaved\""},
    Explanation{"layout.placement", "Megatron-LM has the orders PDT and DPT, with ZeRO 2 and 3 only PDT",
                "use one of these"},
    Explanation{"layout.expert_placement", "Megatron-LM's ranks that share experts are neighbours",
                "use inner"},
    Explanation{"layout.shard", "it goes with Megatron-LM's distributed optimizer", "use ZeRO"},
    Explanation{"layout.partition", "Megatron-LM deals layers evenly",
                "give --pipeline-model-parallel-layout"},
    Explanation{"layout.virtual_stages", "chunks belong to the interleaved schedule", "use \"interleaved\""},
    Explanation{"batch.packing", "the data set decides it", "prepare packed data"},
    Explanation{"optimizer.kind", "Megatron-LM has Adam and SGD", "use one of these"},
    Explanation{"optimizer.decay_steps", "Megatron-LM needs a number", "check --lr-wsd-decay-iters"},
    Explanation{"optimizer.schedule", "Megatron-LM's rates are constant, linear, cosine or WSD",
                "use one of these"},
    Explanation{"memory.recompute_every", "Megatron-LM recomputes the first layers of a stage instead",
                "give --recompute-method block"},
    Explanation{"precision.loss_scale.backoff", "an overflow halves the scale", "use 0.5"},
    Explanation{"init", "Megatron-LM loads checkpoints in its own format",
                "convert the weights and give --load"},
    Explanation{"evaluation", "Megatron-LM evaluates on its own split of the data",
                "give --eval-interval and --eval-iters"},
    Explanation{"checkpoint.asynchronous",
                "Megatron-LM's checkpoints of ZeRO 2 and 3 are not written beside training",
                "reckon with the time"},
    Explanation{"checkpoint", "Megatron-LM keeps every checkpoint", "remove old ones by hand"},
    Explanation{"phases", "a command line is for one phase", "export the specification of each phase"},
    Explanation{"launch", "the launcher decides it", "set it there"},
};

/// ZeRO 2 and 3 are its "Megatron FSDP", which takes no other checkpoint format than fsdp_dtensor, saves none
/// of those beside training, and knows no order of ranks but PDT (its validate_args()).
bool isFullySharded(const RunSpec& spec)
{
    return spec.memory.zeroStage >= 2;
}

/// Arguments in the order in which they are added, one a line.
class ArgumentText {
public:
    explicit ArgumentText(const std::string& program) : m_text(program) {}

    template <typename T>
    void add(std::string_view name, const T& value)
    {
        m_text += fmt::format(" \\\n    {} {}", name, value);
    }
    void flag(std::string_view name, bool given)
    {
        if (given)
            m_text += fmt::format(" \\\n    {}", name);
    }
    std::string text() const { return m_text + "\n"; }

private:
    std::string m_text;
};

/// What differs from a GPT-2's.
void addAttention(const ModelSpec& model, ArgumentText& arguments)
{
    if (model.keyHeads() < model.heads) {
        arguments.flag("--group-query-attention", true);
        arguments.add("--num-query-groups", model.keyHeads());
    }
    if (model.headWidth > 0)
        arguments.add("--kv-channels", model.headWidth);
    if (model.normKind == NormKind::RmsNorm)
        arguments.add("--normalization", "RMSNorm");
    arguments.flag("--disable-bias-linear", !model.feedForwardBiases);
    arguments.flag("--add-qkv-bias", model.attentionBiases == AttentionBiases::QueryKeyValue);
    arguments.flag("--qk-layernorm", model.queryKeyNorm == QueryKeyNorm::Head);
    if (model.positions != PositionEncoding::Rotary)
        return;
    if (model.rope.base != RopeSpec().base)
        arguments.add("--rotary-base", model.rope.base);
    if (model.rope.share != RopeSpec().share)
        arguments.add("--rotary-percent", model.rope.share);
}

/// See readExperts() of the import.
void addExperts(const ModelSpec& model, ArgumentText& arguments)
{
    const ExpertSpec& experts = model.experts;
    if (!experts.isOn())
        return;
    arguments.add("--num-experts", experts.count);
    arguments.add("--moe-router-topk", experts.perToken);
    if (experts.width > 0)
        arguments.add("--moe-ffn-hidden-size", experts.width);
    arguments.flag("--moe-router-pre-softmax", !experts.normalized);
    arguments.add("--moe-router-load-balancing-type", "aux_loss");
    arguments.add("--moe-aux-loss-coeff", experts.balanceLoss * experts.perToken / model.layers);
    arguments.add("--moe-z-loss-coeff", experts.zLoss / model.layers);
}

void addModel(const ModelSpec& model, ArgumentText& arguments)
{
    arguments.add("--num-layers", model.layers);
    arguments.add("--hidden-size", model.hidden);
    arguments.add("--num-attention-heads", model.heads);
    arguments.add("--ffn-hidden-size", model.intermediate);
    arguments.add("--max-position-embeddings", model.maxPositions);
    arguments.add("--seq-length", model.maxPositions);
    arguments.add("--vocab-size", model.vocabulary);
    arguments.flag("--swiglu", model.activation == Activation::Swiglu);
    arguments.flag("--no-bias-gelu-fusion", model.activation == Activation::Gelu);
    arguments.add("--position-embedding-type",
                  model.positions == PositionEncoding::Rotary ? "rope" : "learned_absolute");
    addAttention(model, arguments);
    addExperts(model, arguments);
    arguments.flag("--untie-embeddings-and-output-weights", !model.tiedHead);
    arguments.flag("--bert-no-binary-head", model.family == ModelFamily::Bert && !model.nextSentence);
    arguments.add("--hidden-dropout", model.dropout);
    arguments.add("--attention-dropout", model.attentionDropout);
    arguments.add("--norm-epsilon", model.layerNormEpsilon);
    arguments.add("--init-method-std", model.initializerRange);
}

void addLayout(const ParallelLayout& layout, ArgumentText& arguments)
{
    arguments.add("--tensor-model-parallel-size", layout.tensor);
    arguments.add("--pipeline-model-parallel-size", layout.pipeline);
    arguments.add("--context-parallel-size", layout.context);
    if (layout.expert > 1)
        arguments.add("--expert-model-parallel-size", layout.expert);
    arguments.flag("--sequence-parallel", layout.sequence);
    if (layout.schedule == PipelineScheduleKind::Interleaved)
        arguments.add("--num-virtual-stages-per-pipeline-rank", layout.virtualStages);
    arguments.add("--ddp-bucket-size", layout.bucketSize / kBytesPerBucketElement);
}

void addOptimizer(const OptimizerSpec& optimizer, int steps, ArgumentText& arguments)
{
    arguments.add("--optimizer", optimizer.kind == OptimizerKind::Sgd ? "sgd" : "adam");
    arguments.add("--lr", optimizer.learningRate);
    arguments.add("--weight-decay", optimizer.weightDecay);
    arguments.add("--clip-grad", optimizer.clipNorm);
    arguments.add("--adam-beta1", optimizer.beta1);
    arguments.add("--adam-beta2", optimizer.beta2);
    arguments.add("--adam-eps", optimizer.epsilon);
    arguments.add("--sgd-momentum", optimizer.momentum);
    if (optimizer.schedule != ScheduleKind::Polynomial)
        arguments.add("--lr-decay-style", megatronName(optimizer.schedule));
    arguments.add("--lr-warmup-iters", optimizer.warmupSteps);
    if (optimizer.schedule != ScheduleKind::WarmupStableDecay)
        return;
    arguments.add("--lr-wsd-decay-style", megatronName(optimizer.decayShape));
    arguments.add("--lr-wsd-decay-iters", optimizer.decayStepsOf(steps));
}

void addPrecision(const PrecisionSpec& precision, ArgumentText& arguments)
{
    arguments.flag("--bf16", precision.compute == ComputeType::BFloat16);
    arguments.flag("--fp16", precision.compute == ComputeType::Float16);
    arguments.add("--initial-loss-scale", precision.lossScale.initial);
    arguments.add("--min-loss-scale", precision.lossScale.minimum);
    arguments.add("--loss-scale-window", precision.lossScale.growthInterval);
    arguments.add("--hysteresis", precision.lossScale.hysteresis);
}

void addSharding(const RunSpec& spec, ArgumentText& arguments)
{
    const bool isInOtherOrder = spec.layout.placement == "cluster" || spec.layout.placement == "DPT";
    arguments.flag("--use-distributed-optimizer", spec.memory.zeroStage >= 1);
    if (spec.memory.zeroStage >= 1 && spec.layout.shardRanks() < spec.layout.holders())
        arguments.add("--num-distributed-optimizer-instances",
                      spec.layout.holders() / spec.layout.shardRanks());
    arguments.flag("--use-megatron-fsdp", isFullySharded(spec));
    if (isFullySharded(spec)) {
        arguments.add("--data-parallel-sharding-strategy",
                      spec.memory.zeroStage == 2 ? "optim_grads" : "optim_grads_params");
        arguments.add("--ckpt-format", "fsdp_dtensor");
    }
    arguments.flag("--use-tp-pp-dp-mapping", isInOtherOrder && !isFullySharded(spec));
    arguments.flag("--async-save", spec.checkpoint.asynchronous && !isFullySharded(spec));
}

void addMemory(const MemorySpec& memory, ArgumentText& arguments)
{
    arguments.flag("--optimizer-cpu-offload", memory.offloadOptimizer);
    if (memory.recompute == RecomputeKind::None)
        return;
    arguments.add("--recompute-granularity", nameOf(memory.recompute));
    if (memory.recompute != RecomputeKind::Full)
        return;
    arguments.add("--recompute-method", "uniform");
    arguments.add("--recompute-num-layers", 1);
}

std::string argumentsFor(const RunSpec& spec)
{
    ArgumentText arguments(spec.model.isDecoder() ? "pretrain_gpt.py" : "pretrain_bert.py");
    addModel(spec.model, arguments);
    addLayout(spec.layout, arguments);
    arguments.add("--micro-batch-size", spec.batch.micro);
    arguments.add("--global-batch-size", spec.batch.global);
    if (const BatchRampSpec& ramp = spec.batch.ramp; ramp.isOn())
        arguments.add("--rampup-batch-size",
                      fmt::format("{} {} {}", ramp.start, ramp.increment, ramp.samples));
    arguments.add("--train-iters", spec.launch.steps);
    addOptimizer(spec.optimizer, spec.launch.steps, arguments);
    addPrecision(spec.precision, arguments);
    addSharding(spec, arguments);
    addMemory(spec.memory, arguments);
    arguments.add("--seed", spec.seed);
    if (spec.checkpoint.everySteps > 0)
        arguments.add("--save-interval", spec.checkpoint.everySteps);
    return arguments.text();
}

} // namespace

ExportedSettings exportMegatron(const RunSpec& spec)
{
    const std::string text = argumentsFor(spec);
    const ImportedSpec carried = importMegatron(text, freshBaseFor(spec));
    return {text, fieldsNotCarried(spec, carried.spec, kNotCarried, "Megatron-LM")};
}

} // namespace trainyard
