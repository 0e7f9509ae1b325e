#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Chooses the folder for OpenMPI's sockets and shared memory on one machine: a memory-backed folder for each
/// attempt, under the same name on every node. In OpenMPI's default places the files of killed processes
/// would stay for ever. Everybody may write to the parent folder, so the names are unpredictable, and
/// ownership, not the name, decides which folders are ours.
class MpiSessions {
public:
    using Random = std::function<std::uint32_t()>;

    explicit MpiSessions(const std::string& run);

    /// Returns a folder for the attempt that does not exist on this machine yet; a different one with each
    /// call. Short, because a socket's path is limited to 107 bytes.
    std::filesystem::path choose(std::uint32_t attempt) const;
    std::filesystem::path choose(std::uint32_t attempt, const Random& random) const;
    /// Creates a folder that choose() returned on the head node. It may exist already when two nodes of a run
    /// are one machine; Refused when it belongs to another user.
    static Status make(const std::filesystem::path& folder);
    /// Removes our folders of this attempt and earlier ones; leaves those of other users.
    void removeUpTo(std::uint32_t attempt) const;
    void removeAll() const { removeUpTo(UINT32_MAX); }
    /// Returns our folders, of any run and agent, whose run has no process here; killed agents leave them.
    static std::vector<std::filesystem::path> abandoned();

private:
    std::string m_prefix; ///< of the folders' names; the attempt and what cannot be guessed follow
};

} // namespace trainyard::agent
