#include "app/monitor/alert_list.h"

#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/workspace/tab_order.h"

namespace trainyard {

AlertList::AlertList(QWidget* parent) : QWidget(parent), m_column(new QVBoxLayout(this))
{
    m_column->setContentsMargins(0, 0, 0, 0);
    m_column->setSpacing(metrics::kGap);
    setAccessibleName(tr("Alerts"));
}

void AlertList::show(const QList<RaisedAlert>& alerts, RunState state, bool canAct, qint64 nowMs)
{
    // A card stays with its trouble, so that what one is about to press does not move to another one.
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
