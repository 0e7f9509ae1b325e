#include "app/report/reports_page.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/data/model/data_set_list_model.h"
#include "app/hosts/model/host_entry.h"
#include "app/report/data_set_report.h"
#include "app/report/export_panel.h"
#include "app/report/page_preview.h"
#include "app/report/paged_report.h"
#include "app/report/report_builder.h"
#include "app/report/report_writer.h"
#include "app/report/subject_picker.h"
#include "app/runs/run_store.h"
#include "app/workspace/empty_state.h"
#include "app/workspace/message_bar.h"
#include "app/workspace/page_frame.h"

namespace trainyard {

namespace {

constexpr int kListWidth = 300;
constexpr int kExportWidth = 240;
constexpr int kBuildMs = 150;
constexpr int kSamples = 4; ///< rows of a data set as words

/// What is in the middle.
enum Middle { kNoRuns, kPages, kNoDataSets, kWorking };

} // namespace

ReportsPage::ReportsPage(const Parts& parts, QWidget* parent)
    : Page(tr("Reports"), QStringLiteral("report"), parent)
    , m_store(parts.store)
    , m_hardware(parts.hardware)
    , m_dataSets(parts.dataSets)
    , m_inspector(parts.runs)
    , m_frame(new PageFrame(tr("Reports")))
    , m_pages(new QStackedWidget)
    , m_middle(new QStackedWidget)
    , m_subjects(new SubjectPicker(parts.store.list(), parts.dataSets))
    , m_preview(new PagePreview)
    , m_export(new ExportPanel)
{
    auto* none =
        new EmptyState(QStringLiteral("report"), tr("No runs to report on yet"),
                       tr("A report collects specification, hosts, curves, memory and throughput of one or "
                          "several runs, or the contents of a data set, in a document to share."),
                       tr("Design a run"));
    connect(none, &EmptyState::actionRequested, this, &ReportsPage::designRequested);
    m_pages->addWidget(none);
    m_pages->addWidget(buildSplit());
    m_frame->content()->addWidget(m_pages, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_frame);

    m_due.setSingleShot(true);
    m_due.setInterval(kBuildMs);
    connect(&m_due, &QTimer::timeout, this, &ReportsPage::build);
    connect(m_subjects, &SubjectPicker::changed, this, [this] {
        tellWork();
        m_due.start();
    });
    connect(m_export, &ExportPanel::exportRequested, this, &ReportsPage::askAndExport);
    connect(&m_inspector, &DataSetInspector::progress, m_frame->messageBar(),
            [this](const QString& text, double fraction) {
                m_frame->messageBar()->showProgress(text, fraction);
            });
    connect(&m_inspector, &DataSetInspector::finished, this, [this](const Result<DataSetFindings>& findings) {
        if (findings.ok())
            showDataSet(*findings);
        else
            showReport(findings.error(), {});
    });
    for (QAbstractItemModel* list :
         {static_cast<QAbstractItemModel*>(&m_store.list()), static_cast<QAbstractItemModel*>(&m_dataSets)}) {
        connect(list, &QAbstractItemModel::rowsInserted, this, &ReportsPage::showPage);
        connect(list, &QAbstractItemModel::rowsRemoved, this, &ReportsPage::showPage);
        connect(list, &QAbstractItemModel::modelReset, this, &ReportsPage::showPage);
    }
    showPage();
    build();
}

QWidget* ReportsPage::buildSplit()
{
    m_middle->addWidget(new EmptyState(QStringLiteral("report"), tr("Choose runs"),
                                       tr("Tick one run, or several to report on together; runs of different "
                                          "world sizes give a scaling table."),
                                       {}));
    m_middle->addWidget(m_preview);
    m_middle->addWidget(new EmptyState(QStringLiteral("data"), tr("No data sets yet"),
                                       tr("Prepare one in Data, or add a finished one there."), {}));
    m_middle->addWidget(new EmptyState(QStringLiteral("report"), tr("Building the report"),
                                       tr("Reading the records and laying out the pages."), {}));
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->setHandleWidth(2 * metrics::kGap);
    split->addWidget(m_subjects);
    split->addWidget(m_middle);
    split->addWidget(m_export);
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setStretchFactor(2, 0);
    split->setSizes({kListWidth, 3 * kListWidth, kExportWidth});
    m_subjects->setMinimumWidth(280);
    return split;
}

void ReportsPage::activate()
{
    m_store.scan();
    if (m_subjects->chosenRuns().isEmpty() && !m_store.history().runs().isEmpty())
        m_subjects->setChosenRuns({m_store.history().runs().first().id});
    else
        refresh();
}

void ReportsPage::refresh()
{
    m_store.scan();
    build();
}

void ReportsPage::setChosen(const QStringList& runIds)
{
    m_subjects->setChosenRuns(runIds);
}

void ReportsPage::setPattern(std::optional<ReportTemplate> pattern)
{
    m_subjects->setPattern(pattern);
}

/// What was there stays until the new report is.
void ReportsPage::tellWork()
{
    const bool isChosen = !m_subjects->chosenRuns().isEmpty() || m_subjects->chosenDataSet();
    if (!isChosen || m_preview->pageCount() > 0)
        return;
    m_middle->setCurrentIndex(kWorking);
    m_export->showFacts(tr("Laying out the report…"), false);
}

void ReportsPage::build()
{
    m_inspector.cancel();
    m_frame->messageBar()->clear();
    if (m_subjects->pattern() == ReportTemplate::DataSet) {
        const auto entry = m_subjects->chosenDataSet();
        return entry ? buildOfDataSet(*entry) : showNothing();
    }
    QStringList folders;
    for (const QString& id : m_subjects->chosenRuns())
        folders.append(m_store.folderOf(id));
    if (folders.isEmpty())
        return showNothing();
    showReport(buildReport(folders, m_hardware, {m_subjects->pattern()}),
               folders.size() == 1 ? tr("One run") : tr("%1 runs").arg(folders.size()));
}

/// Rows of this machine are checked at once. On another host that may take long and sends the engine there,
/// so the manifest alone is told until the user asks for more.
void ReportsPage::buildOfDataSet(const DataSetEntry& entry)
{
    using Depth = DataSetInspector::Depth;
    m_inspector.inspect(entry.host, entry.folder, entry.host == thisMachine() ? Depth::Rows : Depth::Manifest,
                        kSamples);
}

void ReportsPage::showDataSet(const DataSetFindings& findings)
{
    m_frame->messageBar()->clear();
    showReport(buildDataSetReport(findings), tr("One data set"));
    if (findings.rows)
        return;
    m_frame->messageBar()->showMessage(
        MessageBar::Tone::Info,
        tr("The rows on %1 were not checked: the report relies on the manifest.").arg(oneLine(findings.host)),
        tr("Checking every row may take minutes, and uploads the engine if it is missing."));
    m_frame->messageBar()->addAction(
        tr("Check the rows"),
        [this, host = findings.host, folder = findings.folder] { checkRows(host, folder); });
}

void ReportsPage::checkRows(const QString& host, const QString& folder)
{
    m_frame->messageBar()->showProgress(tr("checking the rows on %1").arg(oneLine(host)), -1);
    m_frame->messageBar()->addAction(tr("Cancel"), [this] { build(); });
    m_inspector.inspect(host, folder, DataSetInspector::Depth::Rows, kSamples);
}

void ReportsPage::showReport(const Result<ReportDocument>& document, const QString& subjects)
{
    if (!document.ok()) {
        showNothing();
        return m_frame->messageBar()->showError(document.error());
    }
    m_document = *document;
    m_preview->setReport(std::make_unique<PagedReport>(m_document));
    m_middle->setCurrentIndex(kPages);
    const int pages = m_preview->pageCount();
    m_export->showFacts(
        tr("%1 on %2.").arg(subjects, pages == 1 ? tr("one page") : tr("%1 pages").arg(pages)), true);
}

void ReportsPage::showNothing()
{
    m_document = {};
    m_preview->setReport(nullptr);
    m_middle->setCurrentIndex(m_subjects->pattern() == ReportTemplate::DataSet ? kNoDataSets : kNoRuns);
    m_export->showFacts(tr("Nothing chosen."), false);
}

QString ReportsPage::suggestedName() const
{
    if (const auto entry = m_subjects->chosenDataSet())
        return entry->name;
    const QStringList chosen = m_subjects->chosenRuns();
    return chosen.size() == 1 ? chosen.first() : QStringLiteral("runs");
}

/// Of all formats the user names one file, whose ending does not matter.
void ReportsPage::askAndExport(const QString& format)
{
    const QString ending = format.isEmpty() ? QStringLiteral("html") : format;
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString file = QFileDialog::getSaveFileName(
        this, format.isEmpty() ? tr("Save report in all formats") : tr("Save report"),
        QDir(folder).filePath(suggestedName() + QLatin1Char('.') + ending), tr("Report (*.%1)").arg(ending));
    if (file.isEmpty())
        return;
    const bool hasEnding = file.endsWith(QLatin1Char('.') + ending);
    if (format.isEmpty())
        exportAll(hasEnding ? file.chopped(ending.size() + 1) : file);
    else
        exportTo(hasEnding ? file : file + QLatin1Char('.') + ending);
}

void ReportsPage::exportTo(const QString& file)
{
    if (const Status written = writeReport(m_document, file); !written.ok())
        return m_frame->messageBar()->showError(written.error());
    tellSaved(QDir::toNativeSeparators(file), file);
}

void ReportsPage::exportAll(const QString& base)
{
    const auto files = writeReportInAllFormats(m_document, base);
    if (!files.ok())
        return m_frame->messageBar()->showError(files.error());
    tellSaved(tr("%1 as %2").arg(QDir::toNativeSeparators(base), reportFormats().join(QStringLiteral(", "))),
              files->first());
}

void ReportsPage::tellSaved(const QString& what, const QString& opened)
{
    m_frame->messageBar()->showMessage(MessageBar::Tone::Good, tr("Saved %1").arg(what));
    m_frame->messageBar()->addAction(tr("Open"),
                                     [opened] { QDesktopServices::openUrl(QUrl::fromLocalFile(opened)); });
}

void ReportsPage::showPage()
{
    m_pages->setCurrentIndex(m_store.list().rowCount() > 0 || m_dataSets.rowCount() > 0 ? 1 : 0);
}

} // namespace trainyard
