#include "app/shell/command_palette.h"

#include <QAction>
#include <QKeyEvent>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "app/models/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {
constexpr QSize kSize(480, 360);
constexpr int kTop = 72;
} // namespace

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window), m_filter(new QLineEdit), m_list(new QListWidget)
{
    setRole(this, "popup");
    setAccessibleName(tr("Commands"));
    m_filter->setPlaceholderText(tr("What do you want to do?"));
    m_filter->setAccessibleName(tr("Filter of commands"));
    m_filter->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kGap, metrics::kGap, metrics::kGap, metrics::kGap);
    column->addWidget(m_filter);
    column->addWidget(m_list, 1);
    connect(m_filter, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
    hide();
}

void CommandPalette::open(const QList<QAction*>& actions)
{
    m_actions = actions;
    m_filter->clear();
    fill({});
    setGeometry({{(parentWidget()->width() - kSize.width()) / 2, kTop}, kSize});
    show();
    raise();
    m_filter->setFocus();
}

void CommandPalette::fill(const QString& filter)
{
    m_list->clear();
    m_shown.clear();
    for (QAction* action : m_actions) {
        const QString text = action->text().remove(QLatin1Char('&'));
        if (!action->isEnabled() || !text.contains(filter.trimmed(), Qt::CaseInsensitive))
            continue;
        const QString keys = action->shortcut().toString(QKeySequence::NativeText);
        m_list->addItem(keys.isEmpty() ? text : QStringLiteral("%1    %2").arg(text, keys));
        m_shown << action;
    }
    m_list->setCurrentRow(0);
}

void CommandPalette::run()
{
    const int row = m_list->currentRow();
    hide();
    parentWidget()->setFocus();
    if (row >= 0 && row < m_shown.size())
        m_shown[row]->trigger();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event)
{
    if (event->type() == QEvent::FocusOut) {
        hide();
    } else if (event->type() == QEvent::KeyPress) {
        const int key = static_cast<QKeyEvent*>(event)->key();
        const int row = m_list->currentRow();
        if (key == Qt::Key_Escape)
            hide();
        else if (key == Qt::Key_Down)
            m_list->setCurrentRow(std::min(row + 1, m_list->count() - 1));
        else if (key == Qt::Key_Up)
            m_list->setCurrentRow(std::max(row - 1, 0));
        else if (key == Qt::Key_Return || key == Qt::Key_Enter)
            run();
        else
            return QFrame::eventFilter(watched, event);
        return true;
    }
    return QFrame::eventFilter(watched, event);
}

} // namespace trainyard
