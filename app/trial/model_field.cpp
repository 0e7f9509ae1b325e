#include "app/trial/model_field.h"

#include <algorithm>

#include <QLineEdit>
#include <QToolButton>

#include "app/base/display_text.h"
#include "app/hosts/controls/choose_path.h"
#include "app/runs/run_hosts.h"
#include "app/widgets/form_row.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"
#include "app/widgets/symbol_icon.h"

namespace trainyard {

namespace {

/// Of whole checkpoints, each once.
QList<qint64> stepsOf(const QList<RunCheckpoint>& checkpoints)
{
    QList<qint64> steps;
    for (const RunCheckpoint& each : checkpoints) {
        if (each.state == QLatin1String("whole") && !steps.contains(each.step))
            steps.append(each.step);
    }
    return steps;
}

QString stepText(qint64 step)
{
    return ModelField::tr("Step %1").arg(displayCount(step));
}

} // namespace

ModelField::ModelField(RunHosts* hosts, RunService& runs, const QString& number, QWidget* parent)
    : QWidget(parent)
    , m_hosts(hosts)
    , m_service(runs)
    , m_run(new ChoiceBox)
    , m_checkpoint(new ChoiceBox)
    , m_host(new ChoiceBox)
    , m_folder(new QLineEdit)
    , m_vocabulary(new QLineEdit)
{
    auto* column = columnLayout(this);
    addRow(column, tr("Model") + number, m_run,
           tr("A run on this computer's list, or a folder with a checkpoint or a Hugging Face model"));
    m_checkpointRow = addRow(column, tr("Checkpoint") + number, m_checkpoint,
                             tr("Use the model as it was at this step; it runs on the host that has the checkpoint"));
    addFolderRows(column, number);
    m_vocabulary->setPlaceholderText(tr("the model's own"));
    addRow(column, tr("Vocabulary") + number, m_vocabulary,
           tr("vocab.txt on that host; empty = the one in the folder, or of the run's data set"));
    setHosts({thisMachine()});
    setRuns({});
    connect(m_run, &QComboBox::activated, this, [this] {
        m_wasChosen = true;
        onRunChosen();
    });
    for (ChoiceBox* box : {m_checkpoint, m_host})
        connect(box, &QComboBox::activated, this, &ModelField::changed);
    for (QLineEdit* line : {m_folder, m_vocabulary})
        connect(line, &QLineEdit::textChanged, this, &ModelField::changed);
}

void ModelField::addFolderRows(QVBoxLayout* column, const QString& number)
{
    m_folder->setPlaceholderText(tr("/models/gpt2"));
    m_folderRows << addRow(column, tr("Host") + number, m_host,
                           tr("The host that has the folder; it computes the answer"));
    FormRow* folder = addRow(column, tr("Folder") + number, m_folder,
                             tr("With config.json and model.safetensors, or with checkpoints of a run"));
    auto* choose = new QToolButton;
    choose->setIcon(symbolIcon(QStringLiteral("folder")));
    choose->setAccessibleName(tr("Choose folder") + number);
    choose->setToolTip(tr("Browse the folders of the host"));
    folder->addBeside(choose);
    connect(choose, &QToolButton::clicked, this, &ModelField::chooseFolder);
    m_folderRows << folder;
}

FormRow* ModelField::addRow(QVBoxLayout* column, const QString& label, QWidget* field, const QString& help)
{
    auto* row = new FormRow(label, field, help, FormRow::Help::OnHover);
    connect(row, &FormRow::helpWanted, this, &ModelField::helpWanted);
    column->addWidget(row);
    return row;
}

void ModelField::chooseFolder()
{
    choosePaths(
        this, m_service,
        {m_host->currentData().toString(), tr("Folder of the model"), m_folder->text(), ChosenKind::Folder},
        [this](const QStringList& folders) { m_folder->setText(folders.value(0)); });
}

void ModelField::setHosts(const QStringList& hosts)
{
    const QVariant current = m_host->currentData();
    m_host->clear();
    for (const QString& host : hosts)
        m_host->addItem(host == thisMachine() ? tr("This machine") : oneLine(host), host);
    m_host->setCurrentIndex(std::max(0, m_host->findData(current)));
}

void ModelField::setRuns(const QList<RunEntry>& runs)
{
    const QString current = m_run->currentData().toString();
    const Checkpoint before = checkpoint();
    m_runs.clear();
    m_run->clear();
    for (const RunEntry& entry : runs) {
        if (!canBeTried(entry))
            continue;
        m_runs.append(entry);
        m_run->addItem(tr("%1 · %2").arg(oneLine(entry.name), shortRunId(entry.id)), entry.id);
    }
    m_run->addItem(tr("A folder…"), QString());
    m_run->setCurrentIndex(m_wasChosen ? std::max(0, m_run->findData(current)) : 0);
    if (run() && run()->id == current)
        showCheckpoints(before);
    else
        onRunChosen();
}

void ModelField::chooseRun(const QString& runId, std::optional<qint64> step)
{
    const int index = m_run->findData(runId);
    if (index < 0)
        return;
    m_wasChosen = true;
    m_run->setCurrentIndex(index);
    onRunChosen();
    showCheckpoints({step});
    emit changed();
}

const RunEntry* ModelField::run() const
{
    const QString id = m_run->currentData().toString();
    const auto found = std::ranges::find(m_runs, id, &RunEntry::id);
    return found == m_runs.end() ? nullptr : &*found;
}

void ModelField::onRunChosen()
{
    ++m_generation;
    m_steps.clear();
    showRows();
    showCheckpoints({});
    listCheckpoints();
    emit changed();
}

void ModelField::refresh()
{
    ++m_generation;
    listCheckpoints();
}

/// Without an answer the newest one can still be tried.
void ModelField::listCheckpoints()
{
    if (!run() || !m_hosts || !isVisible())
        return;
    m_hosts->listCheckpoints(run()->id, {}, this,
                             [this, generation = m_generation](const Result<QList<RunCheckpoint>>& listed) {
                                 if (generation == m_generation)
                                     onListed(listed);
                             });
}

void ModelField::onListed(const Result<QList<RunCheckpoint>>& listed)
{
    if (!listed.ok())
        return m_checkpointRow->setError(
            tr("The steps cannot be listed: %1").arg(oneLine(QString::fromStdString(listed.error().text()))));
    m_checkpointRow->setError({}); // of a host that did not answer before
    m_steps = stepsOf(*listed);
    showCheckpoints(checkpoint());
}

void ModelField::showRows()
{
    const bool isRun = run();
    m_checkpointRow->setVisible(isRun);
    m_checkpointRow->setError({});
    for (FormRow* row : m_folderRows)
        row->setVisible(!isRun);
}

void ModelField::showCheckpoints(const Checkpoint& chosen)
{
    m_checkpoints.clear();
    m_checkpoints.append(Checkpoint());
    if (run() && modelOf(*run()).keepsBest)
        m_checkpoints.append(Checkpoint{{}, true});
    QList<qint64> steps = m_steps;
    if (chosen.step && !steps.contains(*chosen.step))
        steps.prepend(*chosen.step);
    for (const qint64 step : steps)
        m_checkpoints.append(Checkpoint{step});
    m_checkpoint->clear();
    for (const Checkpoint& each : m_checkpoints)
        m_checkpoint->addItem(each.step   ? stepText(*each.step)
                              : each.best ? tr("Best by held-out evaluation")
                                          : tr("Newest"));
    m_checkpoint->setCurrentIndex(std::max(0, int(m_checkpoints.indexOf(chosen))));
}

ModelField::Checkpoint ModelField::checkpoint() const
{
    return m_checkpoints.value(m_checkpoint->currentIndex());
}

TrialModel ModelField::model() const
{
    TrialModel model;
    if (run()) {
        model = modelOf(*run());
        model.step = checkpoint().step;
        model.best = checkpoint().best;
        model.name += QStringLiteral(" · ") + m_checkpoint->currentText();
    } else {
        model.host = m_host->currentData().toString();
        model.path = m_folder->text().trimmed();
        model.name = oneLine(model.path);
    }
    model.vocabulary = m_vocabulary->text().trimmed();
    return model;
}

} // namespace trainyard
