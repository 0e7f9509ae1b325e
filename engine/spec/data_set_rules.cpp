#include "engine/spec/data_set_rules.h"

#include <fmt/format.h>

#include "engine/spec/checker.h"

namespace trainyard {

namespace {

/// Of the tokens; with less padding packing gains less than it changes.
constexpr double kMuchPadding = 0.1;

void remarkOnPadding(const RunSpec& spec, const DataSetShape& data, Checker& check)
{
    if (!data.paddingShare || spec.layout.context > 1)
        return;
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

} // namespace

Diagnostics dataSetProblems(const RunSpec& spec, const DataSetShape& data)
{
    Diagnostics problems;
    Checker check(problems);
    check.require(data.vocabularySize <= spec.model.vocabulary, "model.vocabulary",
                  fmt::format("is {}, and the data set {} has {} entries", spec.model.vocabulary,
                              spec.dataset.path, data.vocabularySize),
                  fmt::format("set model.vocabulary to {}", data.vocabularySize));
    check.require(data.sequenceLength <= spec.model.maxPositions, "model.max_positions",
                  fmt::format("is {}, and the rows of the data set {} have {} tokens",
                              spec.model.maxPositions, spec.dataset.path, data.sequenceLength),
                  fmt::format("set model.max_positions to at least {}", data.sequenceLength));
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
    return remarks;
}

} // namespace trainyard
