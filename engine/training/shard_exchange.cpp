#include "engine/training/shard_exchange.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <fcntl.h>
#include <list>
#include <map>
#include <optional>
#include <thread>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "engine/checkpoint/format/stored_file.h"
#include "engine/comm/process_groups.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Small enough that a block holds up the collectives of training for milliseconds only.
constexpr std::size_t kBlockBytes = kMiB;
/// Blocks to one host without its receipt: enough to keep a fast network busy.
constexpr int kBlocksUnderWay = 4;
constexpr std::chrono::microseconds kPause{300};

/// A position in a list of transfers, block by block.
class BlockCursor {
public:
    explicit BlockCursor(std::vector<ShardTransfer> transfers) : m_transfers(std::move(transfers))
    {
        std::erase_if(m_transfers, [](const ShardTransfer& one) { return one.bytes == 0; });
    }

    bool isAtEnd() const { return m_number == m_transfers.size(); }
    const ShardTransfer& transfer() const { return m_transfers[m_number]; }
    const std::string& file() const { return m_transfers[m_number].file; }
    std::uint64_t offset() const { return m_transfers[m_number].offset + m_done; }
    std::size_t bytes() const
    {
        return static_cast<std::size_t>(std::min<std::uint64_t>(kBlockBytes, m_transfers[m_number].bytes - m_done));
    }
    void next()
    {
        m_done += bytes();
        if (m_done < m_transfers[m_number].bytes)
            return;
        ++m_number;
        m_done = 0;
    }

private:
    std::vector<ShardTransfer> m_transfers;
    std::size_t m_number = 0;
    std::uint64_t m_done = 0; ///< of the present one
};

/// What this host sends to another one.
class ShardSender {
public:
    ShardSender(const MessageLinks& links, Rank to, std::vector<ShardTransfer> transfers, fs::path folder)
        : m_links(links), m_to(to), m_cursor(std::move(transfers)), m_folder(std::move(folder))
    {
    }

    bool isOver() const { return m_cursor.isAtEnd() && m_underWay == 0; }
    const std::vector<LostSlice>& unread() const { return m_unread; }
    /// Returns whether anything moved.
    bool advance()
    {
        bool moved = false;
        std::byte receipt{};
        while (m_underWay > 0 && m_links.receipts->tryReceive(std::span(&receipt, 1), m_to)) {
            --m_underWay;
            moved = true;
        }
        for (; !m_cursor.isAtEnd() && m_underWay < kBlocksUnderWay; m_cursor.next()) {
            fill();
            m_links.blocks->send(m_block, m_to);
            ++m_underWay;
            moved = true;
        }
        return moved;
    }

private:
    void fill()
    {
        m_block.assign(m_cursor.bytes(), std::byte{});
        const ShardTransfer& transfer = m_cursor.transfer();
        const bool isLost =
            !m_unread.empty() && m_unread.back().isOf(transfer.from, transfer.file, transfer.offset);
        const Status status = isLost ? Status() : read();
        if (!status.ok())
            m_unread.push_back({transfer.from, transfer.file, transfer.offset,
                                status.error().kind != ErrorKind::BadInput, status.error().message});
    }

    Status read()
    {
        const fs::path path = m_folder / m_cursor.file();
        if (!m_file || m_file->path() != path) {
            TRAINYARD_TRY(m_file, StoredFile::open(path));
        }
        return m_file->read(m_cursor.offset(), m_block);
    }

    const MessageLinks& m_links;
    const Rank m_to;
    BlockCursor m_cursor;
    const fs::path m_folder;
    std::optional<StoredFile> m_file;
    std::vector<std::byte> m_block;
    int m_underWay = 0;
    std::vector<LostSlice> m_unread;
};

/// What this host receives from another one.
class ShardReceiver {
public:
    ShardReceiver(const MessageLinks& links, Rank from, std::vector<ShardTransfer> transfers,
                  const ShardFolders& folders)
        : m_links(links), m_from(from), m_cursor(std::move(transfers)), m_folders(folders)
    {
    }

    bool isOver() const { return m_cursor.isAtEnd(); }
    const Status& status() const { return m_status; }
    /// Returns whether anything moved.
    bool advance()
    {
        bool moved = false;
        while (!m_cursor.isAtEnd()) {
            m_block.resize(m_cursor.bytes());
            if (!m_links.blocks->tryReceive(m_block, m_from))
                break;
            if (m_status.ok())
                m_status = write();
            const std::byte receipt{};
            m_links.receipts->send(std::span(&receipt, 1), m_from);
            m_cursor.next();
            moved = true;
        }
        if (moved && isOver() && m_status.ok())
            m_status = close();
        return moved;
    }

private:
    Status write()
    {
        const fs::path path = m_folders.target / m_cursor.file();
        if (m_path != path) {
            TRAINYARD_TRY_STATUS(close());
            m_file = FileDescriptor(::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC, 0644));
            m_path = path;
            if (!m_file.valid())
                return systemError(ErrorKind::Failed, "cannot write " + path.string(), errno);
        }
        std::span<const std::byte> rest(m_block);
        for (std::uint64_t offset = m_cursor.offset(); !rest.empty();) {
            const ssize_t written = ::pwrite(m_file.get(), rest.data(), rest.size(), static_cast<off_t>(offset));
            if (written < 0 && errno != EINTR)
                return systemError(ErrorKind::Failed, "cannot write " + path.string(), errno);
            if (written > 0) {
                offset += static_cast<std::uint64_t>(written);
                rest = rest.subspan(static_cast<std::size_t>(written));
            }
        }
        return {};
    }

    Status close()
    {
        const bool isSynced = !m_file.valid() || !m_folders.syncs || ::fsync(m_file.get()) == 0;
        const int error = errno;
        m_file.reset();
        return isSynced ? Status() : Status(systemError(ErrorKind::Failed, "cannot write " + m_path.string(), error));
    }

    const MessageLinks& m_links;
    const Rank m_from;
    BlockCursor m_cursor;
    const ShardFolders& m_folders;
    fs::path m_path;
    FileDescriptor m_file;
    std::vector<std::byte> m_block;
    Status m_status;
};

ExchangeOutcome outcomeOf(const std::list<ShardSender>& senders, const std::list<ShardReceiver>& receivers)
{
    ExchangeOutcome outcome;
    for (const ShardSender& sender : senders)
        outcome.unread.insert(outcome.unread.end(), sender.unread().begin(), sender.unread().end());
    for (const ShardReceiver& receiver : receivers) {
        if (outcome.received.ok())
            outcome.received = receiver.status();
    }
    return outcome;
}

} // namespace

Status ExchangeOutcome::status() const
{
    return unread.empty() ? received : Status(failed(unread.front().reason));
}

ExchangeOutcome exchangeShards(const MessageLinks& links, int me, const std::vector<ShardTransfer>& transfers,
                               const ShardFolders& folders)
{
    std::map<int, std::vector<ShardTransfer>> out;
    std::map<int, std::vector<ShardTransfer>> in;
    for (const ShardTransfer& transfer : transfers) {
        if (transfer.from == me)
            out[transfer.to].push_back(transfer);
        else if (transfer.to == me)
            in[transfer.from].push_back(transfer);
    }
    std::list<ShardSender> senders;
    for (auto& [to, list] : out)
        senders.emplace_back(links, Rank{to}, std::move(list), folders.source);
    std::list<ShardReceiver> receivers;
    for (auto& [from, list] : in)
        receivers.emplace_back(links, Rank{from}, std::move(list), folders);

    const auto isOver = [](const auto& side) { return side.isOver(); };
    while (!std::ranges::all_of(senders, isOver) || !std::ranges::all_of(receivers, isOver)) {
        bool moved = false;
        for (ShardSender& sender : senders)
            moved |= sender.advance();
        for (ShardReceiver& receiver : receivers)
            moved |= receiver.advance();
        if (!moved)
            std::this_thread::sleep_for(kPause);
    }
    return outcomeOf(senders, receivers);
}

} // namespace trainyard
