#include "app/shell/command_palette.h"

#include <algorithm>

#include <QKeyEvent>
#include <QLabel>
#include <QLineEdit>
#include <QListWidget>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/delegates.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {
constexpr int kWidth = 480;
constexpr int kRows = 12;
constexpr qsizetype kMaxShown = 200; ///< of thousands of runs: more words narrow them
constexpr int kRowHeight = 3 * metrics::kGap;
constexpr int kTop = 72;

} // namespace

CommandPalette::CommandPalette(QWidget* window)
    : QFrame(window)
    , m_filter(new QLineEdit)
    , m_list(new QListWidget)
    , m_nothing(makeLabel(tr("No matching command."), "muted"))
{
    setRole(this, "popup");
    setAccessibleName(tr("Commands"));
    m_filter->setPlaceholderText(tr("Command, run, host or data set"));
    m_filter->setAccessibleName(tr("Filter of commands"));
    m_filter->installEventFilter(this);
    m_list->setAccessibleName(tr("Commands"));
    m_list->setFocusPolicy(Qt::NoFocus);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setItemDelegate(new DetailDelegate(m_list));
    m_nothing->setFixedHeight(kRowHeight);
    m_nothing->setIndent(metrics::kGap);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(metrics::kGap, metrics::kGap, metrics::kGap, metrics::kGap);
    column->addWidget(m_filter);
    column->addWidget(m_list);
    column->addWidget(m_nothing);
    connect(m_filter, &QLineEdit::textChanged, this, &CommandPalette::fill);
    connect(m_list, &QListWidget::itemClicked, this, &CommandPalette::run);
    hide();
}

void CommandPalette::open(const QList<Command>& commands)
{
    m_commands = withoutRepetition(commands);
    m_filter->clear();
    fill({});
    setFixedWidth(kWidth);
    move((parentWidget()->width() - kWidth) / 2, kTop);
    show();
    raise();
    m_filter->setFocus();
}

void CommandPalette::fill(const QString& filter)
{
    m_list->clear();
    m_shown.clear();
    const QStringList words = filter.split(QLatin1Char(' '), Qt::SkipEmptyParts);
    for (const Command& command : m_commands) {
        if ((command.isItem && words.isEmpty()) || !hasAllWords(command.name, words))
            continue;
        if (m_shown.size() == kMaxShown)
            break;
        auto* item = new QListWidgetItem(command.name, m_list);
        item->setData(DetailDelegate::kDetailRole, command.keys);
        m_shown << command;
    }
    m_list->setFixedHeight(std::min<int>(kRows, m_shown.size()) * kRowHeight);
    m_list->setVisible(!m_shown.isEmpty());
    m_nothing->setVisible(m_shown.isEmpty());
    m_list->setCurrentRow(0);
    adjustSize();
}

void CommandPalette::run()
{
    const int row = m_list->currentRow();
    hide();
    parentWidget()->setFocus();
    if (row >= 0 && row < m_shown.size())
        m_shown[row].run();
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
