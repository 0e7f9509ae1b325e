#include "app/hosts/link_matrix_panel.h"

#include <algorithm>

#include <QHeaderView>
#include <QLabel>

#include "app/base/theme.h"
#include "app/hosts/heat_delegate.h"
#include "app/hosts/model/link_matrix_model.h"
#include "app/widgets/headed_panel.h"
#include "app/widgets/roles.h"
#include "app/widgets/segmented_control.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kNameWidth = 192;
constexpr int kMinColumnWidth = 144;        ///< "0.08 ms · 2.9 GB/s"
constexpr int kMaxRowsShown = 4;            ///< of more the rest is scrolled to
constexpr int kBarRoom = 2 * metrics::kGap; ///< for a scroll bar below the rows

TableView* makeMatrix(LinkMatrixModel* links)
{
    auto* table = new TableView(LinkMatrixPanel::tr("Links by pair of hosts"));
    table->setAccessibleDescription(
        LinkMatrixPanel::tr("Rows: connecting host. Columns: host connected to."));
    table->setModel(links);
    table->setItemDelegate(new HeatDelegate(table));
    table->setSelectionBehavior(QAbstractItemView::SelectItems);
    table->setVerticalHeader(new TableHeader(Qt::Vertical));
    table->verticalHeader()->show();
    table->verticalHeader()->setDefaultSectionSize(TableView::kRowHeight);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::Fixed);
    table->verticalHeader()->setFixedWidth(kNameWidth);
    table->horizontalHeader()->setStretchLastSection(false);
    table->horizontalHeader()->setMinimumSectionSize(kMinColumnWidth);
    table->horizontalHeader()->setSectionResizeMode(QHeaderView::Stretch);
    return table;
}

} // namespace

LinkMatrixPanel::LinkMatrixPanel(QWidget* parent)
    : QFrame(parent)
    , m_links(new LinkMatrixModel(this))
    , m_span(makeLabel({}, "muted"))
    , m_metric(new SegmentedControl({{tr("Latency"), tr("Colour the links by latency")},
                                     {tr("Bandwidth"), tr("Colour the links by bandwidth")}}))
    , m_table(makeMatrix(m_links))
{
    setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Maximum);
    m_metric->setAccessibleName(tr("Colour links by"));
    QHBoxLayout* header = layOutWithHeader(*this, m_table);
    header->addWidget(makeLabel(tr("Links between hosts"), "heading"));
    header->addWidget(m_span, 1);
    header->addWidget(m_metric);
    connect(m_metric, &SegmentedControl::chosen, this, &LinkMatrixPanel::colourBy);
    hide();
}

void LinkMatrixPanel::showReport(const PreflightReport& report)
{
    m_links->setReport(report);
    colourBy(m_metric->current());
    fitHeight();
    setVisible(
        std::ranges::any_of(report.hosts, [](const HostReport& host) { return !host.links.isEmpty(); }));
}

void LinkMatrixPanel::colourBy(int segment)
{
    m_links->setMetric(segment == 0 ? LinkMatrixModel::Metric::Latency : LinkMatrixModel::Metric::Bandwidth);
    const QString span = m_links->span();
    m_span->setText(span.isEmpty() ? tr("No measurements") : span);
}

void LinkMatrixPanel::fitHeight()
{
    const int rows = std::min(m_links->rowCount(), kMaxRowsShown);
    const bool showsAll = rows == m_links->rowCount();
    m_table->setMinimumHeight((rows + 1) * TableView::kRowHeight);
    m_table->setMaximumHeight(showsAll ? m_table->minimumHeight() + kBarRoom : QWIDGETSIZE_MAX);
}

} // namespace trainyard
