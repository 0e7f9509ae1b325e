#include "app/designer/weights_chooser.h"

#include <algorithm>

#include <QMenu>
#include <QToolButton>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/base/this_machine.h"
#include "app/hosts/controls/choose_path.h"
#include "app/runs/run_hosts.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kMaxListedRuns = 20; ///< newest ones; the id of an older one can be typed
constexpr int kMaxListedHosts = 8;
constexpr int kMaxListedSteps = 40;

bool hasWeights(const RunEntry& run)
{
    return run.isTraining && run.importedFrom.isEmpty() && !run.hosts.isEmpty();
}

QString textOf(const RunEntry& run)
{
    return WeightsChooser::tr("%1 · %2 · step %3 on %4")
        .arg(oneLine(run.name), shortRunId(run.id), displayCount(run.step), oneLine(run.hosts.value(0)));
}

QStringList otherHosts(const RunSpec& spec)
{
    QStringList hosts;
    for (const NodeSpec& node : spec.cluster.nodes) {
        const QString host = QString::fromStdString(node.host);
        if (host != thisMachine() && !hosts.contains(host) && hosts.size() < kMaxListedHosts)
            hosts << host;
    }
    return hosts;
}

void addNote(QMenu& menu, const QString& text)
{
    menu.addAction(text)->setEnabled(false);
}

} // namespace

WeightsChooser::WeightsChooser(SpecDocument& document, RunStore& store, RunService& runs, QWidget* parent)
    : QObject(parent)
    , m_document(document)
    , m_store(store)
    , m_runs(runs)
    , m_path(makeButton(tr("Choose the starting weights"), tr("Choose a folder, or a run of the list"),
                        &WeightsChooser::fillPaths))
    , m_step(makeButton(tr("Choose the checkpoint"), tr("Choose a checkpoint of the run"),
                        &WeightsChooser::fillSteps))
{
}

QToolButton* WeightsChooser::makeButton(const QString& name, const QString& tip,
                                        void (WeightsChooser::*fill)(QMenu&))
{
    auto* button = new QToolButton;
    auto* menu = new QMenu(button);
    setRole(button, "button");
    button->setText(QStringLiteral("…"));
    button->setAccessibleName(name);
    button->setToolTip(tip);
    button->setFixedHeight(metrics::kControlHeight);
    button->setPopupMode(QToolButton::InstantPopup);
    button->setMenu(menu);
    connect(menu, &QMenu::aboutToShow, this, [this, menu, fill] {
        menu->clear();
        (this->*fill)(*menu);
    });
    return button;
}

void WeightsChooser::fillPaths(QMenu& menu)
{
    addFolders(menu);
    menu.addSeparator();
    addRuns(menu);
    menu.addSeparator();
    menu.addAction(tr("No weights: draw them from the seed"), this, [this] { setPath({}); })
        ->setEnabled(m_document.spec().init.isOn());
}

void WeightsChooser::addFolders(QMenu& menu)
{
    menu.addAction(tr("Folder on this machine…"), this, [this] { browse(thisMachine()); });
    for (const QString& host : otherHosts(m_document.spec()))
        menu.addAction(tr("Folder on %1…").arg(oneLine(host)), this, [this, host] { browse(host); });
}

void WeightsChooser::addRuns(QMenu& menu)
{
    int listed = 0;
    for (int row = 0; row < m_store.list().rowCount() && listed < kMaxListedRuns; ++row) {
        const RunEntry& run = m_store.list().entryAt(row);
        if (!hasWeights(run))
            continue;
        menu.addAction(textOf(run), this, [this, id = run.id] { setPath(id); });
        ++listed;
    }
    if (listed == 0)
        addNote(menu, tr("No runs yet"));
}

void WeightsChooser::browse(const QString& host)
{
    const QString present = QString::fromStdString(m_document.spec().init.path);
    choosePaths(m_path, m_runs,
                {host, tr("Choose a model or checkpoint folder"),
                 present.startsWith(QLatin1Char('/')) ? present : QString(), ChosenKind::Folder},
                [this](const QStringList& folders) { setPath(folders.value(0)); });
}

/// Another run has other steps.
void WeightsChooser::setPath(const QString& path)
{
    m_document.editAtOnce(tr("Starting weights"), QStringLiteral("init.path"), [&](RunSpec& spec) {
        spec.init.path = path.toStdString();
        spec.init.step = 0;
    });
}

void WeightsChooser::setStep(int step)
{
    m_document.editAtOnce(tr("Checkpoint step"), QStringLiteral("init.step"),
                          [step](RunSpec& spec) { spec.init.step = step; });
}

void WeightsChooser::fillSteps(QMenu& menu)
{
    const QString run = QString::fromStdString(m_document.spec().init.path);
    const quint64 asked = ++m_asked;
    menu.addAction(tr("Newest"), this, [this] { setStep(0); });
    if (!m_store.list().indexOf(run).isValid() || !m_store.hosts())
        return addNote(menu, tr("Choose a run of the list to see its checkpoints"));
    auto* note = menu.addAction(tr("Looking for checkpoints…"));
    note->setEnabled(false);
    m_store.hosts()->listCheckpoints(
        run, {}, note, [this, asked, note, menu = &menu](const Result<QList<RunCheckpoint>>& listed) {
            if (asked != m_asked)
                return;
            addSteps(*menu, listed);
            menu->removeAction(note);
        });
}

void WeightsChooser::addSteps(QMenu& menu, const Result<QList<RunCheckpoint>>& listed)
{
    if (!listed.ok())
        return addNote(menu, tr("The checkpoints cannot be listed: %1")
                                 .arg(oneLine(QString::fromStdString(listed.error().text()))));
    QList<qint64> steps;
    for (const RunCheckpoint& checkpoint : *listed) {
        if (checkpoint.state != QLatin1String("whole") || steps.contains(checkpoint.step) ||
            steps.size() == kMaxListedSteps)
            continue;
        steps << checkpoint.step;
        menu.addAction(tr("Step %1").arg(displayCount(checkpoint.step)), this,
                       [this, step = static_cast<int>(checkpoint.step)] { setStep(step); });
    }
    if (steps.isEmpty())
        addNote(menu, tr("The run has no checkpoint yet"));
}

} // namespace trainyard
