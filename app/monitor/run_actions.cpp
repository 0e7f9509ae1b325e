#include "app/monitor/run_actions.h"

#include <QCheckBox>
#include <QFileDialog>
#include <QLineEdit>
#include <QMenu>
#include <QPushButton>

#include "app/base/display_text.h"
#include "app/exchange/run_export.h"
#include "app/monitor/model_exporter.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "app/workspace/message_bar.h"

namespace trainyard {

namespace {

const auto kTensorBoard = QStringLiteral("TensorBoard");
const auto kCsv = QStringLiteral("CSV");
const auto kJson = QStringLiteral("JSON");

Status writeTo(const RunFacts& facts, const RunSeries& series, const QString& format,
               const std::filesystem::path& path)
{
    if (format == kCsv)
        return exportCsv(facts, series, path);
    if (format == kJson)
        return exportJson(facts, series, path);
    const auto file = exportTensorBoard(facts, series, path);
    return file.ok() ? Status() : Status(file.error());
}

} // namespace

RunActions::RunActions(RunStore& store, MessageBar& messages, QWidget& window)
    : QObject(&window)
    , m_store(store)
    , m_messages(messages)
    , m_window(window)
    , m_export([this](const Status& written) {
        if (written.ok())
            m_messages.showMessage(MessageBar::Tone::Good, tr("Exported to %1").arg(oneLine(m_exportPath)));
        else
            m_messages.showError(written.error());
    })
{
    connect(&store.edits(), &RunEdits::failed, this,
            [this](const Error& error) { m_messages.showError(error); });
}

void RunActions::showMenu(const QString& runId, const QPoint& place)
{
    auto* menu = new QMenu(&m_window);
    menu->setAttribute(Qt::WA_DeleteOnClose);
    menu->setToolTipsVisible(true);
    fillMenu(*menu, runId);
    menu->popup(place);
}

void RunActions::fillMenu(QMenu& menu, const QString& runId)
{
    const auto entry = m_store.history().find(runId);
    if (!entry)
        return;
    addSpecActions(menu, runId);
    menu.addAction(tr("Compare with others"), this, [this, runId] { emit comparisonWanted(runId); });
    menu.addAction(tr("Make a report"), this, [this, runId] { emit reportWanted(runId); });
    QAction* trial = menu.addAction(tr("Try the model"), this, [this, runId] { emit trialWanted(runId); });
    trial->setEnabled(!entry->hosts.isEmpty() && entry->importedFrom.isEmpty());
    trial->setToolTip(trial->isEnabled() ? tr("Gives a text to its newest checkpoint")
                                         : tr("This run was imported, so its checkpoints are not known"));
    addExports(menu, runId);
    menu.addSeparator();
    const bool archived = entry->isArchived;
    menu.addAction(archived ? tr("Unarchive") : tr("Archive"), this,
                   [this, runId, archived] { archive(runId, !archived); });
    QAction* remove = menu.addAction(tr("Delete…"), this, [this, runId] { confirmDelete(runId); });
    remove->setEnabled(entry->isOver());
    remove->setToolTip(entry->isOver() ? tr("Asks for the run's name first") : tr("Stop the run first"));
}

void RunActions::addSpecActions(QMenu& menu, const QString& runId)
{
    const auto run = m_store.open(runId);
    const auto spec = run.ok() ? (*run)->facts().spec : std::nullopt;
    QAction* copy = menu.addAction(tr("Open a copy in Design"));
    QAction* again = menu.addAction(tr("Launch again unchanged"));
    for (QAction* action : {copy, again})
        action->setEnabled(spec.has_value());
    if (!spec)
        return;
    connect(copy, &QAction::triggered, this, [this, spec] { emit copyWanted(*spec); });
    connect(again, &QAction::triggered, this, [this, spec] { emit relaunchWanted(*spec); });
}

void RunActions::addExports(QMenu& menu, const QString& runId)
{
    QMenu* formats = menu.addMenu(tr("Export"));
    for (const QString& format : {kTensorBoard, kCsv, kJson})
        formats->addAction(format + QStringLiteral("…"), this,
                           [this, runId, format] { exportTo(runId, format); });
    const auto run = m_store.open(runId);
    const QString why = run.ok() ? whyNoModelExport(**run) : tr("The run cannot be read");
    formats->setToolTipsVisible(true);
    QAction* model =
        formats->addAction(tr("Hugging Face model…"), this, [this, runId] { emit modelExportWanted(runId); });
    model->setEnabled(why.isEmpty());
    model->setToolTip(why.isEmpty() ? tr("Weights of the newest checkpoint, tokenizer and model card") : why);
}

void RunActions::archive(const QString& runId, bool archived)
{
    const QString name = oneLine(m_store.history().find(runId).value_or(RunEntry{}).name);
    m_store.edits().setArchived(runId, archived);
    m_messages.showMessage(MessageBar::Tone::Info,
                           archived ? tr("%1 is archived. Search is:archived to see it.").arg(name)
                                    : tr("%1 is back on the list.").arg(name));
    m_messages.addAction(tr("Undo"), [this, runId, archived] {
        m_store.edits().setArchived(runId, !archived);
        m_messages.clear();
    });
}

void RunActions::confirmDelete(const QString& runId)
{
    const RunEntry entry = m_store.history().find(runId).value_or(RunEntry{});
    const QString name = oneLine(entry.name);
    m_messages.showMessage(MessageBar::Tone::Warning, tr("Delete %1 permanently?").arg(name),
                           tr("This removes its curves, events, tags and notes from this computer."));
    QCheckBox* onHosts = addHostChoice(entry);
    auto* typed = new QLineEdit;
    typed->setPlaceholderText(tr("Type the run's name to confirm: %1").arg(name));
    typed->setAccessibleName(tr("Name of the run, to confirm"));
    typed->setToolTip(tr("Type the name shown above"));
    m_messages.addField(typed);
    QPushButton* button = m_messages.addAction(tr("Delete"), [this, runId, onHosts] {
        onHosts && onHosts->isChecked() ? removeFromHosts(runId) : remove(runId);
    });
    button->setEnabled(false);
    connect(typed, &QLineEdit::textChanged, button,
            [button, name](const QString& text) { button->setEnabled(text == name); });
    connect(typed, &QLineEdit::returnPressed, button, &QPushButton::click);
    typed->setFocus();
}

/// Adds the check box that also deletes the run's folders on its hosts; null for a run without hosts.
QCheckBox* RunActions::addHostChoice(const RunEntry& entry)
{
    if (entry.hosts.isEmpty() || !m_store.hosts())
        return nullptr;
    auto* choice = new QCheckBox(tr("Also delete its folder and all checkpoints on %1")
                                     .arg(oneLine(entry.hosts.join(QStringLiteral(", ")))));
    choice->setToolTip(tr("Otherwise they stay there, and `trainyard attach` restores the run"));
    m_messages.addField(choice);
    return choice;
}

/// Keeps the local data until the hosts have deleted theirs, so that the user can retry.
void RunActions::removeFromHosts(const QString& runId)
{
    m_messages.showProgress(tr("deleting the run on its hosts"), -1);
    m_store.hosts()->removeFromHosts(runId, {this, {}, [this, runId](const Status& removed) {
                                                 if (removed.ok())
                                                     remove(runId);
                                                 else
                                                     m_messages.showError(removed.error());
                                             }});
}

void RunActions::remove(const QString& runId)
{
    const QString name = oneLine(m_store.history().find(runId).value_or(RunEntry{}).name);
    const Status removed = m_store.removeRun(runId);
    if (removed.ok())
        m_messages.showMessage(MessageBar::Tone::Good, tr("Deleted %1.").arg(name));
    else
        m_messages.showError(removed.error());
}

void RunActions::exportTo(const QString& runId, const QString& format)
{
    const auto run = m_store.open(runId);
    if (!run.ok())
        return m_messages.showError(run.error());
    const QString title = tr("Export %1 for %2").arg(oneLine((*run)->facts().name()), format);
    const QString file = QStringLiteral("%1.%2").arg(runId, format.toLower());
    const QString path = format == kTensorBoard ? QFileDialog::getExistingDirectory(&m_window, title)
                                                : QFileDialog::getSaveFileName(&m_window, title, file);
    if (path.isEmpty())
        return;
    m_exportPath = path;
    m_messages.showProgress(tr("exporting to %1").arg(oneLine(path)), -1);
    m_export.start([facts = (*run)->facts(), series = (*run)->series(), format, path](const auto&) {
        return writeTo(facts, series, format, path.toStdString());
    });
}

} // namespace trainyard
