#include "app/monitor/events_tab.h"

#include <algorithm>
#include <array>

#include <QDateTime>
#include <QScrollArea>
#include <QScrollBar>
#include <QStackedWidget>
#include <QToolButton>

#include "app/alerts/alert_center.h"
#include "app/base/theme.h"
#include "app/monitor/alert_form.h"
#include "app/monitor/alert_list.h"
#include "app/runs/open_run.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/empty_state.h"

namespace trainyard {

namespace {

constexpr int kMaxAlertHeight = 236; ///< pixels; more alerts are scrolled to

} // namespace

EventsTab::EventsTab(AlertCenter& alerts, QWidget* parent)
    : QWidget(parent)
    , m_alerts(alerts)
    , m_quiet(makeLabel({}, "muted", this))
    , m_fold(new QToolButton(this))
    , m_form(new AlertForm(this))
    , m_list(new AlertList)
    , m_scroll(new QScrollArea(this))
    , m_pages(new QStackedWidget(this))
    , m_table(new TableView(tr("Events")))
{
    m_table->setModel(&m_model);
    // The last column takes the remaining width.
    const std::array<int, EventListModel::ColumnCount - 1> widths{176, 96, 56, 72, 180};
    for (std::size_t column = 0; column < widths.size(); ++column)
        m_table->setColumnWidth(int(column), widths[column]);
    m_pages->addWidget(
        new EmptyState(QStringLiteral("info"), tr("No events yet"),
                       tr("Checkpoints, resumes, warnings and failures of the run appear here."), {}));
    m_pages->addWidget(m_table);
    auto* column = columnLayout(this, metrics::kGap, metrics::kTabMargins);
    column->addWidget(buildAlerts());
    column->addWidget(m_form);
    column->addWidget(m_scroll);
    column->addWidget(m_pages, 1);
    connect(m_list, &AlertList::wanted, this, &EventsTab::wanted);
}

QWidget* EventsTab::buildAlerts()
{
    m_scroll->setWidget(m_list);
    m_scroll->setWidgetResizable(true);
    m_scroll->setFrameShape(QFrame::NoFrame);
    m_scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_fold->setText(tr("Thresholds"));
    m_fold->setToolTip(tr("When to raise alerts, for all runs on this computer"));
    m_fold->setCheckable(true);
    setRole(m_fold, "button");
    m_form->setSettings(m_alerts.settings());
    m_form->setProblem(m_alerts.problem());
    m_form->hide();
    connect(m_fold, &QToolButton::toggled, m_form, &QWidget::setVisible);
    connect(m_form, &AlertForm::changed, this, [this](const AlertSettings& settings) {
        m_alerts.setSettings(settings);
        m_form->setProblem(m_alerts.problem());
    });
    auto* head = new QWidget;
    auto* row = rowLayout(head);
    row->addWidget(makeLabel(tr("Alerts"), "heading", head));
    row->addWidget(m_quiet, 1);
    row->addWidget(m_fold);
    return head;
}

void EventsTab::show(const OpenRun& run, bool canAct)
{
    showAlerts(run, canAct);
    const QScrollBar* bar = m_table->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    m_model.update(run.series().events());
    m_pages->setCurrentIndex(m_model.rowCount() > 0 ? 1 : 0);
    if (atEnd)
        m_table->scrollToBottom();
}

void EventsTab::showAlerts(const OpenRun& run, bool canAct)
{
    const QList<RaisedAlert> alerts = m_alerts.alertsOf(run.id());
    const RunState state = run.series().status().state;
    m_quiet->setText(!alerts.isEmpty() ? tr("%1 active").arg(alerts.size())
                     : isFinal(state)  ? tr("No alerts; the run has ended")
                                       : tr("No alerts"));
    m_list->show(alerts, state, canAct && !run.facts().readOnly, QDateTime::currentMSecsSinceEpoch());
    m_scroll->setVisible(!alerts.isEmpty());
    fitAlerts();
}

/// Sets the height that the cards, whose texts wrap, need at this width; 0 without cards.
void EventsTab::fitAlerts()
{
    m_scroll->setFixedHeight(std::clamp(m_list->heightForWidth(width()), 0, kMaxAlertHeight));
}

void EventsTab::resizeEvent(QResizeEvent* event)
{
    QWidget::resizeEvent(event);
    fitAlerts();
}

} // namespace trainyard
