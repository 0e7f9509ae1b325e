#include "app/workspace/page.h"

#include <QAction>
#include <QCoreApplication>
#include <QKeySequence>

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

Page::Page(QString title, QString icon, QWidget* parent)
    : QWidget(parent), m_title(std::move(title)), m_icon(std::move(icon))
{
    setAccessibleName(m_title);
}

void Page::addWorkspaceActions(const QString& undo, const QKeySequence& undoKeys, const QString& redo,
                               const QKeySequence& redoKeys)
{
    for (const auto& [action, keys] : {std::pair{m_workspace.createUndoAction(this, undo), undoKeys},
                                       {m_workspace.createRedoAction(this, redo), redoKeys}}) {
        action->setShortcut(keys);
        action->setShortcutContext(Qt::WidgetWithChildrenShortcut);
        addAction(action);
    }
}

} // namespace trainyard
