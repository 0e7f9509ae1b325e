#include "app/designer/phase_fields.h"

#include <optional>

#include "app/base/field_label.h"
#include "app/designer/model/batch_equation.h"
#include "engine/spec/phases/phase_edits.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

/// The editor of a phase that was just removed may still ask.
bool hasPhase(const RunSpec& run, int phase)
{
    return phase < static_cast<int>(run.phases.size());
}

RunSpec withPhase(RunSpec run, int phase)
{
    if (!hasPhase(run, phase))
        run.phases.resize(static_cast<std::size_t>(phase) + 1);
    return run;
}

/// The terms of the batch equation follow each other, as in the run's.
std::optional<BatchTerm> termOf(const QString& path)
{
    if (path == QLatin1String("batch.micro"))
        return BatchTerm::Micro;
    if (path == QLatin1String("batch.accumulation"))
        return BatchTerm::Accumulation;
    return path == QLatin1String("batch.global") ? std::optional(BatchTerm::Global) : std::nullopt;
}

PhaseField laidOver(SpecField field, int phase)
{
    const QString inherited = field.path;
    field.path = QStringLiteral("phases[%1].%2").arg(phase).arg(inherited);
    field.get = [phase, get = field.get](const RunSpec& run) {
        return get(hasPhase(run, phase) ? specOfPhase(run, phase) : run);
    };
    field.set = [phase, set = field.set, term = termOf(inherited)](RunSpec& run, const QVariant& value) {
        if (!hasPhase(run, phase))
            return;
        RunSpec wanted = specOfPhase(run, phase);
        if (term)
            setBatchTerm(wanted, *term, value.toInt());
        else
            set(wanted, value);
        overrideInPhase(run, phase, wanted);
    };
    return {std::move(field), inherited};
}

PhaseField ownField(SpecField field, int phase)
{
    const bool isSteps = field.path.endsWith(QLatin1String(".steps"));
    field.get = [phase, get = field.get](const RunSpec& run) { return get(withPhase(run, phase)); };
    field.set = [phase, isSteps, set = field.set](RunSpec& run, const QVariant& value) {
        if (!hasPhase(run, phase))
            return;
        if (isSteps)
            setPhaseSteps(run, phase, value.toInt());
        else
            set(run, value);
    };
    return {std::move(field), {}};
}

PhaseSection ownSection(int phase)
{
    PhaseSection section;
    for (const SpecField& field : fieldsOfPhase(phase)) {
        const bool isOfFirst = field.path.endsWith(QLatin1String("keep_optimizer")) && phase == 0;
        if (!isOfFirst) // there is no state before it
            section.fields.push_back(ownField(field, phase));
    }
    return section;
}

PhaseSection overrides(const QString& title, const QStringList& paths, int phase)
{
    PhaseSection section{title, {}};
    for (const QString& path : paths) {
        for (const SpecField& field : fieldsOf(path))
            section.fields.push_back(laidOver(field, phase));
    }
    return section;
}

} // namespace

QStringList inheritedWith(const QString& field)
{
    if (field.startsWith(QLatin1String("dataset.")))
        return {QStringLiteral("dataset.path"), QStringLiteral("dataset.mix")};
    if (!termOf(field))
        return {field};
    return {QStringLiteral("batch.micro"), QStringLiteral("batch.accumulation"),
            QStringLiteral("batch.global")};
}

std::vector<PhaseSection> phaseSections(int phase)
{
    return {ownSection(phase),
            overrides(fieldText("Data set and batch"), {QStringLiteral("dataset"), QStringLiteral("batch")},
                      phase),
            overrides(fieldText("Optimizer"), {QStringLiteral("optimizer")}, phase),
            overrides(fieldText("Memory"), {QStringLiteral("memory")}, phase),
            overrides(fieldText("Evaluation"), {QStringLiteral("evaluation")}, phase)};
}

} // namespace trainyard
