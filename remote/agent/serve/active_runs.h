#pragma once

#include <set>
#include <string>

#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Tells which runs are being started or have processes on this machine. The processes are those of its
/// construction.
class ActiveRuns {
public:
    ActiveRuns();

    bool contains(const RunFolder& run) const;

private:
    std::set<std::string> m_running;
};

} // namespace trainyard::agent
