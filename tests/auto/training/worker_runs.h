#pragma once

#include <QTemporaryDir>

#include <filesystem>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "engine/records/record.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Run directories for the real worker, in a temporary folder that also has the data set "data".
class WorkerRuns {
protected:
    std::filesystem::path root() const { return m_folder.path().toStdString(); }
    /// Empty when it cannot be made.
    std::filesystem::path makeRun(const RunSpec& spec);
    /// In float64, by mpirun too; none when it failed. The same for every test that asks: it runs once.
    std::vector<StepRecord> stepsOfOneRank(ModelFamily family, int steps);
    static bool hasEvent(const std::filesystem::path& run, const std::string& kind);

private:
    QTemporaryDir m_folder;
    int m_runs = 0;
    std::map<std::pair<ModelFamily, int>, std::vector<StepRecord>> m_ofOneRank;
};

} // namespace trainyard
