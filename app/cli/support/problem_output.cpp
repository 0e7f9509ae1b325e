#include "app/cli/support/problem_output.h"

#include <QJsonObject>

#include "app/cli/support/console.h"

namespace trainyard {

namespace {

QString textOf(const std::string& text)
{
    return QString::fromStdString(text);
}

QJsonObject toJson(const Diagnostic& diagnostic)
{
    QJsonObject json{{"path", textOf(diagnostic.path)},
                     {"message", textOf(diagnostic.message)},
                     {"hint", textOf(diagnostic.hint)}};
    if (!diagnostic.equation.empty())
        json["equation"] = textOf(diagnostic.equation);
    return json;
}

/// {"changes": {"layout.tensor": 2}}: what to write where; for memory with what a rank needs then, in bytes.
QJsonObject toJson(const Remedy& remedy)
{
    QJsonObject changes;
    for (const FieldChange& change : remedy.changes) {
        const QByteArray list = "[" + QByteArray::fromStdString(change.value) + "]";
        changes[textOf(change.path)] = QJsonDocument::fromJson(list).array().first();
    }
    QJsonObject json{{"changes", changes}};
    if (remedy.need) {
        json["memory_per_rank"] = static_cast<qint64>(remedy.need->onDevice);
        json["host_memory_per_rank"] = static_cast<qint64>(remedy.need->onHost);
    }
    return json;
}

} // namespace

QJsonArray toJson(const std::vector<ExplainedProblem>& problems)
{
    QJsonArray array;
    for (const ExplainedProblem& explained : problems) {
        QJsonArray nearest;
        for (const Remedy& remedy : explained.remedies)
            nearest << toJson(remedy);
        QJsonObject json = toJson(explained.problem);
        json["nearest"] = nearest;
        array << json;
    }
    return array;
}

namespace {

void print(const std::string& file, const ExplainedProblem& explained)
{
    console::fail(explained.problem.error().in(file));
    if (!explained.problem.equation.empty())
        console::note("  " + textOf(explained.problem.equation));
    QStringList nearest;
    for (const Remedy& remedy : explained.remedies)
        nearest << textOf(remedy.text());
    if (!nearest.isEmpty())
        console::note("  closest valid settings: " + nearest.join(" | "));
}

} // namespace

int failForProblems(const std::string& file, const std::vector<ExplainedProblem>& problems, bool json)
{
    if (json)
        console::print(QJsonDocument(QJsonObject{{"problems", toJson(problems)}}));
    Diagnostics diagnostics;
    for (const ExplainedProblem& explained : problems) {
        print(file, explained);
        diagnostics.push_back(explained.problem);
    }
    return exitStatus(toError(diagnostics).kind);
}

int failForProblems(const std::string& file, const Diagnostics& problems, bool json)
{
    std::vector<ExplainedProblem> unexplained;
    for (const Diagnostic& problem : problems)
        unexplained.push_back({problem, {}});
    return failForProblems(file, unexplained, json);
}

void warn(const std::string& file, const Diagnostics& remarks)
{
    for (const Diagnostic& remark : remarks)
        console::warn(QString::fromStdString(file + ": " + remark.text()));
}

QJsonArray toJson(const Diagnostics& diagnostics)
{
    QJsonArray array;
    for (const Diagnostic& diagnostic : diagnostics)
        array << toJson(diagnostic);
    return array;
}

} // namespace trainyard
