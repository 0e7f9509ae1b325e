#include "engine/generation/task_outputs.h"

#include <algorithm>

#include <ATen/ops/zeros_like.h>
#include <c10/core/GradMode.h>
#include <fmt/format.h>

#include "engine/generation/sampler.h"
#include "engine/generation/token_tensors.h"
#include "engine/nn/language_model.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

Status requireTask(const LanguageModel& model, TaskKind kind)
{
    if (model.spec().task.kind == kind)
        return {};
    return badInput(fmt::format("the model is not made for {}", nameOf(kind)),
                    fmt::format("choose one that was fine-tuned with task.kind {}", nameOf(kind)));
}

TokenBatch batchOfRow(const EncodedRow& row)
{
    TokenBatch batch;
    batch.inputIds = tensorOf(row.tokens).unsqueeze(0);
    batch.tokenTypeIds = at::zeros_like(batch.inputIds);
    const auto length = std::ssize(row.tokens);
    const auto second = std::min(static_cast<std::ptrdiff_t>(row.secondFrom), length);
    batch.tokenTypeIds.narrow(1, second, length - second).fill_(1);
    batch.sampleIndices = {0};
    return batch;
}

/// `logits` of the row [1, C], or of its tokens [M, C].
std::vector<LabelProbability> labelsIn(std::span<const double> logits, std::size_t count)
{
    std::vector<LabelProbability> labels;
    for (const auto& [label, probability] : mostProbable(logits, count))
        labels.push_back({static_cast<std::size_t>(label), probability});
    return labels;
}

/// [1, outputs] of the sequence; of an answer [2, tokens].
Result<LogitRows> sequenceLogits(const LanguageModel& model, const EncodedRow& row, TaskKind kind)
{
    TRAINYARD_TRY_STATUS(requireTask(model, kind));
    TRAINYARD_TRY_STATUS(checkPrompts(model.spec(), {row.tokens}));
    const c10::AutoGradMode noGraph(false);
    const Logits logits = model.logits(batchOfRow(row), std::nullopt);
    return LogitRows::of(kind == TaskKind::Answer ? logits.sequences.squeeze(0) : logits.sequences);
}

} // namespace

Result<std::vector<LabelProbability>> classifyRow(const LanguageModel& model, const EncodedRow& row,
                                                  std::size_t count)
{
    TRAINYARD_TRY(const LogitRows logits, sequenceLogits(model, row, TaskKind::Classify));
    return labelsIn(logits.row(0), count);
}

Result<double> valueOfRow(const LanguageModel& model, const EncodedRow& row)
{
    TRAINYARD_TRY(const LogitRows logits, sequenceLogits(model, row, TaskKind::Regress));
    return logits.row(0).front();
}

Result<std::vector<std::vector<LabelProbability>>> tagTokens(const LanguageModel& model,
                                                             const EncodedRow& row,
                                                             std::span<const std::size_t> tokens,
                                                             std::size_t count)
{
    TRAINYARD_TRY_STATUS(requireTask(model, TaskKind::Tag));
    TRAINYARD_TRY_STATUS(checkPrompts(model.spec(), {row.tokens}));
    const c10::AutoGradMode noGraph(false);
    TokenBatch batch = batchOfRow(row);
    batch.targetPositions = tensorOf(TokenIds(tokens.begin(), tokens.end()));
    TRAINYARD_TRY(const LogitRows logits, LogitRows::of(model.logits(batch, std::nullopt).tokens));
    std::vector<std::vector<LabelProbability>> labels;
    for (std::size_t i = 0; i < tokens.size(); ++i)
        labels.push_back(labelsIn(logits.row(i), count));
    return labels;
}

Result<AnswerLogits> answerLogits(const LanguageModel& model, const EncodedRow& row)
{
    TRAINYARD_TRY(const LogitRows logits, sequenceLogits(model, row, TaskKind::Answer));
    const auto copied = [&](std::size_t index) {
        const auto values = logits.row(index);
        return std::vector<double>(values.begin(), values.end());
    };
    return AnswerLogits{copied(0), copied(1)};
}

} // namespace trainyard
