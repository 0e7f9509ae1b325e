#pragma once

#include <cstdint>

#include <QString>
#include <QStringList>

#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard::support {

/// What a made-up run looks like; the figures follow the shape of a real BERT pre-training.
struct SampleRun {
    QString name = "bert-tiny";
    QString id; ///< empty = made from startNs and name
    QStringList hosts{"localhost"};
    int worldSize = 2; ///< spread evenly over the hosts
    int steps = 400;   ///< planned
    int reached = 400; ///< last step in the journal
    RunState state = RunState::Finished;
    QString reason;
    int killedAt = 0;         ///< step at which the first attempt died; 0 = one attempt
    int resumedFrom = 0;      ///< the checkpoint's step that the second attempt started from
    int notFiniteAt = 0;      ///< a step whose loss is NaN
    int spikeAt = 0;          ///< a step with an absurd loss
    int divergesAt = 0;       ///< from this step on the loss rises
    int evaluateEvery = 0;    ///< steps between held-out evaluations; 0 = none
    int overfitsAt = 0;       ///< from this step on the held-out loss rises
    int secondPhaseAt = 0;    ///< first step of phase "long", with rows four times as long; 0 = no phases
    double heldOutTarget = 0; ///< of the held-out loss, as the specification names it; 0 = none
    double learningRate = 1e-3;
    double secondsPerStep = 0.42; ///< with two ranks
    QString datasetPath = "/data/wikipedia-en/phase1";
    QString hardware;     ///< of the nodes, as the specification names it; empty = it does not say
    int pipeline = 1;     ///< pipeline ranks; divides worldSize
    bool hasGpus = false; ///< a device per rank, with temperature and power
    int rowLength = 0;    ///< of the data set, whose manifest is kept with the run; 0 = it is not
    int loraRank = 0;     ///< of low-rank adapters; 0 = none
    int experts = 0;      ///< of each layer of a mixture, some of which get few tokens; 0 = another model
    TaskKind task{};      ///< of the specification and of the evaluations
    std::int64_t startNs = 1'795'252'505'000'000'000; ///< 2026-11-21 09:15:05 UTC
    unsigned seed = 1;                                ///< of the noise
};

/// One step of such a run; ranks' memory and phases included.
StepRecord sampleStep(const SampleRun& run, std::int64_t step);

/// The evaluation after such a step, for the run's model: a masked-language model with next-sentence head, or
/// one with the head of its task, whose metrics it has.
EvaluationRecord sampleEvaluation(const SampleRun& run, std::int64_t step);

/// Writes the run's folder under `runsFolder` (spec.json, host.json, dataset.json, inventory.json, journal/,
/// ranks/*.log)
/// and returns the folder's path; empty when it cannot be written.
QString writeSampleRun(const QString& runsFolder, const SampleRun& run);

} // namespace trainyard::support
