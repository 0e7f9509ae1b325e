#include "app/workspace/key_hint.h"

#include <QAction>
#include <QCoreApplication>

namespace trainyard {

namespace {

QString tr(const char* text)
{
    return QCoreApplication::translate("trainyard::KeyHint", text);
}

} // namespace

QList<KeyHint> keyHintsOf(const QList<QAction*>& actions)
{
    QList<KeyHint> hints;
    for (const QAction* action : actions) {
        if (!action->shortcut().isEmpty())
            hints << KeyHint{action->shortcut().toString(QKeySequence::NativeText),
                             action->text().remove(QLatin1Char('&'))};
    }
    return hints;
}

QList<KeyHint> chartKeyHints()
{
    return {{QStringLiteral("X"), tr("Logarithmic horizontal axis")},
            {QStringLiteral("L"), tr("Logarithmic vertical axis")},
            {QStringLiteral("O"), tr("Hide outliers")},
            {QStringLiteral("S"), tr("Smoothing off and on")},
            {tr("Left Right"), tr("Move the cursor of the chart in focus")},
            {QStringLiteral("P"), tr("Pin the values at the cursor")},
            {QStringLiteral("+ - 0"), tr("Zoom in, zoom out, show all")}};
}

} // namespace trainyard
