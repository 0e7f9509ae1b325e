#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>

#include "engine/comm/group_maker.h"
#include "engine/comm/transport.h"

namespace trainyard {

/// Ranks that are plain processes reach each other's host memory through files in a folder: enough to agree
/// on a group of devices, without a launcher that ends all when one dies. Throws CommunicationError when a
/// rank does not come.
class FileTransport final : public Transport {
public:
    FileTransport(std::filesystem::path folder, Rank rank, WorldSize size);

    Rank rank() const override { return m_rank; }
    WorldSize size() const override { return m_size; }
    void allReduce(FloatSpan values, ReduceOp op) override;
    void broadcast(std::span<std::byte> bytes, Rank root) override;
    std::vector<std::string> gather(std::string_view bytes) override;
    void barrier() override { exchange({}); }
    void allGather(std::span<std::byte> all) override;
    void reduceScatter(FloatSpan values) override { allReduce(values, ReduceOp::Sum); }
    void send(std::span<const std::byte> bytes, Rank to) override;
    void receive(std::span<std::byte> bytes, Rank from) override;
    bool tryReceive(std::span<std::byte> bytes, Rank from) override;

private:
    /// What every rank brings to this call, in order of rank.
    std::vector<std::string> exchange(std::string_view mine);
    std::string await(const std::filesystem::path& file) const;

    const std::filesystem::path m_folder;
    const Rank m_rank;
    const WorldSize m_size;
    std::uint64_t m_calls = 0;
};

/// All ranks form every group.
class FileGroupMaker final : public GroupMaker {
public:
    FileGroupMaker(std::filesystem::path folder, Rank rank, WorldSize size)
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
