#include "sample_run.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <random>

#include <QDir>
#include <QFile>
#include <QJsonArray>
#include <QJsonDocument>
#include <QJsonObject>

#include "engine/base/file.h"
#include "engine/records/journal.h"
#include "engine/spec/presets.h"
#include "engine/spec/spec_json.h"

namespace trainyard::support {

namespace {

constexpr std::int64_t kSecond = 1'000'000'000;
constexpr int kMicroBatch = 16;
constexpr double kLongerSteps = 1.6; ///< of the second phase, whose rows are longer

/// Steps on by what the writer of the run is told to wait.
class StoryClock final : public Clock {
public:
    explicit StoryClock(std::int64_t startNs) : m_startNs(startNs) {}
    Instant now() const override { return {m_elapsedNs, m_startNs + m_elapsedNs}; }
    void wait(double seconds) { m_elapsedNs += std::int64_t(seconds * double(kSecond)); }

private:
    std::int64_t m_startNs;
    std::int64_t m_elapsedNs = 0;
};

double noise(const SampleRun& run, std::int64_t step, unsigned what)
{
    std::mt19937 generator(run.seed * 7919u + unsigned(step) * 31u + what);
    std::normal_distribution<double> normal;
    return normal(generator);
}

int accumulationOf(const SampleRun& run)
{
    return std::max(run.pipeline > 1 ? 4 : 1, 16 / run.worldSize);
}

int globalBatchOf(const SampleRun& run)
{
    return kMicroBatch * accumulationOf(run) * (run.worldSize / run.pipeline);
}

bool isInSecondPhase(const SampleRun& run, std::int64_t step)
{
    return run.secondPhaseAt > 0 && step >= run.secondPhaseAt;
}

/// The second one reads another data set, in smaller micro-batches.
void addPhases(const SampleRun& run, RunSpec& spec)
{
    spec.phases = {{.name = "short", .steps = run.secondPhaseAt - 1},
                   {.name = "long", .steps = run.steps - run.secondPhaseAt + 1}};
    PhaseSpec& second = spec.phases.back();
    second.dataset.path = spec.dataset.path + "-long";
    second.batch.micro = spec.batch.micro / 2;
    second.batch.accumulation = spec.batch.accumulation * 2;
    second.named = {"dataset.path", "batch.micro", "batch.accumulation"};
}

constexpr int kExpertLayers = 12;

RunSpec specOf(const SampleRun& run)
{
    RunSpec spec;
    spec.name = run.name.toStdString();
    spec.model = modelPreset("bert-tiny").value_or(ModelSpec{});
    spec.model.task.kind = run.task;
    spec.model.lora.rank = run.loraRank;
    if (run.experts > 0) {
        spec.model.setFamily(ModelFamily::Mixtral);
        spec.model.layers = kExpertLayers;
        spec.model.experts = {.count = run.experts, .perToken = 2};
    }
    spec.cluster.nodes.clear();
    const int perHost = (run.worldSize + int(run.hosts.size()) - 1) / int(run.hosts.size());
    for (const QString& host : run.hosts)
        spec.cluster.nodes.push_back({.host = host.toStdString(),
                                      .slotCount = perHost,
                                      .memory = 32 * kGiB,
                                      .hardware = run.hardware.toStdString()});
    spec.layout.data = run.worldSize / run.pipeline;
    spec.layout.pipeline = run.pipeline;
    spec.model.layers = std::max(spec.model.layers, run.pipeline);
    spec.batch.micro = kMicroBatch;
    spec.batch.accumulation = accumulationOf(run);
    spec.batch.global = globalBatchOf(run);
    spec.optimizer.learningRate = run.learningRate;
    spec.optimizer.warmupSteps = run.steps / 10;
    spec.dataset.path = run.datasetPath.toStdString();
    spec.checkpoint.everySteps = 100;
    spec.launch.steps = run.steps;
    if (run.evaluateEvery > 0)
        spec.evaluation.everySteps = run.evaluateEvery;
    spec.evaluation.target = run.heldOutTarget;
    if (run.secondPhaseAt > 0)
        addPhases(run, spec);
    if (run.experts > 0)
        spec.layout.expert = spec.layout.data;
    return spec;
}

double learningRateAt(const SampleRun& run, std::int64_t step)
{
    const double warmup = run.steps / 10.0;
    if (double(step) < warmup)
        return run.learningRate * double(step) / warmup;
    return run.learningRate * std::max(0.0, (run.steps - double(step)) / (run.steps - warmup));
}

RankStats figuresOf(const SampleRun& run, std::int64_t step, int rank, double seconds)
{
    RankStats figures;
    const double wobble = 1 + 0.02 * noise(run, step, 100 + unsigned(rank));
    figures.peakMemory = {Bytes(17.6 * kMiB),         Bytes(17.6 * kMiB), Bytes(52.8 * kMiB),
                          Bytes(348 * kMiB * wobble), 25 * kMiB,          Bytes(6.1 * kMiB * wobble),
                          Bytes(9.4 * kMiB)};
    for (const Bytes bytes : figures.peakMemory)
        figures.peakTotal += bytes;
    figures.residentSet = figures.peakTotal + 410 * kMiB;
    const double slow = rank == run.worldSize - 1 ? 0.04 : 0.0; // a mild straggler
    const auto set = [&](StepPhase phase, double share) {
        figures.seconds[std::size_t(phase)] = seconds * share;
    };
    set(StepPhase::Input, 0.015);
    set(StepPhase::Forward, 0.27 + slow);
    set(StepPhase::Backward, 0.52 + slow / 2);
    set(StepPhase::Reduce, 0.08 - slow);
    set(StepPhase::Optimizer, 0.045);
    set(StepPhase::Other, 0.02);
    set(StepPhase::Offload, 0.05 - slow / 2);
    return figures;
}

/// One forward and one backward pass per micro-batch and stage, as 1F1B has them, with some unevenness.
PipelineTrace traceOf(const SampleRun& run, std::int64_t step, double seconds)
{
    const int microBatches = accumulationOf(run);
    const auto wobble = [&](unsigned what) { return 1 + 0.06 * noise(run, step, 5000 + what); };
    const double pass = 0.85 * seconds / (3.0 * (microBatches + run.pipeline - 1));
    PipelineTrace trace{step, 1, microBatches, {}};
    for (int rank = 0; rank < run.pipeline; ++rank) {
        auto& spans = trace.ranks.emplace_back();
        double now = rank * pass;
        const auto work = [&](TracedWork kind, int microBatch, int chunk, double length) {
            const double end = now + length * wobble(unsigned(spans.size()) + 97u * unsigned(rank));
            spans.push_back({kind, microBatch, chunk, now, end});
            now = end;
        };
        const int warmUp = std::min(microBatches, run.pipeline - rank - 1);
        for (int i = 0; i < warmUp; ++i)
            work(TracedWork::Forward, i, 0, pass);
        now = std::max(now, (2.0 * run.pipeline - rank - 2) * pass + 2.0 * (run.pipeline - rank - 1) * pass);
        for (int i = 0; i < microBatches; ++i) {
            if (i + warmUp < microBatches)
                work(TracedWork::Forward, i + warmUp, 0, pass);
            work(TracedWork::Backward, i, 0, 2 * pass);
        }
        now = std::max(now, 0.88 * seconds);
        work(TracedWork::Reduce, -1, -1, 0.06 * seconds);
        work(TracedWork::Optimizer, -1, -1, 0.05 * seconds);
    }
    return trace;
}

/// Nearly even, but for some experts of the deepest layers.
ExpertLoad expertLoadOf(const SampleRun& run, std::int64_t step)
{
    ExpertLoad load;
    load.step = step;
    load.experts = run.experts;
    std::mt19937 generator(run.seed + unsigned(step));
    std::uniform_int_distribution<std::uint32_t> pairs(1600, 2600);
    for (int layer = 0; layer < kExpertLayers; ++layer) {
        load.layers.push_back(layer);
        for (int expert = 0; expert < run.experts; ++expert) {
            const bool isIdle = (layer * 5 + expert * 3) % 17 == 0 && layer > 7;
            const bool isBusy = (layer + expert * 7) % 23 == 0;
            load.pairs.push_back(isIdle ? 12 : isBusy ? 3 * pairs(generator) : pairs(generator));
        }
    }
    return load;
}

bool append(JournalWriter& writer, const Payload& payload)
{
    return writer.append(payload).ok();
}

/// Tells the story of one attempt: its steps, events and the supervisor's words.
class Attempt {
public:
    Attempt(const SampleRun& run, const std::filesystem::path& journal, std::uint32_t number,
            StoryClock& clock)
        : m_run(run)
        , m_clock(clock)
        , m_steps(JournalWriter::open(journal, "steps", number, clock).value())
        , m_life(JournalWriter::open(journal, "run", number, clock).value())
    {
        for (qsizetype node = 0; node < run.hosts.size(); ++node)
            m_nodes.push_back(
                JournalWriter::open(journal, "node-" + std::to_string(node), number, clock).value());
        if (run.hasGpus)
            tellDevices();
    }

    void start() { say(RunState::Starting, 0); }
    void train(std::int64_t from, std::int64_t to)
    {
        for (std::int64_t step = from; step <= to; ++step) {
            const StepRecord record = sampleStep(m_run, step);
            m_clock.wait(record.stepSeconds);
            append(m_steps, record);
            if (m_run.evaluateEvery > 0 && step % m_run.evaluateEvery == 0)
                evaluate(step);
            if (step % 100 == 0)
                append(m_steps, traceOf(m_run, step, record.stepSeconds));
            if (m_run.experts > 0 && step % 10 == 0)
                append(m_steps, expertLoadOf(m_run, step));
            if (step == from || step % 25 == 0)
                signOfLife(step);
            if (step % 100 == 0)
                tell(Severity::Info, "checkpoint-published", "checkpoint of step " + std::to_string(step),
                     step);
            if (step == m_run.notFiniteAt)
                tell(Severity::Warning, "loss-not-finite", "the loss is NaN; the step was skipped", step);
        }
    }
    void tell(Severity severity, const char* kind, const std::string& message, std::int64_t step,
              std::optional<int> rank = {})
    {
        append(m_steps, EventRecord{severity, kind, message, rank, step});
    }
    void say(RunState state, std::int64_t step, const QString& reason = {}, bool heartbeat = false)
    {
        append(m_life, StateRecord{state, reason.toStdString(), step, m_run.steps, heartbeat});
    }

private:
    void evaluate(std::int64_t step)
    {
        EvaluationRecord record = sampleEvaluation(m_run, step);
        record.best = record.loss < m_bestLoss;
        m_bestLoss = std::min(m_bestLoss, record.loss);
        m_clock.wait(record.seconds);
        append(m_steps, record);
    }
    void signOfLife(std::int64_t step)
    {
        say(RunState::Running, step, {}, m_started);
        m_started = true;
        for (int node = 0; node < int(m_nodes.size()); ++node)
            sample(node, step);
    }
    void sample(int node, std::int64_t step)
    {
        JournalWriter& writer = m_nodes[std::size_t(node)];
        append(writer, DeviceSample{-1, 11 * kGiB, 32 * kGiB, 0.81, 212 * kGiB, 58.0, {}});
        const int devices = m_run.hasGpus ? m_run.worldSize / int(m_nodes.size()) : 0;
        for (int device = 0; device < devices; ++device) {
            const double wobble = noise(m_run, step, 900 + unsigned(16 * node + device));
            const double load = std::clamp(0.94 + 0.03 * wobble, 0.0, 1.0);
            DeviceSample gpu{device,
                             Bytes(27.4 * kGiB),
                             32 * kGiB,
                             load,
                             212 * kGiB,
                             std::round(63 + 4 * wobble),
                             std::round(284 + 12 * wobble)};
            gpu.health = health(node, device, wobble);
            append(writer, gpu);
        }
    }

    static DeviceHealth health(int node, int device, double wobble)
    {
        return {.uuid = uuidOf(node, device),
                .memoryCelsius = std::round(70 + 3 * wobble),
                .limitWatts = 300,
                .clockMhz = 1530,
                .maxClockMhz = 1530,
                .clockLimits = 0,
                .correctedErrors = device == 3 ? 2 : 0,
                .uncorrectedErrors = 0,
                .linkSent = 21.6e9,
                .linkReceived = 21.4e9,
                .linkErrors = 0};
    }
    static std::string uuidOf(int node, int device)
    {
        return "GPU-5f2a90c" + std::to_string(node) + "-0000-4000-8000-00000000000" + std::to_string(device);
    }
    /// What rank 0 tells first.
    void tellDevices()
    {
        DevicesRecord record;
        const int perNode = m_run.worldSize / int(m_nodes.size());
        for (int rank = 0; rank < m_run.worldSize; ++rank)
            record.ranks.push_back(
                {uuidOf(rank / perNode, rank % perNode), "Tesla V100-SXM2-32GB", Bytes(31.7 * kGiB)});
        append(m_steps, record);
    }

    const SampleRun& m_run;
    StoryClock& m_clock;
    JournalWriter m_steps;
    JournalWriter m_life;
    std::vector<JournalWriter> m_nodes;
    bool m_started = false;
    double m_bestLoss = std::numeric_limits<double>::infinity();
};

void writeJournals(const SampleRun& run, const std::filesystem::path& journal)
{
    StoryClock clock(run.startNs);
    std::int64_t from = 1;
    std::uint32_t number = 1;
    if (run.killedAt > 0) {
        Attempt first(run, journal, number++, clock);
        first.start();
        first.train(1, run.killedAt);
        const auto last = QStringLiteral("rank 1 on %1 was killed by signal 9").arg(run.hosts.last());
        first.tell(Severity::Error, "rank-died", last.toStdString(), run.killedAt, 1);
        first.say(RunState::Failed, run.killedAt, last);
        from = run.resumedFrom + 1;
        clock.wait(310);
    }
    Attempt last(run, journal, number, clock);
    last.start();
    if (number > 1)
        last.tell(Severity::Info, "resumed",
                  "resumed from the checkpoint of step " + std::to_string(from - 1), from);
    last.train(from, run.reached);
    if (run.state == RunState::Failed)
        last.tell(Severity::Error, "rank-died", run.reason.toStdString(), run.reached, run.worldSize - 1);
    if (run.state != RunState::Running)
        last.say(run.state, run.reached, run.reason);
}

/// As the agent answers `probe`.
QJsonObject probeOf(const QString& host)
{
    return {{"host", host},
            {"arch", "x86_64"},
            {"os", "Debian GNU/Linux 12 (bookworm)"},
            {"kernel", "6.1.0-28-amd64"},
            {"glibc", "2.36"},
            {"cpu", QJsonObject{{"model", "AMD EPYC 9354 32-Core Processor"}, {"cores", 32}}},
            {"memory", QJsonObject{{"total", double(256 * kGiB)}, {"available", double(240 * kGiB)}}},
            {"mpi", QJsonObject{{"path", "/usr/bin/mpirun"}, {"version", "4.1.4"}}}};
}

QJsonObject inventoryOf(const SampleRun& run)
{
    QJsonArray hosts;
    QJsonArray checked;
    for (const QString& host : run.hosts) {
        hosts.append(QJsonObject{{"host", host}, {"node", hosts.size()}, {"probe", probeOf(host)}});
        checked.append(
            QJsonObject{{"host", host},
                        {"verdict", "warn"},
                        {"checks", QJsonArray{QJsonObject{{"check", "locked memory"},
                                                          {"found", "8.00 MiB"},
                                                          {"verdict", "warn"},
                                                          {"fix", "raise memlock in limits.conf"}}}}});
    }
    return {{"version", "0.1.0"},
            {"bundle", "installed"},
            {"hosts", hosts},
            {"preflight", QJsonObject{{"verdict", "warn"}, {"hosts", checked}}}};
}

/// Of rows that many times as long as the run's.
QJsonObject manifestOf(const SampleRun& run, int times)
{
    const int length = times * run.rowLength;
    QJsonArray shards;
    for (int i = 0; i < 16; ++i)
        shards.append(QJsonObject{{"rows", 599'286}, {"training", true}});
    shards.append(QJsonObject{{"rows", 96'858}, {"training", false}});
    return {{"version", 1},
            {"sequence_length", length},
            {"max_predictions", length * 5 / 32},
            {"vocabulary_size", 30522},
            {"vocabulary_sha256", "07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3"},
            {"statistics", QJsonObject{{"documents", 105'318}, {"tokens", 228'114'902}}},
            {"shards", shards}};
}

bool writeText(const QString& path, const QByteArray& text)
{
    QDir().mkpath(QFileInfo(path).path());
    QFile file(path);
    return file.open(QIODevice::WriteOnly) && file.write(text) == text.size();
}

/// The time that a rank's lines begin with.
QByteArray timeOf(const SampleRun& run, double seconds)
{
    return QByteArray::fromStdString(utcText(run.startNs + std::int64_t(seconds * double(kSecond)))) + ' ';
}

QByteArray logOf(const SampleRun& run, int rank)
{
    QByteArray log = timeOf(run, 0) + "trainyard-worker 0.1.0, rank " + QByteArray::number(rank) + " of " +
                     QByteArray::number(run.worldSize) + " on " + run.hosts.first().toUtf8() + "\n";
    double seconds = 0;
    for (int step = 10; step <= run.reached; step += 10) {
        const StepRecord record = sampleStep(run, step);
        log += timeOf(run, seconds += 10 * record.stepSeconds) + "step " + QByteArray::number(step) +
               "  loss " + QByteArray::number(record.loss, 'f', 4) + "  " +
               QByteArray::number(double(record.sequences) / record.stepSeconds, 'f', 1) + " seq/s\n";
    }
    return log;
}

} // namespace

StepRecord sampleStep(const SampleRun& run, std::int64_t step)
{
    const double x = double(step);
    StepRecord record;
    record.step = step;
    record.mlmLoss = 3.1 + 7.2 * std::exp(-x / (run.steps * 0.16)) + 0.07 * noise(run, step, 1);
    record.nspLoss = 0.42 + 0.28 * std::exp(-x / (run.steps * 0.3)) + 0.02 * noise(run, step, 2);
    if (run.divergesAt > 0 && step > run.divergesAt)
        record.mlmLoss += 0.08 * (x - run.divergesAt);
    if (step == run.notFiniteAt)
        record.mlmLoss = std::nan("");
    if (isInSecondPhase(run, step))
        record.mlmLoss += 0.5 * std::exp(-(x - run.secondPhaseAt) / (run.steps * 0.04));
    if (step == run.spikeAt)
        record.mlmLoss = 61;
    record.loss = record.mlmLoss + record.nspLoss;
    record.learningRate = learningRateAt(run, step);
    record.gradientNorm = 0.8 + 4 * std::exp(-x / (run.steps * 0.1)) + 0.12 * std::fabs(noise(run, step, 3));
    // Amdahl with 6 % that does not scale, relative to two ranks.
    const double scale = (0.06 + 0.94 / run.worldSize) / (0.06 + 0.94 / 2);
    record.stepSeconds = run.secondsPerStep * scale * (1 + 0.03 * std::fabs(noise(run, step, 4)));
    if (isInSecondPhase(run, step))
        record.stepSeconds *= kLongerSteps;
    record.sequences = globalBatchOf(run);
    record.tokens = std::int64_t(double(record.sequences) * 118.4);
    record.consumedSamples = step * record.sequences;
    for (int rank = 0; rank < run.worldSize; ++rank)
        record.ranks.push_back(figuresOf(run, step, rank, record.stepSeconds));
    return record;
}

namespace {

EvaluationRecord samplePretrainingEvaluation(const SampleRun& run, std::int64_t step)
{
    const double x = double(step);
    EvaluationRecord record{.step = step};
    record.tokenLoss = 3.3 + 7.2 * std::exp(-x / (run.steps * 0.16));
    record.sequenceLoss = 0.45 + 0.28 * std::exp(-x / (run.steps * 0.3));
    if (run.overfitsAt > 0 && step > run.overfitsAt)
        record.tokenLoss += 0.02 * (x - run.overfitsAt);
    record.loss = record.tokenLoss + record.sequenceLoss;
    record.tokenAccuracy = 0.55 - 0.5 * std::exp(-x / (run.steps * 0.3));
    record.sequenceAccuracy = 0.9 - 0.4 * std::exp(-x / (run.steps * 0.3));
    record.tokens = 20'480;
    record.rows = 1024;
    record.seconds = 0.25;
    return record;
}

/// `learned`: 0 at the beginning, 1 at the end of a long run.
TaskMetrics sampleMetrics(TaskKind task, double learned)
{
    TaskMetrics metrics{.kind = task};
    if (task == TaskKind::Regress) {
        metrics.pearson = 0.88 * learned;
        metrics.spearman = 0.86 * learned;
    } else if (task == TaskKind::Answer) {
        metrics.exactMatch = 12 + 70 * learned;
        metrics.f1 = 20 + 69 * learned;
    } else {
        metrics.f1 = 0.3 + 0.6 * learned;
    }
    if (task == TaskKind::Classify)
        metrics.matthews = 0.82 * learned;
    return metrics;
}

EvaluationRecord sampleTaskEvaluation(const SampleRun& run, std::int64_t step)
{
    const double learned = 1 - std::exp(-double(step) / (run.steps * 0.3));
    EvaluationRecord record{.step = step};
    record.loss = 1.1 - 0.8 * learned;
    (run.task == TaskKind::Tag ? record.tokenLoss : record.sequenceLoss) = record.loss;
    record.tokenAccuracy = run.task == TaskKind::Regress ? 0 : 0.4 + 0.5 * learned;
    record.task = sampleMetrics(run.task, learned);
    record.tokens = record.rows = 872;
    record.seconds = 0.25;
    return record;
}

} // namespace

EvaluationRecord sampleEvaluation(const SampleRun& run, std::int64_t step)
{
    return TaskSpec{.kind = run.task}.hasHead() ? sampleTaskEvaluation(run, step)
                                                : samplePretrainingEvaluation(run, step);
}

QString writeSampleRun(const QString& runsFolder, const SampleRun& run)
{
    const QString id = !run.id.isEmpty()
                           ? run.id
                           : QString::fromStdString(utcStamp({0, run.startNs})) + QLatin1Char('-') +
                                 run.name + QStringLiteral("-%1").arg(run.seed, 4, 16, QChar('0'));
    const QString folder = runsFolder + QLatin1Char('/') + id;
    const QJsonObject desk{{"id", id}, {"name", run.name}, {"hosts", QJsonArray::fromStringList(run.hosts)}};
    bool ok = QDir().mkpath(folder + "/journal") &&
              writeText(folder + "/spec.json", QByteArray::fromStdString(toJson(specOf(run)))) &&
              writeText(folder + "/host.json", QJsonDocument(desk).toJson()) &&
              writeText(folder + "/inventory.json", QJsonDocument(inventoryOf(run)).toJson());
    if (run.rowLength > 0)
        ok = ok && writeText(folder + "/dataset.json", QJsonDocument(manifestOf(run, 1)).toJson());
    if (run.rowLength > 0 && run.secondPhaseAt > 0)
        ok = ok && writeText(folder + "/dataset-2.json", QJsonDocument(manifestOf(run, 4)).toJson());
    for (int rank = 0; rank < run.worldSize; ++rank)
        ok = ok && writeText(folder + QStringLiteral("/ranks/%1.log").arg(rank, 4, 10, QChar('0')),
                             logOf(run, rank));
    if (ok)
        writeJournals(run, (folder + "/journal").toStdString());
    return ok ? folder : QString();
}

} // namespace trainyard::support
