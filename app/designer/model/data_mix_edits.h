#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

#include <QString>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// Adds a data set of weight 1 at the end. One data set becomes the first of the mix, also if it has no path
/// yet.
void addToMix(DatasetSpec& dataset, const std::string& path = {});
/// Removes a data set, which must exist. The last one left is no mix any more: dataset.path names it.
void removeFromMix(DatasetSpec& dataset, std::size_t set);

/// The section of a specification that names data sets: that of the run, or of one of its phases.
struct DatasetPlace {
    QString path; ///< "dataset", "phases[1].dataset"
    std::function<DatasetSpec(const RunSpec&)> get;
    std::function<void(RunSpec&, const DatasetSpec&)> set;
};

DatasetPlace datasetOfRun();
/// Returns the data sets that the phase, from 0, has or inherits; to set others makes them its own. Of a
/// phase that was removed: those of the run, and setting does nothing.
DatasetPlace datasetOfPhase(int phase);

} // namespace trainyard
