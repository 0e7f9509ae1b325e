#include "app/cli/spec_input.h"

#include <QJsonObject>

#include "app/cli/console.h"
#include "engine/spec/remarks.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

SpecInput readSpecInput(const std::string& file, bool json)
{
    const auto checked = checkSpec(file);
    if (!checked.ok())
        return {{}, console::fail(checked.error())};
    if (!checked->diagnostics.empty())
        return {{}, failForProblems(file, checked->diagnostics, json)};
    warn(file, remarksOn(checked->spec));
    return {checked->spec, 0};
}

int failForProblems(const std::string& file, const Diagnostics& problems, bool json)
{
    if (json)
        console::print(QJsonDocument(QJsonObject{{"problems", toJson(problems)}}));
    for (const Diagnostic& problem : problems)
        console::fail(problem.error().in(file));
    return exitStatus(toError(problems).kind);
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
        array << QJsonObject{{"path", QString::fromStdString(diagnostic.path)},
                             {"message", QString::fromStdString(diagnostic.message)},
                             {"hint", QString::fromStdString(diagnostic.hint)}};
    return array;
}

} // namespace trainyard
