#include "app/base/phase_label.h"

#include <QObject>

#include "app/base/display_text.h"
#include "engine/spec/phases/phases.h"

namespace trainyard {

namespace {

QString nameIn(const RunSpec& run, int phase)
{
    return run.phases.empty()
               ? QString()
               : oneLine(QString::fromStdString(run.phases.at(static_cast<std::size_t>(phase)).name));
}

} // namespace

QString phaseTitle(const RunSpec& run, int phase)
{
    if (run.phases.empty())
        return {};
    const QString title = QObject::tr("Phase %1 of %2").arg(phase + 1).arg(phaseCount(run));
    const QString name = nameIn(run, phase);
    return name.isEmpty() ? title : QObject::tr("%1: %2").arg(title, name);
}

QString phaseLabel(const RunSpec& run, int phase)
{
    const QString name = nameIn(run, phase);
    return name.isEmpty() ? QString::number(phase + 1)
                          : QStringLiteral("%1: %2").arg(QString::number(phase + 1), name);
}

} // namespace trainyard
