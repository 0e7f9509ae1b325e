#include "app/monitor/model_exporter.h"

#include <utility>

#include <QCheckBox>
#include <QDir>
#include <QFileDialog>
#include <QFileInfo>
#include <QPushButton>

#include "app/base/display_text.h"
#include "app/runs/run_hosts.h"
#include "app/runs/run_store.h"
#include "app/workspace/message_bar.h"
#include "engine/planner/layout/parameter_parts.h"

namespace trainyard {

namespace {

QString checkpointText(std::optional<qint64> step)
{
    return step ? ModelExporter::tr("checkpoint of step %1").arg(displayCount(*step))
                : ModelExporter::tr("newest checkpoint");
}

QString detailOf(const OpenRun& run, std::optional<qint64> step)
{
    const double bytes = double(parameterCount(run.facts().spec->model)) * sizeof(float);
    return ModelExporter::tr("The %1 on %2: %3 of weights, with configuration and model card.")
        .arg(checkpointText(step), oneLine(run.facts().hosts.value(0)), displayBytes(bytes));
}

QCheckBox* makeTokenizerChoice()
{
    auto* choice = new QCheckBox(ModelExporter::tr("With the tokenizer of its data set"));
    choice->setChecked(true);
    choice->setToolTip(
        ModelExporter::tr("AutoTokenizer loads it. The data set must still be on the run's host."));
    return choice;
}

/// Of a run without adapters it says why it cannot be chosen.
QCheckBox* makeAdapterChoice(const ModelSpec& model)
{
    auto* choice = new QCheckBox(ModelExporter::tr("Adapters only (PEFT)"));
    const double bytes = double(trainedParameterCount(model)) * sizeof(float);
    choice->setEnabled(model.lora.isOn());
    choice->setToolTip(model.lora.isOn()
                           ? ModelExporter::tr("%1 for PeftModel, to load onto the base model. Otherwise the "
                                               "adapters are merged into the weights.")
                                 .arg(displayBytes(bytes))
                           : ModelExporter::tr("This run trains all weights: it has no low-rank adapters."));
    choice->setAccessibleDescription(choice->toolTip());
    return choice;
}

} // namespace

QString whyNoModelExport(const OpenRun& run)
{
    if (run.facts().import)
        return ModelExporter::tr("This run was imported, so it is not known where its checkpoints are.");
    if (!run.facts().spec || run.facts().hosts.isEmpty())
        return ModelExporter::tr(
            "The checkpoints are on the run's hosts, which are not known on this computer.");
    return {};
}

ModelExporter::ModelExporter(RunStore& store, MessageBar& messages, QWidget& window)
    : QObject(&window), m_store(store), m_messages(messages), m_window(window)
{
}

void ModelExporter::begin(const QString& runId, std::optional<qint64> step)
{
    const auto run = m_store.open(runId);
    if (!run.ok())
        return m_messages.showError(run.error());
    const QString name = oneLine((*run)->facts().name());
    const QString folder = QFileDialog::getSaveFileName(
        &m_window, tr("New folder for the model of %1").arg(name), QDir::home().filePath(name), {}, nullptr,
        QFileDialog::DontConfirmOverwrite); // an existing folder is refused
    if (!folder.isEmpty())
        confirm(runId, step, folder);
}

void ModelExporter::confirm(const QString& runId, std::optional<qint64> step, const QString& folder)
{
    const auto run = m_store.open(runId);
    if (!run.ok())
        return m_messages.showError(run.error());
    if (!m_folder.isEmpty())
        return showProgress(tr("one model at a time: wait until this one is done"), -1);
    const QString why = whyNoModelExport(**run);
    if (!why.isEmpty())
        return m_messages.showMessage(MessageBar::Tone::Warning, tr("Cannot export this model now"), why);
    if (QFileInfo::exists(folder))
        return m_messages.showMessage(MessageBar::Tone::Bad, tr("%1 exists already").arg(oneLine(folder)),
                                      tr("Choose another folder, or remove it first."));
    m_messages.showMessage(
        MessageBar::Tone::Info,
        tr("Export the model of %1 to %2?").arg(oneLine((*run)->facts().name()), oneLine(folder)),
        detailOf(**run, step));
    QCheckBox* tokenizer = makeTokenizerChoice();
    QCheckBox* adapters = makeAdapterChoice((*run)->facts().spec->model);
    m_messages.addField(tokenizer);
    m_messages.addField(adapters);
    const auto startChosen = [this, runId, step, folder, tokenizer, adapters] {
        start(runId, {.step = step,
                      .folder = folder.toStdString(),
                      .hasTokenizer = tokenizer->isChecked(),
                      .adapters = adapters->isChecked()});
    };
    m_messages.addAction(tr("Export"), startChosen, true);
}

void ModelExporter::start(const QString& runId, ModelExportRequest request)
{
    if (!m_store.hosts())
        return m_messages.showMessage(MessageBar::Tone::Warning,
                                      tr("The run's hosts cannot be reached from here"));
    m_folder = QString::fromStdString(request.folder.string());
    m_notice.clear();
    showProgress({}, -1);
    m_messages.addAction(tr("Cancel"), [this] {
        if (const auto cancel = std::exchange(m_cancel, {}))
            cancel();
    });
    request.noticed = [this](const QString& text) { m_notice = oneLine(text); };
    auto cancel = m_store.hosts()->exportModel(
        runId, request,
        {this, [this](const QString& activity, double fraction) { showProgress(activity, fraction); },
         [this](const Status& status) { finish(status); }});
    if (!m_folder.isEmpty())
        m_cancel = std::move(cancel);
}

void ModelExporter::showProgress(const QString& activity, double fraction)
{
    m_messages.showProgress(tr("exporting the model to %1").arg(oneLine(m_folder)), fraction,
                            oneLine(activity));
}

void ModelExporter::finish(const Status& status)
{
    const QString folder = oneLine(std::exchange(m_folder, QString()));
    m_cancel = {};
    if (status.ok())
        m_messages.showMessage(MessageBar::Tone::Good, tr("Exported the model to %1").arg(folder), m_notice);
    else if (status.error().kind == ErrorKind::Cancelled)
        m_messages.showMessage(MessageBar::Tone::Info, tr("The export was cancelled; nothing was written."));
    else
        m_messages.showError(status.error());
}

} // namespace trainyard
