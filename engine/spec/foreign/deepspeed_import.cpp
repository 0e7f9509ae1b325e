#include <algorithm>
#include <array>
#include <cmath>

#include <fmt/format.h>

#include "engine/spec/foreign/batch_settings.h"
#include "engine/spec/foreign/conversion.h"
#include "engine/spec/foreign/settings_reader.h"
#include "engine/spec/limits.h"

namespace trainyard {

namespace {

using Json = nlohmann::json;

constexpr std::string_view kTuning = "Trainyard chooses it itself";
constexpr std::string_view kNothing = "nothing to do";
constexpr std::string_view kWholeGradients = "gradients are not compressed: every step exchanges all of them";
constexpr std::string_view kRecords = "every run keeps its records, and the window shows them";

constexpr std::array kKnown{
    Explanation{"zero_optimization.overlap_comm", "reductions always overlap with the backward pass",
                kNothing},
    Explanation{"zero_optimization.contiguous_gradients", "gradients always lie in one buffer", kNothing},
    Explanation{"zero_optimization.reduce_scatter", "ZeRO always reduces to each part's owner", kNothing},
    Explanation{"zero_optimization.allgather_partitions", kTuning, kNothing},
    Explanation{"zero_optimization.allgather_bucket_size", "layout.bucket_size counts for both directions",
                "set layout.bucket_size"},
    Explanation{"zero_optimization.stage3_*", kTuning, kNothing},
    Explanation{"zero_optimization.sub_group_size", kTuning, kNothing},
    Explanation{"zero_optimization.round_robin_gradients", kTuning, kNothing},
    Explanation{"zero_optimization.zero_hpz_partition_size", "weights are shared by all data-parallel ranks",
                "reckon with slower gathers between nodes"},
    Explanation{"zero_optimization.zero_quantized_*", "collectives keep their precision",
                "reckon with more traffic"},
    Explanation{"zero_optimization.mics_hierarchical_params_gather", kTuning, kNothing},
    Explanation{"zero_optimization.offload_optimizer.ratio",
                "the whole optimizer is offloaded, or nothing of it", "choose memory.offload_optimizer"},
    Explanation{"zero_optimization.offload_*", kTuning, kNothing},
    Explanation{"zero_allow_untested_optimizer", "every optimizer is exact under every ZeRO stage", kNothing},
    Explanation{"zero_force_ds_cpu_optimizer", kTuning, kNothing},
    Explanation{"fp16.auto_cast", "inputs are token numbers", kNothing},
    Explanation{"fp16.fp16_master_weights_and_grads", "master weights and gradients are float32",
                "reckon with their memory"},
    Explanation{"bf16.immediate_grad_update", kTuning, kNothing},
    Explanation{"amp", "apex is not used", "use precision.compute"},
    Explanation{"optimizer.params.torch_adam", "there is one AdamW", kNothing},
    Explanation{"optimizer.params.bias_correction", "moments are always corrected",
                "check the learning rate"},
    Explanation{"optimizer.params.max_grad_norm", "DeepSpeed clips by gradient_clipping",
                "set optimizer.clip_norm"},
    Explanation{"optimizer.params.freeze_step", kWholeGradients, kNothing},
    Explanation{"optimizer.params.cuda_aware", kWholeGradients, kNothing},
    Explanation{"optimizer.params.comm_backend_name", kWholeGradients, kNothing},
    Explanation{"optimizer.params.coeff_beta", kWholeGradients, kNothing},
    Explanation{"optimizer.params.factor_*", kWholeGradients, kNothing},
    Explanation{"optimizer.params.var_*", kWholeGradients, kNothing},
    Explanation{"optimizer.params.local_step_*", kWholeGradients, kNothing},
    Explanation{"optimizer.params.nesterov", "momentum is plain", "check the learning rate"},
    Explanation{"optimizer.params.dampening", "momentum is plain", "check the learning rate"},
    Explanation{"optimizer.params.max_coeff", "the trust ratio has no bounds", "watch the first steps"},
    Explanation{"optimizer.params.min_coeff", "the trust ratio has no bounds", "watch the first steps"},
    Explanation{"activation_checkpointing.partition_activations",
                "layer inputs are shared with layout.sequence instead", "set layout.sequence"},
    Explanation{"activation_checkpointing.number_checkpoints", "layers are counted one by one",
                "set memory.recompute_every"},
    Explanation{"activation_checkpointing", kTuning, kNothing},
    Explanation{"pipeline.seed_layers", "random numbers do not depend on the layout", kNothing},
    Explanation{"pipeline.pipe_partitioned", kTuning, kNothing},
    Explanation{"pipeline.grad_partitioned", kTuning, kNothing},
    Explanation{"communication_data_type", "gradients are reduced in float32", kNothing},
    Explanation{"seq_parallel_communication_data_type", "partial sums are float32", kNothing},
    Explanation{"data_types", "gradients are added up in float32", kNothing},
    Explanation{"prescale_gradients", "the mean over the global batch is exact", kNothing},
    Explanation{"gradient_predivide_factor", "the mean over the global batch is exact", kNothing},
    Explanation{"sparse_gradients", "gradients of embeddings are dense", kNothing},
    Explanation{"steps_per_print", kRecords, kNothing},
    Explanation{"wall_clock_breakdown", kRecords, kNothing},
    Explanation{"memory_breakdown", kRecords, kNothing},
    Explanation{"dump_state", kRecords, kNothing},
    Explanation{"flops_profiler", kRecords, "see `trainyard plan` and the Monitor"},
    Explanation{"comms_logger", kRecords, "see the Monitor"},
    Explanation{"tensorboard", kRecords, "use `trainyard export --tensorboard`"},
    Explanation{"wandb", kRecords, "use `trainyard report`"},
    Explanation{"csv_monitor", kRecords, "use `trainyard report --out FILE.csv`"},
    Explanation{"checkpoint", "checkpoints have one format that any layout loads",
                "see the section checkpoint"},
    Explanation{"autotuning", "layouts are searched without running them", "use `trainyard search`"},
    Explanation{"elasticity", "elastic runs keep their global batch", "set launch.restart.elastic"},
    Explanation{"dataloader_drop_last", "every rank gets the same number of samples", kNothing},
    Explanation{"aio", "nothing is offloaded to disks", "reckon with host memory"},
    Explanation{"sparse_attention", "attention is dense", "reckon with its memory"},
    Explanation{"curriculum_learning", "sequences keep their length", "prepare the data set in phases"},
    Explanation{"data_efficiency", "every sample is read whole", "prepare the data set in phases"},
    Explanation{"progressive_layer_drop", "every layer is trained", kNothing},
    Explanation{"eigenvalue", "only compression uses it, and compression is not supported", kNothing},
    Explanation{"quantize_training", "there is no quantized training", "use precision.compute"},
    Explanation{"compression_training", "there is no compression", kNothing},
};

/// Integrations such as Hugging Face's Trainer let their own arguments fill in "auto". Such values leave
/// `settings`, and are listed.
void withdrawAutomatic(Json& settings, const std::string& path, ImportedSpec& imported)
{
    for (auto it = settings.begin(); it != settings.end();) {
        const std::string field = path.empty() ? it.key() : path + "." + it.key();
        if (it->is_object())
            withdrawAutomatic(*it, field, imported);
        if (*it != "auto") {
            ++it;
            continue;
        }
        imported.omissions.push_back(
            {field, "\"auto\"", "it is filled in by the caller of DeepSpeed, e.g. Hugging Face's Trainer",
             "enter the value there, or set it in the specification"});
        it = settings.erase(it);
    }
}

bool isOffloaded(SettingsReader& zero, const char* key, const char* oldKey)
{
    bool offloaded = zero.getOr(oldKey, false);
    zero.section(key, [&](SettingsReader& offload) {
        const std::string device = offload.getOr<std::string>("device", "none");
        if (device != "none" && device != "cpu" && device != "nvme")
            offload.complain("device", "unknown device \"" + device + "\"", "use one of: none, cpu, nvme");
        if (device == "nvme")
            offload.omit("device", "nothing is offloaded to disks; host memory is used",
                         "see that it is enough");
        offloaded = device != "none";
    });
    return offloaded;
}

void readZero(SettingsReader& zero, RunSpec& spec)
{
    spec.memory.zeroStage = zero.getOr("stage", 0);
    if (spec.memory.zeroStage < 0 || spec.memory.zeroStage > 3)
        zero.complain("stage", fmt::format("is {}", spec.memory.zeroStage), "must be 0, 1, 2 or 3");
    spec.memory.offloadOptimizer = isOffloaded(zero, "offload_optimizer", "cpu_offload");
    spec.memory.offloadParameters = isOffloaded(zero, "offload_param", "cpu_offload_params");
    zero.readBucketSize("reduce_bucket_size", spec.layout.bucketSize);
    if (zero.getOr("mics_shard_size", -1) > 0) // -1: all ranks
        zero.readCount("mics_shard_size", kMaxRanks, spec.layout.shard);
}

void readLossScale(SettingsReader& fp16, LossScaleSpec& scale)
{
    if (fp16.getOr("loss_scale", 0.0) != 0)
        fp16.omit("loss_scale", "the loss scale is always dynamic",
                  "set it to 0 and start with initial_scale_power");
    const double power = fp16.getOr("initial_scale_power", 16.0);
    if (power < 0 || power > 100)
        fp16.complain("initial_scale_power", fmt::format("is {}", power), "must be from 0 to 100, e.g. 16");
    scale.initial = std::exp2(power);
    scale.growthInterval = fp16.getOr("loss_scale_window", 1000);
    scale.hysteresis = fp16.getOr("hysteresis", 2);
    scale.minimum = fp16.getOr("min_loss_scale", 1.0);
    scale.backoff = 0.5;
    if (fp16.getOr("consecutive_hysteresis", false))
        fp16.omit("consecutive_hysteresis", "only growth refills the hysteresis", "raise hysteresis");
}

void readPrecision(SettingsReader& root, PrecisionSpec& precision)
{
    bool fp16 = false;
    bool bf16 = false;
    root.section("fp16", [&](SettingsReader& section) {
        fp16 = section.getOr("enabled", false);
        readLossScale(section, precision.lossScale);
    });
    const char* key = root.has("bf16") ? "bf16" : "bfloat16";
    root.section(key, [&](SettingsReader& section) { bf16 = section.getOr("enabled", false); });
    if (fp16 && bf16)
        root.complain(key, "is enabled together with fp16", "enable one of them");
    precision.compute = bf16 ? ComputeType::BFloat16 : fp16 ? ComputeType::Float16 : ComputeType::Float32;
}

void readBetas(SettingsReader& params, OptimizerSpec& optimizer)
{
    const Json* betas = params.take("betas");
    if (!betas)
        return;
    if (!betas->is_array() || betas->size() != 2 || !betas->at(0).is_number() || !betas->at(1).is_number()) {
        params.complain("betas", "must be two numbers, not " + betas->dump(), "e.g. [0.9, 0.999]");
        return;
    }
    optimizer.beta1 = betas->at(0);
    optimizer.beta2 = betas->at(1);
}

void readOptimizerParams(SettingsReader& params, OptimizerSpec& optimizer)
{
    optimizer.learningRate = params.getOr("lr", 1e-3);
    optimizer.weightDecay = params.getOr("weight_decay", 0.0);
    if (optimizer.kind == OptimizerKind::Sgd) {
        optimizer.momentum = params.getOr("momentum", 0.0);
        return;
    }
    optimizer.beta1 = 0.9;
    optimizer.beta2 = 0.999;
    readBetas(params, optimizer);
    optimizer.epsilon = params.getOr("eps", 1e-8);
    if (!params.getOr("adam_w_mode", true))
        params.omit("adam_w_mode", "weight decay is always decoupled from the moments", "check weight_decay");
}

/// How DeepSpeed calls an optimizer, and what differs here.
struct KnownOptimizer {
    std::string_view type;
    OptimizerKind kind;
    std::string_view difference; ///< empty: none
};

constexpr std::string_view kBounds =
    "DeepSpeed keeps the trust ratio within 0.01 and 10, lamb-paper does not";

/// "Adam" as well: DeepSpeed's decouples the weight decay unless told otherwise.
constexpr std::array kOptimizers{
    KnownOptimizer{"Adam", OptimizerKind::AdamW, ""},
    KnownOptimizer{"AdamW", OptimizerKind::AdamW, ""},
    KnownOptimizer{"OneBitAdam", OptimizerKind::AdamW, kWholeGradients},
    KnownOptimizer{"ZeroOneAdam", OptimizerKind::AdamW, kWholeGradients},
    KnownOptimizer{"Lamb", OptimizerKind::LambPaper, kBounds},
    KnownOptimizer{"OneBitLamb", OptimizerKind::LambPaper, kWholeGradients},
    KnownOptimizer{"SGD", OptimizerKind::Sgd, ""},
};

void readOptimizer(SettingsReader& section, OptimizerSpec& optimizer)
{
    const std::string type = section.getOr<std::string>("type", "");
    const auto known = std::ranges::find(kOptimizers, type, &KnownOptimizer::type);
    if (known == kOptimizers.end()) {
        section.omit("type", "there is no such optimizer",
                     "choose one of adamw, lamb, lamb-paper, lans, sgd");
    } else {
        optimizer.kind = known->kind;
        if (!known->difference.empty())
            section.omit("type", std::string(known->difference), "watch the first steps");
    }
    section.section("params", [&](SettingsReader& params) { readOptimizerParams(params, optimizer); });
}

void omitUnlessZero(SettingsReader& params, const char* key, double absent, const char* reason)
{
    if (params.getOr(key, absent) != 0)
        params.omit(key, reason, "reckon with a slightly lower rate, or set it to 0");
}

void readWarmup(SettingsReader& params, OptimizerSpec& optimizer)
{
    optimizer.warmupSteps = params.getOr("warmup_num_steps", 1000);
    if (params.getOr<std::string>("warmup_type", "log") != "linear")
        params.omit("warmup_type", "the warm-up is linear", "set it to \"linear\", or lengthen the warm-up");
}

void readLinearScheduler(SettingsReader& params, RunSpec& spec)
{
    params.read("warmup_max_lr", spec.optimizer.learningRate);
    omitUnlessZero(params, "warmup_min_lr", 0, "the warm-up starts from 0");
    readWarmup(params, spec.optimizer);
    if (spec.optimizer.schedule == ScheduleKind::Linear)
        params.read("total_num_steps", spec.launch.steps);
}

void readCosineScheduler(SettingsReader& params, RunSpec& spec)
{
    omitUnlessZero(params, "warmup_min_ratio", 0, "the warm-up starts from 0");
    omitUnlessZero(params, "cos_min_ratio", 1e-4, "the rate falls to 0");
    readWarmup(params, spec.optimizer);
    params.read("total_num_steps", spec.launch.steps);
}

void readScheduler(SettingsReader& section, RunSpec& spec)
{
    const std::string type = section.getOr<std::string>("type", "");
    OptimizerSpec& optimizer = spec.optimizer;
    if (type == "WarmupLR" || type == "WarmupDecayLR") {
        optimizer.schedule = type == "WarmupLR" ? ScheduleKind::Constant : ScheduleKind::Linear;
        section.section("params", [&](SettingsReader& params) { readLinearScheduler(params, spec); });
    } else if (type == "WarmupCosineLR") {
        optimizer.schedule = ScheduleKind::Cosine;
        section.section("params", [&](SettingsReader& params) { readCosineScheduler(params, spec); });
    } else {
        section.omit("type", "there is no such schedule",
                     "choose one of constant, linear, polynomial, cosine");
    }
}

void readPartition(SettingsReader& pipeline, StagePartition& partition)
{
    const auto method = pipeline.get<std::string>("partition");
    if (!method)
        return;
    if (*method == "uniform")
        partition = {PartitionKind::Layers, {}};
    else if (*method == "parameters")
        partition = {PartitionKind::Parameters, {}};
    else
        pipeline.omit("partition", "there is no such way to deal the layers", "choose layout.partition");
}

void readPipeline(SettingsReader& pipeline, RunSpec& spec)
{
    pipeline.readCount("stages", kMaxRanks, spec.layout.pipeline);
    readPartition(pipeline, spec.layout.partition);
    const int interval = pipeline.getOr("activation_checkpoint_interval", 0);
    if (interval > 0)
        spec.memory.recompute = RecomputeKind::Full;
    if (interval > 1)
        pipeline.omit("activation_checkpoint_interval", "every layer keeps its own input",
                      "set it to 1, or reckon with a little more memory");
}

void readRecomputation(SettingsReader& section, MemorySpec& memory)
{
    if (!section.getOr("cpu_checkpointing", false))
        return;
    memory.recompute = RecomputeKind::Full;
    memory.offloadActivations = true;
}

void readSequenceParallelism(SettingsReader& root, ParallelLayout& layout)
{
    root.readCount("sequence_parallel_size", kMaxRanks, layout.context);
    if (root.has("sequence_parallel_size") && layout.context > 1)
        root.omit(
            "sequence_parallel_size",
            "DeepSpeed's ranks exchange heads for tokens (Ulysses); those of layout.context pass keys and "
            "values around",
            "reckon with other traffic; losses stay the same");
}

void readRoot(SettingsReader& root, const ImportBase& base, ImportedSpec& imported)
{
    RunSpec& spec = imported.spec;
    spec.memory.zeroStage = 0;
    root.section("zero_optimization", [&](SettingsReader& section) { readZero(section, spec); });
    readPrecision(root, spec.precision);
    root.section("optimizer", [&](SettingsReader& section) { readOptimizer(section, spec.optimizer); });
    root.section("scheduler", [&](SettingsReader& section) { readScheduler(section, spec); });
    spec.optimizer.clipNorm = root.getOr("gradient_clipping", 0.0);
    root.section("pipeline", [&](SettingsReader& section) { readPipeline(section, spec); });
    root.section("activation_checkpointing",
                 [&](SettingsReader& section) { readRecomputation(section, spec.memory); });
    root.section("tensor_parallel", [&](SettingsReader& section) {
        section.readCount("autotp_size", kMaxRanks, spec.layout.tensor);
    });
    readSequenceParallelism(root, spec.layout);
    settleBatch({root.getCount("train_batch_size", kMaxSequences),
                 root.getCount("train_micro_batch_size_per_gpu", kMaxSequences),
                 root.getCount("gradient_accumulation_steps", kMaxSequences)},
                base, imported);
    root.finish();
}

} // namespace

ImportedSpec importDeepSpeed(std::string_view text, const ImportBase& base)
{
    ImportedSpec imported{base.spec, {}, {}};
    Json settings = parseForeignJson(text, imported);
    if (!imported.problems.empty())
        return imported;
    if (settings.is_object())
        withdrawAutomatic(settings, "", imported);
    SettingsReader root(settings, "", kKnown, imported);
    readRoot(root, base, imported);
    return imported;
}

} // namespace trainyard
