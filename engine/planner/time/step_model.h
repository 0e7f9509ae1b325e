#pragma once

#include <vector>

#include "engine/base/result.h"
#include "engine/planner/hardware/hardware.h"
#include "engine/planner/layout/shape.h"
#include "engine/planner/layout/stage_partition.h"
#include "engine/planner/time/pass_time.h"
#include "engine/planner/time/program_traits.h"
#include "engine/planner/time/step_schedule.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// An optimizer step in seconds, each counted under one cause.
struct StepTime {
    double seconds = 0;
    TimeByCause byCause{};
};

/// A step of `seconds` as the busiest of the pipeline ranks spends it, and the update after it; what is left
/// is the bubble. Requires a rank.
StepTime stepOf(double seconds, const std::vector<TimeByCause>& ranks, const TimeByCause& update);

/// How long a run's optimizer step takes on a kind of node: passes of layers and head by their work
/// (layer_work.h, pass_time.h), collectives by link tables, all of it played through the run's schedule.
/// Made once per specification, asked once per calibration. A plain value.
class StepModel {
public:
    /// `node`: of unequal ones the governing one; launch.device "auto" is what resolvedDevice() makes of it.
    /// Refused as layersPerStage() and makeSchedule() say, BadInput for a placement that is none. Requires
    /// what validate() demands of degrees and batch.
    static Result<StepModel> create(const RunSpec& spec, const SequenceShape& shape, const NodeModel& node,
                                    const ProgramTraits& program = trainyardProgram(),
                                    ScheduleDetail detail = ScheduleDetail::Simulated);

    /// With what the node's own calibration corrects.
    StepTime estimate() const { return estimate(m_coefficients); }
    StepTime estimate(const TimeCoefficients& coefficients) const;
    /// What the step's schedule is played with: seconds of every stage's actions.
    PipelineCosts costs() const { return costs(m_coefficients); }
    PipelineCosts costs(const TimeCoefficients& coefficients) const;

    /// Seconds of one micro-batch's forward and backward pass by part of the model: what partitionLayers()
    /// makes stages equal by.
    PartCosts partSeconds() const;
    /// Where each pipeline rank's time goes until it updates its weights, waiting for others apart.
    std::vector<TimeByCause> rankTimes() const { return rankTimes(stageTimes(m_coefficients)); }
    /// And the update, of the rank that takes longest.
    TimeByCause updateTime() const { return stepEnd(m_coefficients); }

private:
    friend class StepModelBuilder;
    explicit StepModel(StepSchedule schedule) : m_schedule(std::move(schedule)) {}

    struct Stage {
        int layers = 0;
        bool embeddings = false;
        bool head = false;
        double reduction = 0; ///< seconds, of its gradients at the end of the step
        double update = 0;    ///< seconds on the device or the host
        double gather = 0;    ///< seconds: weights brought together after the update
        double tied = 0;      ///< seconds: gradients of tied weights
    };
    struct StageTime {
        TimeByCause forward{};
        TimeByCause backward{};
        double reduction = 0; ///< seconds, not hidden
    };

    struct PartTime {
        TimeByCause forward{};
        TimeByCause backward{};
    };
    struct PassBeside {
        BesideDemand forward;
        BesideDemand backward;
    };

    double slowest(const TimeCoefficients& c) const;
    PartTime layerTime(const TimeCoefficients& c) const;
    PartTime embeddingsTime(const PartTime& layer, const TimeCoefficients& c) const;
    PartTime headTime(const PartTime& layer, const TimeCoefficients& c) const;
    std::vector<StageTime> stageTimes(const TimeCoefficients& c) const;
    double exposedReduction(const Stage& stage, double backward, const TimeCoefficients& c) const;
    TimeByCause stepEnd(const TimeCoefficients& c) const;
    TimeByCause stepEndOf(int rank, const TimeCoefficients& c) const;
    PipelineCosts costs(const std::vector<StageTime>& stages, const TimeByCause& end,
                        const TimeCoefficients& c) const;
    std::vector<TimeByCause> rankTimes(const std::vector<StageTime>& stages) const;
    double takingTurns(const std::vector<TimeByCause>& ranks, const TimeByCause& end) const;

    StepSchedule m_schedule;
    TimeCoefficients m_coefficients; ///< the node's
    std::vector<Stage> m_stages;
    PassDemand m_forward, m_backward, m_attentionCore; ///< of a layer
    PassDemand m_embeddings; ///< their forward pass; nothing is counted of the backward pass
    PassDemand m_headForward, m_headBackward;
    PassBeside m_besideLayer, m_besideEmbeddings, m_besideHead;
    double m_recomputed = 0; ///< share of the layers that compute all again
    bool m_recomputesCore = false;
    bool m_overlapsReductions = true;
    double m_lastBucket = 0; ///< share of a stage's gradients that nothing is left to hide
    double m_transfer = 0;   ///< seconds
    bool m_overlapsTransfers = true;
    double m_microBatch = 0; ///< seconds
    double m_slowestDevice = 1;
    double m_ranksPerDevice = 1;   ///< more than 1: ranks of a host that share its cores
    double m_sharingDoublings = 0; ///< log2 of the ranks or replicas that share a node
};

} // namespace trainyard
