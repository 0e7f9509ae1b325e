#include "app/designer/spec_field_makers.h"

#include <optional>

#include "engine/spec/presets.h"

namespace trainyard {

namespace {

/// Parses e.g. "3, 4, 4, 3"; empty if the text is not such a list.
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

/// Returns the preset with task and adapters of `spec`; with a data set, its tokenizer decides the vocabulary
/// size, so that of `spec` stays.
std::optional<ModelSpec> modelFor(const RunSpec& spec, const std::string& preset)
{
    auto model = modelPreset(preset);
    if (model) {
        model->task = spec.model.task;
        model->lora = spec.model.lora;
    }
    if (model && !spec.dataset.first().empty())
        model->vocabulary = spec.model.vocabulary;
    return model;
}

void specializePreset(SpecField& field)
{
    const QString own = fieldText("own values");
    field.effect += fieldText("; the vocabulary stays that of the data set, once one is chosen");
    field.kind = SpecField::Kind::Choice;
    field.choices << own;
    for (const std::string& name : modelPresetNames())
        field.choices << QString::fromStdString(name);
    field.get = [own](const RunSpec& spec) {
        const bool unchanged = modelFor(spec, spec.model.preset) == spec.model;
        return QVariant(unchanged ? QString::fromStdString(spec.model.preset) : own);
    };
    field.set = [](RunSpec& spec, const QVariant& value) {
        if (const auto model = modelFor(spec, value.toString().toStdString()))
            spec.model = *model;
        else
            spec.model.preset.clear();
    };
}

/// Sets the family together with the fields that depend on it.
void specializeFamily(SpecField& field)
{
    field.set = [](RunSpec& spec, const QVariant& value) {
        const auto family = enumFromName<ModelFamily>(value.toString().toStdString());
        if (family && *family != spec.model.family)
            spec.model.setFamily(*family);
    };
}

void specializeZeroStage(SpecField& field)
{
    field.kind = SpecField::Kind::Choice;
    field.choices = {fieldText("0: off"), fieldText("1: optimizer state"), fieldText("2: gradients as well"),
                     fieldText("3: weights as well")};
    field.get = [choices = field.choices](const RunSpec& spec) {
        return QVariant(choices[std::clamp(spec.memory.zeroStage, 0, 3)]);
    };
    field.set = [choices = field.choices](RunSpec& spec, const QVariant& value) {
        spec.memory.zeroStage = static_cast<int>(choices.indexOf(value.toString()));
    };
}

} // namespace

QString seedComplaint(const QString& text)
{
    bool ok = false;
    text.toULongLong(&ok);
    return ok ? QString() : fieldText("\"%1\" is not a whole number of at least 0, e.g. 42").arg(text);
}

QString listText(const std::vector<std::string>& texts)
{
    QStringList list;
    for (const std::string& text : texts)
        list << QString::fromStdString(text);
    return list.join(QStringLiteral(", "));
}

std::vector<std::string> listIn(const QString& text)
{
    std::vector<std::string> texts;
    for (const QString& part : text.split(QLatin1Char(','))) {
        if (const QString trimmed = part.trimmed(); !trimmed.isEmpty())
            texts.push_back(trimmed.toStdString());
    }
    return texts;
}

QString partitionText(const StagePartition& partition)
{
    if (partition.kind != PartitionKind::ByHand)
        return toQString(nameOf(partition.kind));
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

double formUnit(const FieldInfo& info)
{
    using namespace std::string_view_literals;
    for (const auto& [name, size] : {std::pair("MiB"sv, double(kMiB)),
                                     {"GiB"sv, double(kGiB)},
                                     {"seconds"sv, 1e3},
                                     {"minutes"sv, 6e4}}) {
        if (info.unit == name)
            return size;
    }
    return 1;
}

void specialize(SpecField& field)
{
    if (field.path == QLatin1String("model.preset"))
        specializePreset(field);
    else if (field.path == QLatin1String("model.family"))
        specializeFamily(field);
    else if (field.path == QLatin1String("memory.zero_stage"))
        specializeZeroStage(field);
}

} // namespace trainyard
