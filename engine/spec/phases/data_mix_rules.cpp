#include "engine/spec/phases/data_mix_rules.h"

#include <algorithm>
#include <limits>

#include <fmt/format.h>

#include "engine/spec/checker.h"
#include "engine/spec/phases/data_mix.h"

namespace trainyard {

namespace {

RunSpec onOneOf(RunSpec spec, std::size_t set)
{
    spec.dataset = {.path = spec.dataset.sets()[set].path};
    return spec;
}

/// What is said of several data sets in the same words is said once.
void addNew(Diagnostics& all, const Diagnostics& more)
{
    for (const Diagnostic& problem : more) {
        if (std::ranges::find(all, problem) == all.end())
            all.push_back(problem);
    }
}

template <typename Value>
bool agree(const Value& a, const Value& b)
{
    return a == b || a == Value() || b == Value(); // unknown
}

/// A row of one has to be like a row of the other.
void checkAgreement(const DatasetSpec& dataset, const std::vector<DataSetShape>& shapes, std::size_t number,
                    Checker& check)
{
    const DataSetShape& first = shapes.front();
    const DataSetShape& here = shapes[number];
    const std::string place = fmt::format("dataset.mix[{}]", number);
    const std::string& path = dataset.mix[number].path;
    const std::string& firstPath = dataset.mix.front().path;
    const auto require = [&](bool agrees, const std::string& difference, const char* hint) {
        check.require(agrees, place.c_str(), difference, hint);
    };
    require(here.sequenceLength == first.sequenceLength,
            fmt::format("the rows of {} have {} tokens, and those of {} have {}", path, here.sequenceLength,
                        firstPath, first.sequenceLength),
            "prepare all data sets of a mix with the same --seq-len");
    require(here.vocabularySize == first.vocabularySize &&
                agree(here.vocabularySha256, first.vocabularySha256),
            fmt::format("{} and {} have different vocabularies", path, firstPath),
            "prepare all data sets of a mix with the same --vocab");
    require(here.objective == first.objective && here.labels == first.labels,
            fmt::format("the rows of {} are for {}, and those of {} for {}", path, here.objective, firstPath,
                        first.objective),
            "prepare all data sets of a mix with the same --objective or --task");
    require(agree(here.maxPredictions, first.maxPredictions),
            fmt::format("the rows of {} have {} masked positions at most, and those of {} have {}", path,
                        here.maxPredictions, firstPath, first.maxPredictions),
            "prepare all data sets of a mix with the same --max-pred");
}

/// To within a row or two, without dealing them one by one while somebody edits.
std::uint64_t trainingRowsIn(const DatasetSpec& dataset, const std::vector<DataSetShape>& shapes)
{
    double weights = 0;
    for (const MixedDataSet& set : dataset.mix)
        weights += set.weight;
    double least = std::numeric_limits<double>::max();
    for (std::size_t set = 0; set < shapes.size(); ++set)
        least = std::min(least,
                         static_cast<double>(shapes[set].trainingRows) * weights / dataset.mix[set].weight);
    return static_cast<std::uint64_t>(std::clamp(least, 0.0, 1e18)); // weights may be half typed
}

std::optional<std::uint64_t> testRowsIn(const DatasetSpec& dataset, const std::vector<DataSetShape>& shapes)
{
    std::vector<std::uint64_t> rows;
    for (const DataSetShape& shape : shapes) {
        if (!shape.testRows)
            return std::nullopt;
        rows.push_back(*shape.testRows);
    }
    return mixedTestRows(dataset, rows);
}

std::optional<double> paddingIn(const DatasetSpec& dataset, const std::vector<DataSetShape>& shapes)
{
    double padding = 0;
    double weights = 0;
    for (std::size_t set = 0; set < shapes.size(); ++set) {
        if (!shapes[set].paddingShare)
            return std::nullopt;
        padding += dataset.mix[set].weight * *shapes[set].paddingShare;
        weights += dataset.mix[set].weight;
    }
    return padding / weights;
}

} // namespace

Diagnostics mixProblems(const RunSpec& spec, const std::vector<DataSetShape>& shapes)
{
    if (!spec.dataset.isMix())
        return dataSetProblems(spec, shapes.front());
    Diagnostics problems;
    Checker check(problems);
    for (std::size_t set = 1; set < shapes.size(); ++set)
        checkAgreement(spec.dataset, shapes, set, check);
    RunSpec training = spec;
    training.evaluation = {}; // one data set with test rows is enough
    for (std::size_t set = 0; set < shapes.size(); ++set)
        addNew(problems, dataSetProblems(onOneOf(training, set), shapes[set]));
    const bool evaluatesThese = spec.evaluation.isAsked() && spec.evaluation.dataset.empty();
    check.require(!evaluatesThese || testRowsIn(spec.dataset, shapes).value_or(1) > 0, "evaluation",
                  "has no rows: no data set of the mix has test rows",
                  "prepare one with --test-fraction, name another one in evaluation.dataset, or set "
                  "evaluation.batches to 0");
    return problems;
}

Diagnostics mixRemarks(const RunSpec& spec, const std::vector<DataSetShape>& shapes)
{
    if (!spec.dataset.isMix())
        return dataSetRemarks(spec, shapes.front());
    RunSpec whole = spec;
    whole.dataset = {.path = spec.dataset.text()}; // the name that the remarks give
    return dataSetRemarks(whole, mixedShape(spec.dataset, shapes));
}

DataSetShape mixedShape(const DatasetSpec& dataset, const std::vector<DataSetShape>& shapes)
{
    DataSetShape mixed = shapes.front();
    if (!dataset.isMix())
        return mixed;
    mixed.trainingRows = trainingRowsIn(dataset, shapes);
    mixed.testRows = testRowsIn(dataset, shapes);
    mixed.paddingShare = paddingIn(dataset, shapes);
    return mixed;
}

std::vector<std::size_t> evaluatedSets(const std::vector<std::uint64_t>& testRows)
{
    std::vector<std::size_t> sets;
    for (std::size_t set = 0; set < testRows.size(); ++set) {
        if (testRows[set] > 0)
            sets.push_back(set);
    }
    return sets;
}

std::uint64_t mixedTestRows(const DatasetSpec& dataset, const std::vector<std::uint64_t>& testRows)
{
    std::vector<double> weights;
    std::vector<std::uint64_t> rows;
    for (const std::size_t set : evaluatedSets(testRows)) {
        weights.push_back(dataset.sets()[set].weight);
        rows.push_back(testRows[set]);
    }
    return rows.empty() ? 0 : DataMix(weights).samplesWithin(rows);
}

} // namespace trainyard
