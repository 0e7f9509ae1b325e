#include "engine/spec/data_set_rules.h"

#include <fmt/format.h>

#include "engine/spec/checker.h"
#include "engine/spec/context_share.h"
#include "engine/spec/names.h"

namespace trainyard {

namespace {

/// Of the tokens; with less padding packing gains less than it changes.
constexpr double kMuchPadding = 0.1;

void remarkOnPadding(const RunSpec& spec, const DataSetShape& data, Checker& check)
{
    if (!data.paddingShare || spec.model.task.kind == TaskKind::Answer)
        return; // unknown, or such rows are not packed
    if (spec.batch.packing)
        check.require(*data.paddingShare > 0, "batch.packing",
                      fmt::format("has no effect: no row of the data set {} has padding", spec.dataset.path),
                      "leave it out");
    else
        check.require(*data.paddingShare < kMuchPadding, "batch.packing",
                      fmt::format("is off, and {:.0f} % of the tokens in the rows of the data set {} are "
                                  "padding, which costs as much time as text",
                                  100 * *data.paddingShare, spec.dataset.path),
                      "set batch.packing to true: losses stay the same");
}

/// A model for one task learns nothing from the rows of another, or of pre-training.
void checkTask(const RunSpec& spec, const DataSetShape& data, Checker& check)
{
    const TaskSpec& task = spec.model.task;
    const auto ofRows = enumFromName<TaskKind>(data.objective).value_or(TaskKind::None);
    check.require(
        task.kind == ofRows, "task.kind",
        fmt::format("is {}, and the rows of the data set {} are for {}", nameOf(task.kind), spec.dataset.path,
                    ofRows == TaskKind::None ? "pre-training" : std::string(nameOf(ofRows))),
        fmt::format("set task.kind to {}{}", nameOf(ofRows),
                    task.isOn() ? fmt::format(", or prepare a data set with --task {}", nameOf(task.kind))
                                : std::string()));
    check.require(
        task.kind != ofRows || !task.hasLabels() || task.labels == data.labels, "task.labels",
        fmt::format("is {}, and the data set {} has {} labels", task.labels, spec.dataset.path, data.labels),
        fmt::format("set task.labels to {}", data.labels),
        fmt::format("labels {}, must be {}", task.labels, data.labels));
}

/// A decoder reads any rows as text; an encoder needs masks, and two sides for its next-sentence head.
void checkObjective(const RunSpec& spec, const DataSetShape& data, Checker& check)
{
    if (spec.model.isDecoder())
        return;
    check.require(data.objective != "gpt", "model.family",
                  fmt::format("is {}, and the rows of the data set {} are running text without masks",
                              nameOf(spec.model.family), spec.dataset.path),
                  "set model.family to gpt, or prepare a data set with --objective bert or mlm");
    check.require(
        data.objective != "mlm" || !spec.model.predictsNextSentence(), "model.next_sentence",
        fmt::format("is true, and the rows of the data set {} have no second sentence", spec.dataset.path),
        "set model.next_sentence to false, or prepare a data set with --objective bert");
}

const char* optionForTestRows(const RunSpec& spec)
{
    return spec.model.task.isOn() ? "--held-out or --test-fraction" : "--test-fraction";
}

/// Elements of one sample that dropout masks tell apart (engine/nn/dropout_mask.h): a block of four has a
/// number of 32 bits.
constexpr double kMaskElements = 4.0 * (1LL << 32);

double attentionElements(const ModelSpec& model, int sequenceLength)
{
    return double(model.heads) * sequenceLength * sequenceLength;
}

/// Sequence parallelism gives each rank of a tensor group as many of the tokens of a micro-batch that are
/// here. The tokens of the first context-parallel rank for which that does not divide.
std::optional<int> undividedTokens(const RunSpec& spec, int sequenceLength)
{
    const bool causal = spec.model.isDecoder();
    for (int rank = 0; rank < spec.layout.context; ++rank) {
        const int tokens = tokensOfContextRank(sequenceLength, rank, spec.layout.context, causal);
        if (spec.batch.micro * tokens % spec.layout.tensor != 0)
            return tokens;
    }
    return std::nullopt;
}

std::string sharers(const ParallelLayout& layout)
{
    return layout.context == 1
               ? fmt::format("{} ranks", layout.tensor)
               : fmt::format("{} x {} (context x tensor) ranks", layout.context, layout.tensor);
}

} // namespace

Diagnostics dataSetProblems(const RunSpec& spec, const DataSetShape& data)
{
    Diagnostics problems;
    Checker check(problems);
    check.require(data.vocabularySize <= spec.model.vocabulary, "model.vocabulary",
                  fmt::format("is {}, and the data set {} has {} entries", spec.model.vocabulary,
                              spec.dataset.path, data.vocabularySize),
                  fmt::format("set model.vocabulary to {}", data.vocabularySize),
                  fmt::format("vocabulary {} < entries {}", spec.model.vocabulary, data.vocabularySize));
    check.require(data.sequenceLength <= spec.model.maxPositions, "model.max_positions",
                  fmt::format("is {}, and the rows of the data set {} have {} tokens",
                              spec.model.maxPositions, spec.dataset.path, data.sequenceLength),
                  fmt::format("set model.max_positions to at least {}", data.sequenceLength),
                  fmt::format("max_positions {} < tokens {}", spec.model.maxPositions, data.sequenceLength));
    checkTask(spec, data, check);
    checkObjective(spec, data, check);
    const bool holdsOut = data.testRows.value_or(1) > 0;
    const bool evaluatesThese = spec.evaluation.isAsked() && spec.evaluation.dataset.empty();
    check.require(holdsOut || !evaluatesThese, "evaluation",
                  fmt::format("has no rows: the data set {} has no test rows", spec.dataset.path),
                  fmt::format("prepare it with {}, name another one in evaluation.dataset, or set "
                              "evaluation.batches to 0",
                              optionForTestRows(spec)));
    const Diagnostics sharing = sharingProblems(spec, data.sequenceLength);
    problems.insert(problems.end(), sharing.begin(), sharing.end());
    return problems;
}

Diagnostics sharingProblems(const RunSpec& spec, int sequenceLength)
{
    Diagnostics problems;
    Checker check(problems);
    const ParallelLayout& layout = spec.layout;
    if (layout.context < 1 || layout.tensor < 1)
        return problems;
    check.refuseUnless(
        layout.context <= sequenceLength, "layout.context",
        fmt::format("{} ranks cannot share sequences of {} tokens", layout.context, sequenceLength),
        fmt::format("use at most {}", sequenceLength),
        fmt::format("context {} > tokens {}", layout.context, sequenceLength));
    check.refuseUnless(
        spec.model.attentionDropout == 0 || attentionElements(spec.model, sequenceLength) <= kMaskElements,
        "model.attention_dropout",
        fmt::format("{} heads over {} tokens have more probabilities than there are masks to drop them by",
                    spec.model.heads, sequenceLength),
        "set model.attention_dropout to 0",
        fmt::format("heads {} x tokens {} x tokens {} = {:.0f} > {:.0f}", spec.model.heads, sequenceLength,
                    sequenceLength, attentionElements(spec.model, sequenceLength), kMaskElements));
    const bool mustDivide = problems.empty() && layout.sequence && !spec.batch.packing;
    const auto undivided = mustDivide ? undividedTokens(spec, sequenceLength) : std::nullopt;
    check.refuseUnless(
        !undivided, "layout.sequence",
        fmt::format("{} sequences of {} tokens in a micro-batch cannot be shared evenly by {}",
                    spec.batch.micro, sequenceLength, sharers(layout)),
        fmt::format("make batch.micro a multiple of {}, or set layout.sequence to false", layout.tensor),
        fmt::format("micro {} x tokens {} % tensor {} = {}, must be 0", spec.batch.micro,
                    undivided.value_or(0), layout.tensor,
                    spec.batch.micro * undivided.value_or(0) % layout.tensor));
    return problems;
}

Diagnostics evaluationDataProblems(const RunSpec& spec, const DataSetShape& data, int trainingLength)
{
    const std::string& folder = spec.evaluation.dataset;
    RunSpec evaluated = spec;
    evaluated.dataset.path = folder;
    evaluated.evaluation = {};
    Diagnostics problems = dataSetProblems(evaluated, data);
    Checker check(problems);
    check.require(data.testRows.value_or(1) > 0, "evaluation.dataset",
                  fmt::format("the data set {} has no test rows", folder),
                  fmt::format("prepare it with {}, or name another one", optionForTestRows(spec)));
    check.refuseUnless(data.sequenceLength <= trainingLength, "evaluation.dataset",
                       fmt::format("the rows of the data set {} have {} tokens, and no memory is planned for "
                                   "more than the {} of the training rows",
                                   folder, data.sequenceLength, trainingLength),
                       "prepare it with --seq-len " + std::to_string(trainingLength),
                       fmt::format("tokens {} > {}", data.sequenceLength, trainingLength));
    return problems;
}

Diagnostics dataSetRemarks(const RunSpec& spec, const DataSetShape& data)
{
    Diagnostics remarks;
    Checker check(remarks);
    check.require(static_cast<std::uint64_t>(spec.batch.global) <= data.trainingRows, "batch.global",
                  fmt::format("is {}, and the data set {} has {} training rows: every step takes rows twice",
                              spec.batch.global, spec.dataset.path, data.trainingRows),
                  "lower batch.global or prepare more rows");
    remarkOnPadding(spec, data, check);
    const bool headLearns = data.objective != "bert" || data.nextSentence != "none";
    check.require(headLearns || spec.model.isDecoder() || !spec.model.predictsNextSentence(),
                  "model.next_sentence",
                  fmt::format("is true, and in the data set {} every second sentence follows the first",
                              spec.dataset.path),
                  "set model.next_sentence to false: there is nothing to tell apart");
    return remarks;
}

} // namespace trainyard
