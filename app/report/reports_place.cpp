#include "app/report/reports_place.h"

#include <QDesktopServices>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QLabel>
#include <QPushButton>
#include <QSplitter>
#include <QStackedWidget>
#include <QStandardPaths>
#include <QUrl>
#include <QVBoxLayout>

#include "app/models/run_desk.h"
#include "app/models/theme.h"
#include "app/report/page_preview.h"
#include "app/report/paged_report.h"
#include "app/report/report_builder.h"
#include "app/report/report_writer.h"
#include "app/widgets/empty_state.h"
#include "app/widgets/message_strip.h"
#include "app/widgets/page_frame.h"
#include "app/widgets/roles.h"
#include "app/widgets/run_picker.h"

namespace trainyard {

namespace {

constexpr int kListWidth = 300;
constexpr int kExportWidth = 240;
constexpr int kBuildMs = 150;

} // namespace

ReportsPlace::ReportsPlace(RunDesk& desk, const HardwareLibrary& hardware, QWidget* parent)
    : Place(tr("Reports"), QStringLiteral("report"), parent)
    , m_desk(desk)
    , m_hardware(hardware)
    , m_frame(new PageFrame(tr("Reports")))
    , m_pages(new QStackedWidget)
    , m_middle(new QStackedWidget)
    , m_picker(new RunPicker(desk.list()))
    , m_preview(new PagePreview)
    , m_facts(makeLabel({}, "muted"))
{
    auto* none =
        new EmptyState(QStringLiteral("report"), tr("No runs to report on yet"),
                       tr("A report puts specification, hosts, curves, memory and throughput of one or "
                          "several runs on pages that can be sent to others."),
                       tr("Design a run"));
    connect(none, &EmptyState::actionRequested, this, &ReportsPlace::designRequested);
    m_pages->addWidget(none);
    m_pages->addWidget(buildSplit());
    m_frame->content()->addWidget(m_pages, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->addWidget(m_frame);

    m_due.setSingleShot(true);
    m_due.setInterval(kBuildMs);
    connect(&m_due, &QTimer::timeout, this, &ReportsPlace::build);
    connect(m_picker, &RunPicker::chosenChanged, &m_due, qOverload<>(&QTimer::start));
    connect(&desk.list(), &QAbstractItemModel::rowsInserted, this, &ReportsPlace::showPage);
    connect(&desk.list(), &QAbstractItemModel::rowsRemoved, this, &ReportsPlace::showPage);
    showPage();
    build();
}

QWidget* ReportsPlace::buildSplit()
{
    m_middle->addWidget(
        new EmptyState(QStringLiteral("report"), tr("Choose runs"),
                       tr("Tick one run for its report, or several to report on them together; runs "
                          "of different world sizes give a scaling table."),
                       {}));
    m_middle->addWidget(m_preview);
    auto* split = new QSplitter(Qt::Horizontal);
    split->setChildrenCollapsible(false);
    split->setHandleWidth(2 * metrics::kGap);
    split->addWidget(m_picker);
    split->addWidget(m_middle);
    split->addWidget(buildExport());
    split->setStretchFactor(0, 0);
    split->setStretchFactor(1, 1);
    split->setStretchFactor(2, 0);
    split->setSizes({kListWidth, 3 * kListWidth, kExportWidth});
    m_picker->setMinimumWidth(280);
    return split;
}

QWidget* ReportsPlace::buildExport()
{
    auto* panel = makePanel();
    panel->setMinimumWidth(kExportWidth);
    panel->setMaximumWidth(kExportWidth * 3 / 2);
    auto* column = new QVBoxLayout(panel);
    column->setContentsMargins(metrics::kPanelPadding, metrics::kPanelPadding, metrics::kPanelPadding,
                               metrics::kPanelPadding);
    column->setSpacing(metrics::kGap);
    column->addWidget(makeLabel(tr("Export"), "heading"));
    m_facts->setWordWrap(true);
    column->addWidget(m_facts);
    for (const auto& [ending, title, use] :
         {std::tuple{"pdf", tr("Save as PDF…"), tr("for print and mail")},
          std::tuple{"html", tr("Save as web page…"), tr("one file, light and dark")},
          std::tuple{"csv", tr("Save as CSV…"), tr("tables and curves for a spreadsheet")},
          std::tuple{"json", tr("Save as JSON…"), tr("everything, for programs")}}) {
        column->addSpacing(metrics::kHalf);
        column->addWidget(addFormat(QLatin1String(ending), title, use));
        auto* help = makeLabel(use, "help");
        help->setWordWrap(true);
        column->addWidget(help);
    }
    column->addStretch(1);
    return panel;
}

QPushButton* ReportsPlace::addFormat(const QString& ending, const QString& title, const QString& use)
{
    auto* button = makeButton(title, m_formats.isEmpty() ? "primary" : nullptr);
    button->setAccessibleDescription(use);
    connect(button, &QPushButton::clicked, this, [this, ending] { askAndExport(ending); });
    m_formats.append(button);
    return button;
}

void ReportsPlace::activate()
{
    m_desk.scan();
    if (m_picker->chosen().isEmpty() && !m_desk.library().runs().isEmpty())
        m_picker->setChosen({m_desk.library().runs().first().id});
    else
        refresh();
}

void ReportsPlace::refresh()
{
    m_desk.scan();
    build();
}

void ReportsPlace::setChosen(const QStringList& runIds)
{
    m_picker->setChosen(runIds);
}

void ReportsPlace::build()
{
    QStringList folders;
    for (const QString& id : m_picker->chosen())
        folders.append(m_desk.folderOf(id));
    const Result<ReportDocument> document =
        folders.isEmpty() ? Result<ReportDocument>(ReportDocument()) : buildReport(folders, m_hardware);
    const bool shown = document.ok() && !folders.isEmpty();
    if (!document.ok())
        m_frame->strip()->showError(document.error());
    else
        m_frame->strip()->clear();
    m_document = document.ok() ? *document : ReportDocument();
    m_preview->setReport(shown ? std::make_unique<PagedReport>(m_document) : nullptr);
    m_middle->setCurrentIndex(shown ? 1 : 0);
    m_facts->setText(shown
                         ? tr("%1 on %2.")
                               .arg(folders.size() == 1 ? tr("One run") : tr("%1 runs").arg(folders.size()),
                                    m_preview->pageCount() == 1 ? tr("one page")
                                                                : tr("%1 pages").arg(m_preview->pageCount()))
                         : tr("Nothing is chosen."));
    for (QPushButton* format : m_formats)
        format->setEnabled(shown);
}

QString ReportsPlace::suggestedName() const
{
    const QStringList chosen = m_picker->chosen();
    return chosen.size() == 1 ? chosen.first() : QStringLiteral("runs");
}

void ReportsPlace::askAndExport(const QString& ending)
{
    const QString folder = QStandardPaths::writableLocation(QStandardPaths::DocumentsLocation);
    const QString file = QFileDialog::getSaveFileName(
        this, tr("Save report"), QDir(folder).filePath(suggestedName() + QLatin1Char('.') + ending),
        tr("Report (*.%1)").arg(ending));
    if (!file.isEmpty())
        exportTo(QFileInfo(file).suffix() == ending ? file : file + QLatin1Char('.') + ending);
}

void ReportsPlace::exportTo(const QString& file)
{
    const Status written = writeReport(m_document, file);
    if (!written.ok())
        return m_frame->strip()->showError(written.error());
    m_frame->strip()->showMessage(MessageStrip::Tone::Good,
                                  tr("Saved %1").arg(QDir::toNativeSeparators(file)));
    m_frame->strip()->addAction(tr("Open"), [file] { QDesktopServices::openUrl(QUrl::fromLocalFile(file)); });
}

void ReportsPlace::showPage()
{
    m_pages->setCurrentIndex(m_desk.list().rowCount() > 0 ? 1 : 0);
}

} // namespace trainyard
