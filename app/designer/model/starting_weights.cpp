#include "app/designer/model/starting_weights.h"

#include <string_view>

#include "app/plan/planned_weights.h"

namespace trainyard {

namespace {

bool haveTheSameAnswer(const RunSpec& a, const RunSpec& b)
{
    return a.init == b.init && a.model == b.model && a.optimizer == b.optimizer;
}

/// Errors of the folder begin with the field that names it.
Diagnostic problemOf(const Error& error)
{
    for (const std::string_view field : {"init.step", "init.path"}) {
        const std::string prefix = std::string(field) + ": ";
        if (error.message.starts_with(prefix))
            return {std::string(field), error.message.substr(prefix.size()), error.hint, error.kind};
    }
    return {"init.path", error.message, error.hint, error.kind};
}

QString sentenceOf(const QStringList& row)
{
    const QString label = row.value(0);
    const QString text = label.left(1).toUpper() + label.mid(1);
    const bool isVerb = label == QLatin1String("begins with");
    return (isVerb ? QStringLiteral("%1 %2") : QStringLiteral("%1: %2")).arg(text, row.value(1));
}

} // namespace

StartingWeights::StartingWeights(QObject* parent)
    : QObject(parent), m_job([this](const Answer& answer) { onAnswered(answer); })
{
}

void StartingWeights::setSpec(const RunSpec& spec)
{
    if (haveTheSameAnswer(spec, m_spec))
        return;
    m_spec = spec;
    refresh();
}

void StartingWeights::refresh()
{
    if (m_spec.init.isOn())
        return m_job.start([spec = m_spec](const LatestJob<Answer>::GoesOn&) { return look(spec); });
    m_job.cancel();
    onAnswered({});
}

StartingWeights::Answer StartingWeights::look(const RunSpec& spec)
{
    const auto compared = compareWeightsHere(spec);
    if (!compared.ok())
        return {{}, {problemOf(compared.error())}};
    Answer answer;
    for (const QStringList& row : weightRows(spec.init, *compared))
        answer.facts << sentenceOf(row);
    if (*compared)
        answer.problems = (*compared)->problems;
    return answer;
}

void StartingWeights::onAnswered(const Answer& answer)
{
    if (answer == m_answer)
        return;
    m_answer = answer;
    emit changed();
}

} // namespace trainyard
