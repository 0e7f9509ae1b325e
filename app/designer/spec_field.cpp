#include "app/designer/spec_field.h"

#include "app/base/display_text.h"
#include "app/designer/spec_field_makers.h"
#include "app/designer/special_fields.h"

namespace trainyard {

namespace {

#define MEMBER(path)                                                                                         \
    [](auto& spec) -> auto&                                                                                  \
    {                                                                                                        \
        return spec.path;                                                                                    \
    }

SpecSection runSection()
{
    return {fieldText("Run"),
            false,
            {textField({"name", "Name", "Becomes part of the run's id: letters, digits, '.', '_' and '-'"},
                       MEMBER(name)),
             presetField(),
             integerField({"launch.steps", "Steps", "Optimizer steps of the whole run", "steps"},
                          MEMBER(launch.steps)),
             seedField(),
             textField({"dataset.path", "Data set", "Folder with manifest.json, as every host sees it"},
                       MEMBER(dataset.path))}};
}

SpecSection layoutSection()
{
    return {
        fieldText("Parallelism"),
        false,
        {integerField({"layout.tensor", "Tensor parallel", "Ranks that share the matrices of every layer", "",
                       "Shoeybi et al., arXiv:1909.08053"},
                      MEMBER(layout.tensor)),
         yesNoField({"layout.sequence", "Sequence parallel",
                     "Tensor-parallel ranks also share the tokens between the cut products, and their memory",
                     "", "Korthikanti et al., arXiv:2205.05198"},
                    MEMBER(layout.sequence)),
         integerField({"layout.context", "Context parallel",
                       "Ranks that share the tokens of each sequence, attention included", "",
                       "Liu et al., arXiv:2310.01889"},
                      MEMBER(layout.context)),
         integerField({"layout.pipeline", "Pipeline", "Ranks that hold consecutive layers", "",
                       "Narayanan et al., arXiv:2104.04473"},
                      MEMBER(layout.pipeline)),
         choiceField<PipelineScheduleKind>(
             {"layout.schedule", "Schedule",
              "Order of the pipeline's passes: 1f1b holds fewer activations than gpipe, interleaved and "
              "zero-bubble idle less",
              "", "Narayanan et al., arXiv:2104.04473; Qi et al., arXiv:2401.10241"},
             MEMBER(layout.schedule)),
         integerField(
             {"layout.virtual_stages", "Virtual stages",
              "Chunks of the model on each pipeline rank; more than 1 with the interleaved schedule only",
              "per rank", "Narayanan et al., arXiv:2104.04473"},
             MEMBER(layout.virtualStages)),
         partitionField(), placementField(), bucketSizeField()}};
}

SpecSection memorySection()
{
    return {
        fieldText("Memory"),
        false,
        {zeroStageField(),
         choiceField<RecomputeKind>(
             {"memory.recompute", "Recompute",
              "What the backward pass computes again instead of keeping it: the core of "
              "the attention (selective) or whole layers (full)",
              "", "Korthikanti et al., arXiv:2205.05198"},
             MEMBER(memory.recompute)),
         integerField({"memory.recompute_every", "Every n-th layer",
                       "Of full recomputation: 1 = every layer, 2 = every other one", "",
                       "Chen et al., arXiv:1604.06174"},
                      MEMBER(memory.recomputeEvery)),
         yesNoField({"memory.offload_activations", "Offload activations",
                     "What layers keep for their backward pass waits in host memory", "",
                     "Rajbhandari et al., arXiv:2104.07857"},
                    MEMBER(memory.offloadActivations)),
         integerField({"memory.offload_horizon", "Offload horizon",
                       "Activations come back while the backward pass is still so many layers behind them",
                       "", "Rajbhandari et al., arXiv:2104.07857"},
                      MEMBER(memory.offloadHorizon)),
         yesNoField({"memory.offload_optimizer", "Offload optimizer",
                     "Master weights and moments stay in host memory, where the update runs", "",
                     "Ren et al., arXiv:2101.06840"},
                    MEMBER(memory.offloadOptimizer)),
         yesNoField({"memory.offload_parameters", "Offload parameters",
                     "With ZeRO 3: a rank's share of the weights waits in host memory between its uses", "",
                     "Rajbhandari et al., arXiv:2104.07857"},
                    MEMBER(memory.offloadParameters))}};
}

SpecSection modelSection()
{
    return {
        fieldText("Model"),
        false,
        {familyField(),
         integerField(
             {"model.layers", "Layers", "Transformer layers", "", "Vaswani et al., arXiv:1706.03762"},
             MEMBER(model.layers)),
         integerField({"model.hidden", "Hidden size", "Width of the hidden states; a multiple of the heads",
                       "", "Vaswani et al., arXiv:1706.03762"},
                      MEMBER(model.hidden)),
         integerField({"model.heads", "Attention heads", "Each is hidden size / heads wide", "",
                       "Vaswani et al., arXiv:1706.03762"},
                      MEMBER(model.heads)),
         integerField({"model.intermediate", "Feed-forward",
                       "Width inside the feed-forward layer; often 4 × hidden", "",
                       "Vaswani et al., arXiv:1706.03762"},
                      MEMBER(model.intermediate)),
         integerField({"model.vocabulary", "Vocabulary", "Entries of the tokenizer's vocabulary", "",
                       "Shoeybi et al., arXiv:1909.08053, on padding it"},
                      MEMBER(model.vocabulary)),
         integerField({"model.max_positions", "Positions", "Longest sequence that the model can read",
                       "tokens", "Devlin et al., arXiv:1810.04805"},
                      MEMBER(model.maxPositions))}};
}

SpecSection optimizerSection()
{
    return {
        fieldText("Precision and optimizer"),
        false,
        {choiceField<ComputeType>({"precision.compute", "Compute type",
                                   "Of the forward and backward pass; master weights stay float32", "",
                                   "Micikevicius et al., arXiv:1710.03740"},
                                  MEMBER(precision.compute)),
         choiceField<OptimizerKind>({"optimizer.kind", "Optimizer",
                                     "LAMB and LANS for very large batches, AdamW otherwise", "",
                                     "You et al., arXiv:1904.00962; Loshchilov and Hutter, arXiv:1711.05101; "
                                     "Zheng et al., arXiv:2006.13484"},
                                    MEMBER(optimizer.kind)),
         realField({"optimizer.learning_rate", "Learning rate", "Peak, reached after the warm-up", "",
                    "You et al., arXiv:1904.00962, on large batches"},
                   MEMBER(optimizer.learningRate)),
         choiceField<ScheduleKind>({"optimizer.schedule", "Schedule", "How the rate falls after the warm-up",
                                    "", "Loshchilov and Hutter, arXiv:1608.03983"},
                                   MEMBER(optimizer.schedule)),
         integerField({"optimizer.warmup_steps", "Warm-up", "The rate rises linearly from 0 over these steps",
                       "steps", "Goyal et al., arXiv:1706.02677"},
                      MEMBER(optimizer.warmupSteps)),
         realField({"optimizer.weight_decay", "Weight decay", "Not applied to biases and layer norms", "",
                    "Loshchilov and Hutter, arXiv:1711.05101"},
                   MEMBER(optimizer.weightDecay)),
         realField({"optimizer.clip_norm", "Clip norm", "Global gradient norm; 0 = no clipping", "",
                    "Pascanu et al., arXiv:1211.5063"},
                   MEMBER(optimizer.clipNorm))}};
}

SpecSection checkpointSection()
{
    return {fieldText("Checkpoints and launch"),
            false,
            {integerField({"checkpoint.every_steps", "Every", "0 = only at the end", "steps"},
                          MEMBER(checkpoint.everySteps)),
             integerField({"checkpoint.keep_last", "Keep", "Older ones go after a newer one is published",
                           "checkpoints"},
                          MEMBER(checkpoint.keepLast)),
             integerField({"checkpoint.keep_every", "For good",
                           "Checkpoints of every so many steps stay; 0 = none", "steps"},
                          MEMBER(checkpoint.keepEvery)),
             yesNoField({"checkpoint.asynchronous", "Write beside training",
                         "Training goes on while a copy of the state is written, which takes host memory"},
                        MEMBER(checkpoint.asynchronous)),
             integerField({"launch.threads_per_rank", "Threads", "Compute threads of each rank", "per rank"},
                          MEMBER(launch.threadsPerRank)),
             choiceField<DeviceKind>({"launch.device", "Compute on",
                                      "auto: a GPU where every rank has one of its own, else the processor"},
                                     MEMBER(launch.device)),
             gracePeriodField()}};
}

SpecSection restartSection()
{
    return {fieldText("When ranks or hosts are lost"),
            false,
            {integerField({"launch.restart.limit", "Restarts",
                           "In a row without a new checkpoint, each from the last one; 0 = it stays failed"},
                          MEMBER(launch.restart.limit)),
             backoffField(),
             yesNoField({"launch.restart.after_reboot", "After a reboot",
                         "The run also goes on when the first host itself was restarted"},
                        MEMBER(launch.restart.afterReboot)),
             yesNoField({"launch.restart.elastic", "Elastic",
                         "Goes on with fewer data-parallel ranks while hosts are away, with the same global "
                         "batch, and takes them in again, after a checkpoint, when they can carry ranks"},
                        MEMBER(launch.restart.elastic))}};
}

SpecSection slurmSection()
{
    return {
        fieldText("Launcher: mpirun or Slurm"),
        true,
        {choiceField<LauncherKind>(
             {"launch.launcher", "Ranks are started by",
              "mpi: mpirun over SSH; slurm: a batch job of the cluster whose login host "
              "every node of the list names"},
             MEMBER(launch.launcher)),
         textField({"launch.slurm.partition", "Partition", "Of Slurm; empty = the cluster's default"},
                   MEMBER(launch.slurm.partition)),
         textField({"launch.slurm.account", "Account", "That Slurm charges; empty = your default"},
                   MEMBER(launch.slurm.account)),
         textField({"launch.slurm.qos", "QOS", "Slurm's quality of service; empty = your default"},
                   MEMBER(launch.slurm.qos)),
         textField({"launch.slurm.constraint", "Features", "Of the nodes, e.g. a100&nvlink; empty = any"},
                   MEMBER(launch.slurm.constraint)),
         timeLimitField(),
         yesNoField({"launch.slurm.requeue", "Requeue",
                     "A job that loses a node waits for another one and goes on from its last checkpoint"},
                    MEMBER(launch.slurm.requeue)),
         warningField()}};
}

SpecSection modelDetails()
{
    return {
        fieldText("Model, in detail"),
        true,
        {choiceField<Activation>({"model.activation", "Activation",
                                  "Of the feed-forward layer; swiglu has a second matrix of the same size",
                                  "", "Hendrycks and Gimpel, arXiv:1606.08415; Shazeer, arXiv:2002.05202"},
                                 MEMBER(model.activation)),
         choiceField<NormPlacement>({"model.norm", "Layer norms",
                                     "post: after each residual sum; pre: before attention and feed-forward",
                                     "", "Xiong et al., arXiv:2002.04745"},
                                    MEMBER(model.norm)),
         choiceField<PositionEncoding>({"model.positions", "Position encoding",
                                        "learned: a table; rotary: queries and keys are turned by an angle",
                                        "", "Su et al., arXiv:2104.09864"},
                                       MEMBER(model.positions)),
         yesNoField({"model.tied_head", "Tied head", "The head multiplies with the word embeddings", "",
                     "Press and Wolf, arXiv:1608.05859"},
                    MEMBER(model.tiedHead)),
         yesNoField({"model.next_sentence", "Next sentence", "BERT only: pooler and next-sentence head", "",
                     "Devlin et al., arXiv:1810.04805"},
                    MEMBER(model.nextSentence)),
         integerField({"model.token_types", "Token types", "Kinds of segments in a row; 0 = none", "",
                       "Devlin et al., arXiv:1810.04805"},
                      MEMBER(model.tokenTypes)),
         realField(
             {"model.dropout", "Dropout", "Share of hidden elements", "", "Hinton et al., arXiv:1207.0580"},
             MEMBER(model.dropout)),
         realField({"model.attention_dropout", "Attention dropout", "Share of attention probabilities", "",
                    "Vaswani et al., arXiv:1706.03762"},
                   MEMBER(model.attentionDropout)),
         realField({"model.layer_norm_epsilon", "Norm epsilon", "Added to the variance in layer norms", "",
                    "Ba et al., arXiv:1607.06450"},
                   MEMBER(model.layerNormEpsilon)),
         realField({"model.initializer_range", "Initial range", "Standard deviation of the initial weights",
                    "", "Devlin et al., arXiv:1810.04805"},
                   MEMBER(model.initializerRange))}};
}

SpecSection optimizerDetails()
{
    return {fieldText("Optimizer, in detail"),
            true,
            {realField({"optimizer.beta1", "Beta 1", "Decay of the first moment", "",
                        "Kingma and Ba, arXiv:1412.6980"},
                       MEMBER(optimizer.beta1)),
             realField({"optimizer.beta2", "Beta 2", "Decay of the second moment", "",
                        "Kingma and Ba, arXiv:1412.6980"},
                       MEMBER(optimizer.beta2)),
             realField({"optimizer.epsilon", "Epsilon", "Added to the root of the second moment", "",
                        "Kingma and Ba, arXiv:1412.6980"},
                       MEMBER(optimizer.epsilon)),
             realField({"optimizer.momentum", "Momentum", "Of SGD; 0 = without"}, MEMBER(optimizer.momentum)),
             realField({"optimizer.decay_power", "Decay power", "Of the polynomial schedule"},
                       MEMBER(optimizer.decayPower))}};
}

SpecSection lossScaling()
{
    return {fieldText("Loss scaling, with float16"),
            true,
            {realField({"precision.loss_scale.initial", "Initial scale", "Of the first step", "",
                        "Micikevicius et al., arXiv:1710.03740"},
                       MEMBER(precision.lossScale.initial)),
             integerField({"precision.loss_scale.growth_interval", "Grows after",
                           "Steps without overflow after which the scale doubles", "steps",
                           "Micikevicius et al., arXiv:1710.03740"},
                          MEMBER(precision.lossScale.growthInterval)),
             realField({"precision.loss_scale.backoff", "Backoff", "An overflow multiplies the scale by this",
                        "", "Micikevicius et al., arXiv:1710.03740"},
                       MEMBER(precision.lossScale.backoff)),
             integerField({"precision.loss_scale.hysteresis", "Hysteresis",
                           "Overflows since the scale last grew before it is lowered", "overflows",
                           "Micikevicius et al., arXiv:1710.03740"},
                          MEMBER(precision.lossScale.hysteresis)),
             realField({"precision.loss_scale.minimum", "Minimum", "An overflow at this scale ends the run",
                        "", "Micikevicius et al., arXiv:1710.03740"},
                       MEMBER(precision.lossScale.minimum))}};
}

#undef MEMBER

QString defaultOf(const SpecField& field)
{
    const QVariant value = field.get(RunSpec());
    const QString text =
        field.kind == SpecField::Kind::Integer ? displayCount(value.toInt()) : value.toString();
    if (text.isEmpty())
        return fieldText("empty");
    return field.unit.isEmpty() ? text : text + QLatin1Char(' ') + field.unit;
}

} // namespace

QString SpecField::help() const
{
    QString text = fieldText("%1. Default: %2.").arg(effect, defaultOf(*this));
    if (!source.isEmpty())
        text += fieldText(" See %1.").arg(source);
    return text;
}

std::vector<SpecField> batchFields()
{
    return {yesNoField(
        {"batch.packing", "Pack sequences",
         "Sequences lie one behind the other without padding, and none attends to another", "",
         "Krell et al., arXiv:2107.02027"},
        [](auto& spec) -> auto& { return spec.batch.packing; })};
}

std::vector<SpecSection> specSections()
{
    return {runSection(),       layoutSection(),     memorySection(),  modelSection(),
            optimizerSection(), checkpointSection(), restartSection(), slurmSection(),
            modelDetails(),     optimizerDetails(),  lossScaling()};
}

} // namespace trainyard
