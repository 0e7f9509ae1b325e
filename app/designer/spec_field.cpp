#include "app/designer/spec_field.h"

#include <algorithm>
#include <functional>
#include <iterator>

#include "app/base/display_text.h"
#include "app/designer/spec_field_makers.h"
#include "engine/spec/field_list.h"
#include "engine/spec/run_fields.h"

namespace trainyard {

namespace {

using Paths = std::vector<const char*>;

/// A section of the form. An object's path includes all its fields that no other entry names, so that a new
/// field gets a row.
struct SectionLayout {
    const char* title;
    bool advanced;
    Paths paths;
};

const Paths kEditedElsewhere{"cluster", "layout.data", "batch.micro", "batch.accumulation", "batch.global"};
const Paths kBatch{"batch"};

const std::vector<SectionLayout> kSections{
    {"Run", false, {"name", "model.preset", "launch.steps", "seed", "dataset"}},
    {"Parallelism",
     false,
     {"layout.tensor", "layout.sequence", "layout.context", "layout.expert", "layout.expert_placement",
      "layout.pipeline", "layout.schedule", "layout.virtual_stages", "layout.partition", "layout"}},
    {"Memory", false, {"memory.zero_stage", "layout.shard", "memory"}},
    {"Model",
     false,
     {"model.family", "model.layers", "model.hidden", "model.heads", "model.intermediate", "model.vocabulary",
      "model.max_positions"}},
    {"Precision and optimizer",
     false,
     {"precision", "optimizer.kind", "optimizer.learning_rate", "optimizer.schedule",
      "optimizer.warmup_steps", "optimizer.weight_decay", "optimizer.clip_norm"}},
    {"Starting weights", false, {"init"}},
    {"Task", false, {"task"}},
    {"Low-rank adapters", false, {"lora"}},
    {"Evaluation", false, {"evaluation"}},
    {"Checkpoints and launch", false, {"checkpoint", "launch"}},
    {"Fault tolerance", false, {"launch.restart"}},
    {"Launcher and Slurm",
     true,
     {"launch.launcher", "launch.mpi", "launch.network", "launch.ports", "launch.slurm"}},
    {"Model details",
     true,
     {"model.activation", "model.norm", "model.positions", "model.tied_head", "model.next_sentence",
      "model"}},
    {"Batch ramp", true, {"batch.ramp"}},
    {"Optimizer details", true, {"optimizer.beta1", "optimizer.beta2", "optimizer.epsilon", "optimizer"}},
    {"Loss scaling (float16)", true, {"precision.loss_scale"}}};

/// Makes a row for every field except those of nodes. `reach` returns the object: see makeRow().
template <typename Struct, typename Reach>
struct RowMaker {
    std::vector<SpecField>& rows;
    QString path; ///< of the object, with its dot
    Reach reach;

    template <typename Access>
    void operator()(const char* key, const Access& access, const FieldInfo& info)
    {
        using Member = Accessed<Struct, Access>;
        const auto inner = [ outer = reach, access ](auto& spec) -> auto&
        {
            return std::invoke(access, outer(spec));
        };
        if constexpr (Described<Member>) {
            RowMaker<Member, decltype(inner)> object{rows, path + QLatin1String(key) + QLatin1Char('.'),
                                                     inner};
            describe(object, Of<Member>());
        } else if constexpr (!DescribedList<Member>) {
            SpecField row{.path = path + QLatin1String(key),
                          .label = fieldText(info.label),
                          .unit = fieldText(info.unit),
                          .zero = fieldText(info.zero),
                          .effect = fieldText(info.help),
                          .source = QString::fromUtf8(info.source)};
            makeRow<Member>(row, info, inner);
            specialize(row);
            rows.push_back(std::move(row));
        }
    }
};

const std::vector<SpecField>& allRows()
{
    static const std::vector<SpecField> all = [] {
        std::vector<SpecField> rows;
        const auto whole = [](auto& spec) -> auto&
        {
            return spec;
        };
        RowMaker<RunSpec, decltype(whole)> maker{rows, {}, whole};
        describe(maker, Of<RunSpec>());
        return rows;
    }();
    return all;
}

/// Returns the longest listed path that is the field's or that of an enclosing object; empty if there is
/// none.
QString placeOf(const QString& field)
{
    QString place;
    const auto look = [&](const Paths& paths) {
        for (const char* entry : paths) {
            const QString path = QLatin1String(entry);
            if ((field == path || field.startsWith(path + QLatin1Char('.'))) && path.size() > place.size())
                place = path;
        }
    };
    look(kEditedElsewhere);
    look(kBatch);
    for (const SectionLayout& section : kSections)
        look(section.paths);
    return place;
}

std::vector<SpecField> rowsOf(const Paths& paths)
{
    std::vector<SpecField> rows;
    for (const char* path : paths) {
        for (const SpecField& row : allRows()) {
            if (placeOf(row.path) == QLatin1String(path))
                rows.push_back(row);
        }
    }
    return rows;
}

QString defaultOf(const SpecField& field)
{
    const QVariant value = field.get(RunSpec());
    const QString text =
        field.kind == SpecField::Kind::Integer ? displayCount(value.toInt()) : value.toString();
    if (text.isEmpty())
        return fieldText("empty");
    if (text == QLatin1String("0") && !field.zero.isEmpty())
        return field.zero;
    if (field.unit.isEmpty())
        return text;
    return text + QLatin1Char(' ') + displayUnit(text == QLatin1String("1") ? 1 : 0, field.unit);
}

} // namespace

QString SpecField::help() const
{
    QString text = fieldText("%1. Default: %2.").arg(withFieldLabels(effect), defaultOf(*this));
    if (!source.isEmpty())
        text += fieldText(" See %1.").arg(source);
    return text;
}

SpecField specField(const char* path)
{
    for (const SpecField& row : allRows()) {
        if (row.path == QLatin1String(path))
            return row;
    }
    TRAINYARD_CHECK_MSG(false, path);
}

QString nodeFieldHelp(const std::string& key)
{
    const auto& fields = fieldList();
    const auto field = std::ranges::find(fields, "cluster.nodes[]." + key, &ListedField::path);
    TRAINYARD_CHECK_MSG(field != fields.end(), key);
    const QString otherwise = QString::fromStdString(field->defaultJson).remove(QLatin1Char('"'));
    const QString help = fieldText(field->info.help);
    return otherwise.isEmpty() ? help + QLatin1Char('.') : fieldText("%1. Default: %2.").arg(help, otherwise);
}

std::vector<SpecField> batchFields()
{
    return rowsOf(kBatch);
}

std::vector<SpecField> fieldsOfPhase(int phase)
{
    std::vector<SpecField> rows;
    const QString path = QStringLiteral("phases[%1].").arg(phase);
    const auto reach = [at = static_cast<std::size_t>(phase)](auto& run) -> auto&
    {
        return run.phases.at(at);
    };
    RowMaker<PhaseSpec, decltype(reach)> maker{rows, path, reach};
    describe(maker, Of<PhaseSpec>());
    // Those of its sections are laid over the run's instead (phase_fields.h).
    std::erase_if(rows,
                  [&](const SpecField& row) { return row.path.indexOf(QLatin1Char('.'), path.size()) >= 0; });
    return rows;
}

std::vector<SpecField> fieldsOfMixedSet(int set)
{
    std::vector<SpecField> rows;
    const auto reach = [at = static_cast<std::size_t>(set)](auto& run) -> auto&
    {
        return run.dataset.mix.at(at);
    };
    RowMaker<MixedDataSet, decltype(reach)> maker{rows, QStringLiteral("dataset.mix[%1].").arg(set), reach};
    describe(maker, Of<MixedDataSet>());
    return rows;
}

std::vector<SpecField> fieldsOf(const QString& path)
{
    std::vector<SpecField> rows;
    std::ranges::copy_if(allRows(), std::back_inserter(rows),
                         [&](const SpecField& row) { return row.path.startsWith(path + QLatin1Char('.')); });
    return rows;
}

std::vector<SpecSection> specSections()
{
    std::vector<SpecSection> sections;
    for (const SectionLayout& section : kSections)
        sections.push_back({fieldText(section.title), section.advanced, rowsOf(section.paths)});
    return sections;
}

} // namespace trainyard
