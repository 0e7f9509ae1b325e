#include "app/designer/problem_list.h"

#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

namespace {

QLabel* makeText(const QString& text, const char* role)
{
    auto* label = makeLabel(text, role);
    label->setWordWrap(true);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(metrics::kHalf, 0, 0, 0);
    return label;
}

/// One change a line: buttons are as narrow as the column.
QString buttonText(const Remedy& remedy)
{
    QStringList lines;
    for (const FieldChange& change : remedy.changes)
        lines << QString::fromStdString(change.path + " " + change.value);
    return lines.join(QLatin1Char('\n'));
}

} // namespace

ProblemList::ProblemList(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    setRole(this, "form");
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(metrics::kHalf);
}

void ProblemList::setProblems(const std::vector<ExplainedProblem>& problems)
{
    clear();
    for (const ExplainedProblem& explained : problems)
        add(explained);
    m_column->addStretch(1);
    reachAfter(*this, {this});
}

void ProblemList::clear()
{
    while (QLayoutItem* item = m_column->takeAt(0)) {
        if (item->widget()) {
            item->widget()->hide();
            item->widget()->deleteLater(); // may be the sender
        }
        delete item;
    }
}

void ProblemList::add(const ExplainedProblem& explained)
{
    const Diagnostic& problem = explained.problem;
    const QString path = QString::fromStdString(problem.path);
    auto* link = makeButton(path, "link");
    link->setToolTip(tr("Go to the field"));
    link->setAccessibleDescription(QString::fromStdString(problem.message));
    connect(link, &QPushButton::clicked, this, [this, path] { emit problemChosen(path); });
    m_column->addWidget(link, 0, Qt::AlignLeft);
    m_column->addWidget(makeText(QString::fromStdString(problem.message + " — " + problem.hint), "help"));
    if (!problem.equation.empty())
        m_column->addWidget(makeText(QString::fromStdString(problem.equation), "mono"));
    addRemedies(explained.remedies);
    m_column->addSpacing(metrics::kHalf);
}

void ProblemList::addRemedies(const std::vector<Remedy>& remedies)
{
    if (!remedies.empty())
        m_column->addWidget(makeText(tr("Closest valid settings:"), "muted"));
    for (const Remedy& remedy : remedies) {
        auto* button = makeButton(buttonText(remedy));
        const int furtherLines = static_cast<int>(remedy.changes.size()) - 1;
        button->setMinimumHeight(metrics::kControlHeight +
                                 furtherLines * button->fontMetrics().lineSpacing());
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // the tool tip has all of it
        button->setAccessibleName(tr("Set %1").arg(QString::fromStdString(remedy.text())));
        button->setToolTip(tr("Set %1").arg(QString::fromStdString(remedy.text())));
        connect(button, &QPushButton::clicked, this, [this, remedy] { emit remedyChosen(remedy); });
        m_column->addWidget(button);
    }
}

} // namespace trainyard
