#include "app/monitor/events_tab.h"

#include <array>

#include <QScrollBar>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/models/open_run.h"
#include "app/models/theme.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/table_view.h"

namespace trainyard {

EventsTab::EventsTab(QWidget* parent)
    : QWidget(parent), m_pages(new QStackedWidget(this)), m_table(new TableView(tr("Events")))
{
    m_table->setModel(&m_model);
    // The last column takes what is left.
    const std::array<int, EventListModel::ColumnCount - 1> widths{176, 96, 56, 72, 180};
    for (std::size_t column = 0; column < widths.size(); ++column)
        m_table->setColumnWidth(int(column), widths[column]);
    m_pages->addWidget(
        new EmptyState(QStringLiteral("info"), tr("Nothing to report"),
                       tr("Checkpoints, resumes, warnings and failures of the run appear here."), {}));
    m_pages->addWidget(m_table);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, metrics::kGap, 0, 0);
    column->addWidget(m_pages);
}

void EventsTab::show(const OpenRun& run)
{
    const QScrollBar* bar = m_table->verticalScrollBar();
    const bool atEnd = bar->value() == bar->maximum();
    m_model.update(run.series().events());
    m_pages->setCurrentIndex(m_model.rowCount() > 0 ? 1 : 0);
    if (atEnd)
        m_table->scrollToBottom();
}

} // namespace trainyard
