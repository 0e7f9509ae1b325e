#include "app/designer/spec_field.h"

#include <QCoreApplication>

#include "engine/spec/names.h"
#include "engine/spec/presets.h"

namespace trainyard {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("SpecField", text);
}

/// Reaches one member of the specification: `[](auto& spec) -> auto& { return spec.model.layers; }`.
template <typename Reach>
SpecField integer(const char* path, const char* label, const char* unit, const char* help, Reach reach)
{
    return {QLatin1String(path),
            tr(label),
            unit[0] ? tr(unit) : QString(),
            tr(help),
            SpecField::Kind::Integer,
            {},
            [reach](const RunSpec& spec) { return QVariant(static_cast<int>(reach(spec))); },
            [reach](RunSpec& spec, const QVariant& value) { reach(spec) = value.toInt(); }};
}

template <typename Reach>
SpecField real(const char* path, const char* label, const char* help, Reach reach)
{
    return {QLatin1String(path),
            tr(label),
            {},
            tr(help),
            SpecField::Kind::Real,
            {},
            [reach](const RunSpec& spec) { return QVariant(reach(spec)); },
            [reach](RunSpec& spec, const QVariant& value) { reach(spec) = value.toDouble(); }};
}

template <typename Reach>
SpecField text(const char* path, const char* label, const char* help, Reach reach)
{
    return {QLatin1String(path),
            tr(label),
            {},
            tr(help),
            SpecField::Kind::Text,
            {},
            [reach](const RunSpec& spec) { return QVariant(QString::fromStdString(reach(spec))); },
            [reach](RunSpec& spec, const QVariant& value) { reach(spec) = value.toString().toStdString(); }};
}

template <typename Enum, typename Reach>
SpecField choice(const char* path, const char* label, const char* help, Reach reach)
{
    const auto names = acceptedNames<Enum>();
    return {QLatin1String(path),
            tr(label),
            {},
            tr(help),
            SpecField::Kind::Choice,
            QString::fromUtf8(names.data(), static_cast<qsizetype>(names.size())).split(QStringLiteral(", ")),
            [reach](const RunSpec& spec) {
                const auto name = nameOf(reach(spec));
                return QVariant(QString::fromUtf8(name.data(), static_cast<qsizetype>(name.size())));
            },
            [reach](RunSpec& spec, const QVariant& value) {
                reach(spec) = enumFromName<Enum>(value.toString().toStdString()).value_or(reach(spec));
            }};
}

#define MEMBER(path)                                                                                         \
    [](auto& spec) -> auto&                                                                                  \
    {                                                                                                        \
        return spec.path;                                                                                    \
    }

SpecField presetField()
{
    SpecField field;
    field.path = QStringLiteral("model.preset");
    field.label = tr("Preset");
    field.help = tr("Fills in the shape of a known model; every value can be changed after that");
    field.kind = SpecField::Kind::Choice;
    field.choices << tr("own values");
    for (const std::string& name : modelPresetNames())
        field.choices << QString::fromStdString(name);
    field.get = [](const RunSpec& spec) {
        const bool unchanged = modelPreset(spec.model.preset) == spec.model;
        return QVariant(unchanged ? QString::fromStdString(spec.model.preset) : tr("own values"));
    };
    field.set = [](RunSpec& spec, const QVariant& value) {
        if (const auto model = modelPreset(value.toString().toStdString()))
            spec.model = *model;
        else
            spec.model.preset.clear();
    };
    return field;
}

QString seedComplaint(const QString& text)
{
    bool ok = false;
    text.toULongLong(&ok);
    return ok ? QString() : tr("\"%1\" is not a whole number of at least 0, e.g. 42").arg(text);
}

SpecField seedField()
{
    return {QStringLiteral("seed"),
            tr("Seed"),
            {},
            tr("Initial weights, dropout and data order follow from it, in every layout"),
            SpecField::Kind::Text,
            {},
            [](const RunSpec& spec) { return QVariant(QString::number(spec.seed)); },
            [](RunSpec& spec, const QVariant& value) { spec.seed = value.toString().toULongLong(); },
            seedComplaint};
}

SpecSection runSection()
{
    return {
        tr("Run"),
        false,
        {text("name", "Name", "Becomes part of the run's id: letters, digits, '.', '_' and '-'",
              MEMBER(name)),
         integer("launch.steps", "Steps", "steps", "Optimizer steps of the whole run", MEMBER(launch.steps)),
         seedField(),
         text("dataset.path", "Data set", "Folder with manifest.json, as every host sees it",
              MEMBER(dataset.path))}};
}

SpecSection modelSection()
{
    return {tr("Model"),
            false,
            {presetField(), integer("model.layers", "Layers", "", "Transformer layers", MEMBER(model.layers)),
             integer("model.hidden", "Hidden size", "", "Width of the hidden states; a multiple of the heads",
                     MEMBER(model.hidden)),
             integer("model.heads", "Attention heads", "", "Each is hidden size / heads wide",
                     MEMBER(model.heads)),
             integer("model.intermediate", "Feed-forward", "",
                     "Width inside the feed-forward layer; often 4 × hidden", MEMBER(model.intermediate)),
             integer("model.vocabulary", "Vocabulary", "", "Entries of the tokenizer's vocabulary",
                     MEMBER(model.vocabulary)),
             integer("model.max_positions", "Positions", "", "Longest sequence that the model can read",
                     MEMBER(model.maxPositions))}};
}

SpecSection optimizerSection()
{
    return {tr("Precision and optimizer"),
            false,
            {choice<ComputeType>("precision.compute", "Compute type",
                                 "Of the forward and backward pass; master weights stay float32",
                                 MEMBER(precision.compute)),
             choice<OptimizerKind>("optimizer.kind", "Optimizer",
                                   "LAMB and LANS for very large batches, AdamW otherwise",
                                   MEMBER(optimizer.kind)),
             real("optimizer.learning_rate", "Learning rate", "Peak, reached after the warm-up",
                  MEMBER(optimizer.learningRate)),
             choice<ScheduleKind>("optimizer.schedule", "Schedule", "How the rate falls after the warm-up",
                                  MEMBER(optimizer.schedule)),
             integer("optimizer.warmup_steps", "Warm-up", "steps",
                     "The rate rises linearly from 0 over these steps", MEMBER(optimizer.warmupSteps)),
             real("optimizer.weight_decay", "Weight decay", "Not applied to biases and layer norms",
                  MEMBER(optimizer.weightDecay)),
             real("optimizer.clip_norm", "Clip norm", "Global gradient norm; 0 = no clipping",
                  MEMBER(optimizer.clipNorm))}};
}

SpecSection checkpointSection()
{
    return {tr("Checkpoints and launch"),
            false,
            {integer("checkpoint.every_steps", "Every", "steps", "0 = only at the end",
                     MEMBER(checkpoint.everySteps)),
             integer("checkpoint.keep_last", "Keep", "checkpoints",
                     "Older ones go after a newer one is published", MEMBER(checkpoint.keepLast)),
             integer("checkpoint.keep_every", "For good", "steps",
                     "Checkpoints of every so many steps stay; 0 = none", MEMBER(checkpoint.keepEvery)),
             integer("launch.threads_per_rank", "Threads", "per rank", "Compute threads of each rank",
                     MEMBER(launch.threadsPerRank))}};
}

SpecSection advancedSection()
{
    return {tr("Advanced"),
            true,
            {real("model.dropout", "Dropout", "Share of hidden elements", MEMBER(model.dropout)),
             real("model.attention_dropout", "Attention dropout", "Share of attention probabilities",
                  MEMBER(model.attentionDropout)),
             real("optimizer.beta1", "Beta 1", "Decay of the first moment", MEMBER(optimizer.beta1)),
             real("optimizer.beta2", "Beta 2", "Decay of the second moment", MEMBER(optimizer.beta2)),
             real("optimizer.momentum", "Momentum", "Of SGD; 0 = without", MEMBER(optimizer.momentum)),
             real("precision.loss_scale.initial", "Loss scale", "Of the first step with float16",
                  MEMBER(precision.lossScale.initial)),
             real("optimizer.epsilon", "Epsilon", "Added to the root of the second moment",
                  MEMBER(optimizer.epsilon)),
             real("optimizer.decay_power", "Decay power", "Of the polynomial schedule",
                  MEMBER(optimizer.decayPower)),
             real("model.initializer_range", "Initial range", "Standard deviation of the initial weights",
                  MEMBER(model.initializerRange))}};
}

#undef MEMBER

} // namespace

std::vector<SpecSection> specSections()
{
    return {runSection(), modelSection(), optimizerSection(), checkpointSection(), advancedSection()};
}

} // namespace trainyard
