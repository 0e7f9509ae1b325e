#include "app/designer/problem_list.h"

#include <QVBoxLayout>

#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/designer/spec_field.h"
#include "app/widgets/roles.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

namespace {

QLabel* makeText(const QString& text, const char* role)
{
    auto* label = makeParagraph(text, role);
    label->setTextInteractionFlags(Qt::TextSelectableByMouse);
    label->setContentsMargins(metrics::kHalf, 0, 0, 0);
    return label;
}

/// Formats each change by `pattern`, with the field's label and value as in the form.
QStringList settingsOf(const Remedy& remedy, const QString& pattern)
{
    QStringList settings;
    for (const FieldChange& change : remedy.changes) {
        QString value = QString::fromStdString(change.value).remove(QLatin1Char('"'));
        if (value == QLatin1String("true"))
            value = ProblemList::tr("yes");
        else if (value == QLatin1String("false"))
            value = ProblemList::tr("no");
        settings << pattern.arg(fieldLabel(QString::fromStdString(change.path)), value);
    }
    return settings;
}

/// "Set Micro-batch to 8, Recompute to full (12.3 GiB)".
QString remedySentence(const Remedy& remedy)
{
    const std::string need = remedy.text().substr(textOf(remedy.changes).size());
    return ProblemList::tr("Set %1").arg(
               settingsOf(remedy, ProblemList::tr("%1 to %2")).join(QStringLiteral(", "))) +
           QString::fromStdString(need);
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
    auto* link = makeButton(fieldLabel(path), "link");
    link->setToolTip(tr("Go to the field"));
    link->setAccessibleDescription(withFieldLabels(QString::fromStdString(problem.message)));
    connect(link, &QPushButton::clicked, this, [this, path] { emit problemChosen(path); });
    m_column->addWidget(link, 0, Qt::AlignLeft);
    m_column->addWidget(
        makeText(withFieldLabels(QString::fromStdString(problem.message + " — " + problem.hint)), "help"));
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
        // One change per line, because buttons are as narrow as the column.
        auto* button = makeButton(settingsOf(remedy, tr("%1: %2")).join(QLatin1Char('\n')));
        const int furtherLines = static_cast<int>(remedy.changes.size()) - 1;
        button->setMinimumHeight(metrics::kControlHeight +
                                 furtherLines * button->fontMetrics().lineSpacing());
        button->setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Fixed); // the tool tip has the full text
        button->setAccessibleName(remedySentence(remedy));
        button->setToolTip(remedySentence(remedy));
        connect(button, &QPushButton::clicked, this, [this, remedy] { emit remedyChosen(remedy); });
        m_column->addWidget(button);
    }
}

} // namespace trainyard
