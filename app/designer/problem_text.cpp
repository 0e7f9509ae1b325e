#include "app/designer/problem_text.h"

#include <algorithm>

#include "app/base/field_label.h"

namespace trainyard {

QString sentenceOf(const Diagnostic& problem)
{
    return withFieldLabels(QString::fromStdString(
        problem.hint.empty() ? problem.message : problem.message + " — " + problem.hint));
}

QString problemAt(const Diagnostics& problems, const QString& path)
{
    const auto found = std::ranges::find(problems, path.toStdString(), &Diagnostic::path);
    return found == problems.end() ? QString() : sentenceOf(*found);
}

} // namespace trainyard
