#include "app/designer/special_fields.h"

#include <algorithm>
#include <cmath>

#include "app/designer/spec_field_makers.h"
#include "engine/spec/presets.h"

namespace trainyard {

namespace {

QString seedComplaint(const QString& text)
{
    bool ok = false;
    text.toULongLong(&ok);
    return ok ? QString() : fieldText("\"%1\" is not a whole number of at least 0, e.g. 42").arg(text);
}

/// "3, 4, 4, 3"; empty when it is no such list.
std::vector<int> layerCountsIn(const QString& text)
{
    std::vector<int> counts;
    for (const QString& part : text.split(QLatin1Char(','))) {
        bool ok = false;
        counts.push_back(part.trimmed().toInt(&ok));
        if (!ok || counts.back() < 0)
            return {};
    }
    return counts;
}

QString partitionText(const StagePartition& partition)
{
    if (partition.kind != PartitionKind::ByHand)
        return shownName(partition.kind);
    QStringList counts;
    for (const int count : partition.layerCounts)
        counts << QString::number(count);
    return counts.join(QStringLiteral(", "));
}

QString partitionComplaint(const QString& text)
{
    if (enumFromName<PartitionKind>(text.trimmed().toStdString()) || !layerCountsIn(text).empty())
        return {};
    return fieldText("write %1, or the layers of each stage, e.g. 3, 4, 4, 3")
        .arg(namesOf<PartitionKind>().join(QStringLiteral(", ")));
}

StagePartition partitionIn(const QString& text)
{
    if (const auto kind = enumFromName<PartitionKind>(text.trimmed().toStdString()))
        return {*kind, {}};
    return {PartitionKind::ByHand, layerCountsIn(text)};
}

constexpr std::chrono::milliseconds kSecond{1'000};
constexpr std::chrono::milliseconds kMinute{60'000};

/// A duration, shown as a number of `unit`.
template <typename Reach>
SpecField durationField(const FieldWords& words, std::chrono::milliseconds unit, Reach reach)
{
    SpecField field = plainField(words, SpecField::Kind::Real);
    field.get = [unit, reach](const RunSpec& spec) {
        return QVariant(static_cast<double>(reach(spec).count()) / static_cast<double>(unit.count()));
    };
    field.set = [unit, reach](RunSpec& spec, const QVariant& value) {
        const double shown = std::max(0.0, value.toDouble());
        reach(spec) = std::chrono::milliseconds(std::llround(shown * static_cast<double>(unit.count())));
    };
    return field;
}

/// A data set's tokenizer decides its vocabulary, whatever model reads it.
std::optional<ModelSpec> modelWithVocabularyOf(const RunSpec& spec, const std::string& preset)
{
    auto model = modelPreset(preset);
    if (model && !spec.dataset.path.empty())
        model->vocabulary = spec.model.vocabulary;
    return model;
}

} // namespace

SpecField presetField()
{
    const QString own = fieldText("own values");
    SpecField field = plainField(
        {"model.preset", "Preset",
         "Fills in the shape of a known model; every value can be changed after that. The vocabulary "
         "stays that of the data set, once one is chosen"},
        SpecField::Kind::Choice);
    field.choices << own;
    for (const std::string& name : modelPresetNames())
        field.choices << QString::fromStdString(name);
    field.get = [own](const RunSpec& spec) {
        const bool unchanged = modelWithVocabularyOf(spec, spec.model.preset) == spec.model;
        return QVariant(unchanged ? QString::fromStdString(spec.model.preset) : own);
    };
    field.set = [](RunSpec& spec, const QVariant& value) {
        if (const auto model = modelWithVocabularyOf(spec, value.toString().toStdString()))
            spec.model = *model;
        else
            spec.model.preset.clear();
    };
    return field;
}

SpecField familyField()
{
    SpecField field = choiceField<ModelFamily>(
        {"model.family", "Family",
         "An encoder (BERT) or a decoder (GPT); also sets activation, norm, token types and heads", "",
         "Devlin et al., arXiv:1810.04805; Brown et al., arXiv:2005.14165"},
        [](auto& spec) -> auto& { return spec.model.family; });
    field.set = [](RunSpec& spec, const QVariant& value) {
        const auto family = enumFromName<ModelFamily>(value.toString().toStdString());
        if (family && *family != spec.model.family)
            spec.model.setFamily(*family);
    };
    return field;
}

SpecField seedField()
{
    SpecField field = plainField(
        {"seed", "Seed", "Initial weights, dropout and data order follow from it, in every layout"},
        SpecField::Kind::Text);
    field.get = [](const RunSpec& spec) { return QVariant(QString::number(spec.seed)); };
    field.set = [](RunSpec& spec, const QVariant& value) { spec.seed = value.toString().toULongLong(); };
    field.complaint = seedComplaint;
    return field;
}

SpecField placementField()
{
    SpecField field = plainField({"layout.placement", "Placement",
                                  "Which ranks are neighbours: the right-most letter varies fastest; cluster "
                                  "is DPT, spread is TPD"},
                                 SpecField::Kind::Choice);
    for (const char* order : {"cluster", "spread", "DPT", "DTP", "PDT", "PTD", "TDP", "TPD"})
        field.choices << QLatin1String(order);
    field.get = [](const RunSpec& spec) { return QVariant(QString::fromStdString(spec.layout.placement)); };
    field.set = [](RunSpec& spec, const QVariant& value) {
        spec.layout.placement = value.toString().toStdString();
    };
    return field;
}

SpecField partitionField()
{
    SpecField field = plainField({"layout.partition", "Stages equal in",
                                  "layers, parameters or cost; or the layers of each stage, e.g. 3, 4, 4, 3"},
                                 SpecField::Kind::Text);
    field.get = [](const RunSpec& spec) { return QVariant(partitionText(spec.layout.partition)); };
    field.set = [](RunSpec& spec, const QVariant& value) {
        spec.layout.partition = partitionIn(value.toString());
    };
    field.complaint = partitionComplaint;
    return field;
}

SpecField zeroStageField()
{
    SpecField field = plainField({"memory.zero_stage", "ZeRO stage",
                                  "What the data-parallel ranks share instead of each holding all of it", "",
                                  "Rajbhandari et al., arXiv:1910.02054"},
                                 SpecField::Kind::Choice);
    field.choices = {fieldText("0: nothing"), fieldText("1: optimizer state"),
                     fieldText("2: gradients as well"), fieldText("3: weights as well")};
    field.get = [choices = field.choices](const RunSpec& spec) {
        return QVariant(choices[std::clamp(spec.memory.zeroStage, 0, 3)]);
    };
    field.set = [choices = field.choices](RunSpec& spec, const QVariant& value) {
        spec.memory.zeroStage = static_cast<int>(choices.indexOf(value.toString()));
    };
    return field;
}

SpecField bucketSizeField()
{
    SpecField field =
        plainField({"layout.bucket_size", "Bucket, in MiB",
                    "Gradients are reduced in buckets of about this size, while the backward pass "
                    "goes on",
                    "", "Li et al., arXiv:2006.15704"},
                   SpecField::Kind::Real);
    field.get = [](const RunSpec& spec) {
        return QVariant(static_cast<double>(spec.layout.bucketSize) / static_cast<double>(kMiB));
    };
    field.set = [](RunSpec& spec, const QVariant& value) {
        spec.layout.bucketSize =
            static_cast<Bytes>(std::max(0.0, value.toDouble()) * static_cast<double>(kMiB));
    };
    return field;
}

SpecField gracePeriodField()
{
    return durationField(
        {"launch.grace_period", "Grace, in seconds", "Between asking a run to stop and killing it"}, kSecond,
        [](auto& spec) -> auto& { return spec.launch.gracePeriod; });
}

SpecField timeLimitField()
{
    return durationField(
        {"launch.slurm.time_limit", "Limit, in minutes",
         "Of the job's time, in whole minutes; 0 = the partition's"},
        kMinute, [](auto& spec) -> auto& { return spec.launch.slurm.timeLimit; });
}

SpecField warningField()
{
    return durationField(
        {"launch.slurm.warning", "Warning, in seconds",
         "So long before its time limit the run keeps a checkpoint and stops"},
        kSecond, [](auto& spec) -> auto& { return spec.launch.slurm.warning; });
}

SpecField backoffField()
{
    return durationField(
        {"launch.restart.backoff", "Waits, in seconds",
         "Before the first restart; doubles with each, up to 5 minutes"},
        kSecond, [](auto& spec) -> auto& { return spec.launch.restart.backoff; });
}

} // namespace trainyard
