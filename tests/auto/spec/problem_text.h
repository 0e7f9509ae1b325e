#pragma once

#include <QString>
#include <QStringList>

#include "engine/spec/run_spec.h"
#include "engine/spec/validate.h"

namespace trainyard {

/// A specification without problems.
inline RunSpec validSpec()
{
    RunSpec spec;
    spec.dataset.path = "/data/wiki";
    return spec;
}

/// One line "path: message | hint" each; empty without any.
inline QString print(const Diagnostics& diagnostics)
{
    QStringList lines;
    for (const Diagnostic& diagnostic : diagnostics)
        lines << QString::fromStdString(diagnostic.path + ": " + diagnostic.message + " | " +
                                        diagnostic.hint);
    return lines.join('\n');
}

/// The same lines as a user reads them.
inline QString textOf(const Diagnostics& problems)
{
    QStringList lines;
    for (const Diagnostic& problem : problems)
        lines << QString::fromStdString(problem.text());
    return lines.join('\n');
}

} // namespace trainyard
