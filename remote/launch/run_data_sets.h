#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include <QByteArray>

#include "engine/spec/run_spec.h"
#include "remote/launch/data_set_manifest.h"

namespace trainyard {

/// A data set that a phase of a run reads.
struct DataSetOfPhase {
    int phase = 0;
    std::size_t set = 0; ///< in the phase's mix
    std::string folder;
};

/// Phase by phase, those of a mix in its order.
std::vector<DataSetOfPhase> dataSetsOf(const RunSpec& run);

/// Those of evaluation.dataset, phase by phase, without the phases that evaluate rows of their own data sets.
std::vector<DataSetOfPhase> evaluatedDataSetsOf(const RunSpec& run);

/// The manifests of a run's data sets, as its hosts have them. A plain value.
struct RunDataSets {
    std::vector<QByteArray> manifests;           ///< in the order of dataSetsOf()
    std::map<std::string, QByteArray> evaluated; ///< of every evaluation.dataset, by its folder

    /// Of one phase, parsed; errors name the file.
    Result<std::vector<DataSetManifest>> ofPhase(const RunSpec& run, int phase) const;
    /// Errors of judgeEvaluatedDataSet(); Ok where the phase evaluates its own rows.
    Status judgeEvaluated(const RunSpec& specOfPhase, const DataSetManifest& trained) const;
    /// Keeps them with the run's local record, where keptManifest() finds them.
    Status keep(const std::filesystem::path& folder, const RunSpec& run) const;
};

/// Reads one that keep() has written.
Result<DataSetManifest> keptManifest(const std::filesystem::path& folder, const DataSetOfPhase& set);

} // namespace trainyard
