#include "app/data/data_page.h"

#include <QFileInfo>
#include <QHBoxLayout>
#include <QItemSelectionModel>
#include <QListView>
#include <QStackedWidget>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/data/add_data_set_bar.h"
#include "app/data/data_set_delegate.h"
#include "app/data/data_set_panel.h"
#include "app/data/host_data_sets_panel.h"
#include "app/data/model/data_set_details.h"
#include "app/data/model/data_set_inspector.h"
#include "app/data/prepare_form.h"
#include "app/data/prepare_panel.h"
#include "app/data/sample_browser.h"
#include "app/widgets/roles.h"
#include "app/workspace/empty_state.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"
#include "engine/base/units.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

namespace {

constexpr int kListWidth = 304;
constexpr int kSamples = 20;

QString placeOf(const DataSetEntry& entry)
{
    return entry.host + QLatin1Char(':') + entry.folder;
}

/// Empty when every invariant holds.
QString problemOf(const Result<VerifyReport>& result)
{
    if (!result.ok())
        return QString::fromStdString(result.error().text());
    if (result->sound)
        return {};
    return result->problems.empty() ? DataPage::tr("the verifier reported damage") : result->problems.front();
}

} // namespace

DataPage::DataPage(const Parts& parts, QWidget* parent)
    : Page(tr("Data"), QStringLiteral("data"), parent)
    , m_dataSets(parts.dataSets)
    , m_hosts(parts.hosts)
    , m_runs(parts.runs)
    , m_job(parts.job)
    , m_verifier(parts.verifier)
    , m_page(new PageFrame(title()))
    , m_addBar(new AddDataSetBar(parts.runs))
    , m_progress(new PreparePanel)
    , m_list(new QListView)
    , m_detail(new QStackedWidget)
    , m_panel(new DataSetPanel)
    , m_form(new PrepareForm(parts.runs))
    , m_hostDataSets(parts.runs.targets())
    , m_onHosts(new HostDataSetsPanel(m_hostDataSets))
{
    auto* add = makeButton(tr("Add &folder…"));
    add->setToolTip(tr("Add an existing data set to the list"));
    auto* prepare = makeButton(tr("&Prepare…"), "primary");
    auto* onHosts = makeButton(tr("On &hosts…"));
    onHosts->setToolTip(tr("List the data sets that were sent to hosts, and remove them"));
    m_page->addAction(onHosts);
    m_page->addAction(add);
    m_page->addAction(prepare);
    auto* row = new QHBoxLayout;
    row->setSpacing(metrics::kPanelPadding);
    row->addWidget(makeList());
    row->addWidget(makeDetail(), 1);
    m_page->content()->setSpacing(metrics::kPanelPadding);
    m_page->content()->addWidget(m_addBar);
    m_page->content()->addWidget(m_progress);
    m_page->content()->addLayout(row, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_page);

    connect(add, &QPushButton::clicked, this, [this] { m_addBar->ask(m_hosts.names()); });
    connect(m_addBar, &AddDataSetBar::folderNamed, this, [this](const QString& host, const QString& folder) {
        m_notices.clear();
        addFolder(host, folder);
    });
    connect(prepare, &QPushButton::clicked, this, &DataPage::openPrepareForm);
    connect(onHosts, &QPushButton::clicked, this, &DataPage::openHostDataSets);
    connectHostDataSets();
    connect(&m_verifier, &DataSetVerifier::finished, this, &DataPage::onVerified);
    connect(&m_verifier, &DataSetVerifier::progress, this,
            [this](const QString& text, double) { m_panel->samples().setNote(text); });
    connectJob();
    if (m_dataSets.rowCount() > 0)
        m_list->setCurrentIndex(m_dataSets.index(0));
    showCurrent();
}

void DataPage::selectDataSet(const QString& host, const QString& folder)
{
    if (const int row = m_dataSets.rowOf(host, folder); row >= 0)
        m_list->setCurrentIndex(m_dataSets.index(row));
}

QWidget* DataPage::makeList()
{
    m_list->setModel(&m_dataSets);
    m_list->setItemDelegate(new DataSetDelegate(m_list));
    m_list->setAccessibleName(tr("Data sets"));
    m_list->setFixedWidth(kListWidth);
    m_list->setFrameShape(QFrame::NoFrame);
    m_list->setMouseTracking(true);
    m_list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    m_list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    m_list->viewport()->setAutoFillBackground(false);
    setRole(m_list, "cards");
    connect(m_list->selectionModel(), &QItemSelectionModel::currentChanged, this, &DataPage::showCurrent);
    connect(m_list, &QListView::clicked, this, &DataPage::showCurrent); // also leaves the form
    connect(&m_dataSets, &QAbstractItemModel::dataChanged, this, [this] {
        if (currentRow() >= 0)
            m_panel->showDataSet(m_dataSets.at(currentRow()));
    });
    return m_list;
}

QWidget* DataPage::makeDetail()
{
    auto* empty = new EmptyState(
        QStringLiteral("data"), tr("No data sets yet"),
        tr("A data set is a Wikipedia dump, or labelled examples, as rows of tokens in shards that "
           "every rank can read."),
        tr("Prepare a dump…"));
    auto* emptyPanel = makePanel();
    auto* inner = new QVBoxLayout(emptyPanel);
    inner->addWidget(empty);
    m_detail->addWidget(emptyPanel);
    m_detail->addWidget(m_panel);
    m_detail->addWidget(m_form);
    m_detail->addWidget(m_onHosts);
    connect(empty, &EmptyState::actionRequested, this, &DataPage::openPrepareForm);
    connect(m_form, &PrepareForm::closed, this, &DataPage::showCurrent);
    connect(m_form, &PrepareForm::prepareRequested, &m_job, &PrepareJob::start);
    connect(m_panel, &DataSetPanel::verifyRequested, this, &DataPage::verifyCurrent);
    connect(m_panel, &DataSetPanel::cancelRequested, this, [this] {
        cancelCheck();
        m_panel->samples().setNote(tr("Verification was cancelled."));
    });
    connect(m_panel, &DataSetPanel::removeRequested, this, &DataPage::removeCurrent);
    connect(m_panel, &DataSetPanel::useRequested, this,
            [this] { emit useInRunRequested(m_dataSets.at(currentRow())); });
    return m_detail;
}

void DataPage::connectJob()
{
    connect(m_progress, &PreparePanel::cancelRequested, &m_job, &PrepareJob::cancel);
    connect(&m_job, &PrepareJob::stateChanged, this, &DataPage::onJobState);
    connect(&m_job, &PrepareJob::startProgress, m_progress, &PreparePanel::setStarting);
    connect(&m_job, &PrepareJob::progressed, this, [this] { m_progress->setProgress(m_job.progress()); });
    connect(&m_job, &PrepareJob::linkChanged, m_progress, &PreparePanel::setLink);
    connect(&m_job, &PrepareJob::noticed, this, [this](const QString& text) {
        m_notices.append(text);
        m_page->messageBar()->showMessage(MessageBar::Tone::Warning, text);
    });
    connect(&m_job, &PrepareJob::finished, this, &DataPage::onPrepared);
}

void DataPage::activate()
{
    m_form->setHosts(m_hosts.names());
    if (m_dataSets.rowCount() > 0)
        m_list->setFocus();
    loadDetails();
}

void DataPage::refresh()
{
    verifyCurrent();
}

void DataPage::openPrepareForm()
{
    m_form->setHosts(m_hosts.names());
    m_detail->setCurrentWidget(m_form);
    m_form->setFocus();
}

void DataPage::openHostDataSets()
{
    m_detail->setCurrentWidget(m_onHosts);
    m_onHosts->load(m_hosts.names());
    m_onHosts->setFocus();
}

void DataPage::connectHostDataSets()
{
    connect(m_onHosts, &HostDataSetsPanel::closed, this, &DataPage::showCurrent);
    connect(m_onHosts, &HostDataSetsPanel::removeRequested, this, &DataPage::askToRemoveFromHost);
    connect(&m_hostDataSets, &HostDataSets::failed, this,
            [this](const Error& error) { m_page->messageBar()->showError(error); });
    connect(
        &m_hostDataSets, &HostDataSets::removed, this,
        [this](const QString& name, const QString& host, qint64 freed) {
            m_page->messageBar()->showMessage(
                MessageBar::Tone::Good, tr("%1 was removed from %2.").arg(name, host),
                tr("%1 are free again.").arg(QString::fromStdString(formatBytes(static_cast<Bytes>(freed)))));
        });
}

/// The host refuses while an active run reads it.
void DataPage::askToRemoveFromHost(int row)
{
    const HostDataSet set = m_hostDataSets.at(row);
    const QString host = m_hostDataSets.hostOf(row);
    MessageBar* bar = m_page->messageBar();
    bar->showMessage(MessageBar::Tone::Warning, tr("Remove %1 from %2?").arg(set.name, host),
                     set.lastRun.isEmpty() ? tr("No run has used it.")
                                           : tr("Last used by %1.").arg(set.lastRun));
    bar->addAction(tr("Remove"), [this, host, name = set.name] {
        m_page->messageBar()->clear();
        m_hostDataSets.remove(host, name);
    });
    bar->addAction(
        tr("Keep"), [this] { m_page->messageBar()->clear(); }, true);
}

void DataPage::onJobState(PrepareJob::State state)
{
    m_form->setBlocked(state == PrepareJob::State::Idle ? QString()
                                                        : tr("another data set is being prepared"));
    switch (state) {
    case PrepareJob::State::Starting:
        m_notices.clear();
        m_page->messageBar()->clear();
        m_progress->begin(m_job.request());
        break;
    case PrepareJob::State::Stopping:
        m_progress->setStopping();
        break;
    case PrepareJob::State::Idle:
        m_progress->hide();
        break;
    case PrepareJob::State::Running:
        m_progress->setStarting({});
        break;
    }
}

void DataPage::onPrepared(const Result<PrepareRequest>& result)
{
    if (!result.ok()) {
        if (result.error().kind == ErrorKind::Cancelled)
            m_page->messageBar()->showMessage(MessageBar::Tone::Info, displayError(result.error()));
        else
            m_page->messageBar()->showError(result.error());
        return;
    }
    for (const QString& folder : result->dataSetFolders())
        addFolder(result->host, folder);
}

void DataPage::addFolder(const QString& host, const QString& folder)
{
    if (host == thisMachine())
        return take(host, folder, readDataSetManifest(folder));
    m_page->messageBar()->showProgress(tr("Reading the manifest of %1 on %2").arg(folder, host), -1);
    m_runs.readManifest(host, folder, this, [this, host, folder](const Result<QByteArray>& text) {
        take(host, folder,
             text.ok() ? parseDataSetManifest(text->toStdString(), (folder + "/manifest.json").toStdString())
                       : Result<DataSetManifest>(text.error()));
    });
}

void DataPage::take(const QString& host, const QString& folder, const Result<DataSetManifest>& manifest)
{
    if (!manifest.ok())
        return m_page->messageBar()->showError(manifest.error());
    DataSetEntry entry;
    entry.name = QFileInfo(folder).fileName();
    entry.host = host;
    entry.folder = folder;
    m_dataSets.put(withManifest(entry, *manifest));
    m_list->setCurrentIndex(m_dataSets.index(m_dataSets.rowOf(host, folder)));
    m_addBar->hide();
    showCurrent();
    m_list->setFocus(); // else the next button gets it, and that removes
    m_page->messageBar()->showMessage(MessageBar::Tone::Good, tr("%1 is ready.").arg(folder),
                                      m_notices.join(QLatin1Char('\n')));
}

void DataPage::showCurrent()
{
    const int row = currentRow();
    m_page->setSubtitle(m_dataSets.rowCount() == 1 ? tr("1 data set")
                                                   : tr("%1 data sets").arg(m_dataSets.rowCount()));
    m_list->setVisible(m_dataSets.rowCount() > 0);
    if (row < 0) {
        m_detail->setCurrentIndex(0);
        return;
    }
    m_panel->showDataSet(m_dataSets.at(row));
    if (m_checking != placeOf(m_dataSets.at(row)))
        m_panel->addStatistics({});
    m_detail->setCurrentWidget(m_panel);
    loadDetails();
    loadSamples();
}

bool DataPage::isCurrent(const QString& host, const QString& folder) const
{
    return currentRow() >= 0 && m_dataSets.at(currentRow()).host == host &&
           m_dataSets.at(currentRow()).folder == folder;
}

/// Hosts are not asked before the place is looked at.
void DataPage::loadDetails()
{
    if (currentRow() < 0 || !isVisible())
        return;
    const DataSetEntry entry = m_dataSets.at(currentRow());
    if (entry.host != thisMachine())
        m_panel->setDetailsNote(tr("Reading the manifest on %1…").arg(oneLine(entry.host)));
    readManifestOf(m_runs, entry.host, entry.folder, this, [this, entry](const Result<QByteArray>& manifest) {
        if (isCurrent(entry.host, entry.folder))
            showDetails(manifest);
    });
}

void DataPage::showDetails(const Result<QByteArray>& manifest)
{
    const auto details =
        manifest.ok() ? readDataSetDetails(*manifest) : Result<DataSetDetails>(manifest.error());
    if (!details.ok())
        return m_panel->setDetailsNote(displayError(details.error()));
    m_panel->showDetails(*details);
    m_panel->samples().setNextSentence(details->nextSentence);
}

/// Rows of this machine are read at once. On another host it may take a while and sends the engine there, so
/// it waits for the user.
void DataPage::loadSamples()
{
    const DataSetEntry entry = m_dataSets.at(currentRow());
    if (m_checking == placeOf(entry))
        return;
    cancelCheck();
    if (entry.host == thisMachine())
        return readSamples();
    if (const auto known = m_reports.find(placeOf(entry)); known != m_reports.end())
        return showVerified(known->second);
    m_panel->samples().setNote(
        tr("The rows are on %1. Verify checks all of them there and shows samples here.")
            .arg(oneLine(entry.host)));
}

void DataPage::readSamples()
{
    const DataSetEntry& entry = m_dataSets.at(currentRow());
    m_panel->samples().setNote(tr("Reading rows…"));
    m_checking = placeOf(entry);
    m_verifier.verify(entry.host, entry.folder, kSamples);
}

/// Nothing is known then of a data set that was being verified.
void DataPage::cancelCheck()
{
    m_verifier.cancel();
    m_checking.clear();
    for (int row = 0; row < m_dataSets.rowCount(); ++row) {
        const DataSetEntry entry = m_dataSets.at(row);
        if (entry.check == DataSetEntry::Check::Verifying)
            m_dataSets.setCheck(entry.host, entry.folder, DataSetEntry::Check::NotVerified);
    }
}

void DataPage::verifyCurrent()
{
    if (currentRow() < 0)
        return;
    cancelCheck();
    const DataSetEntry entry = m_dataSets.at(currentRow());
    m_dataSets.setCheck(entry.host, entry.folder, DataSetEntry::Check::Verifying);
    readSamples();
}

void DataPage::onVerified(const QString& host, const QString& folder, const Result<VerifyReport>& result)
{
    m_checking.clear();
    const int row = m_dataSets.rowOf(host, folder);
    if (row < 0)
        return; // removed meanwhile
    const DataSetEntry entry = m_dataSets.at(row);
    if (host != thisMachine())
        m_reports.insert_or_assign(placeOf(entry), result);
    const bool unreachable = !result.ok() && result.error().kind == ErrorKind::Unreachable;
    const QString problem = problemOf(result);
    m_dataSets.setCheck(host, folder,
                        unreachable         ? DataSetEntry::Check::NotVerified
                        : problem.isEmpty() ? DataSetEntry::Check::Verified
                                            : DataSetEntry::Check::Damaged,
                        problem);
    if (isCurrent(host, folder))
        showVerified(result);
}

void DataPage::showVerified(const Result<VerifyReport>& result)
{
    if (const QString problem = problemOf(result); !problem.isEmpty())
        m_panel->samples().setNote(problem);
    else
        m_panel->samples().setSamples(result->samples);
    m_panel->addStatistics(result.ok() ? result->tokens : TextTable{});
}

void DataPage::removeCurrent()
{
    const int row = currentRow();
    const DataSetEntry entry = m_dataSets.remove(row);
    showCurrent();
    m_page->messageBar()->showMessage(MessageBar::Tone::Info,
                                      tr("%1 was removed from the list.").arg(entry.name),
                                      tr("Its folder was not changed."));
    m_page->messageBar()->addAction(tr("&Undo"), [this, entry, row] {
        m_dataSets.put(entry, row);
        m_list->setCurrentIndex(m_dataSets.index(row));
        m_page->messageBar()->clear();
    });
}

int DataPage::currentRow() const
{
    return m_list->currentIndex().isValid() ? m_list->currentIndex().row() : -1;
}

} // namespace trainyard
