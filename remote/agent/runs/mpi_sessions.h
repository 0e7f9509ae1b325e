#pragma once

#include <cstdint>
#include <filesystem>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Where OpenMPI keeps the sockets and the shared memory of a run on one machine: a folder of memory for each
/// attempt, under the same name on every node. OpenMPI's own places would keep what killed processes leave
/// for ever.
class MpiSessions {
public:
    explicit MpiSessions(const std::string& run);

    /// Short, because the path of a socket has 107 bytes.
    std::filesystem::path folder(std::uint32_t attempt) const;
    Status make(std::uint32_t attempt) const;
    /// Those of this attempt and the ones before it.
    void removeUpTo(std::uint32_t attempt) const;
    void removeAll() const { removeUpTo(UINT32_MAX); }

private:
    std::string m_prefix; ///< of the folders' names; the attempt follows
};

} // namespace trainyard::agent
