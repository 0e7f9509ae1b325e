#pragma once

#include <vector>

#include "engine/spec/data_set_rules.h"
#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

// Rules for all data sets of a run. `shapes`: what each of spec.dataset.sets() is, in their order. For one
// data set they are those of data_set_rules.h.

/// Everything that keeps the model from reading the rows, the data sets from being mixed, or the run from
/// being evaluated on them as asked.
Diagnostics mixProblems(const RunSpec& spec, const std::vector<DataSetShape>& shapes);

/// What works and is hardly meant, in any of the data sets.
Diagnostics mixRemarks(const RunSpec& spec, const std::vector<DataSetShape>& shapes);

/// The rows of the mix as those of one data set: training rows, about, and test rows until the first of the
/// data sets would begin again.
DataSetShape mixedShape(const DatasetSpec& dataset, const std::vector<DataSetShape>& shapes);

/// The part of a mix that an evaluation reads: the data sets that have test rows, with their weights.
/// Positions in dataset.sets().
std::vector<std::size_t> evaluatedSets(const std::vector<std::uint64_t>& testRows);
/// Test rows of the mix until the first of these would begin again. `testRows`: of all data sets.
std::uint64_t mixedTestRows(const DatasetSpec& dataset, const std::vector<std::uint64_t>& testRows);

} // namespace trainyard
