#pragma once

#include <filesystem>

#include "engine/comm/group_maker.h"

namespace trainyard {

/// Groups of host memory among processes that share a folder and nothing else: each message is a file there.
/// A rank that dies takes nobody along, as a launcher of MPI would. Enough for making groups of devices.
class FolderGroups final : public GroupMaker {
public:
    FolderGroups(std::filesystem::path folder, Rank rank, WorldSize size)
        : m_folder(std::move(folder)), m_rank(rank), m_size(size)
    {
    }

    Rank rank() const override { return m_rank; }
    WorldSize worldSize() const override { return m_size; }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override;

private:
    const std::filesystem::path m_folder;
    const Rank m_rank;
    const WorldSize m_size;
};

} // namespace trainyard
