#include "app/demo/demo_flow.h"

#include <QCoreApplication>

#include "engine/base/file.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

namespace {

constexpr auto kHost = "localhost";

/// The files of `resources` that are needed at run time: `../share/trainyard` beside this program's folder,
/// in the build tree as in an installation.
std::filesystem::path resourceFolder()
{
    const std::filesystem::path bin = QCoreApplication::applicationDirPath().toStdString();
    return bin.parent_path() / "share" / "trainyard";
}

QString textOf(const std::filesystem::path& path)
{
    return QString::fromStdString(path.string());
}

} // namespace

RunSpec demoSpec(const DemoOptions& options, const std::filesystem::path& dataset, int vocabularySize)
{
    RunSpec spec;
    spec.name = "demo";
    spec.model = *modelPreset("bert-tiny");
    spec.model.vocabulary = vocabularySize;
    spec.cluster.nodes = {{kHost, options.ranks, 0}};
    spec.layout.data = options.ranks;
    spec.batch = {16 * options.ranks, 16, 1};
    spec.optimizer.learningRate = 2e-3;
    spec.optimizer.warmupSteps = options.steps / 10;
    spec.dataset.path = dataset.string();
    spec.checkpoint.everySteps = std::max(1, options.steps / 2);
    spec.launch.steps = options.steps;
    return spec;
}

DemoFlow::DemoFlow(DemoOptions options, RunService& runs, QObject* parent)
    : QObject(parent), m_options(std::move(options)), m_runs(runs)
{
}

DemoFlow::~DemoFlow() = default;

void DemoFlow::start()
{
    if (readDataSetManifest(textOf(datasetFolder())).ok()) {
        emit progress(tr("Using the data set of an earlier demo: %1").arg(textOf(datasetFolder())));
        return train();
    }
    prepareData();
}

void DemoFlow::cancel()
{
    m_cancelled = true;
    if (m_operation)
        m_operation->cancel();
    else if (!m_currentRun.isEmpty())
        m_runs.stop(m_currentRun);
}

void DemoFlow::prepareData()
{
    const auto dump = resourceFolder() / "samples" / "trainyard-sample.xml.bz2";
    if (const Status made = makeFolder(m_options.folder); !made.ok())
        return fail(made.error());
    emit progress(tr("Preparing data from the sample dump"));
    m_operation =
        m_runs.launchPrepare(kHost, "demo-data",
                             {textOf(dump), "--train-vocab", "4000", "--out", textOf(datasetFolder()),
                              "--dupe", "5", "--shards", "4", "--threads", "2"});
    connect(m_operation, &RunOperation::finished, this,
            [this](const Result<QString>& run) { launched(run, RunKind::Prepare); });
}

void DemoFlow::train()
{
    const auto manifest = readDataSetManifest(textOf(datasetFolder()));
    if (!manifest.ok())
        return fail(manifest.error());
    emit progress(tr("Training BERT Tiny on %1 ranks").arg(m_options.ranks));
    m_operation = m_runs.launch(demoSpec(m_options, datasetFolder(), manifest->vocabularySize));
    connect(m_operation, &RunOperation::finished, this,
            [this](const Result<QString>& run) { launched(run, RunKind::Train); });
}

void DemoFlow::launched(const Result<QString>& run, RunKind kind)
{
    m_operation = nullptr;
    if (!run.ok())
        return fail(run.error());
    if (m_cancelled) {
        m_runs.stop(*run);
        return fail(cancelled("the demo was cancelled"));
    }
    emit runStarted(*run, kind);
    follow(*run, kind);
}

void DemoFlow::follow(const QString& runId, RunKind kind)
{
    m_currentRun = runId;
    m_lastState = {};
    m_follower = std::make_unique<RunFollower>(runId, QStringList{kHost}, m_runs.targets());
    connect(m_follower.get(), &RunFollower::recordsArrived, this,
            [this](const QString&, const std::vector<Record>& records) {
                for (const Record& record : records) {
                    if (const auto* state = std::get_if<StateRecord>(&record.payload))
                        m_lastState = *state;
                }
            });
    connect(
        m_follower.get(), &RunFollower::finished, this, [this, runId, kind] { ended(runId, kind); },
        Qt::QueuedConnection);
    m_follower->start();
}

void DemoFlow::ended(const QString& runId, RunKind kind)
{
    m_follower.reset();
    m_currentRun.clear();
    if (m_cancelled)
        return fail(cancelled("the demo was cancelled"));
    if (m_lastState.state != RunState::Finished)
        return fail(failed("the run " + runId.toStdString() + " " + std::string(nameOf(m_lastState.state)) +
                               ": " + m_lastState.reason,
                           "see `trainyard logs " + runId.toStdString() + "`"));
    if (kind == RunKind::Prepare)
        return train();
    emit finished(runId);
}

void DemoFlow::fail(const Error& error)
{
    emit finished(error);
}

} // namespace trainyard
