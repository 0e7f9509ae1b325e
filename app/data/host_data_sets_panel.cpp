#include "app/data/host_data_sets_panel.h"

#include <QItemSelectionModel>
#include <QLabel>
#include <QPushButton>

#include "app/data/model/host_data_sets.h"
#include "app/widgets/headed_panel.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kHostColumnWidth = 144;
constexpr int kNarrowWidth = 112;

} // namespace

HostDataSetsPanel::HostDataSetsPanel(HostDataSets& sets, QWidget* parent)
    : QFrame(parent)
    , m_sets(sets)
    , m_table(new TableView(tr("Data sets on hosts")))
    , m_note(makeLabel({}, "muted"))
    , m_remove(makeButton(tr("&Remove…"), "danger"))
{
    auto* close = makeButton(tr("&Close"));
    m_table->setModel(&m_sets);
    m_table->setColumnWidth(HostDataSets::Host, kHostColumnWidth);
    m_table->setColumnWidth(HostDataSets::Size, kNarrowWidth);
    m_table->setColumnWidth(HostDataSets::Sent, kNarrowWidth);
    m_table->horizontalHeader()->setSectionResizeMode(HostDataSets::Name, QHeaderView::Stretch);
    m_table->horizontalHeader()->setSectionResizeMode(HostDataSets::LastUsed, QHeaderView::Stretch);
    m_remove->setToolTip(tr("Remove the selected data set from its host"));

    QHBoxLayout* header = layOutWithHeader(*this, m_table);
    header->addWidget(makeLabel(tr("Data sets on hosts"), "heading"));
    header->addWidget(m_note, 1);
    header->addWidget(m_remove);
    header->addWidget(close);

    connect(close, &QPushButton::clicked, this, &HostDataSetsPanel::closed);
    connect(m_remove, &QPushButton::clicked, this,
            [this] { emit removeRequested(m_table->currentIndex().row()); });
    connect(m_table->selectionModel(), &QItemSelectionModel::currentChanged, this,
            &HostDataSetsPanel::showCurrent);
    connect(&m_sets, &HostDataSets::answered, this, &HostDataSetsPanel::showState);
    connect(&m_sets, &QAbstractItemModel::rowsRemoved, this, &HostDataSetsPanel::showState);
    connect(&m_sets, &QAbstractItemModel::modelReset, this, &HostDataSetsPanel::showCurrent);
    showCurrent();
}

void HostDataSetsPanel::load(const QStringList& hosts)
{
    m_sets.load(hosts);
    showState();
}

void HostDataSetsPanel::showCurrent()
{
    m_remove->setEnabled(m_table->currentIndex().isValid());
}

void HostDataSetsPanel::showState()
{
    m_note->setText(stateText());
    showCurrent();
}

/// The page tells why hosts did not answer.
QString HostDataSetsPanel::stateText() const
{
    if (m_sets.waiting() > 0)
        return m_sets.waiting() == 1 ? tr("Asking 1 host…") : tr("Asking %1 hosts…").arg(m_sets.waiting());
    if (m_sets.unanswered() > 0)
        return tr("%1 of %2 hosts did not answer.").arg(m_sets.unanswered()).arg(m_sets.asked());
    return m_sets.rowCount() == 0 ? tr("No data set was sent to a host yet.") : QString();
}

} // namespace trainyard
