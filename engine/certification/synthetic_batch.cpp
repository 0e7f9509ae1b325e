#include "engine/certification/synthetic_batch.h"

#include <numeric>
#include <random>

#include <ATen/ops/stack.h>

#include "engine/training/data/packing.h"

namespace trainyard {

namespace {

/// One after another for a micro-batch.
class SyntheticBatch {
public:
    SyntheticBatch(const RunSpec& spec, const SequenceShape& shape) : m_spec(spec), m_shape(shape) {}

    void append(std::uint64_t sample);
    MicroBatch finish();

private:
    void predict(std::int64_t place, std::int64_t token);
    int classes() const;
    at::Tensor sequenceLabels() const;

    const RunSpec& m_spec;
    const SequenceShape m_shape;
    std::vector<std::int64_t> m_ids, m_types, m_mask, m_places, m_targets, m_labels, m_lengths;
    std::vector<std::uint64_t> m_samples;
};

void SyntheticBatch::predict(std::int64_t place, std::int64_t token)
{
    m_places.push_back(place);
    m_targets.push_back(token);
}

/// Of what is predicted for single tokens of an encoder; none where rows are judged.
int SyntheticBatch::classes() const
{
    const TaskSpec& task = m_spec.model.task;
    return task.judgesSequences() ? 0 : task.hasHead() ? task.labels : m_spec.model.vocabulary;
}

at::Tensor SyntheticBatch::sequenceLabels() const
{
    const at::Tensor labels = at::tensor(m_labels, at::kLong);
    switch (m_spec.model.task.kind) {
    case TaskKind::Regress:
        return labels.to(at::kDouble) / 2;
    case TaskKind::Answer:
        return at::stack({labels, labels + 1}, 1);
    default:
        return labels;
    }
}

void SyntheticBatch::append(std::uint64_t sample)
{
    std::mt19937_64 random(m_spec.seed * 0x9E3779B97F4A7C15u + sample);
    const auto draw = [&random](int below) { return std::int64_t(random() % std::uint64_t(below)); };
    const int length = m_shape.length - int(draw(m_shape.length / 2));
    const auto first = std::int64_t(m_ids.size());
    for (int i = 0; i < m_shape.length; ++i) {
        const bool isToken = i < length;
        m_ids.push_back(isToken ? draw(m_spec.model.vocabulary) : 0);
        m_types.push_back(isToken && 2 * i > length ? 1 : 0);
        m_mask.push_back(isToken ? 1 : 0);
    }
    if (!m_spec.model.isDecoder() && classes() > 0) {
        const int predictions = 1 + int(draw(m_shape.maxPredictions));
        for (int i = 0; i < predictions; ++i) // ascending places
            predict(first + i * length / predictions, draw(classes()));
    } else if (m_spec.model.isDecoder()) {
        for (int i = 0; i + 1 < length; ++i)
            predict(first + i, m_ids[std::size_t(first + i + 1)]);
    }
    m_labels.push_back(draw(2));
    m_samples.push_back(sample);
    m_lengths.push_back(length);
}

MicroBatch SyntheticBatch::finish()
{
    const auto sequences = std::int64_t(m_samples.size());
    const auto rows = [&](const std::vector<std::int64_t>& values) {
        return at::tensor(values, at::kLong).view({sequences, m_shape.length});
    };
    MicroBatch batch;
    batch.batch.inputIds = rows(m_ids);
    batch.batch.tokenTypeIds = rows(m_types);
    batch.batch.attentionMask = rows(m_mask);
    batch.batch.targetPositions = at::tensor(m_places, at::kLong);
    batch.batch.targets = at::tensor(m_targets, at::kLong);
    batch.batch.sequenceLabels = sequenceLabels();
    batch.batch.sampleIndices = m_samples;
    batch.batch = batch.batch.withoutIdleMask();
    batch.tokens = std::accumulate(m_lengths.begin(), m_lengths.end(), std::int64_t{0});
    if (m_spec.batch.packing)
        batch.batch = packed(batch.batch, m_lengths, packingMultiple(m_spec.layout));
    return batch;
}

} // namespace

StepInput syntheticInput(const RunSpec& spec, const SequenceShape& shape, Step step, Rank dataRank)
{
    const BatchSpec& sizes = spec.batch;
    std::uint64_t sample = std::uint64_t(step.value - 1) * std::uint64_t(sizes.global) +
                           std::uint64_t(dataRank.value) * std::uint64_t(sizes.micro * sizes.accumulation);
    StepInput input;
    for (int micro = 0; micro < sizes.accumulation; ++micro) {
        SyntheticBatch made(spec, shape);
        for (int i = 0; i < sizes.micro; ++i)
            made.append(sample++);
        MicroBatch batch = made.finish();
        input.targets += batch.batch.targetCount();
        input.sequences += batch.batch.sequences();
        input.tokens += batch.tokens;
        input.microBatches.push_back(std::move(batch));
    }
    return input;
}

} // namespace trainyard
