#include "engine/training/held_out_evaluation.h"

#include <algorithm>
#include <numbers>
#include <span>

#include "engine/comm/agreement.h"

namespace trainyard {

namespace {

double numberIn(const at::Tensor& scalar)
{
    return scalar.defined() ? scalar.item<double>() : 0.0;
}

} // namespace

HeldOutEvaluation::HeldOutEvaluation(const RunSpec& spec, const ProcessGroups& groups, TrainingStep& step,
                                     HeldOutRows rows, bool pinned)
    : m_model(spec.model)
    , m_batch(spec.batch)
    , m_groups(groups)
    , m_step(step)
    , m_rows(std::move(rows))
    , m_pinned(pinned)
{
}

Result<EvaluationRecord> HeldOutEvaluation::run(Step step)
{
    Sums total{};
    for (std::int64_t batch = 0; batch < schedule().batches; ++batch) {
        TRAINYARD_TRY(const std::vector<LossSums> here, evaluateHere(batch));
        const Sums sums = addUp(here);
        for (std::size_t figure = 0; figure < kFigures; ++figure)
            total[figure] += sums[figure];
    }
    // The ranks decide by these numbers whether to go on, so they must not differ by a bit.
    m_groups.world->broadcast(std::as_writable_bytes(std::span(total)));
    return recordOf(step, total);
}

/// Before any pass the ranks know that all of them have their rows.
Result<std::vector<LossSums>> HeldOutEvaluation::evaluateHere(std::int64_t batch)
{
    const auto microBatches = m_rows.read(batch, m_groups.coordinates.data, m_pinned);
    TRAINYARD_TRY_STATUS(agree(*m_groups.world, microBatches.ok() ? Status() : microBatches.error()));
    return m_step.evaluate(*microBatches);
}

/// Each micro-batch has its place, in the order of the rows; ranks that have nothing to say of it add 0. The
/// ranks of a tensor group have the same sums, those of a context group parts of them.
HeldOutEvaluation::Sums HeldOutEvaluation::addUp(const std::vector<LossSums>& here) const
{
    std::vector<double> all(kFigures * static_cast<std::size_t>(m_batch.global / m_batch.micro));
    if (m_groups.tensor->isFirst()) {
        std::size_t place =
            kFigures * static_cast<std::size_t>(m_groups.coordinates.data * m_batch.accumulation);
        for (const LossSums& sums : here) {
            for (const double figure :
                 {numberIn(sums.tokens), numberIn(sums.sequences), numberIn(sums.correctTokens),
                  numberIn(sums.correctSequences), static_cast<double>(sums.targetCount)})
                all[place++] = figure;
        }
    }
    m_groups.world->allReduce(std::span<double>(all));
    Sums total{};
    for (std::size_t i = 0; i < all.size(); ++i)
        total[i % kFigures] += all[i];
    return total;
}

EvaluationRecord HeldOutEvaluation::recordOf(Step step, const Sums& sums) const
{
    const auto [tokenLoss, sequenceLoss, correctTokens, correctSequences, tokens] = sums;
    const auto rows = static_cast<double>(schedule().rows);
    EvaluationRecord record{.step = step.value};
    record.tokenLoss = tokenLoss / std::max(1.0, tokens);
    record.sequenceLoss = sequenceLoss / rows;
    record.loss = record.tokenLoss + record.sequenceLoss;
    record.tokenAccuracy = correctTokens / std::max(1.0, tokens);
    if (m_model.family == ModelFamily::Bert && m_model.predictsNextSentence())
        record.sequenceAccuracy = correctSequences / rows;
    if (const auto bytes = m_rows.bytesPerToken(); bytes && m_model.family == ModelFamily::Gpt)
        record.bitsPerByte = record.tokenLoss / std::numbers::ln2 / *bytes;
    record.tokens = static_cast<std::int64_t>(tokens);
    record.rows = static_cast<std::int64_t>(schedule().rows);
    return record;
}

} // namespace trainyard
