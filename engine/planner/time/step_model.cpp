#include "engine/planner/time/step_model.h"

#include <algorithm>
#include <cmath>

namespace trainyard {

namespace {

/// A zero-bubble pass for the weights' gradients computes one of each pair of products. Nobody waits for the
/// input gradients of the first stage, so that it does not split its backward pass.
StageCosts costsOf(TimeByCause backward, double forward, double reduction, bool isFirst)
{
    const double whole = sum(backward);
    const double weights = isFirst ? whole : at(backward, StepCause::Products) / 2;
    return {forward, whole, whole - weights, weights, reduction};
}

} // namespace

StepTime stepOf(double seconds, const std::vector<TimeByCause>& ranks, const TimeByCause& update)
{
    const auto busiest = std::max_element(ranks.begin(), ranks.end(),
                                          [](const auto& a, const auto& b) { return sum(a) < sum(b); });
    StepTime step{seconds, *busiest};
    add(step.byCause, update);
    at(step.byCause, StepCause::Bubble) = std::max(0.0, seconds - sum(step.byCause));
    return step;
}

/// How many times longer than the average device alone the last one computes.
double StepModel::slowest(const TimeCoefficients& c) const
{
    return m_slowestDevice * std::pow(c[TimeFactor::Sharing], m_sharingDoublings);
}

StepModel::PartTime StepModel::layerTime(const TimeCoefficients& c) const
{
    PartTime time{passTime(m_forward, c, slowest(c)), passTime(m_backward, c, slowest(c))};
    const double core = m_recomputesCore ? sum(passTime(m_attentionCore, c, slowest(c))) : 0;
    at(time.backward, StepCause::Recompute) = m_recomputed * sum(time.forward) + core;
    add(time.forward, besideTime(sum(time.forward), m_besideLayer.forward, c));
    add(time.backward, besideTime(sum(time.backward), m_besideLayer.backward, c));
    return time;
}

/// Their weights are what a micro-batch begins with: nothing computes while they come. Their gradients are
/// the last ones; the first layer's pass is what may hide that.
StepModel::PartTime StepModel::embeddingsTime(const PartTime& layer, const TimeCoefficients& c) const
{
    PartTime time{passTime(m_embeddings, c, slowest(c)),
                  besideTime(sum(layer.backward), m_besideEmbeddings.backward, c)};
    add(time.forward, besideTime(0, m_besideEmbeddings.forward, c));
    return time;
}

/// And what every micro-batch takes besides, once. The last layer's passes hide what goes on beside.
StepModel::PartTime StepModel::headTime(const PartTime& layer, const TimeCoefficients& c) const
{
    PartTime time{passTime(m_headForward, c, slowest(c)), passTime(m_headBackward, c, slowest(c))};
    add(time.forward, besideTime(sum(layer.forward), m_besideHead.forward, c));
    add(time.backward, besideTime(sum(layer.backward), m_besideHead.backward, c));
    at(time.forward, StepCause::MicroBatches) = m_microBatch * c[TimeFactor::MicroBatches];
    return time;
}

std::vector<StepModel::StageTime> StepModel::stageTimes(const TimeCoefficients& c) const
{
    const PartTime layer = layerTime(c);
    const PartTime embeddings = embeddingsTime(layer, c);
    const PartTime head = headTime(layer, c);
    const double transfer = m_overlapsTransfers ? 0 : m_transfer * c[TimeFactor::Transfers];
    std::vector<StageTime> stages;
    for (const Stage& stage : m_stages) {
        StageTime& time = stages.emplace_back();
        add(time.forward, layer.forward, stage.layers);
        add(time.backward, layer.backward, stage.layers);
        if (stage.embeddings) {
            add(time.forward, embeddings.forward);
            add(time.backward, embeddings.backward);
        }
        if (stage.head) {
            add(time.forward, head.forward);
            add(time.backward, head.backward);
        }
        const bool first = &stage == &m_stages.front();
        time.reduction = exposedReduction(stage, sum(time.backward), c);
        at(time.forward, StepCause::Transfers) = &stage != &m_stages.back() ? transfer : 0;
        at(time.backward, StepCause::Transfers) = first ? 0 : transfer;
    }
    return stages;
}

double StepModel::exposedReduction(const Stage& stage, double backward, const TimeCoefficients& c) const
{
    const double whole = stage.reduction * c[TimeFactor::Reductions];
    return m_overlapsReductions ? std::max(exposedTime(whole, backward), m_lastBucket * whole) : whole;
}

/// Of the slowest rank, which all wait for.
TimeByCause StepModel::stepEnd(const TimeCoefficients& c) const
{
    TimeByCause slowest{};
    for (int rank = 0; rank < m_schedule.shape().ranks; ++rank) {
        const TimeByCause time = stepEndOf(rank, c);
        if (sum(time) > sum(slowest))
            slowest = time;
    }
    return slowest;
}

/// A rank updates all its stages.
TimeByCause StepModel::stepEndOf(int rank, const TimeCoefficients& c) const
{
    const PipelineShape& shape = m_schedule.shape();
    TimeByCause time{};
    for (int chunk = 0; chunk < shape.chunks; ++chunk) {
        const Stage& stage = m_stages[static_cast<std::size_t>(shape.stageOf(rank, chunk))];
        at(time, StepCause::Optimizer) += stage.update * c[TimeFactor::Traffic];
        at(time, StepCause::Gathers) += stage.gather * c[TimeFactor::Reductions];
        at(time, StepCause::Reductions) += stage.tied * c[TimeFactor::Reductions];
    }
    return time;
}

std::vector<TimeByCause> StepModel::rankTimes(const std::vector<StageTime>& stages) const
{
    const PipelineShape& shape = m_schedule.shape();
    std::vector<TimeByCause> ranks(static_cast<std::size_t>(shape.ranks));
    for (int rank = 0; rank < shape.ranks; ++rank) {
        TimeByCause& time = ranks[static_cast<std::size_t>(rank)];
        for (int chunk = 0; chunk < shape.chunks; ++chunk) {
            const StageTime& stage = stages[static_cast<std::size_t>(shape.stageOf(rank, chunk))];
            add(time, stage.forward, shape.microBatches);
            add(time, stage.backward, shape.microBatches);
            at(time, StepCause::Reductions) += stage.reduction;
        }
    }
    return ranks;
}

/// At least, where ranks take turns on their devices: one computes while another one waits, so only the sum
/// counts.
double StepModel::takingTurns(const std::vector<TimeByCause>& ranks, const TimeByCause& end) const
{
    double all = 0;
    for (const TimeByCause& rank : ranks)
        all += sum(rank);
    return m_ranksPerDevice * (all / static_cast<double>(ranks.size()) + sum(end));
}

PipelineCosts StepModel::costs(const std::vector<StageTime>& stages, const TimeByCause& end,
                               const TimeCoefficients& c) const
{
    PipelineCosts costs;
    for (const StageTime& stage : stages)
        costs.stages.push_back(
            costsOf(stage.backward, sum(stage.forward), stage.reduction, &stage == &stages.front()));
    costs.optimizerStep = sum(end);
    costs.transfer = m_overlapsTransfers ? m_transfer * c[TimeFactor::Transfers] : 0;
    return costs;
}

PipelineCosts StepModel::costs(const TimeCoefficients& c) const
{
    return costs(stageTimes(c), stepEnd(c), c);
}

PartCosts StepModel::partSeconds() const
{
    const auto seconds = [](const PartTime& time) { return sum(time.forward) + sum(time.backward); };
    std::size_t layers = 0;
    for (const Stage& stage : m_stages)
        layers += static_cast<std::size_t>(stage.layers);
    const PartTime layer = layerTime(m_coefficients);
    return {seconds(embeddingsTime(layer, m_coefficients)), std::vector<double>(layers, seconds(layer)),
            seconds(headTime(layer, m_coefficients))};
}

StepTime StepModel::estimate(const TimeCoefficients& c) const
{
    const std::vector<StageTime> stages = stageTimes(c);
    const TimeByCause end = stepEnd(c);
    const std::vector<TimeByCause> ranks = rankTimes(stages);
    return stepOf(std::max(m_schedule.duration(costs(stages, end, c)), takingTurns(ranks, end)), ranks, end);
}

} // namespace trainyard
