#include "app/hosts/preflight_panel.h"

#include <QHeaderView>
#include <QStackedWidget>

#include "app/hosts/model/preflight_model.h"
#include "app/widgets/headed_panel.h"
#include "app/widgets/roles.h"
#include "app/widgets/state_chip.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kCheckWidth = 168;
constexpr int kVerdictWidth = 120;

TableView* makeTable(PreflightModel* rows)
{
    auto* table = new TableView(PreflightPanel::tr("Preflight"));
    table->setModel(rows);
    table->setWordWrap(true); // a fix may need two lines and is never cut
    table->verticalHeader()->setMinimumSectionSize(TableView::kRowHeight);
    table->verticalHeader()->setSectionResizeMode(QHeaderView::ResizeToContents);
    table->setColumnWidth(PreflightModel::Check, kCheckWidth);
    table->horizontalHeader()->setSectionResizeMode(PreflightModel::Found, QHeaderView::Stretch);
    table->setColumnWidth(PreflightModel::VerdictColumn, kVerdictWidth);
    return table;
}

} // namespace

PreflightPanel::PreflightPanel(QWidget* parent)
    : QFrame(parent)
    , m_name(makeLabel({}, "heading"))
    , m_state(new StateChip(tr("State of the host")))
    , m_activity(makeLabel({}, "muted"))
    , m_check(makeButton(tr("Check &now")))
    , m_cancel(makeButton(tr("Cancel check")))
    , m_remove(makeButton(tr("Remove"), "danger"))
    , m_rows(new PreflightModel(this))
    , m_table(makeTable(m_rows))
    , m_placeholder(makeLabel({}, "muted"))
    , m_content(new QStackedWidget)
{
    m_placeholder->setAlignment(Qt::AlignCenter);
    m_placeholder->setWordWrap(true);
    m_content->addWidget(m_table);
    m_content->addWidget(m_placeholder);

    QHBoxLayout* header = layOutWithHeader(*this, m_content);
    header->addWidget(m_name);
    header->addWidget(m_state);
    header->addWidget(m_activity, 1);
    header->addWidget(m_check);
    header->addWidget(m_cancel);
    header->addWidget(m_remove);

    connect(m_check, &QPushButton::clicked, this, &PreflightPanel::checkRequested);
    connect(m_cancel, &QPushButton::clicked, this, &PreflightPanel::cancelRequested);
    connect(m_remove, &QPushButton::clicked, this, &PreflightPanel::removeRequested);
}

void PreflightPanel::showHost(const HostEntry& host)
{
    const bool busy = host.state == HostState::Checking || host.state == HostState::HostKeyUnknown;
    m_name->setText(host.isThisMachine() ? tr("This machine") : host.name);
    m_state->setState(toneOf(host.state), shapeOf(host.state), nameOf(host.state));
    m_activity->setText(host.activity);
    m_check->setVisible(!busy);
    m_check->setText(host.report ? tr("Check &again") : tr("Check &now"));
    m_cancel->setVisible(busy);
    m_remove->setVisible(!host.isThisMachine());
    showRows(host);
}

void PreflightPanel::showRows(const HostEntry& host)
{
    m_rows->setReport(host.report.value_or(HostReport()));
    m_content->setCurrentWidget(host.report ? static_cast<QWidget*>(m_table) : m_placeholder);
    m_placeholder->setText(host.state == HostState::Checking
                               ? tr("Checking devices, drivers, memory, disk, limits, MPI and clock…")
                           : host.state == HostState::NotReached
                               ? tr("The host could not be reached. Fix the connection, then check again.")
                               : tr("Not checked yet. A check inspects devices, drivers, memory, disk, "
                                    "limits, MPI and clock, and reports anything that would block a run."));
}

} // namespace trainyard
