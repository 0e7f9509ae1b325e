#include "engine/training/trainer.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/counted.h"
#include "engine/comm/agreement.h"
#include "engine/comm/flight_recorder.h"
#include "engine/comm/process_groups.h"
#include "engine/memory/accounting_allocator.h"
#include "engine/nn/parameters/parameter_store.h"
#include "engine/spec/layout_change.h"
#include "engine/spec/phases/phases.h"
#include "engine/training/carried_state.h"
#include "engine/training/initial_weights.h"
#include "engine/training/replica_check.h"
#include "engine/training/run_checkpoints.h"
#include "engine/training/run_phase.h"
#include "engine/training/step_journal.h"
#include "engine/training/step_recorder.h"

namespace trainyard {

namespace {

Status fitsWorld(const RunSpec& spec, const ProcessGroup& world)
{
    if (spec.layout.worldSize() == world.size().value)
        return {};
    return badInput(fmt::format("the layout needs {} ranks, but {} were started", spec.layout.worldSize(),
                                world.size().value),
                    fmt::format("start {} ranks, or change layout.data", spec.layout.worldSize()));
}

/// The supervisor reports checkpoints whose files are damaged; wrong content only shows when the worker loads
/// it.
void reportChanges(const TrainerSetup& setup, const LoadedState& start)
{
    if (!setup.journal)
        return;
    for (const std::string& change : start.changes)
        setup.journal->event(Severity::Warning, "checkpoint-set-aside",
                             fmt::format("{}; the run starts from {}", change, start.start),
                             start.position.step.value);
}

/// Where no checkpoint says how the run goes on.
Status beginWithWeights(const TrainerSetup& setup, const ProcessGroups& groups, Replica& replica,
                        TrainingPosition& position)
{
    TRAINYARD_TRY(const InitialWeights initial,
                  loadInitialWeights(groups, replica, specOfPhase(setup.spec, 0), setup.directory));
    position.earlierUpdates = initial.earlierUpdates;
    if (setup.journal && !initial.text.empty())
        setup.journal->event(Severity::Info, "weights-loaded", initial.text);
    return {};
}

} // namespace

/// The parts of a training run, in the order in which they depend on each other.
class Trainer::Run {
public:
    /// `data`: of the first phase, where that is open already.
    Run(const TrainerSetup& setup, ProcessGroups groups, RunCheckpoints checkpoints,
        std::optional<TrainingData> data)
        : m_setup(setup)
        , m_groups(std::move(groups))
        , m_checkpoints(std::move(checkpoints))
        , m_clock(setup.recorder, systemClock(), setup.deviceTimer)
        , m_requests(setup.directory, setup.world.isFirst(), setup.stopFlag)
        , m_opened(std::move(data))
    {
    }

    /// Loads the checkpoint into the model of its phase, or for a fresh run the weights of section init.
    Status load();
    Step step() const { return m_position.step; }
    Status run();

private:
    std::int64_t lastStep() const
    {
        return m_setup.lastStep > 0 ? m_setup.lastStep : m_setup.spec.launch.steps;
    }
    Result<Replica*> replicaAfter(Step step);
    Status makePhase(int number);
    void beginPhase(int number);
    bool isLastPhase() const { return m_phase->number() + 1 == phaseCount(m_setup.spec); }
    /// The next step is that of another phase.
    bool isPhaseOver() const { return !isLastPhase() && m_position.step.value >= m_phase->lastStep(); }
    Status enterNextPhase();
    void startPhase();
    std::optional<std::string> reasonToEndNow() const;
    bool isDone() const;
    bool isOver(const Requests& requests) const;
    bool evaluationDue() const;
    bool checkpointDue(const Requests& requests) const;
    Result<StepInput> nextInput();
    Result<Requests> takeStep();
    void checkReplicas();
    Requests pollRequests() const;
    Status followStep(const Requests& requests);
    Status evaluate();
    Status saveCheckpoints(const Requests& requests);
    Status advanceEarlierCheckpoint(const Requests& requests);
    Status tolerateFailure(Step step, const Status& saved);
    Status beginCheckpoint(bool isStop);
    Status proceedWithCheckpoint();
    Status finishCheckpoint();
    void reportRemarks();
    std::string whyDone() const;
    Status end(Status status);
    void event(Severity severity, const char* kind, std::string message);

    const TrainerSetup m_setup;
    ProcessGroups m_groups;
    RunCheckpoints m_checkpoints;
    TrainingPosition m_position;
    PhaseClock m_clock;
    std::unique_ptr<RunPhase> m_phase;      // replaced at the end of each phase
    std::optional<StepRecorder> m_recorder; // of the phase
    RunRequests m_requests;
    std::optional<TrainingData> m_opened; // until the first phase takes it
};

void Trainer::Run::event(Severity severity, const char* kind, std::string message)
{
    if (m_setup.journal)
        m_setup.journal->event(severity, kind, std::move(message), m_position.step.value);
}

/// Of the phase of the next step. A damaged checkpoint may lead back to an earlier phase.
Result<Replica*> Trainer::Run::replicaAfter(Step step)
{
    const int number = phaseOfStep(m_setup.spec, step.value + 1);
    if (!m_phase || m_phase->number() != number)
        TRAINYARD_TRY_STATUS(makePhase(number));
    return &m_phase->replica();
}

/// The memory of one phase is free before the next one takes its own.
Status Trainer::Run::makePhase(int number)
{
    m_phase.reset();
    auto data = m_opened ? Result<TrainingData>(std::move(*m_opened)) : RunPhase::openData(m_setup, number);
    m_opened.reset();
    if (!data.ok())
        return data.error();
    TRAINYARD_TRY(m_phase, RunPhase::create({m_setup, m_groups, m_clock}, number, std::move(*data)));
    return {};
}

Status Trainer::Run::load()
{
    TRAINYARD_TRY(LoadedState start,
                  m_checkpoints.load([this](Step step) { return replicaAfter(step); }, m_setup.spec));
    reportChanges(m_setup, start);
    m_position = std::move(start.position);
    m_position.spec = m_setup.spec;
    if (const std::string places = m_checkpoints.placesText(); !places.empty())
        event(Severity::Info, "checkpoint-places", places);
    if (start.isFresh)
        TRAINYARD_TRY_STATUS(beginWithWeights(m_setup, m_groups, m_phase->replica(), m_position));
    // Better now than in days.
    for (int later = m_phase->number() + 1; later < phaseCount(m_setup.spec); ++later) {
        if (const auto data = RunPhase::openData(m_setup, later); !data.ok())
            return data.error();
    }
    if (m_position.phase.number != m_phase->number())
        beginPhase(m_phase->number());
    startPhase();
    return {};
}

void Trainer::Run::beginPhase(int number)
{
    m_position.beginPhase(number, m_setup.spec.phases[static_cast<std::size_t>(number)].keepOptimizer);
}

Status Trainer::Run::enterNextPhase()
{
    const int next = m_phase->number() + 1;
    beginPhase(next);
    const CarriedState carried(m_phase->replica(),
                               m_setup.spec.phases[static_cast<std::size_t>(next)].keepOptimizer);
    TRAINYARD_TRY_STATUS(makePhase(next));
    carried.giveTo(m_phase->replica(), m_setup.world, m_position.updates());
    startPhase();
    return {};
}

void Trainer::Run::startPhase()
{
    m_phase->start(m_position);
    m_recorder.emplace(m_setup.world, RankMemory{m_setup.memory.ledger(), m_setup.deviceMemory},
                       m_setup.journal);
    m_clock.finish(); // what led here is no step's
    if (m_setup.spec.phases.empty() || m_position.step.value + 1 != m_phase->firstStep())
        return;
    event(Severity::Info, "phase-started",
          fmt::format("{} ({} of {}) begins: {} on {}", phaseName(m_setup.spec, m_phase->number()),
                      m_phase->number() + 1, phaseCount(m_setup.spec),
                      counted(static_cast<std::uint64_t>(m_phase->spec().launch.steps), "step"),
                      m_phase->spec().dataset.text()));
}

/// A journal that cannot be written is treated like unreadable input, so that all ranks end at the same step.
Result<StepInput> Trainer::Run::nextInput()
{
    m_clock.enter(StepPhase::Input);
    if (m_setup.journal)
        TRAINYARD_TRY_STATUS(m_setup.journal->status());
    return m_phase->loader().next();
}

Result<Requests> Trainer::Run::takeStep()
{
    const Step step{m_position.step.value + 1};
    if (m_setup.recorder)
        m_setup.recorder->setStep(step);
    TRAINYARD_TRY(const StepOutcome outcome,
                  m_phase->step().run(
                      step, nextInput(), [this] { return pollRequests(); }, m_phase->tracer().timesOf(step)));
    if (const Status finite = requireFinite(outcome, step); !finite.ok()) {
        event(Severity::Error, "not-finite", finite.error().text());
        return finite.error();
    }
    m_position.step = step;
    m_position.lossScale = m_phase->step().lossScale();
    const int global = m_phase->globalBatchAfter(m_position.consumedSamples);
    m_position.consumedSamples += static_cast<std::uint64_t>(global);
    m_recorder->record(step, outcome, m_position.consumedSamples, m_clock.finish());
    m_phase->tracer().record(step, m_phase->microBatchesOf(global));
    m_phase->expertLoads().record(step);
    if (isReplicaCheckDue(step))
        checkReplicas();
    if (outcome.skipped)
        event(Severity::Info, "step-skipped",
              fmt::format("gradients overflowed at a loss scale of {}, so the update was skipped; the next "
                          "loss scale is {}",
                          outcome.lossScale, m_position.lossScale.scale));
    if (m_setup.afterStep)
        m_setup.afterStep(step);
    return outcome.requests;
}

/// The run goes on: which of its checkpoints are good is for people to say.
void Trainer::Run::checkReplicas()
{
    const std::vector<int> drifted = driftedRanks(m_groups, m_phase->replica());
    m_clock.finish(); // its time is no step's
    if (!drifted.empty())
        event(Severity::Error, "replicas-differ",
              fmt::format(
                  "after step {} the weights of {} {} differ from those of the ranks that should have the "
                  "same: check memory and processor there, and resume from an earlier checkpoint",
                  m_position.step.value, drifted.size() == 1 ? "rank" : "ranks", fmt::join(drifted, ", ")));
}

Requests Trainer::Run::pollRequests() const
{
    Requests requests = m_requests.poll();
    requests.saving = m_checkpoints.isBusy();
    return requests;
}

bool Trainer::Run::isDone() const
{
    return m_position.step.value >= lastStep() || reasonToEndNow();
}

/// Earlier phases only lead to the last one, whose data a target is meant for.
std::optional<std::string> Trainer::Run::reasonToEndNow() const
{
    return isLastPhase() ? reasonToEnd(m_phase->spec().evaluation, m_position.evaluation) : std::nullopt;
}

bool Trainer::Run::isOver(const Requests& requests) const
{
    return requests.stop || isDone();
}

bool Trainer::Run::evaluationDue() const
{
    const std::int64_t step = m_position.step.value;
    return m_phase->evaluatesAfter(step) && m_position.evaluation.step < step;
}

Status Trainer::Run::evaluate()
{
    m_clock.finish(); // its time is no step's
    TRAINYARD_TRY(EvaluationRecord record, m_phase->evaluation().run(m_position.step));
    record.seconds = stepSeconds({.seconds = m_clock.finish()});
    record.best = m_position.evaluation.add(record, m_phase->spec().evaluation.metric);
    if (m_setup.journal)
        m_setup.journal->write(record);
    return {};
}

bool Trainer::Run::checkpointDue(const Requests& requests) const
{
    const int every = m_setup.spec.checkpoint.everySteps;
    const bool periodic = every > 0 && m_position.step.value % every == 0;
    const bool due =
        periodic || requests.checkpoint || m_position.isBest() || isOver(requests) || isPhaseOver();
    return due && m_setup.savesCheckpoints;
}

/// Syncs the journal first: after a power cut the curve must contain every step that the checkpoint contains.
Status Trainer::Run::beginCheckpoint(bool isStop)
{
    if (m_setup.recorder)
        m_setup.recorder->setActivity(Activity::Checkpoint);
    // Before writing, so that a request that arrives meanwhile starts another checkpoint.
    m_requests.checkpointTaken();
    TRAINYARD_TRY_STATUS(agree(m_setup.world, m_setup.journal ? m_setup.journal->sync() : Status()));
    using Order = RunCheckpoints::CopyOrder;
    const Status begun = m_checkpoints.begin(m_phase->replica(), m_position,
                                             isStop ? Order::AfterPublication : Order::BeforePublication);
    reportRemarks();
    return begun;
}

void Trainer::Run::reportRemarks()
{
    for (const std::string& remark : m_checkpoints.takeRemarks())
        event(Severity::Warning, "checkpoint-remark", remark);
}

Status Trainer::Run::proceedWithCheckpoint()
{
    TRAINYARD_TRY(const auto published, m_checkpoints.proceed());
    if (!published)
        return {};
    if (!m_setup.journal)
        return agree(m_setup.world, {});
    m_setup.journal->event(Severity::Info, "checkpoint-published",
                           fmt::format("checkpoint of step {} published", published->value),
                           published->value);
    (void)m_setup.journal->sync(); // a failure does not undo the checkpoint
    return agree(m_setup.world, m_setup.journal->status());
}

Status Trainer::Run::finishCheckpoint()
{
    while (m_checkpoints.underWay())
        TRAINYARD_TRY_STATUS(proceedWithCheckpoint());
    return {};
}

/// Training continues after a failed checkpoint: a disk that is full now may have space at the next one.
Status Trainer::Run::tolerateFailure(Step step, const Status& saved)
{
    if (saved.ok() || saved.error().kind != ErrorKind::Failed)
        return saved;
    event(Severity::Warning, "checkpoint-failed",
          fmt::format("training continues without a checkpoint of step {}: {}", step.value,
                      saved.error().text()));
    return {};
}

/// A failed checkpoint does not prevent the next one: it has freed its space.
Status Trainer::Run::advanceEarlierCheckpoint(const Requests& requests)
{
    const std::optional<Step> earlier = m_checkpoints.underWay();
    if (!earlier)
        return {};
    // One checkpoint at a time: two would need twice the space, and might be published in the wrong order.
    if (checkpointDue(requests))
        return tolerateFailure(*earlier, finishCheckpoint());
    return requests.saving ? Status() : tolerateFailure(*earlier, proceedWithCheckpoint());
}

/// Called at the end of a step. Only the last checkpoint must succeed.
Status Trainer::Run::saveCheckpoints(const Requests& requests)
{
    TRAINYARD_TRY_STATUS(advanceEarlierCheckpoint(requests));
    if (!checkpointDue(requests))
        return {};
    Status saved = beginCheckpoint(requests.stop);
    if (saved.ok() && (isOver(requests) || !m_setup.spec.checkpoint.asynchronous))
        saved = finishCheckpoint();
    return isOver(requests) ? saved : tolerateFailure(m_position.step, saved);
}

/// Who asks for a stop wants it soon: then the evaluation that is due comes first after the resume. At the
/// end of a phase the resume would begin with the next one.
Status Trainer::Run::followStep(const Requests& requests)
{
    const auto at = [this](const char* what) {
        return fmt::format("{} at step {}", what, m_position.step.value);
    };
    if (evaluationDue() && (!requests.stop || isPhaseOver() || isDone())) {
        if (const Status evaluated = evaluate(); !evaluated.ok())
            return evaluated.error().in(at("evaluation"));
    }
    if (const Status saved = saveCheckpoints(requests); !saved.ok())
        return saved.error().in(at("checkpoint"));
    return {};
}

Status Trainer::Run::run()
{
    if (evaluationDue()) {
        if (const Status followed = followStep({}); !followed.ok())
            return end(followed);
    }
    while (!isDone()) {
        const auto requests = takeStep();
        if (!requests.ok())
            return end(requests.error());
        if (const Status followed = followStep(*requests); !followed.ok())
            return end(followed);
        if (requests->stop && !isDone())
            return end(cancelled(fmt::format("stopped after step {} as requested", m_position.step.value)));
        if (isPhaseOver() && !isDone()) {
            if (const Status entered = enterNextPhase(); !entered.ok())
                return end(entered);
        }
    }
    return end({});
}

std::string Trainer::Run::whyDone() const
{
    const auto steps = static_cast<std::uint64_t>(m_position.step.value);
    const std::string all =
        steps == 1 ? "the only step is done" : fmt::format("all {} are done", counted(steps, "step"));
    std::string why = reasonToEndNow().value_or(all);
    const auto missed = missedTarget(m_phase->spec().evaluation, m_position.evaluation);
    if (missed && isLastPhase())
        why += "; " + *missed;
    return why;
}

/// Completes a checkpoint under way: its state is good, whatever ended the run afterwards.
Status Trainer::Run::end(Status status)
{
    if (const Status finished = finishCheckpoint(); status.ok())
        status = finished;
    m_checkpoints.finishCleaning();
    reportRemarks();
    if (m_setup.recorder)
        m_setup.recorder->setActivity(status.ok() ? Activity::Done : Activity::Failed);
    if (status.ok())
        event(Severity::Info, "training-finished", whyDone());
    else if (status.error().kind == ErrorKind::Cancelled)
        event(Severity::Info, "training-stopped", status.error().text());
    return status;
}

Result<std::unique_ptr<Trainer>> Trainer::create(const TrainerSetup& setup)
{
    ProcessGroup& world = setup.world;
    // Each check is agreed on before the next collective, because a rank that failed would not enter it.
    TRAINYARD_TRY_STATUS(agree(world, fitsWorld(setup.spec, world)));
    std::optional<TrainingData> data;
    if (setup.spec.phases.empty()) { // else the checkpoint decides whose data the run needs
        TRAINYARD_TRY(data, RunPhase::openData(setup, 0));
    }
    TRAINYARD_TRY(const RankGrid grid, RankGrid::create(setup.spec.layout));
    ProcessGroups groups = makeProcessGroups(setup.maker, world, grid);
    TRAINYARD_TRY(RunCheckpoints checkpoints,
                  RunCheckpoints::open(groups, setup.maker, setup.directory.checkpoints(),
                                       setup.spec.checkpoint, everyRankHoldsAll(setup.spec), setup.fence));
    auto run = std::make_unique<Run>(setup, std::move(groups), std::move(checkpoints), std::move(data));
    TRAINYARD_TRY_STATUS(run->load());
    return std::unique_ptr<Trainer>(new Trainer(std::move(run)));
}

Trainer::Trainer(std::unique_ptr<Run> run) : m_run(std::move(run)) {}

Trainer::~Trainer() = default;

Status Trainer::run()
{
    return m_run->run();
}

Step Trainer::step() const
{
    return m_run->step();
}

} // namespace trainyard
