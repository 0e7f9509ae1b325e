#include "app/shell/desk_window.h"

#include "app/base/display_text.h"
#include "app/data/data_page.h"
#include "app/demo/demo_flow.h"
#include "app/designer/design_page.h"
#include "app/history/compare_page.h"
#include "app/hosts/hosts_page.h"
#include "app/monitor/runs_page.h"
#include "app/report/reports_page.h"
#include "app/shell/about.h"
#include "app/shell/login_dialog.h"
#include "app/trial/try_page.h"
#include "app/widgets/state_chip.h"
#include "remote/target/system_keyring.h"

namespace trainyard {

namespace {
const QString kTourSeenKey = QStringLiteral("tour/seen");
}

DeskWindow::DeskWindow(QApplication& application, std::filesystem::path dataFolder, TargetOptions options)
    : m_session(std::move(dataFolder), std::move(options))
    , m_settings(QString::fromStdString((m_session.dataFolder() / "window.ini").string()),
                 QSettings::IniFormat)
    , m_appearance(application, m_settings)
    , m_window(m_appearance, m_settings)
{
    addPages();
    m_appearance.apply();
    addTour();
    watchSession();
    m_window.restore();
    m_session.prepareJob().pickUp();
    showStartupProblems();
}

void DeskWindow::showStartupProblems()
{
    QStringList problems = m_session.startupProblems();
    if (const Status& index = m_keyring->indexStatus(); !index.ok())
        problems << QString::fromStdString(index.error().text());
    if (!problems.isEmpty())
        m_window.showStatus(problems.join(QStringLiteral(" · ")));
}

void DeskWindow::addPages()
{
    m_hosts = new HostsPage(m_session.hosts(), m_session.hostChecks(), m_session.hostCalibration());
    m_data = new DataPage({m_session.dataSets(), m_session.hosts(), m_session.runs(), m_session.prepareJob(),
                           m_session.verifier()});
    auto* design = new DesignPage({m_session.document(), m_session.hosts(), m_session.dataSets(),
                                   m_session.runs(), m_session.hardware(), m_session.runStore()});
    m_runs = new RunsPage(m_session.runStore(), m_session.alerts(), m_session.hardware());
    auto* compare = new ComparePage(m_session.runStore());
    auto* reports =
        new ReportsPage({m_session.runStore(), m_session.hardware(), m_session.dataSets(), m_session.runs()});
    auto* trial = new TryPage({m_session.runStore(), m_session.hosts(), m_session.runs()});
    for (Page* page : std::initializer_list<Page*>{m_hosts, m_data, design, m_runs, compare, reports, trial})
        m_window.addPage(page);
    QObject::connect(m_data, &DataPage::useInRunRequested, design, [this, design](const DataSetEntry& entry) {
        design->useDataSet(entry);
        m_window.showPage(design);
    });
    QObject::connect(design, &DesignPage::runLaunched, m_runs, [this](const QString& run) { showRun(run); });
    QObject::connect(m_runs, &RunsPage::copyRequested, design, [this, design](const RunSpec& spec) {
        m_session.document().reset(spec);
        m_window.showPage(design);
    });
    QObject::connect(m_runs, &RunsPage::launchRequested, m_runs,
                     [this](const RunSpec& spec) { relaunch(spec); });
    QObject::connect(m_runs, &RunsPage::comparisonRequested, compare, [this, compare](const QString& run) {
        m_window.showPage(compare);
        compare->addChosen(run);
    });
    QObject::connect(m_runs, &RunsPage::reportRequested, reports, [this, reports](const QString& run) {
        m_window.showPage(reports);
        reports->setChosen({run});
    });
    QObject::connect(m_runs, &RunsPage::trialRequested, trial,
                     [this, trial](const QString& run, std::optional<qint64> step) {
                         m_window.showPage(trial);
                         trial->setModel(run, step);
                     });
    QObject::connect(m_runs, &RunsPage::alertClicked, m_runs, [this](const QString& run) {
        m_window.showPage(m_runs);
        m_runs->showAlerts(run);
        m_window.raise();
        m_window.activateWindow();
    });
    m_window.offerItems([this] { return items(); });
    const auto showDesign = [this, design] { m_window.showPage(design); };
    QObject::connect(m_runs, &RunsPage::designRequested, design, showDesign);
    QObject::connect(compare, &ComparePage::designRequested, design, showDesign);
    QObject::connect(reports, &ReportsPage::designRequested, design, showDesign);
}

/// What the palette finds by name besides commands.
QList<Command> DeskWindow::items()
{
    return runItems() + hostItems() + dataSetItems();
}

QList<Command> DeskWindow::runItems()
{
    QList<Command> items;
    for (const RunEntry& run : m_session.runStore().history().runs())
        items << Command{MainWindow::tr("Run: %1").arg(oneLine(run.name)), displayTime(run.createdMs),
                         [this, id = run.id] { showRun(id); }, true};
    return items;
}

QList<Command> DeskWindow::hostItems()
{
    QList<Command> items;
    for (const QString& name : m_session.hosts().names())
        items << Command{MainWindow::tr("Host: %1").arg(name),
                         {},
                         [this, name] {
                             m_window.showPage(m_hosts);
                             m_hosts->selectHost(name);
                         },
                         true};
    return items;
}

QList<Command> DeskWindow::dataSetItems()
{
    QList<Command> items;
    const DataSetListModel& dataSets = m_session.dataSets();
    for (int row = 0; row < dataSets.rowCount(); ++row) {
        const DataSetEntry& entry = dataSets.at(row);
        items << Command{MainWindow::tr("Data set: %1").arg(oneLine(entry.name)), entry.host,
                         [this, host = entry.host, folder = entry.folder] {
                             m_window.showPage(m_data);
                             m_data->selectDataSet(host, folder);
                         },
                         true};
    }
    return items;
}

/// Tells in the status bar how far it is; the new run is shown when it is there.
void DeskWindow::relaunch(const RunSpec& spec)
{
    RunOperation* operation = m_session.runs().launch(spec);
    QObject::connect(operation, &RunOperation::progress, &m_window,
                     [this](const QString& text, double) { m_window.showStatus(text); });
    QObject::connect(operation, &RunOperation::finished, &m_window, [this](const Result<QString>& run) {
        if (run.ok())
            showRun(*run);
        else
            m_window.showStatus(displayError(run.error()));
    });
}

void DeskWindow::showRun(const QString& runId)
{
    m_window.showPage(m_runs);
    m_runs->showRun(runId);
}

void DeskWindow::showPreparation(const QString& runId)
{
    m_window.showPage(m_data);
    m_session.prepareJob().follow(runId);
}

void DeskWindow::startDemo(const std::filesystem::path& folder)
{
    auto* demo = new DemoFlow({folder}, m_session.runs(), &m_window);
    QObject::connect(demo, &DemoFlow::progress, &m_window, &MainWindow::showStatus);
    QObject::connect(demo, &DemoFlow::runStarted, &m_window, [this](const QString& runId, RunKind kind) {
        if (kind == RunKind::Train)
            showRun(runId);
        else
            showPreparation(runId);
    });
    QObject::connect(demo, &DemoFlow::finished, &m_window, [this](const Result<QString>& result) {
        if (!result.ok())
            return m_window.showStatus(displayError(result.error()));
        m_runs->offerNextSteps(*result);
        m_window.showStatus(MainWindow::tr("The demo has finished. See Runs for next steps."));
    });
    demo->start();
}

void DeskWindow::addTour()
{
    m_tour = new Tour(m_window);
    QObject::connect(m_tour, &Tour::left, &m_window, [this] { m_settings.setValue(kTourSeenKey, true); });
    const auto demo = [this] { startDemo(m_session.dataFolder() / "demo"); };
    QObject::connect(m_tour, &Tour::demoRequested, &m_window, demo);
    m_window.addHelp(MainWindow::tr("Take the tour"), [this] { m_tour->begin(); });
    m_window.addHelp(MainWindow::tr("Start the demo"), demo);
    m_window.addHelp(MainWindow::tr("About Trainyard"),
                     [this] { showAbout(m_window, m_session.dataFolder()); });
}

void DeskWindow::offerTour()
{
    const bool untouched = m_session.runStore().list().rowCount() == 0 &&
                           m_session.dataSets().rowCount() == 0 && m_session.hosts().rowCount() <= 1;
    if (untouched && !m_settings.value(kTourSeenKey, false).toBool())
        m_tour->begin();
}

/// The newest run that is not over.
void DeskWindow::showRunChip()
{
    const RunListModel& list = m_session.runStore().list();
    for (int row = 0; row < list.rowCount(); ++row) {
        const QModelIndex index = list.index(row, RunListModel::Name);
        if (index.data(RunListModel::EntryRole).value<RunEntry>().isOver())
            continue;
        const auto state = RunDisplayState(index.data(RunListModel::DisplayStateRole).toInt());
        m_window.runChip().setState(toneOf(state), shapeOf(state).at(0), index.data().toString(),
                                    index.siblingAtColumn(RunListModel::Step).data().toString());
        return;
    }
    m_window.runChip().clear();
}

void DeskWindow::watchSession()
{
    m_window.askBeforeClosing([this] {
        if (m_session.prepareJob().needsDesk())
            return MainWindow::tr(
                "Several hosts are reading a corpus, and their documents pass through this computer. If the "
                "window closes now, the data set is not created, and partial results stay on the hosts.");
        return m_session.runs().isStarting()
                   ? MainWindow::tr(
                         "A run is being started. If the window closes now, it does not start, and uploaded "
                         "files stay on the hosts. Once it runs, you can close the window.")
                   : QString();
    });
    for (auto signal : {&QAbstractItemModel::rowsInserted, &QAbstractItemModel::rowsRemoved})
        QObject::connect(&m_session.runStore().list(), signal, &m_window, [this] { showRunChip(); });
    QObject::connect(&m_session.runStore().list(), &QAbstractItemModel::dataChanged, &m_window,
                     [this] { showRunChip(); });
    showRunChip();
    QObject::connect(&m_session, &Session::saveFailed, &m_window, [this](const Error& error) {
        m_window.showStatus(QString::fromStdString(error.text()));
    });
    watchLogins();
}

void DeskWindow::watchLogins()
{
    CredentialBroker& logins = m_session.targets().logins();
    auto keyring = std::make_unique<SystemKeyring>(m_session.dataFolder() / "keyring.json");
    m_keyring = keyring.get();
    QObject::connect(m_keyring, &SystemKeyring::failed, &m_window, &MainWindow::showStatus);
    logins.setKeyring(std::move(keyring));
    QObject::connect(&logins, &CredentialBroker::asked, &m_window,
                     [this, &logins](const ssh::LoginInquiry& question) {
                         const auto keyring = logins.hasKeyring() ? LoginDialog::Keyring::Present
                                                                  : LoginDialog::Keyring::Absent;
                         auto* dialog = new LoginDialog(question, keyring, &m_window);
                         dialog->setAttribute(Qt::WA_DeleteOnClose);
                         QObject::connect(dialog, &QDialog::finished, &logins,
                                          [dialog, &logins] { logins.answer(dialog->takeAnswer()); });
                         QObject::connect(&logins, &CredentialBroker::withdrawn, dialog, &QDialog::reject);
                         dialog->open();
                     });
}

} // namespace trainyard
