#include <functional>

#include <QTest>

#include "engine/spec/foreign/foreign_settings.h"
#include "engine/spec/foreign/shell_variables.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "engine/spec/validate.h"
#include "tests/auto/spec/problem_text.h"

using namespace trainyard;

namespace {

using Edit = std::function<void(RunSpec&)>;

/// What importing settings onto a fresh specification gives.
ImportedSpec import(ForeignTool tool, const std::string& text, std::optional<int> ranks = {})
{
    return importSettings(tool, text, {RunSpec(), ranks});
}

QString fieldsOf(const Omissions& omissions)
{
    QStringList fields;
    for (const Omission& omission : omissions)
        fields << QString::fromStdString(omission.field);
    fields.sort();
    return fields.join(' ');
}

/// A specification that all three tools can say much of: 16 ranks, and every number its own.
RunSpec commonSpec()
{
    RunSpec spec;
    spec.cluster.nodes = {{"a", 8, 0}, {"b", 8, 0}};
    spec.dataset.path = "/data/wiki";
    spec.layout.data = 4;
    spec.layout.tensor = 2;
    spec.layout.pipeline = 2;
    spec.batch = {4 * 3 * 5, 3, 5};
    spec.precision.compute = ComputeType::BFloat16;
    return spec;
}

const Omission* omissionOf(const Omissions& omissions, const std::string& field)
{
    for (const Omission& omission : omissions) {
        if (omission.field == field)
            return &omission;
    }
    return nullptr;
}

constexpr const char* kDeepSpeed = R"({
    "train_batch_size": 512, "train_micro_batch_size_per_gpu": 4, "steps_per_print": 100,
    "zero_optimization": {"stage": 3, "offload_optimizer": {"device": "cpu", "pin_memory": true},
        "offload_param": {"device": "nvme", "nvme_path": "/local"}, "overlap_comm": true,
        "stage3_max_live_parameters": 1e9, "reduce_bucket_size": 5e7},
    "fp16": {"enabled": true, "loss_scale": 0, "initial_scale_power": 12, "loss_scale_window": 500,
        "hysteresis": 3, "min_loss_scale": 2},
    "optimizer": {"type": "AdamW", "params": {"lr": 3e-4, "betas": [0.8, 0.95], "eps": 1e-7, "weight_decay": "auto"}},
    "scheduler": {"type": "WarmupDecayLR", "params": {"warmup_max_lr": 3e-4, "warmup_num_steps": 40,
        "warmup_type": "linear", "total_num_steps": 900}},
    "gradient_clipping": 0.5, "gradient_cliping": 1})";

constexpr const char* kMegatron = R"(#!/bin/bash
# Two nodes of eight.
GPUS_PER_NODE=8
DISTRIBUTED_ARGS=(
    --nproc_per_node 8   # devices
    --nnodes 2
    --master_addr gpu-01
)
GPT_MODEL_ARGS="
    --num-layers 24 --hidden-size 1024 \
    --num-attention-heads 16 --seq-length 1024 --max-position-embeddings 1024
    --vocab-size 50304"
TRAINING_ARGS=(
    --micro-batch-size 2
    --global-batch-size=64
    --rampup-batch-size 16 16 1000000
    --train-samples 64000 --lr-warmup-fraction .01 --lr-decay-style cosine
    --lr 6.0e-5 --min-lr 6.0e-6 --weight-decay .1 --adam-beta2 0.95 --clip-grad 1.0 --bf16
)
torchrun ${DISTRIBUTED_ARGS[@]} pretrain_gpt.py $GPT_MODEL_ARGS ${TRAINING_ARGS[@]} \
    --tensor-model-parallel-size 2 --pipeline-model-parallel-size 4 --sequence-parallel \
    --num-layers-per-virtual-pipeline-stage 3 --use-distributed-optimizer \
    --recompute-granularity selective --data-path "my data_text" 2>&1 | tee log.txt
)";

} // namespace

/// Settings of DeepSpeed, Megatron-LM and SageMaker, read and written.
class TestForeignSettings : public QObject {
    Q_OBJECT

private slots:
    void readsADeepSpeedConfiguration()
    {
        const ImportedSpec imported = import(ForeignTool::DeepSpeed, kDeepSpeed, 32);
        QVERIFY2(imported.problems.empty(), qPrintable(textOf(imported.problems)));
        const RunSpec& spec = imported.spec;
        QCOMPARE(spec.layout.data, 32);
        QVERIFY((spec.batch == BatchSpec{512, 4, 4}));
        QCOMPARE(spec.memory.zeroStage, 3);
        QVERIFY(spec.memory.offloadOptimizer && spec.memory.offloadParameters);
        QCOMPARE(spec.layout.bucketSize, Bytes{200'000'000});
        QCOMPARE(spec.precision.compute, ComputeType::Float16);
        QVERIFY((spec.precision.lossScale == LossScaleSpec{4096, 500, 0.5, 3, 2}));
        QCOMPARE(spec.optimizer.beta1, 0.8);
        QCOMPARE(spec.optimizer.beta2, 0.95);
        QCOMPARE(spec.optimizer.epsilon, 1e-7);
        QCOMPARE(spec.optimizer.learningRate, 3e-4);
        QCOMPARE(spec.optimizer.clipNorm, 0.5);
        QCOMPARE(spec.optimizer.schedule, ScheduleKind::Linear);
        QCOMPARE(spec.optimizer.warmupSteps, 40);
        QCOMPARE(spec.launch.steps, 900);
        QCOMPARE(fieldsOf(imported.omissions),
                 "gradient_cliping optimizer.params.weight_decay steps_per_print "
                 "zero_optimization.offload_optimizer.pin_memory zero_optimization.offload_param.device "
                 "zero_optimization.offload_param.nvme_path zero_optimization.overlap_comm "
                 "zero_optimization.stage3_max_live_parameters");
        QCOMPARE(omissionOf(imported.omissions, "gradient_cliping")->advice,
                 std::string("did you mean \"gradient_clipping\"?"));
        QCOMPARE(omissionOf(imported.omissions, "optimizer.params.weight_decay")->value,
                 std::string("\"auto\""));
    }

    void readsAMegatronScript()
    {
        const ImportedSpec imported = import(ForeignTool::Megatron, kMegatron);
        QVERIFY2(imported.problems.empty(), qPrintable(textOf(imported.problems)));
        const RunSpec& spec = imported.spec;
        QCOMPARE(spec.model.family, ModelFamily::Gpt);
        QCOMPARE(spec.model.layers, 24);
        QCOMPARE(spec.model.intermediate, 4096);
        QCOMPARE(spec.model.vocabulary, 50304);
        QCOMPARE(spec.model.norm, NormPlacement::Pre);
        QCOMPARE(spec.layout.data, 2);
        QCOMPARE(spec.layout.tensor, 2);
        QCOMPARE(spec.layout.pipeline, 4);
        QCOMPARE(spec.layout.virtualStages, 2);
        QCOMPARE(spec.layout.schedule, PipelineScheduleKind::Interleaved);
        QCOMPARE(spec.layout.placement, std::string("PDT"));
        QVERIFY(spec.layout.sequence);
        QVERIFY((spec.batch == BatchSpec{64, 2, 16, false, {16, 16, 1'000'000}}));
        QCOMPARE(spec.launch.steps, 4000); // of 16 sequences: the batch has not grown by then
        QCOMPARE(spec.optimizer.warmupSteps, 40);
        QCOMPARE(spec.optimizer.weightDecay, 0.1);
        QCOMPARE(spec.optimizer.learningRate, 6e-5);
        QCOMPARE(spec.optimizer.schedule, ScheduleKind::Cosine);
        QCOMPARE(spec.precision.compute, ComputeType::BFloat16);
        QCOMPARE(spec.memory.zeroStage, 1);
        QCOMPARE(spec.memory.recompute, RecomputeKind::Selective);
        QCOMPARE(spec.seed, std::uint64_t{1234});
        QCOMPARE(fieldsOf(imported.omissions), "--data-path --master-addr --min-lr --seq-length");
        QCOMPARE(omissionOf(imported.omissions, "--min-lr")->value, std::string("6e-06"));
    }

    void readsBothVersionsOfSageMaker()
    {
        const ImportedSpec first = import(ForeignTool::SageMaker, R"({"smdistributed": {"modelparallel": {
            "enabled": true, "parameters": {"pipeline_parallel_degree": 2, "tensor_parallel_degree": 4,
            "ddp": true, "microbatches": 6, "placement_strategy": "spread", "optimize": "speed",
            "shard_optimizer_state": true, "offload_activations": true, "fp16": true,
            "activation_loading_horizon": 4}}}, "mpi": {"enabled": true, "processes_per_host": 8}})",
                                          16);
        QVERIFY2(first.problems.empty(), qPrintable(textOf(first.problems)));
        QCOMPARE(first.spec.layout.data, 2);
        QCOMPARE(first.spec.layout.schedule, PipelineScheduleKind::OneForwardOneBackward);
        QCOMPARE(first.spec.layout.placement, std::string("spread"));
        QVERIFY((first.spec.batch == BatchSpec{2 * 8 * 6, 8, 6}));
        QCOMPARE(first.spec.memory.zeroStage, 1);
        QVERIFY(first.spec.memory.offloadActivations);
        QCOMPARE(first.spec.precision.compute, ComputeType::Float16);
        QCOMPARE(fieldsOf(first.omissions),
                 "mpi.processes_per_host smdistributed.modelparallel.parameters.activation_loading_horizon "
                 "smdistributed.modelparallel.parameters.optimize");

        const ImportedSpec second = import(ForeignTool::SageMaker, R"({"hybrid_shard_degree": 4,
            "sm_activation_offloading": true, "tensor_parallel_degree": 2, "context_parallel_degree": 2,
            "random_seed": 7})",
                                           16);
        QCOMPARE(second.spec.layout.data, 4);
        QCOMPARE(second.spec.layout.context, 2);
        QCOMPARE(second.spec.memory.zeroStage, 3);
        QCOMPARE(second.spec.seed, std::uint64_t{7});
        QCOMPARE(second.spec.layout.shard, 4); // of 8 ranks
        QCOMPARE(fieldsOf(second.omissions), "");
        const ImportedSpec uneven = import(ForeignTool::SageMaker, R"({"hybrid_shard_degree": 3})", 8);
        QCOMPARE(uneven.spec.layout.shard, 0);
        QCOMPARE(fieldsOf(uneven.omissions), "hybrid_shard_degree");
    }

    void looksUpTheVariablesOfAScript()
    {
        const ImportedSpec imported = import(ForeignTool::Megatron, R"(
export TP=2 PP=${2:-4}
LAYERS=24; HIDDEN="1024"
NODES=$(sinfo -h -o %D | head -n 1)
SCHEDULE_ARGS="--lr-decay-style cosine --lr ${LR:=3e-4}"
MODEL_ARGS=(--num-layers $LAYERS --hidden-size ${HIDDEN} --num-attention-heads `nproc`)
srun --nproc-per-node 8 pretrain_gpt.py --tensor-model-parallel-size $TP $SCHEDULE_ARGS \
    --pipeline-model-parallel-size ${PP} "${MODEL_ARGS[@]}" --nnodes $NODES \
    --data-path ${DATA}/my_text --recompute-granularity $GRANULARITY)");
        QCOMPARE(imported.spec.layout.tensor, 2);
        QCOMPARE(imported.spec.layout.pipeline, 4);
        QCOMPARE(imported.spec.model.layers, 24);
        QCOMPARE(imported.spec.model.hidden, 1024);
        QCOMPARE(imported.spec.optimizer.schedule, ScheduleKind::Cosine);
        QCOMPARE(imported.spec.optimizer.learningRate, 3e-4);
        QStringList unresolved;
        for (const Diagnostic& problem : imported.problems) {
            QVERIFY2(problem.message.ends_with(" has no value in this text"), problem.message.c_str());
            unresolved << QString::fromStdString(problem.path);
        }
        unresolved.sort();
        QCOMPARE(unresolved.join(' '), "--nnodes --num-attention-heads --recompute-granularity");
        const Omission* data = omissionOf(imported.omissions, "--data-path");
        QVERIFY(data && data->reason.ends_with("is not in this text"));
        QCOMPARE(data->value, std::string("\"${DATA}/my_text\""));
    }

    void survivesVariablesThatFeedThemselves()
    {
        std::string script = "A=--bf16xxxxxxxx\n";
        for (int i = 0; i < 200; ++i)
            script += "A=$A$A${A:-${A:-${A";
        QVERIFY(importSettings(ForeignTool::Megatron, script + "\n--num-layers $A", {}).spec.name == "run");
    }

    void leavesAWordThatWouldGrowWithoutBoundAsItStands()
    {
        ShellVariables variables;
        QVERIFY(variables.assign("A=" + std::string(4000, 'a')));
        QCOMPARE(variables.expanded("x$A").size(), std::size_t{4001});
        std::string many;
        for (int i = 0; i < 1000; ++i)
            many += "$A";
        QVERIFY(variables.expanded(many) == many);
        QVERIFY(variables.assign("B=" + many));
        QVERIFY(variables.expanded("$B") == "$B");
    }

    // DeepSpeed's own words for what is done otherwise here.
    void saysWhatIsDoneOtherwise_data()
    {
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("field");
        QTest::addColumn<QString>("reason");
        const auto row = [](const char* name, const char* text, const char* field, const char* reason) {
            QTest::addRow("%s", name) << QByteArray(text) << QString(field) << QString(reason);
        };
        row("heads exchanged", R"({"sequence_parallel_size": 2})", "sequence_parallel_size", "Ulysses");
        row("compressed gradients", R"({"optimizer": {"type": "OneBitLamb", "params": {"lr": 1e-3}}})",
            "optimizer.type", "not compressed");
        row("of the same", R"({"optimizer": {"type": "OneBitAdam", "params": {"freeze_step": 400}}})",
            "optimizer.params.freeze_step", "not compressed");
        row("another optimizer", R"({"optimizer": {"type": "Lion"}})", "optimizer.type", "no such");
        row("part of the optimizer",
            R"({"zero_optimization": {"stage": 3, "offload_optimizer": {"ratio": 0.3}}})",
            "zero_optimization.offload_optimizer.ratio", "whole optimizer");
        row("the Trainer's", R"({"gradient_clipping": "auto"})", "gradient_clipping", "Trainer");
        row("by the name of layers", R"({"pipeline": {"stages": 2, "partition": "type:transformer"}})",
            "pipeline.partition", "no such way");
        row("one cycle", R"({"scheduler": {"type": "OneCycle"}})", "scheduler.type", "no such schedule");
        row("constant scale", R"({"fp16": {"enabled": true, "loss_scale": 128}})", "fp16.loss_scale",
            "always dynamic");
    }
    void saysWhatIsDoneOtherwise()
    {
        QFETCH(QByteArray, text);
        QFETCH(QString, field);
        QFETCH(QString, reason);
        const ImportedSpec imported = import(ForeignTool::DeepSpeed, text.constData(), 2);
        QVERIFY2(imported.problems.empty(), qPrintable(textOf(imported.problems)));
        const Omission* omission = omissionOf(imported.omissions, field.toStdString());
        QVERIFY2(omission, qPrintable(fieldsOf(imported.omissions)));
        QVERIFY2(QString::fromStdString(omission->reason).contains(reason), omission->reason.c_str());
    }

    void takesTheKindOfACompressingOptimizer()
    {
        const ImportedSpec imported = import(
            ForeignTool::DeepSpeed, R"({"optimizer": {"type": "OneBitLamb", "params": {"lr": 0.002}}})");
        QCOMPARE(imported.spec.optimizer.kind, OptimizerKind::LambPaper);
        QCOMPARE(imported.spec.optimizer.learningRate, 0.002);
    }

    void refusesModelsOfMegatronThatItDoesNotHaveByName_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("named");
        QTest::addRow("T5") << "python pretrain_t5.py --num-layers 12"
                            << "pretrain_t5.py";
        QTest::addRow("Mamba") << "torchrun /opt/megatron/pretrain_mamba.py --num-layers 12"
                               << "pretrain_mamba.py";
        QTest::addRow("arguments of T5") << "--encoder-num-layers 12 --hidden-size 768"
                                         << "--encoder-num-layers";
    }
    void refusesModelsOfMegatronThatItDoesNotHaveByName()
    {
        QFETCH(QString, text);
        QFETCH(QString, named);
        const ImportedSpec imported = import(ForeignTool::Megatron, text.toStdString());
        QCOMPARE(imported.problems.size(), std::size_t{1});
        QCOMPARE(QString::fromStdString(imported.problems.front().message),
                 named + " trains a model that Trainyard does not have");
    }

    void takesTheVocabularyOfATokenizer_data()
    {
        QTest::addColumn<QString>("text");
        QTest::addColumn<int>("words");
        QTest::addColumn<QString>("said");
        QTest::addRow("GPT-2") << "--tokenizer-type GPT2BPETokenizer" << 50257
                               << "its usual 50257 words are taken";
        QTest::addRow("BERT") << "--tokenizer-type BertWordPieceLowerCase --vocab-file v.txt" << 30522
                              << "its usual 30522 words are taken";
        QTest::addRow("of a file") << "--tokenizer-type SentencePieceTokenizer --tokenizer-model t.model"
                                   << RunSpec().model.vocabulary << "how many words";
        QTest::addRow("said") << "--tokenizer-type GPT2BPETokenizer --vocab-size 50304" << 50304
                              << "data sets are prepared by Trainyard";
    }
    void takesTheVocabularyOfATokenizer()
    {
        QFETCH(QString, text);
        QFETCH(int, words);
        QFETCH(QString, said);
        const ImportedSpec imported = import(
            ForeignTool::Megatron, "pretrain_gpt.py --num-layers 12 --hidden-size 768 " + text.toStdString());
        QCOMPARE(imported.spec.model.vocabulary, words);
        const Omission* omission = omissionOf(imported.omissions, "--tokenizer-type");
        QVERIFY2(omission, qPrintable(fieldsOf(imported.omissions)));
        QVERIFY2(QString::fromStdString(omission->reason).contains(said), omission->reason.c_str());
    }

    // What its validate_args() asks of --use-megatron-fsdp.
    void writesFullyShardedRunsAsMegatronTakesThem()
    {
        RunSpec spec = commonSpec();
        spec.layout.pipeline = 1;
        spec.layout.data = 8;
        spec.layout.placement = "cluster";
        spec.checkpoint.asynchronous = true;
        for (const int stage : {1, 2, 3}) {
            spec.memory.zeroStage = stage;
            const QString text = QString::fromStdString(exportSettings(ForeignTool::Megatron, spec).text);
            QCOMPARE(text.contains("--ckpt-format fsdp_dtensor"), stage >= 2);
            QCOMPARE(text.contains("--async-save"), stage < 2);
            QCOMPARE(text.contains("--use-tp-pp-dp-mapping"), stage < 2);
        }
    }

    void readsGroupsThatShareStates()
    {
        const ImportedSpec mics = import(ForeignTool::DeepSpeed, R"({"train_micro_batch_size_per_gpu": 1,
            "zero_optimization": {"stage": 3, "mics_shard_size": 8}})",
                                         32);
        QCOMPARE(mics.spec.layout.shard, 8);
        QCOMPARE(fieldsOf(mics.omissions), "");
        const char* megatron = "--use-distributed-optimizer --num-distributed-optimizer-instances 4 "
                               "--micro-batch-size 1 --global-batch-size 32";
        QCOMPARE(import(ForeignTool::Megatron, megatron, 32).spec.layout.shard, 8);
        QVERIFY(!import(ForeignTool::Megatron, megatron, 30).problems.empty());
    }

    // Version 2 shares states among as many ranks as it can when tensor parallelism leaves it the choice.
    void readsWhatAnUnsaidDegreeOfSageMakerMeans()
    {
        const auto stage = [](const char* text) {
            return import(ForeignTool::SageMaker, text, 8).spec.memory.zeroStage;
        };
        QCOMPARE(stage(R"({"hybrid_shard_degree": 0, "tensor_parallel_degree": 2})"), 3);
        QCOMPARE(stage(R"({"hybrid_shard_degree": 1, "tensor_parallel_degree": 2})"), 0);
        RunSpec base;
        base.memory.zeroStage = 2;
        const ImportedSpec script = importSettings(
            ForeignTool::SageMaker, R"({"hybrid_shard_degree": 0, "random_seed": 3})", {base, 8});
        QCOMPARE(script.spec.memory.zeroStage, 2);
        QCOMPARE(fieldsOf(script.omissions), "hybrid_shard_degree");
    }

    // Global 64 of micro-batches of 4, two at a time, are 8 ranks.
    void refusesRanksThatContradictTheBatch()
    {
        constexpr const char* kBatch = R"({"train_batch_size": 64, "train_micro_batch_size_per_gpu": 4,
            "gradient_accumulation_steps": 2})";
        QCOMPARE(import(ForeignTool::DeepSpeed, kBatch, 8).spec.layout.data, 8);
        QCOMPARE(import(ForeignTool::DeepSpeed, kBatch).spec.layout.data, 8);
        const ImportedSpec imported = import(ForeignTool::DeepSpeed, kBatch, 16);
        QCOMPARE(imported.problems.size(), std::size_t{1});
        QVERIFY2(textOf(imported.problems).contains("8 ranks, not 16"),
                 qPrintable(textOf(imported.problems)));
    }

    void saysThatAnArgumentHasNoValue()
    {
        const ImportedSpec imported = import(ForeignTool::Megatron, "--num-layers --hidden-size 1024");
        QCOMPARE(imported.problems.size(), std::size_t{1});
        QCOMPARE(imported.problems[0].path, "--num-layers");
        QCOMPARE(imported.problems[0].message, "has no value");
    }

    void refusesAKeyThatIsThereTwice()
    {
        const ImportedSpec imported =
            import(ForeignTool::DeepSpeed, R"({"train_batch_size": 64, "train_batch_size": 32})");
        QCOMPARE(imported.problems.size(), std::size_t{1});
        QVERIFY(textOf(imported.problems).contains("given twice"));
    }

    void saysWhereATextIsNoJson()
    {
        const ImportedSpec imported = import(ForeignTool::DeepSpeed, "{\n  \"fp16\": True\n}");
        QCOMPARE(static_cast<int>(imported.problems.size()), 1);
        QCOMPARE(imported.problems[0].message, std::string("not valid JSON at line 2, column 11"));
    }

    /// A field that a tool can say comes back; what does not come back is listed, and nothing else is.
    void bringsBackWhatAToolCanSay_data()
    {
        QTest::addColumn<Edit>("edit");
        QTest::addColumn<QString>("deepSpeed");
        QTest::addColumn<QString>("megatron");
        QTest::addColumn<QString>("sageMaker");
        const auto row = [](const char* field, const char* tools, const Edit& edit) {
            const QString name(field);
            const auto listed = [&](char tool) { return QString(tools).contains(tool) ? QString() : name; };
            QTest::addRow("%s", field) << edit << listed('d') << listed('m') << listed('s');
        };
        row("model.layers", "m", [](RunSpec& s) { s.model.layers = 12; });
        row("model.hidden", "m", [](RunSpec& s) { s.model.hidden = 192; });
        row("model.heads", "m", [](RunSpec& s) { s.model.heads = 4; });
        row("model.intermediate", "m", [](RunSpec& s) { s.model.intermediate = 700; });
        row("model.vocabulary", "m", [](RunSpec& s) { s.model.vocabulary = 30000; });
        row("model.max_positions", "m", [](RunSpec& s) { s.model.maxPositions = 128; });
        row("model.activation", "m", [](RunSpec& s) { s.model.activation = Activation::Swiglu; });
        row("model.positions", "m", [](RunSpec& s) { s.model.positions = PositionEncoding::Rotary; });
        row("model.tied_head", "m", [](RunSpec& s) { s.model.tiedHead = false; });
        row("model.next_sentence", "m", [](RunSpec& s) { s.model.nextSentence = false; });
        row("model.dropout", "m", [](RunSpec& s) { s.model.dropout = 0.25; });
        row("model.attention_dropout", "m", [](RunSpec& s) { s.model.attentionDropout = 0; });
        row("model.layer_norm_epsilon", "m", [](RunSpec& s) { s.model.layerNormEpsilon = 1e-6; });
        row("model.initializer_range", "m", [](RunSpec& s) { s.model.initializerRange = 0.01; });
        row("seed", "m", [](RunSpec& s) { s.seed = 99; });
        row("layout.sequence", "m", [](RunSpec& s) { s.layout.sequence = true; });
        row("layout.schedule", "s", [](RunSpec& s) { s.layout.schedule = PipelineScheduleKind::GPipe; });
        row("layout.placement", "ms", [](RunSpec& s) { s.layout.placement = "PDT"; });
        row("layout.bucket_size", "dm", [](RunSpec& s) { s.layout.bucketSize = 48 * kMiB; });
        row("optimizer.learning_rate", "dm", [](RunSpec& s) { s.optimizer.learningRate = 7e-5; });
        row("optimizer.beta1", "dm", [](RunSpec& s) { s.optimizer.beta1 = 0.85; });
        row("optimizer.beta2", "dm", [](RunSpec& s) { s.optimizer.beta2 = 0.95; });
        row("optimizer.epsilon", "dm", [](RunSpec& s) { s.optimizer.epsilon = 1e-6; });
        row("optimizer.weight_decay", "dm", [](RunSpec& s) { s.optimizer.weightDecay = 0.1; });
        row("optimizer.clip_norm", "dm", [](RunSpec& s) { s.optimizer.clipNorm = 0; });
        row("optimizer.warmup_steps", "dm", [](RunSpec& s) { s.optimizer.warmupSteps = 13; });
        row("optimizer.decay_power", "", [](RunSpec& s) { s.optimizer.decayPower = 2; });
        row("launch.steps", "dm", [](RunSpec& s) { s.launch.steps = 777; });
        row("precision.loss_scale.initial", "dm", [](RunSpec& s) { s.precision.lossScale.initial = 1024; });
        row("precision.loss_scale.growth_interval", "dm",
            [](RunSpec& s) { s.precision.lossScale.growthInterval = 77; });
        row("precision.loss_scale.hysteresis", "dm",
            [](RunSpec& s) { s.precision.lossScale.hysteresis = 4; });
        row("precision.loss_scale.minimum", "dm", [](RunSpec& s) { s.precision.lossScale.minimum = 0.25; });
        row("precision.loss_scale.backoff", "", [](RunSpec& s) { s.precision.lossScale.backoff = 0.25; });
        row("memory.zero_stage", "dms", [](RunSpec& s) { s.memory.zeroStage = 1; });
        row("memory.recompute", "dm", [](RunSpec& s) { s.memory.recompute = RecomputeKind::Full; });
        row("memory.offload_optimizer", "dm", [](RunSpec& s) { s.memory.offloadOptimizer = true; });
        row("memory.offload_activations", "s", [](RunSpec& s) { s.memory.offloadActivations = true; });
        row("checkpoint.every_steps", "m", [](RunSpec& s) { s.checkpoint.everySteps = 50; });
        row("checkpoint.asynchronous", "m", [](RunSpec& s) { s.checkpoint.asynchronous = false; });
        row("dataset.path", "", [](RunSpec& s) { s.dataset.path = "/data/other"; });
        row("launch.threads_per_rank", "", [](RunSpec& s) { s.launch.threadsPerRank = 3; });
    }
    void bringsBackWhatAToolCanSay()
    {
        QFETCH(Edit, edit);
        QFETCH(QString, deepSpeed);
        QFETCH(QString, megatron);
        QFETCH(QString, sageMaker);
        RunSpec spec = commonSpec();
        const auto listed = [&](ForeignTool tool) {
            const Omissions usual = exportSettings(tool, commonSpec()).omissions;
            QStringList fields;
            for (const Omission& omission : exportSettings(tool, spec).omissions) {
                const Omission* before = omissionOf(usual, omission.field);
                if (!before || before->value != omission.value)
                    fields << QString::fromStdString(omission.field);
            }
            return fields.join(' ');
        };
        edit(spec);
        QVERIFY(!(spec == commonSpec()));
        QCOMPARE(listed(ForeignTool::DeepSpeed), deepSpeed);
        QCOMPARE(listed(ForeignTool::Megatron), megatron);
        QCOMPARE(listed(ForeignTool::SageMaker), sageMaker);
    }

    void bringsBackDegreesAndBatch()
    {
        const RunSpec spec = commonSpec();
        for (const ForeignTool tool : {ForeignTool::DeepSpeed, ForeignTool::Megatron}) {
            const std::string text = exportSettings(tool, spec).text;
            const ImportedSpec again = importSettings(tool, text, {RunSpec(), spec.layout.worldSize()});
            QVERIFY2(again.problems.empty(), qPrintable(textOf(again.problems)));
            QVERIFY(again.spec.batch == spec.batch);
            QCOMPARE(again.spec.layout.data, 4);
            QCOMPARE(again.spec.layout.tensor, 2);
            QCOMPARE(again.spec.layout.pipeline, 2);
        }
    }

    void bringsBackChunksAndShardingOfMegatron()
    {
        RunSpec spec = commonSpec();
        spec.model = *modelPreset("gpt2-xl");
        spec.layout.schedule = PipelineScheduleKind::Interleaved;
        spec.layout.virtualStages = 4;
        spec.layout.context = 2;
        QCOMPARE(fieldsOf(exportSettings(ForeignTool::Megatron, spec).omissions),
                 "cluster.nodes dataset.path model.preset");
        spec.layout.pipeline = 1;
        for (const int stage : {2, 3}) {
            spec.memory.zeroStage = stage;
            const ExportedSettings exported = exportSettings(ForeignTool::Megatron, spec);
            QVERIFY(!omissionOf(exported.omissions, "memory.zero_stage"));
        }
    }

    void takesTheRestFromTheBase()
    {
        RunSpec base = commonSpec();
        base.model = *modelPreset("bert-large");
        base.name = "ported";
        const ImportedSpec imported = importSettings(
            ForeignTool::DeepSpeed,
            R"({"train_micro_batch_size_per_gpu": 2, "gradient_accumulation_steps": 3})", {base, {}});
        QVERIFY(imported.problems.empty());
        QCOMPARE(imported.spec.name, std::string("ported"));
        QVERIFY(imported.spec.model == base.model);
        QVERIFY(imported.spec.cluster == base.cluster);
        QVERIFY((imported.spec.batch == BatchSpec{4 * 2 * 3, 2, 3}));
        QCOMPARE(imported.spec.optimizer.clipNorm, 0.0); // DeepSpeed's default
        QVERIFY2(validate(imported.spec).empty(), qPrintable(textOf(validate(imported.spec))));
    }

    void namesWhatIsWrong_data()
    {
        QTest::addColumn<int>("tool");
        QTest::addColumn<QByteArray>("text");
        QTest::addColumn<QString>("path");
        const auto row = [](const char* name, ForeignTool tool, const char* text, const char* path) {
            QTest::addRow("%s", name) << static_cast<int>(tool) << QByteArray(text) << QString(path);
        };
        constexpr auto kD = ForeignTool::DeepSpeed;
        constexpr auto kM = ForeignTool::Megatron;
        constexpr auto kS = ForeignTool::SageMaker;
        row("no JSON", kD, "{'fp16': True}", "");
        row("no object", kD, "[1]", "");
        row("cut off", kS, "{\"parameters\": {", "");
        row("nested too deep", kS, QByteArray(100'000, '[').constData(), "");
        row("text for a number", kD, R"({"zero_optimization": {"stage": "3"}})", "zero_optimization.stage");
        row("no such stage", kD, R"({"zero_optimization": {"stage": 4}})", "zero_optimization.stage");
        row("number for a switch", kD, R"({"fp16": {"enabled": 1}})", "fp16.enabled");
        row("section that is none", kD, R"({"optimizer": "AdamW"})", "optimizer");
        row("three betas", kD, R"({"optimizer": {"type": "Adam", "params": {"betas": [1, 2, 3]}}})",
            "optimizer.params.betas");
        row("two precisions", kD, R"({"fp16": {"enabled": true}, "bf16": {"enabled": true}})", "bf16");
        row("scale beyond numbers", kD, R"({"fp16": {"initial_scale_power": 1e9}})",
            "fp16.initial_scale_power");
        row("batch that does not divide", kD,
            R"({"train_batch_size": 10, "train_micro_batch_size_per_gpu": 4, "gradient_accumulation_steps": 2})",
            "batch.global");
        row("no micro-batch", kD, R"({"train_micro_batch_size_per_gpu": 0})",
            "train_micro_batch_size_per_gpu");
        row("no argument", kM, "echo hello", "");
        row("variable", kM, "--tensor-model-parallel-size ${TP}", "--tensor-model-parallel-size");
        row("value missing", kM, "--num-layers --bf16", "--num-layers");
        row("value too much", kM, "--bf16 yes", "--bf16");
        row("chunks that do not divide", kM,
            "--num-layers 24 --pipeline-model-parallel-size 4 --num-layers-per-virtual-pipeline-stage 5",
            "--num-layers-per-virtual-pipeline-stage");
        row("ranks that do not divide", kM, "--nproc-per-node 8 --tensor-model-parallel-size 3", "layout");
        row("unknown sharding", kM, "--data-parallel-sharding-strategy all",
            "--data-parallel-sharding-strategy");
        row("no placement", kS, R"({"parameters": {"placement_strategy": "DDT"}})",
            "parameters.placement_strategy");
        row("no schedule", kS, R"({"pipeline": "1f1b"})", "pipeline");
        row("degree of nothing", kS, R"({"tensor_parallel_degree": 0})", "tensor_parallel_degree");
    }
    void namesWhatIsWrong()
    {
        QFETCH(int, tool);
        QFETCH(QByteArray, text);
        QFETCH(QString, path);
        const ImportedSpec imported = import(static_cast<ForeignTool>(tool), text.constData());
        QCOMPARE(static_cast<int>(imported.problems.size()), 1);
        QCOMPARE(QString::fromStdString(imported.problems.front().path), path);
        QVERIFY(!imported.problems.front().hint.empty());
    }

    /// Every beginning of a text ends in a specification or a problem.
    void survivesTornTexts()
    {
        for (const auto& [tool, text] : {std::pair{ForeignTool::DeepSpeed, std::string_view(kDeepSpeed)},
                                         {ForeignTool::Megatron, std::string_view(kMegatron)}}) {
            for (std::size_t length = 0; length < text.size(); ++length) {
                const ImportedSpec imported = importSettings(tool, text.substr(0, length), {});
                QVERIFY(tool == ForeignTool::Megatron || !imported.problems.empty());
            }
        }
    }

    void knowsItsTools()
    {
        for (const ForeignTool tool : {ForeignTool::DeepSpeed, ForeignTool::Megatron, ForeignTool::SageMaker})
            QVERIFY(foreignToolFromName(nameOf(tool)) == tool);
        QVERIFY(!foreignToolFromName("colossal"));
    }
};

QTEST_APPLESS_MAIN(TestForeignSettings)
#include "tst_foreign_settings.moc"
