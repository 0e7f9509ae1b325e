#include "app/history/group_bar.h"

#include <QComboBox>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kFixedChoices = 3;

QComboBox* makeChoice(const QString& name, const QString& help, const QStringList& entries)
{
    auto* choice = new ChoiceBox;
    choice->addItems(entries);
    choice->setAccessibleName(name);
    choice->setAccessibleDescription(help);
    choice->setToolTip(help);
    return choice;
}

} // namespace

GroupBar::GroupBar(QWidget* parent)
    : QWidget(parent)
    , m_by(makeChoice(tr("Group by"),
                      tr("Which runs share one curve. Repetitions are runs whose specifications differ only "
                         "in the seed."),
                      {tr("no grouping"), tr("repetitions"), tr("tag")}))
    , m_middle(
          makeChoice(tr("Average"), tr("How the runs of a group are averaged"), {tr("mean"), tr("median")}))
    , m_spread(makeChoice(
          tr("Spread"),
          tr("Band around a group's curve; 95 % confidence is the interval of the mean by Student's t"),
          {tr("no band"), tr("min–max"), tr("standard deviation"), tr("standard error"),
           tr("95 % confidence")}))
{
    m_spread->setCurrentIndex(int(Spread::MinMax));
    m_by->setObjectName(QStringLiteral("groupBy"));
    m_spread->setObjectName(QStringLiteral("groupSpread"));
    auto* row = rowLayout(this);
    row->addWidget(makeLabel(tr("Group by"), "muted"));
    row->addWidget(m_by, 2);
    row->addWidget(m_middle, 1);
    row->addWidget(m_spread, 1);
    row->addStretch(2);
    for (QComboBox* choice : {m_by, m_middle, m_spread}) {
        connect(choice, &QComboBox::activated, this, [this] {
            showAggregation();
            emit changed();
        });
    }
    showAggregation();
}

void GroupBar::showAggregation()
{
    const bool groups = grouping().by != Grouping::By::Nothing;
    m_middle->setEnabled(groups);
    m_spread->setEnabled(groups);
}

Grouping GroupBar::grouping() const
{
    const int chosen = m_by->currentIndex();
    return chosen < kFixedChoices ? Grouping{Grouping::By(chosen)}
                                  : Grouping{Grouping::By::Field, m_by->currentData().toString()};
}

Aggregation GroupBar::aggregation() const
{
    return {Middle(m_middle->currentIndex()), Spread(m_spread->currentIndex())};
}

void GroupBar::setFields(const QStringList& fields)
{
    QStringList known;
    for (int i = kFixedChoices; i < m_by->count(); ++i)
        known.append(m_by->itemData(i).toString());
    if (known == fields)
        return;
    const Grouping before = grouping();
    while (m_by->count() > kFixedChoices)
        m_by->removeItem(m_by->count() - 1);
    for (const QString& field : fields)
        m_by->addItem(oneLine(field), field);
    const int again = before.by == Grouping::By::Field ? m_by->findData(before.field) : int(before.by);
    m_by->setCurrentIndex(std::max(0, again));
    showAggregation();
}

} // namespace trainyard
