#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Where OpenMPI keeps the sockets and the shared memory of a run on one machine: a folder of memory for each
/// attempt, under the same name on every node. OpenMPI's own places would keep what killed processes leave
/// for ever. Anybody may write where these folders are: their names cannot be guessed, and one is ours when
/// its owner says so, whatever its name.
class MpiSessions {
public:
    using Random = std::function<std::uint32_t()>;

    explicit MpiSessions(const std::string& run);

    /// A folder for the attempt that is not there on this machine; another one with each call. Short, because
    /// the path of a socket has 107 bytes.
    std::filesystem::path choose(std::uint32_t attempt) const;
    std::filesystem::path choose(std::uint32_t attempt, const Random& random) const;
    /// Makes a folder that choose() named on the head. One of our own may be there already, where two nodes
    /// of a run are one machine; Refused when it is another user's.
    static Status make(const std::filesystem::path& folder);
    /// Those of this attempt and the ones before it; other users' are left alone.
    void removeUpTo(std::uint32_t attempt) const;
    void removeAll() const { removeUpTo(UINT32_MAX); }

private:
    std::string m_prefix; ///< of the folders' names; the attempt and what cannot be guessed follow
};

} // namespace trainyard::agent
