#include "tests/device/stand_in/rank/folder_groups.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <thread>

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/comm/process_group.h"

namespace trainyard {

namespace {

namespace fs = std::filesystem;

class FolderTransport final : public Transport {
public:
    FolderTransport(fs::path folder, GroupDescription description, Rank self)
        : m_folder(std::move(folder)), m_group(std::move(description)), m_next(m_group.members.size() * 2)
    {
        m_rank.value = static_cast<int>(std::ranges::find(m_group.members, self) - m_group.members.begin());
    }

    Rank rank() const override { return m_rank; }
    WorldSize size() const override { return WorldSize{static_cast<int>(m_group.members.size())}; }

    void broadcast(std::span<std::byte> bytes, Rank root) override
    {
        if (m_rank == root)
            forOthers([&](Rank other) { send(bytes, other); });
        else
            receive(bytes, root);
    }
    std::vector<std::string> gather(std::string_view bytes) override
    {
        if (m_rank.value > 0) {
            send(std::as_bytes(std::span(bytes)), Rank{0});
            return {};
        }
        std::vector<std::string> all{std::string(bytes)};
        forOthers([&](Rank other) { all.push_back(next(other)); });
        return all;
    }
    void barrier() override
    {
        gather("");
        broadcast({}, Rank{0});
    }
    void send(std::span<const std::byte> bytes, Rank to) override
    {
        const fs::path file = messageFile(m_rank, to, m_next[static_cast<std::size_t>(to.value)]++);
        const fs::path unfinished = file.string() + ".part";
        std::ofstream(unfinished, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
        fs::rename(unfinished, file);
    }
    void receive(std::span<std::byte> bytes, Rank from) override
    {
        const std::string message = next(from);
        TRAINYARD_CHECK(message.size() == bytes.size());
        std::ranges::copy(std::as_bytes(std::span(message)), bytes.begin());
    }

    void allReduce(FloatSpan, ReduceOp) override { TRAINYARD_CHECK_MSG(false, "not between folders"); }
    void allGather(std::span<std::byte>) override { TRAINYARD_CHECK_MSG(false, "not between folders"); }
    void reduceScatter(FloatSpan) override { TRAINYARD_CHECK_MSG(false, "not between folders"); }
    bool tryReceive(std::span<std::byte>, Rank) override { return false; }

private:
    template <typename Action>
    void forOthers(Action action)
    {
        for (Rank other{0}; other.value < size().value; ++other.value) {
            if (other != m_rank)
                action(other);
        }
    }

    fs::path messageFile(Rank from, Rank to, std::uint64_t number) const
    {
        return m_folder / fmt::format("{}-{}-{}-{}", m_group.number, from.value, to.value, number);
    }

    std::string next(Rank from)
    {
        std::uint64_t& number = m_next[m_group.members.size() + static_cast<std::size_t>(from.value)];
        const fs::path file = messageFile(from, m_rank, number++);
        while (!fs::exists(file))
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        std::ifstream in(file, std::ios::binary);
        const std::string message{std::istreambuf_iterator<char>(in), {}};
        fs::remove(file);
        return message;
    }

    const fs::path m_folder;
    const GroupDescription m_group;
    Rank m_rank;
    std::vector<std::uint64_t> m_next; // number of the next message to each rank, then from each
};

} // namespace

std::unique_ptr<ProcessGroup> FolderGroups::make(const GroupDescription& description)
{
    return std::make_unique<ProcessGroup>(
        ProcessGroup::Parts{std::make_unique<FolderTransport>(m_folder, description, m_rank), nullptr,
                            nullptr, description.number});
}

} // namespace trainyard
