#include "engine/training/held_out_evaluation.h"

#include <algorithm>
#include <numbers>
#include <span>

#include "engine/base/check.h"
#include "engine/comm/agreement.h"
#include "engine/nn/families/model_head.h"

namespace trainyard {

namespace {

double numberIn(const at::Tensor& scalar)
{
    return scalar.defined() ? scalar.item<double>() : 0.0;
}

void copyNumbers(const at::Tensor& numbers, std::span<double> to)
{
    if (!numbers.defined() || numbers.numel() == 0)
        return;
    const at::Tensor onHost = numbers.to(at::kCPU, at::kDouble).contiguous();
    TRAINYARD_CHECK(static_cast<std::size_t>(onHost.numel()) == to.size());
    std::copy_n(onHost.const_data_ptr<double>(), to.size(), to.begin());
}

} // namespace

HeldOutEvaluation::HeldOutEvaluation(const RunSpec& spec, const ProcessGroups& groups, TrainingStep& step,
                                     HeldOutRows rows, bool pinned)
    : m_model(spec.model)
    , m_batch(spec.batch)
    , m_groups(groups)
    , m_step(step)
    , m_rows(std::move(rows))
    , m_judge(spec.model.task)
    , m_pinned(pinned)
{
    if (!m_groups.world->isFirst())
        m_rows.takeQuestions(); // other ranks judge nothing
}

Result<EvaluationRecord> HeldOutEvaluation::run(Step step, const OnBatch& onBatch)
{
    Sums total{};
    std::vector<double> predictions; // of rank 0
    for (std::int64_t batch = 0; batch < schedule().batches; ++batch) {
        TRAINYARD_TRY(const std::vector<LossSums> here, evaluateHere(batch));
        const BatchFigures figures = addUp(here);
        for (std::size_t figure = 0; figure < kFigures; ++figure)
            total[figure] += figures.sums[figure];
        if (m_groups.world->isFirst())
            predictions.insert(predictions.end(), figures.predictions.begin(), figures.predictions.end());
        if (onBatch)
            onBatch(std::min(static_cast<std::uint64_t>((batch + 1) * m_batch.global), schedule().rows));
    }
    // The ranks decide by these numbers whether to go on, so they must not differ by a bit.
    m_groups.world->broadcast(std::as_writable_bytes(std::span(total)));
    EvaluationRecord record = recordOf(step, total);
    if (m_model.task.hasHead())
        TRAINYARD_TRY_STATUS(judge(record, predictions));
    return record;
}

/// Before any pass the ranks know that all of them have their rows.
Result<std::vector<LossSums>> HeldOutEvaluation::evaluateHere(std::int64_t batch)
{
    const auto microBatches = m_rows.read(batch, m_groups.coordinates.data, m_pinned);
    TRAINYARD_TRY_STATUS(agree(*m_groups.world, microBatches.ok() ? Status() : microBatches.error()));
    return m_step.evaluate(*microBatches);
}

/// Each micro-batch has its place, in the order of the rows; ranks that have nothing to say of it add 0. The
/// ranks of a tensor group have the same sums and predictions, those of a context group parts of them.
HeldOutEvaluation::BatchFigures HeldOutEvaluation::addUp(const std::vector<LossSums>& here) const
{
    const auto predicted =
        static_cast<std::size_t>(m_batch.micro * predictionsPerRow(m_model.task, m_rows.sequenceLength()));
    const std::size_t width = kFigures + predicted;
    std::vector<double> all(width * static_cast<std::size_t>(m_batch.global / m_batch.micro));
    if (m_groups.tensor->isFirst()) {
        std::size_t place =
            width * static_cast<std::size_t>(m_groups.coordinates.data * m_batch.accumulation);
        for (const LossSums& sums : here) {
            for (const double figure :
                 {numberIn(sums.tokens), numberIn(sums.sequences), numberIn(sums.correctTokens),
                  numberIn(sums.correctSequences), static_cast<double>(sums.targetCount)})
                all[place++] = figure;
            copyNumbers(sums.predictions, std::span(all).subspan(place, predicted));
            place += predicted;
        }
    }
    m_groups.world->allReduce(std::span<double>(all));
    BatchFigures figures;
    for (std::size_t first = 0; first < all.size(); first += width) {
        for (std::size_t i = 0; i < kFigures; ++i)
            figures.sums[i] += all[first + i];
        const auto begin = all.begin() + static_cast<std::ptrdiff_t>(first + kFigures);
        figures.predictions.insert(figures.predictions.end(), begin,
                                   begin + static_cast<std::ptrdiff_t>(predicted));
    }
    return figures;
}

/// Without those of the filler.
std::span<const double> HeldOutEvaluation::ofRows(const std::vector<double>& predictions) const
{
    const std::int64_t perRow = predictionsPerRow(m_model.task, m_rows.sequenceLength());
    return std::span(predictions).first(schedule().rows * static_cast<std::size_t>(perRow));
}

/// Rank 0 compares the predictions with the labels. What the run may be judged by all ranks have to know.
Status HeldOutEvaluation::judge(EvaluationRecord& record, const std::vector<double>& predictions)
{
    const auto metrics = m_groups.world->isFirst() ? m_judge.judge(m_rows, ofRows(predictions))
                                                   : Result<TaskMetrics>(TaskMetrics());
    TRAINYARD_TRY_STATUS(agree(*m_groups.world, metrics.ok() ? Status() : metrics.error()));
    record.task = *metrics;
    record.task.kind = m_model.task.kind;
    if (m_model.task.kind == TaskKind::Answer)
        record.tokenAccuracy = m_groups.world->broadcastValue(metrics->exactMatch.value_or(0) / 100);
    return {};
}

EvaluationRecord HeldOutEvaluation::recordOf(Step step, const Sums& sums) const
{
    const auto [tokenLoss, sequenceLoss, correctTokens, correctSequences, tokens] = sums;
    const auto rows = static_cast<double>(schedule().rows);
    EvaluationRecord record{.step = step.value};
    record.tokenLoss = tokenLoss / std::max(1.0, tokens);
    record.sequenceLoss = sequenceLoss / rows;
    record.loss = record.tokenLoss + record.sequenceLoss;
    record.tokenAccuracy =
        m_model.task.judgesSequences() ? correctSequences / rows : correctTokens / std::max(1.0, tokens);
    if (m_model.predictsNextSentence())
        record.sequenceAccuracy = correctSequences / rows;
    const bool predictsText = m_model.isDecoder() && !m_model.task.isOn(); // all of it
    if (const auto bytes = m_rows.bytesPerToken(); bytes && predictsText)
        record.bitsPerByte = record.tokenLoss / std::numbers::ln2 / *bytes;
    record.tokens = static_cast<std::int64_t>(tokens);
    record.rows = static_cast<std::int64_t>(schedule().rows);
    return record;
}

} // namespace trainyard
