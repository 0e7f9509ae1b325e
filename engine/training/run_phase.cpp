#include "engine/training/run_phase.h"

#include "engine/comm/agreement.h"
#include "engine/memory/tensor_storage.h"
#include "engine/spec/phases/phase_rules.h"
#include "engine/spec/phases/phases.h"
#include "engine/training/run_contract.h"
#include "engine/training/trainer.h"

namespace trainyard {

namespace {

SequenceShape shapeOf(const Manifest& manifest)
{
    return {manifest.sequenceLength, manifest.maxPredictions};
}

} // namespace

Result<TrainingData> RunPhase::openData(const TrainerSetup& setup, int number)
{
    const RunSpec& run = setup.spec;
    auto data = TrainingData::open(specOfPhase(run, number));
    Status all = agree(setup.world, data.ok() ? Status() : data.error());
    if (all.ok())
        all = compareContracts(setup.world, RunContract::of(run, *data));
    if (!all.ok())
        return inPhase(run, number, all.error());
    return data;
}

Result<std::unique_ptr<RunPhase>> RunPhase::create(const Run& run, int number, TrainingData data)
{
    std::unique_ptr<RunPhase> phase(new RunPhase(run, number, std::move(data)));
    auto replica =
        Replica::create(phase->m_spec, shapeOf(phase->m_data->manifest()), run.groups, run.setup.device);
    if (!replica.ok())
        return inPhase(run.setup.spec, number, replica.error());
    phase->m_replica = std::move(*replica);
    return phase;
}

RunPhase::RunPhase(const Run& run, int number, TrainingData data)
    : m_run(run)
    , m_number(number)
    , m_spec(specOfPhase(run.setup.spec, number))
    , m_stepsBefore(stepsBefore(run.setup.spec, number))
    , m_samplesBefore(samplesBefore(run.setup.spec, number))
    , m_ramp(m_spec.batch)
    , m_data(std::move(data))
{
}

void RunPhase::start(const TrainingPosition& position)
{
    const TrainerSetup& setup = m_run.setup;
    const bool pinned = !isHostMemory(setup.device.place);
    m_step.emplace(m_spec, TrainingStep::Parts{*m_replica, m_run.groups, m_run.clock, setup.device},
                   position.lossScale, position.phase.updatesBefore);
    m_tracer.emplace(m_run.groups, setup.deviceTimer, int(m_replica->chunks().size()), setup.journal,
                     setup.recorder);
    m_expertLoads.emplace(m_spec.model, m_run.groups, *m_replica, setup.journal);
    if (m_data->heldOut)
        m_evaluation = std::make_unique<HeldOutEvaluation>(m_spec, m_run.groups, *m_step,
                                                           std::move(*m_data->heldOut), pinned);
    const std::uint64_t consumed = position.consumedSamples - m_samplesBefore;
    const std::uint64_t first = firstSample(setup.spec, m_number);
    m_loader = startLoading(
        std::move(*m_data), m_spec,
        {Rank{m_run.groups.coordinates.data}, WorldSize{m_spec.layout.data}, first + consumed, pinned, first},
        rowsTakenBefore(setup.spec, m_number));
    m_data.reset();
}

bool RunPhase::evaluatesAfter(std::int64_t stepOfRun) const
{
    return m_evaluation && m_evaluation->schedule().isDue(stepOfRun - m_stepsBefore);
}

} // namespace trainyard
