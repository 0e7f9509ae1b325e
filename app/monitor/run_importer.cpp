#include "app/monitor/run_importer.h"

#include <QFileDialog>
#include <QFileInfo>
#include <QMenu>
#include <QPushButton>

#include "app/base/display_text.h"
#include "app/exchange/csv_import.h"
#include "app/exchange/history_import.h"
#include "app/exchange/run_sources.h"
#include "app/monitor/csv_choice.h"
#include "app/runs/run_store.h"
#include "app/workspace/message_bar.h"

namespace trainyard {

namespace {

constexpr int kMaxWarnings = 3; ///< shown in the message bar

using Import = std::shared_ptr<HistoryImport>;

Result<Import> takeSources(const std::filesystem::path& folder, const std::filesystem::path& runsFolder,
                           QStringList& warnings, const ImportGoesOn& goesOn)
{
    TRAINYARD_TRY(const auto sources, findRunSources(folder));
    TRAINYARD_TRY(Import import, HistoryImport::begin(runsFolder));
    for (std::size_t i = 0; i < sources.size(); ++i) {
        const auto part = [&](double share) { return goesOn((double(i) + share) / double(sources.size())); };
        TRAINYARD_TRY(const LoadedRun run, sources[i].load(part));
        if (run.series.empty()) {
            warnings << QObject::tr("%1 contains no values").arg(run.import.name);
            continue;
        }
        warnings += run.warnings;
        TRAINYARD_TRY_STATUS(import->add(run));
    }
    return import;
}

Result<Import> takeTable(const Result<std::vector<LoadedRun>>& runs, const std::filesystem::path& runsFolder,
                         QStringList& warnings)
{
    if (!runs.ok())
        return runs.error();
    TRAINYARD_TRY(Import import, HistoryImport::begin(runsFolder));
    for (const LoadedRun& run : *runs) {
        warnings += run.warnings;
        TRAINYARD_TRY_STATUS(import->add(run));
    }
    return import;
}

} // namespace

RunImporter::RunImporter(RunStore& store, MessageBar& messages, QWidget& window)
    : QObject(&window)
    , m_store(store)
    , m_messages(messages)
    , m_window(window)
    , m_job([this](const Outcome& outcome) { finish(outcome); },
            [this](double share) { showProgress(share); })
    , m_table([this](const Table& table) { askForColumns(m_tableFile, table); })
{
}

void RunImporter::showMenu(const QPoint& place)
{
    auto* menu = new QMenu(&m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    fillMenu(*menu);
    menu->popup(place);
}

void RunImporter::fillMenu(QMenu& menu)
{
    menu.addAction(tr("Folder of TensorBoard, MLflow or W&&B…"), this, [this] {
        const QString folder = QFileDialog::getExistingDirectory(
            &m_window, tr("Choose a folder of runs; its subfolders are searched too"));
        if (!folder.isEmpty())
            importFolder(folder);
    });
    menu.addAction(tr("CSV table…"), this, [this] {
        const QString file = QFileDialog::getOpenFileName(&m_window, tr("Table with one row per step"), {},
                                                          tr("Tables (*.csv *.tsv *.txt);;All files (*)"));
        if (!file.isEmpty())
            importTable(file);
    });
}

void RunImporter::importFolder(const QString& folder)
{
    start(oneLine(QFileInfo(folder).fileName()),
          [folder = folder.toStdString(),
           runs = m_store.runsFolder().toStdString()](const ImportGoesOn& goesOn) {
              Outcome outcome;
              const auto import = takeSources(folder, runs, outcome.warnings, goesOn);
              if (import.ok())
                  outcome.import = *import;
              else
                  outcome.error = import.error();
              return outcome;
          });
}

void RunImporter::importTable(const QString& file)
{
    m_tableFile = file;
    m_messages.showProgress(tr("reading %1").arg(oneLine(QFileInfo(file).fileName())), -1);
    m_table.start([file = file.toStdString()](const auto&) {
        return std::make_shared<const Result<CsvTable>>(readCsv(file));
    });
}

void RunImporter::askForColumns(const QString& file, const Table& table)
{
    if (!table->ok())
        return m_messages.showError(table->error());
    const QString name = QFileInfo(file).completeBaseName();
    m_messages.showMessage(
        MessageBar::Tone::Info,
        tr("Import %1: %2").arg(oneLine(name), displayCounted(qint64((*table)->rows), "row")),
        tr("Choose the columns to import; the others are skipped."));
    auto* choice = new CsvChoice(**table);
    m_messages.addField(choice);
    QPushButton* go = m_messages.addAction(
        tr("Import"),
        [this, choice, file, name, table] {
            start(oneLine(name), [columns = choice->columns(), file, name, table,
                                  runs = m_store.runsFolder().toStdString()](const ImportGoesOn&) {
                Outcome outcome;
                const auto import = takeTable(loadCsv(**table, columns, name, file), runs, outcome.warnings);
                if (import.ok())
                    outcome.import = *import;
                else
                    outcome.error = import.error();
                return outcome;
            });
        },
        true);
    const auto allow = [choice, go] { go->setEnabled(!choice->columns().series.isEmpty()); };
    connect(choice, &CsvChoice::changed, go, allow);
    allow();
    m_messages.addAction(tr("Cancel"), [this] { m_messages.clear(); });
}

void RunImporter::start(const QString& what, LatestJob<Outcome>::Work work)
{
    m_what = what;
    showProgress(0);
    m_messages.addAction(tr("Cancel"), [this] {
        m_job.cancel();
        m_messages.showMessage(MessageBar::Tone::Info, tr("Import of %1 cancelled.").arg(m_what));
    });
    m_job.start(std::move(work));
}

void RunImporter::showProgress(double share)
{
    m_messages.showProgress(tr("importing %1").arg(m_what), share);
}

void RunImporter::finish(const Outcome& outcome)
{
    if (outcome.error)
        return m_messages.showError(*outcome.error);
    const auto runIds = outcome.import->finish(m_store.history());
    if (!runIds.ok())
        return m_messages.showError(runIds.error());
    report(*runIds, outcome.warnings);
}

void RunImporter::report(const QStringList& runIds, const QStringList& warnings)
{
    if (!runIds.isEmpty())
        emit imported(
            runIds.first()); // before the message, because showing another run clears the message bar
    QStringList details = warnings.mid(0, kMaxWarnings);
    if (warnings.size() > kMaxWarnings)
        details << tr("and %1 more").arg(warnings.size() - kMaxWarnings);
    m_messages.showMessage(warnings.isEmpty() ? MessageBar::Tone::Good : MessageBar::Tone::Warning,
                           runIds.size() == 1 ? tr("Imported %1.").arg(m_what)
                                              : tr("Imported %1 runs.").arg(runIds.size()),
                           oneLine(details.join(QStringLiteral(" · "))));
}

} // namespace trainyard
