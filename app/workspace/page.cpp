#include "app/workspace/page.h"

#include <QAction>
#include <QKeySequence>

namespace trainyard {

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
