#include "app/hosts/hosts_page.h"

#include <algorithm>

#include <QHeaderView>
#include <QItemSelectionModel>
#include <QPushButton>
#include <QSplitter>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/hosts/add_host_bar.h"
#include "app/hosts/changed_key_strip.h"
#include "app/hosts/host_key_strip.h"
#include "app/hosts/link_matrix_panel.h"
#include "app/hosts/model/ssh_config_hosts.h"
#include "app/hosts/preflight_panel.h"
#include "app/widgets/roles.h"
#include "app/widgets/table_view.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"

namespace trainyard {

namespace {

constexpr int kStateWidth = 176;
constexpr int kMemoryWidth = 112;
constexpr int kEngineWidth = 112;

void setColumnWidths(TableView& table)
{
    table.setColumnWidth(HostListModel::State, kStateWidth);
    table.setColumnWidth(HostListModel::FreeMemory, kMemoryWidth);
    table.setColumnWidth(HostListModel::Engine, kEngineWidth);
    table.horizontalHeader()->setStretchLastSection(false);
    for (const int column : {HostListModel::Name, HostListModel::Address, HostListModel::Devices})
        table.horizontalHeader()->setSectionResizeMode(column, QHeaderView::Stretch);
}

} // namespace

HostsPage::HostsPage(HostListModel& hosts, HostChecks& checks, HostCalibration& calibration, QWidget* parent)
    : Page(tr("Hosts"), QStringLiteral("hosts"), parent)
    , m_hosts(hosts)
    , m_checks(checks)
    , m_calibration(calibration)
    , m_page(new PageFrame(title()))
    , m_keyStrip(new HostKeyStrip)
    , m_changedKeys(new ChangedKeyStrip)
    , m_addBar(new AddHostBar)
    , m_table(new TableView(tr("Hosts")))
    , m_preflight(new PreflightPanel)
    , m_matrix(new LinkMatrixPanel)
    , m_links(makeButton(tr("Check &links")))
    , m_calibrate(makeButton(tr("Cali&brate")))
{
    auto* checkAll = makeButton(tr("&Check all"));
    checkAll->setToolTip(tr("Check every host (F5)"));
    auto* add = makeButton(tr("Add &host…"), "primary");
    m_page->addAction(m_calibrate);
    m_page->addAction(m_links);
    m_page->addAction(checkAll);
    m_page->addAction(add);

    auto* splitter = new QSplitter(Qt::Vertical);
    splitter->setChildrenCollapsible(false);
    splitter->setHandleWidth(metrics::kPanelPadding);
    splitter->addWidget(makeTablePanel());
    splitter->addWidget(m_preflight);
    splitter->addWidget(m_matrix);
    splitter->setStretchFactor(0, 2);
    splitter->setStretchFactor(1, 3);
    m_page->content()->addWidget(m_keyStrip);
    m_page->content()->addWidget(m_changedKeys);
    m_page->content()->addWidget(m_addBar);
    m_page->content()->addWidget(splitter, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_page);

    connect(checkAll, &QPushButton::clicked, this, &HostsPage::refresh);
    connect(add, &QPushButton::clicked, this, [this] { m_addBar->ask(sshConfigHosts(userSshConfig())); });
    connect(m_addBar, &AddHostBar::hostNamed, this, &HostsPage::addHost);
    connectChecks();
    connectCluster();
    connectCalibration();
    selectHost(thisMachine());
    updateSubtitle();
}

QWidget* HostsPage::makeTablePanel()
{
    m_table->setModel(&m_hosts);
    m_table->setSelectionMode(QAbstractItemView::ExtendedSelection); // several, for the links between them
    m_table->setTextElideMode(Qt::ElideMiddle); // the ends of a host's name tell it apart
    setColumnWidths(*m_table);
    auto* panel = makePanel();
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(1, 1, 1, metrics::kHalf);
    column->addWidget(m_table);
    connect(m_table->selectionModel(), &QItemSelectionModel::currentRowChanged, this,
            &HostsPage::showCurrent);
    connect(m_table->selectionModel(), &QItemSelectionModel::selectionChanged, this,
            &HostsPage::updateButtons);
    connect(&m_hosts, &QAbstractItemModel::dataChanged, this, &HostsPage::showCurrent);
    connect(&m_hosts, &QAbstractItemModel::dataChanged, this, &HostsPage::updateCalibrateButton);
    connect(&m_hosts, &QAbstractItemModel::dataChanged, this, &HostsPage::updateSubtitle);
    connect(&m_hosts, &QAbstractItemModel::rowsInserted, this, &HostsPage::updateSubtitle);
    connect(&m_hosts, &QAbstractItemModel::rowsRemoved, this, &HostsPage::updateSubtitle);
    connect(m_table, &QAbstractItemView::activated, this, [this] { m_checks.check(currentHost()); });
    return panel;
}

void HostsPage::connectChecks()
{
    connect(m_preflight, &PreflightPanel::checkRequested, this, [this] { m_checks.check(currentHost()); });
    connect(m_preflight, &PreflightPanel::cancelRequested, this, [this] {
        m_keyStrip->forget(currentHost());
        m_checks.cancel(currentHost());
    });
    connect(m_preflight, &PreflightPanel::removeRequested, this, &HostsPage::removeCurrent);
    connect(&m_checks, &HostChecks::hostKeyUnknown, m_keyStrip, &HostKeyStrip::ask);
    connect(m_keyStrip, &HostKeyStrip::answered, &m_checks, &HostChecks::answerHostKey);
    connect(m_keyStrip, &HostKeyStrip::answered, m_table, qOverload<>(&QWidget::setFocus));
    connect(&m_checks, &HostChecks::started, m_changedKeys, &ChangedKeyStrip::forget);
    connect(&m_checks, &HostChecks::hostKeyChanged, m_changedKeys, &ChangedKeyStrip::tell);
    connect(m_changedKeys, &ChangedKeyStrip::removalConfirmed, &m_checks, &HostChecks::removeOldKeys);
    connect(&m_checks, &HostChecks::linkRefused, this,
            [this](const QString&, const Error& reason) { m_page->messageBar()->showError(reason); });
}

void HostsPage::connectCluster()
{
    ClusterCheck& cluster = m_checks.cluster();
    connect(m_links, &QPushButton::clicked, this, &HostsPage::checkLinks);
    connect(&cluster, &ClusterCheck::progress, this, [this](const QString& text, double fraction) {
        m_page->messageBar()->showProgress(tr("Checking whether the hosts can form a cluster"), fraction,
                                           text);
    });
    connect(&cluster, &ClusterCheck::finished, this, &HostsPage::showLinks);
    connect(&cluster, &ClusterCheck::cancelled, m_page->messageBar(), &MessageBar::clear);
    connect(&cluster, &ClusterCheck::cancelled, this, &HostsPage::updateLinksButton);
    updateLinksButton();
}

void HostsPage::checkLinks()
{
    m_page->messageBar()->clear();
    m_page->messageBar()->showProgress(tr("Checking whether the hosts can form a cluster"), -1);
    m_page->messageBar()->addAction(tr("Cancel"), [this] { m_checks.cluster().cancel(); });
    m_checks.cluster().start(selectedHosts());
    updateLinksButton();
}

/// The rows lie with each host; here only whether there is something to look for.
void HostsPage::showLinks(const PreflightReport& report)
{
    int tried = 0;
    int bad = 0;
    QString first;
    for (const HostReport& host : report.hosts) {
        for (const LinkRow& link : host.links) {
            ++tried;
            bad += link.verdict == Verdict::Fail ? 1 : 0;
            if (link.verdict == Verdict::Fail && first.isEmpty())
                first = tr("%1 → %2: %3").arg(link.from, link.to, link.found);
        }
    }
    if (bad > 0)
        m_page->messageBar()->showMessage(MessageBar::Tone::Bad,
                                          tr("%1 of %2 links failed").arg(bad).arg(tried),
                                          tr("%1. Select a host to see its links and fixes.").arg(first));
    else if (report.worst() == Verdict::Fail)
        m_page->messageBar()->showMessage(MessageBar::Tone::Bad, tr("These hosts cannot form a cluster yet"),
                                          tr("Select a host to see the problems and fixes."));
    else
        m_page->messageBar()->showMessage(MessageBar::Tone::Good, tr("All %1 links work").arg(tried),
                                          report.interface.isEmpty()
                                              ? tr("MPI will choose the network.")
                                              : tr("Ranks will communicate over %1.").arg(report.interface));
    m_matrix->showReport(report);
    updateLinksButton();
    showCurrent();
}

void HostsPage::updateLinksButton()
{
    const auto count = selectedHosts().size();
    m_links->setEnabled(count > 1 && !m_checks.cluster().isRunning());
    m_links->setToolTip(count > 1
                            ? tr("Check connectivity and speed between the %1 selected hosts").arg(count)
                            : tr("Select two or more hosts (Ctrl or Shift) to check the links between them"));
}

void HostsPage::updateButtons()
{
    updateLinksButton();
    updateCalibrateButton();
}

void HostsPage::connectCalibration()
{
    connect(m_calibrate, &QPushButton::clicked, this, &HostsPage::calibrate);
    connect(&m_calibration, &HostCalibration::progress, this, [this](const QString& text, double fraction) {
        m_page->messageBar()->showProgress(tr("Calibrating the hosts"), fraction, text);
    });
    connect(&m_calibration, &HostCalibration::finished, this, &HostsPage::showCalibrated);
    updateCalibrateButton();
}

void HostsPage::calibrate()
{
    m_calibration.start(hostsToCalibrate());
    m_page->messageBar()->showProgress(tr("Calibrating the hosts"), -1);
    m_page->messageBar()->addAction(tr("Cancel"), [this] { m_calibration.cancel(); });
    updateCalibrateButton();
}

void HostsPage::showCalibrated(const Result<NodeModel>& result)
{
    updateCalibrateButton();
    if (!result.ok() && result.error().kind == ErrorKind::Cancelled)
        return m_page->messageBar()->clear();
    if (!result.ok())
        return m_page->messageBar()->showError(result.error());
    const DeviceModel& device = result->device;
    const double products = device.peak.of(ComputeType::Float32) * device.productEfficiency;
    QString found = tr("%1: %2 in float32, memory %3/s")
                        .arg(QString::fromStdString(device.name), displayOperations(products),
                             displayBytes(device.memoryBandwidth * device.trafficEfficiency));
    if (result->calibration->hosts.size() > 1)
        found += tr(", network %1/s").arg(displayBytes(result->network.points.back().bandwidth));
    m_page->messageBar()->showMessage(
        MessageBar::Tone::Good,
        tr("Hosts calibrated: plans can use them as \"%1\"").arg(QString::fromStdString(result->name)),
        found + tr(". Steps take %1 to %2 times the planned time.")
                    .arg(result->calibration->bandOf(1).least, 0, 'f', 2)
                    .arg(result->calibration->bandOf(1).most, 0, 'f', 2));
}

void HostsPage::updateCalibrateButton()
{
    const std::size_t count = hostsToCalibrate().size();
    m_calibrate->setEnabled(count > 0 && !m_calibration.isRunning());
    m_calibrate->setToolTip(count > 0
                                ? tr("Measure compute, memory and links of the selected hosts for planning; "
                                     "takes up to a minute, during which they should be idle")
                                : tr("Select hosts that passed their check to calibrate them for planning"));
}

/// This machine only when it is selected alone: no other host reaches it by its name in the list.
std::vector<HostEntry> HostsPage::hostsToCalibrate() const
{
    QStringList names = selectedHosts();
    if (names.isEmpty() && !m_table->selectionModel()->selectedRows().isEmpty())
        names << thisMachine();
    std::vector<HostEntry> hosts;
    for (const QString& name : names) {
        const HostEntry& host = m_hosts.at(m_hosts.rowOf(name));
        if (host.state != HostState::Ready && host.state != HostState::Warnings)
            return {};
        hosts.push_back(host);
    }
    return hosts;
}

/// In the order of the table, without this machine: no other host reaches it by its name in the list.
QStringList HostsPage::selectedHosts() const
{
    QStringList names;
    QList<int> rows;
    for (const QModelIndex& index : m_table->selectionModel()->selectedRows())
        rows << index.row();
    std::sort(rows.begin(), rows.end());
    for (const int row : rows) {
        if (!m_hosts.at(row).isThisMachine())
            names << m_hosts.at(row).name;
    }
    return names;
}

void HostsPage::activate()
{
    m_table->setFocus();
}

void HostsPage::refresh()
{
    for (const QString& name : m_hosts.names())
        m_checks.check(name);
}

void HostsPage::selectHost(const QString& name)
{
    m_table->selectRow(std::max(0, m_hosts.rowOf(name)));
    showCurrent();
}

void HostsPage::addHost(const QString& name)
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

void HostsPage::removeCurrent()
{
    const int row = m_table->currentIndex().row();
    const auto removed = m_hosts.remove(currentHost());
    if (!removed.ok()) {
        m_page->messageBar()->showError(removed.error());
        return;
    }
    m_keyStrip->forget(removed->name);
    m_changedKeys->forget(removed->name);
    m_checks.forget(removed->name);
    m_page->messageBar()->showMessage(MessageBar::Tone::Info,
                                      tr("%1 was removed from the list.").arg(removed->name),
                                      tr("Runs on it continue."));
    m_page->messageBar()->addAction(tr("&Undo"), [this, row, host = *removed] {
        if (m_hosts.add(host, row).ok())
            selectHost(host.name);
        m_page->messageBar()->clear();
    });
}

void HostsPage::showCurrent()
{
    const int row = m_table->currentIndex().isValid() ? m_table->currentIndex().row() : 0;
    m_preflight->showHost(m_hosts.at(row));
}

void HostsPage::updateSubtitle()
{
    int ready = 0;
    int checking = 0;
    for (int row = 0; row < m_hosts.rowCount(); ++row) {
        const HostState state = m_hosts.at(row).state;
        ready += state == HostState::Ready || state == HostState::Warnings ? 1 : 0;
        checking += state == HostState::Checking ? 1 : 0;
    }
    m_page->setSubtitle(tr("%1 of %2 ready").arg(ready).arg(m_hosts.rowCount()));
    emit statusTextChanged(checking == 0   ? QString()
                           : checking == 1 ? tr("1 check running")
                                           : tr("%1 checks running").arg(checking));
}

QString HostsPage::currentHost() const
{
    const QModelIndex current = m_table->currentIndex();
    return m_hosts.at(current.isValid() ? current.row() : 0).name;
}

} // namespace trainyard
