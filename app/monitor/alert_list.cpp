#include "app/monitor/alert_list.h"

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

AlertCard::AlertCard(QWidget* parent)
    : QFrame(parent)
    , m_shape(makeLabel({}, "heading", this))
    , m_text(makeParagraph({}, nullptr, this))
    , m_since(makeLabel({}, "help", this))
    , m_buttons(new QHBoxLayout)
{
    setRole(this, "strip");
    m_text->setTextInteractionFlags(Qt::TextSelectableByMouse);
    auto* texts = columnLayout(nullptr, 2);
    texts->addWidget(m_text);
    texts->addWidget(m_since);
    m_buttons->setSpacing(metrics::kGap);
    auto* row = rowLayout(this, metrics::kPanelPadding,
                          {metrics::kPanelPadding, metrics::kGap, metrics::kGap, metrics::kGap});
    row->addWidget(m_shape, 0, Qt::AlignTop);
    row->addLayout(texts, 1);
    row->addLayout(m_buttons);
}

void AlertCard::show(const RaisedAlert& raised, RunState state, bool canAct, qint64 nowMs)
{
    m_raised = raised;
    const Alert& alert = raised.alert;
    setStyleProperty(this, "tone", alert.severity == Severity::Error ? "bad" : "warning");
    m_shape->setText(QString(shapeOf(alert)));
    m_text->setText(alert.text);
    m_since->setText(tr("%1, seen %2").arg(titleOf(alert.kind), displayAge(raised.sinceMs, nowMs)));
    setAccessibleName(tr("Alert: %1").arg(alert.text));
    QList<AlertAction> actions = actionsFor(alert, state);
    actions.removeIf([canAct](AlertAction action) { return changesRun(action) && !canAct; });
    offer(actions);
}

void AlertCard::offer(const QList<AlertAction>& actions)
{
    if (actions == m_offered)
        return;
    m_offered = actions;
    while (QLayoutItem* item = m_buttons->takeAt(0)) {
        item->widget()->deleteLater();
        delete item;
    }
    for (const AlertAction action : actions) {
        QPushButton* button = makeButton(labelOf(action), nullptr, this);
        button->setToolTip(helpOf(action));
        connect(button, &QPushButton::clicked, this, [this, action] { emit wanted(action, m_raised.alert); });
        m_buttons->addWidget(button, 0, Qt::AlignVCenter);
    }
}

AlertList::AlertList(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(metrics::kGap);
    setAccessibleName(tr("Alerts"));
}

void AlertList::show(const QList<RaisedAlert>& alerts, RunState state, bool canAct, qint64 nowMs)
{
    // A card keeps its alert, so that a button does not change its meaning just before it is clicked.
    for (qsizetype i = m_cards.size() - 1; i >= 0; --i) {
        const bool stays = std::ranges::any_of(
            alerts, [&](const RaisedAlert& raised) { return raised.alert.isSameAs(m_cards[i]->alert()); });
        if (!stays)
            delete m_cards.takeAt(i);
    }
    for (qsizetype i = 0; i < alerts.size(); ++i) {
        if (i == m_cards.size() || !m_cards[i]->alert().isSameAs(alerts[i].alert)) {
            auto* card = new AlertCard;
            connect(card, &AlertCard::wanted, this, &AlertList::wanted);
            m_cards.insert(i, card);
            m_column->insertWidget(int(i), card);
        }
        m_cards[i]->show(alerts[i], state, canAct, nowMs);
    }
    reachAfter(*this, {m_cards.begin(), m_cards.end()});
}

} // namespace trainyard
