#include "tests/faults/soak/soak.h"

#include <QFile>
#include <QTest>

#include "engine/base/hash.h"
#include "engine/records/fence.h"
#include "engine/records/journal.h"

namespace trainyard::soak {

namespace {

constexpr int kHosts = 3;
constexpr int kCheckpointSteps = 10, kKeepLast = 3;
constexpr int kStepsAfterwards = 20;
constexpr Moment kLookMs = 250;
constexpr Moment kTryMs = 1000; ///< between two attempts to go on with a run that ended
constexpr std::chrono::minutes kPatience{5};
const QString kTests = QStringLiteral(TRAINYARD_TESTS_DIR);

/// A short lease, because faults are short.
const nlohmann::json kRequest{{"lease_ms", 5000}, {"stall_ms", 20'000}};

QByteArray readAll(const QString& path)
{
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

std::vector<Record> recordsOf(const agent::RunFolder& folder, const std::string& stream)
{
    auto journal = readJournal(folder.journal() / stream);
    return journal.ok() ? std::move(journal->records) : std::vector<Record>();
}

RecordKept kept(const std::string& stream, const Record& record)
{
    RecordKept one{stream, record.attempt, record.sequence, 0, 0, {}};
    if (const auto* step = std::get_if<StepRecord>(&record.payload)) {
        one.step = step->step;
        one.loss = step->loss;
    } else if (const auto* state = std::get_if<StateRecord>(&record.payload)) {
        one.text = std::string(nameOf(state->state)) + (state->heartbeat ? " (lives)" : " " + state->reason);
    } else if (const auto* event = std::get_if<EventRecord>(&record.payload)) {
        one.text = event->kind + ": " + event->message;
    }
    return one;
}

std::string hashOf(const QString& path)
{
    return xxh3Hex(readAll(path).toStdString());
}

} // namespace

Soak::Soak(std::uint64_t seed, const QString& historyFile)
    : m_seed(seed), m_history(historyFile.toStdString())
{
    m_clock.start();
    m_history.add(now(), Began{seed, kHosts, kKeepLast});
}

/// In the order in which they stand on each other.
Soak::~Soak()
{
    m_nemesis.reset();
    m_witness.reset();
    m_desk.reset();
    m_run.reset();
    m_lab.reset();
}

QString Soak::prepare()
{
    lab::NetnsLab::Options options;
    options.hosts = kHosts + 1;
    options.diskSize = "300m";
    options.linkTools = true;
    options.seed = m_seed;
    m_lab = std::make_unique<lab::NetnsLab>(options);
    if (const QString trouble = m_lab->start(); !trouble.isEmpty())
        return trouble;
    m_training = std::make_unique<SmallTraining>(*m_lab, kHosts);
    return m_training->prepare();
}

RunSpec Soak::spec() const
{
    RunSpec spec = m_training->spec();
    spec.name = "soak";
    spec.precision.compute = ComputeType::Float64;
    spec.checkpoint.everySteps = kCheckpointSteps;
    spec.checkpoint.keepLast = kKeepLast;
    spec.launch.restart = {.limit = 20, .backoff = std::chrono::milliseconds(300)};
    return spec;
}

QString Soak::disturb(std::chrono::seconds length)
{
    m_run = std::make_unique<SupervisedRun>(*m_lab, spec(), (kTests + "/soak").toStdString());
    m_desk = std::make_unique<DeskProcess>(
        m_lab->host(kHosts),
        DeskProcess::Options{
            .run = SupervisedRun::name(),
            .head = m_lab->host(0).address(),
            .environment = {"LD_PRELOAD=" + lab::seenInHosts(kTests + "/shifted_clock.so")}});
    m_witness = std::make_unique<Witness>(*m_run, m_history);
    if (const QString trouble = m_run->launch(kRequest); !trouble.isEmpty())
        return trouble;
    if (!attendUntil([this] { return m_run->status().step > 0; }))
        return "no first step: " + readAll(QString::fromStdString(m_run->folder().rankLog(0).string()));
    const Moment begin = now();
    auto plan = planFaults(m_seed, std::chrono::milliseconds(length).count(), kHosts);
    for (PlannedFault& fault : plan)
        fault.atMs += begin;
    m_nemesis = std::make_unique<Nemesis>(Nemesis::Disturbed{*m_lab, *m_run, *m_desk, *m_witness},
                                          std::move(plan), m_history);
    attendFor(length);
    m_nemesis->healAll(now());
    return {};
}

void Soak::attendFor(std::chrono::milliseconds length)
{
    for (const Moment end = now() + length.count(); now() < end;)
        attend();
}

bool Soak::attendUntil(const std::function<bool()>& condition)
{
    const Moment end = now() + std::chrono::milliseconds(kPatience).count();
    while (!condition()) {
        if (now() > end)
            return false;
        attend();
    }
    return true;
}

void Soak::attend()
{
    if (m_nemesis)
        m_nemesis->act(now());
    m_desk->keepUp();
    if (now() >= m_nextLook)
        look();
    goOn();
    QTest::qWait(50);
}

void Soak::look()
{
    m_nextLook = now() + kLookMs;
    m_witness->look(now());
}

/// What a person would do who sees that the run has ended.
void Soak::goOn()
{
    if (now() < m_nextTry || m_run->supervisor() > 0)
        return;
    m_nextTry = now() + kTryMs;
    m_run->callHead({{"op", "runs"}}); // the agent finds out that the supervisor died
    if (!isFinal(m_run->status().state))
        return;
    const std::uint32_t attempt =
        std::max(newestAttempt(m_run->folder().path()), m_run->status().attempt) + 1;
    const QString trouble = m_run->start(attempt, kRequest);
    m_history.add(now(), Resumed{attempt, trouble.toStdString()});
}

QString Soak::conclude()
{
    m_faults = m_nemesis->injected();
    m_nemesis.reset();
    const std::int64_t before = m_run->status().step;
    if (!attendUntil([&] { return m_run->status().step > before + kStepsAfterwards; }))
        return "the run does not go on";
    m_run->stopEverywhere();
    look();
    const bool finished = m_desk->finish();
    keepRecords();
    keepWhatIsLeft();
    m_history.add(now(), Ended{std::string(nameOf(m_run->status().state))});
    return finished ? QString() : "the desk does not end with the run";
}

void Soak::keepRecords()
{
    for (const std::string stream : {"steps", "run"}) {
        for (const Record& record : recordsOf(m_run->folder(), stream)) {
            const RecordKept one = kept(stream, record);
            m_history.add(now(), one);
            m_steps = std::max(m_steps, one.step);
            m_attempts = std::max(m_attempts, one.attempt);
        }
        const QString name = QString::fromStdString(stream);
        const QString original = QString::fromStdString((m_run->folder().journal() / stream).string());
        m_history.add(now(), StreamCompared{stream, hashOf(original), hashOf(m_desk->mirror(name))});
    }
}

void Soak::keepWhatIsLeft()
{
    for (int host = 0; host < kHosts; ++host) {
        HostAtEnd end{host, m_run->processesLeft(host), {}};
        for (const QString& file : m_run->filesLeft(host))
            end.files.push_back(file.toStdString());
        m_history.add(now(), end);
    }
}

QString Soak::summary() const
{
    return QString("seed %1: %2 faults, %3 attempts, %4 steps")
        .arg(m_seed)
        .arg(m_faults)
        .arg(m_attempts)
        .arg(m_steps);
}

QString Soak::follow()
{
    m_desk.reset();
    m_witness.reset();
    m_run.reset(); // the next one has the same name
    m_run = std::make_unique<SupervisedRun>(*m_lab, spec(), (kTests + "/soak").toStdString());
    if (const QString trouble = m_run->launch(kRequest); !trouble.isEmpty())
        return trouble;
    std::int64_t step = 0;
    while (m_run->status().step < m_steps) {
        const std::int64_t before = std::exchange(step, m_run->status().step);
        if (before == step && !QTest::qWaitFor([&] { return m_run->status().step > step; }, kPatienceMs))
            return "the undisturbed run stands still";
        QTest::qWait(int(kLookMs));
    }
    m_run->stopEverywhere();
    for (const Record& record : recordsOf(m_run->folder(), "steps")) {
        if (const auto* done = std::get_if<StepRecord>(&record.payload))
            m_history.add(now(), ReferenceStep{done->step, done->loss});
    }
    return m_history.ok() ? QString() : "the history cannot be written";
}

} // namespace trainyard::soak
