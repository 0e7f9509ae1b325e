#include "app/trial/model/trial_model.h"

#include <QObject>

#include "app/base/display_text.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

namespace {

/// In any of its phases.
bool keepsBest(const RunSpec& run)
{
    for (int phase = 0; phase < phaseCount(run); ++phase) {
        if (specOfPhase(run, phase).evaluation.keepBest)
            return true;
    }
    return false;
}

} // namespace

bool canBeTried(const RunEntry& run)
{
    return run.isTraining && run.importedFrom.isEmpty() && !run.hosts.isEmpty();
}

TrialModel modelOf(const RunEntry& run)
{
    TrialModel model;
    model.host = run.hosts.value(0);
    model.path = run.id;
    model.name = oneLine(run.name);
    const ParsedSpec parsed = parseSpec(run.spec.toStdString());
    if (!run.spec.isEmpty()) {
        model.family = parsed.spec.model.family;
        model.task = parsed.spec.model.task.kind;
        model.keepsBest = keepsBest(parsed.spec);
    }
    return model;
}

QString whyNotTried(const TrialModel& model, const TrialText& text)
{
    if (model.path.isEmpty())
        return QObject::tr("Choose a model first: a run, or a folder.");
    if (text.text.trimmed().isEmpty())
        return model.answers() ? QObject::tr("Write a question first.") : QObject::tr("Write a text first.");
    if (model.answers() && text.pair.trimmed().isEmpty())
        return QObject::tr("Write the text in which %1 is to find the answer.").arg(model.name);
    const bool needsMask = model.isBert() && model.mayFillIn();
    if (needsMask && !text.text.contains(QLatin1String("[MASK]")))
        return QObject::tr("Put [MASK] where %1 is to fill in a word.").arg(model.name);
    return {};
}

TryOptions optionsFor(const TrialModel& model, const TrialText& text, TryOptions settings)
{
    settings.model = model.path.toStdString();
    settings.text = text.text.toStdString();
    if (model.mayTakePair())
        settings.pair = text.pair.trimmed().isEmpty() ? std::string() : text.pair.toStdString();
    settings.noAnswer = settings.noAnswer && model.mayAnswer();
    settings.step = model.step ? std::optional<std::int64_t>(*model.step) : std::nullopt;
    settings.best = model.best;
    settings.vocabulary = model.vocabulary.toStdString();
    settings.json = settings.stream = true;
    settings.ignoreUnused = true; // one form is for models of every kind, and a folder's kind is unknown
    return settings;
}

} // namespace trainyard
