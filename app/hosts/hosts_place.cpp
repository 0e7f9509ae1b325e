#include "app/hosts/hosts_place.h"

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/hosts/add_host_bar.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/preflight_panel.h"
#include "app/models/ssh_config_hosts.h"
#include "app/models/theme.h"
#include "app/widgets/message_strip.h"
#include "app/widgets/page_frame.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"

namespace trainyard {

namespace {

constexpr int kNameWidth = 192;
constexpr int kAddressWidth = 192;
constexpr int kStateWidth = 160;
constexpr int kMemoryWidth = 112;
constexpr int kEngineWidth = 112;

void setColumnWidths(TableView& table)
{
    table.setColumnWidth(HostListModel::Name, kNameWidth);
    table.setColumnWidth(HostListModel::Address, kAddressWidth);
    table.setColumnWidth(HostListModel::State, kStateWidth);
    table.setColumnWidth(HostListModel::FreeMemory, kMemoryWidth);
    table.setColumnWidth(HostListModel::Engine, kEngineWidth);
    table.horizontalHeader()->setStretchLastSection(false);
    table.horizontalHeader()->setSectionResizeMode(HostListModel::Devices, QHeaderView::Stretch);
}

} // namespace

HostsPlace::HostsPlace(HostListModel& hosts, HostChecks& checks, QWidget* parent)
    : Place(tr("Hosts"), QStringLiteral("hosts"), parent)
    , m_hosts(hosts)
    , m_checks(checks)
    , m_page(new PageFrame(title()))
    , m_keyStrip(new HostKeyStrip)
    , m_addBar(new AddHostBar)
    , m_table(new TableView(tr("Hosts")))
    , m_preflight(new PreflightPanel)
{
    auto* checkAll = makeButton(tr("&Check all"));
    checkAll->setToolTip(tr("Check every host (F5)"));
    auto* add = makeButton(tr("Add &host…"), "primary");
    m_page->addAction(checkAll);
    m_page->addAction(add);

    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(metrics::kPanelPadding);
    splitter->addWidget(makeTablePanel());
    splitter->addWidget(m_preflight);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    m_page->content()->addWidget(m_keyStrip);
    m_page->content()->addWidget(m_addBar);
    m_page->content()->addWidget(splitter, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_page);

    connect(checkAll, &QPushButton::clicked, this, &HostsPlace::refresh);
    connect(add, &QPushButton::clicked, this, [this] { m_addBar->ask(sshConfigHosts(userSshConfig())); });
    connect(m_addBar, &AddHostBar::hostNamed, this, &HostsPlace::addHost);
    connectChecks();
    selectHost(thisMachine());
    updateSubtitle();
}

QWidget* HostsPlace::makeTablePanel()
{
    m_table->setModel(&m_hosts);
    m_table->setTextElideMode(Qt::ElideMiddle); // the ends of a host's name tell it apart
    setColumnWidths(*m_table);
    auto* panel = makePanel();
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, 1, 1, metrics::kHalf);
    column->addWidget(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &HostsPlace::showCurrent);
    connect(&m_hosts, &QAbstractItemModel::dataChanged, this, &HostsPlace::showCurrent);
    connect(&m_hosts, &QAbstractItemModel::dataChanged, this, &HostsPlace::updateSubtitle);
    connect(&m_hosts, &QAbstractItemModel::rowsInserted, this, &HostsPlace::updateSubtitle);
    connect(&m_hosts, &QAbstractItemModel::rowsRemoved, this, &HostsPlace::updateSubtitle);
    connect(m_table, &QAbstractItemView::activated, this, [this] { m_checks.check(currentHost()); });
    return panel;
}

void HostsPlace::connectChecks()
{
    connect(m_preflight, &PreflightPanel::checkRequested, this, [this] { m_checks.check(currentHost()); });
    connect(m_preflight, &PreflightPanel::cancelRequested, this, [this] {
        m_keyStrip->forget(currentHost());
        m_checks.cancel(currentHost());
    });
    connect(m_preflight, &PreflightPanel::removeRequested, this, &HostsPlace::removeCurrent);
    connect(&m_checks, &HostChecks::hostKeyUnknown, m_keyStrip, &HostKeyStrip::ask);
    connect(m_keyStrip, &HostKeyStrip::answered, &m_checks, &HostChecks::answerHostKey);
    // A refusal (changed key) has no button that would go on: the message says what to do outside.
    connect(&m_checks, &HostChecks::linkRefused, this,
            [this](const QString&, const Error& reason) { m_page->strip()->showError(reason); });
}

void HostsPlace::activate()
{
    m_table->setFocus();
}

void HostsPlace::refresh()
{
    for (const QString& name : m_hosts.names())
        m_checks.check(name);
}

void HostsPlace::selectHost(const QString& name)
{
    m_table->selectRow(std::max(0, m_hosts.rowOf(name)));
    showCurrent();
}

void HostsPlace::addHost(const QString& name)
{
    HostEntry host;
    host.name = name;
    if (const Status added = m_hosts.add(host); !added.ok()) {
        m_addBar->showError(added.error());
        return;
    }
    m_addBar->hide();
    selectHost(name);
    m_table->setFocus();
    m_checks.check(name);
}

void HostsPlace::removeCurrent()
{
    const int row = m_table->currentIndex().row();
    const auto removed = m_hosts.remove(currentHost());
    if (!removed.ok()) {
        m_page->strip()->showError(removed.error());
        return;
    }
    m_keyStrip->forget(removed->name);
    m_checks.forget(removed->name);
    m_page->strip()->showMessage(MessageStrip::Tone::Info,
                                 tr("%1 was removed from the list.").arg(removed->name),
                                 tr("What runs there goes on."));
    m_page->strip()->addAction(tr("&Undo"), [this, row, host = *removed] {
        if (m_hosts.add(host, row).ok())
            selectHost(host.name);
        m_page->strip()->clear();
    });
}

void HostsPlace::showCurrent()
{
    const int row = m_table->currentIndex().isValid() ? m_table->currentIndex().row() : 0;
    m_preflight->showHost(m_hosts.at(row));
}

void HostsPlace::updateSubtitle()
{
    int ready = 0;
    int checking = 0;
    for (int row = 0; row < m_hosts.rowCount(); ++row) {
        const HostState state = m_hosts.at(row).state;
        ready += state == HostState::Ready || state == HostState::Warnings ? 1 : 0;
        checking += state == HostState::Checking ? 1 : 0;
    }
    m_page->setSubtitle(tr("%1 of %2 ready").arg(ready).arg(m_hosts.rowCount()));
    emit statusTextChanged(checking == 0 ? QString() : tr("%1 checks under way").arg(checking));
}

QString HostsPlace::currentHost() const
{
    const QModelIndex current = m_table->currentIndex();
    return m_hosts.at(current.isValid() ? current.row() : 0).name;
}

} // namespace trainyard
