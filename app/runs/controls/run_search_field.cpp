#include "app/runs/controls/run_search_field.h"

#include <QAction>
#include <QLabel>
#include <QToolTip>

#include "app/base/display_text.h"
#include "app/runs/run_list_model.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

RunSearchField::RunSearchField(RunFilter& runs, QWidget* parent)
    : QLineEdit(parent), m_runs(runs), m_problem(makeParagraph({}, "small", parent))
{
    setStyleProperty(m_problem, "tone", "bad");
    m_problem->hide();
    setPlaceholderText(tr("words, tag:paper, loss<2.5"));
    setAccessibleName(tr("Search runs"));
    setAccessibleDescription(RunQuery::help());
    setToolTip(RunQuery::help());
    setClearButtonEnabled(true);
    QAction* help = addAction(symbolIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    help->setToolTip(tr("Search help (F1)"));
    help->setShortcut(QKeySequence::HelpContents);
    help->setShortcutContext(Qt::WidgetShortcut);
    connect(this, &QLineEdit::textChanged, this, &RunSearchField::search);
    connect(help, &QAction::triggered, this, &RunSearchField::showHelp);
}

void RunSearchField::showHelp()
{
    QToolTip::showText(mapToGlobal(QPoint(0, height())), RunQuery::help(), this);
}

void RunSearchField::search(const QString& text)
{
    emit searching();
    m_runs.setSearch(text);
    const QString& problem = m_runs.search().problem();
    m_problem->setText(asSentence(problem));
    m_problem->setVisible(!problem.isEmpty());
    setStyleProperty(this, "invalid", !problem.isEmpty());
    setToolTip(problem.isEmpty() ? RunQuery::help() : problem + QStringLiteral("\n\n") + RunQuery::help());
    emit searched();
}

void RunSearchField::takeFocus()
{
    window()->activateWindow(); // a floating panel may have had the keys
    setFocus(Qt::ShortcutFocusReason);
    selectAll();
}

} // namespace trainyard
