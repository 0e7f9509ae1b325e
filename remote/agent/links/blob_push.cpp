#include "remote/agent/links/blob_push.h"

#include <algorithm>
#include <fcntl.h>
#include <thread>
#include <unistd.h>

#include "engine/base/file.h"
#include "remote/wire/protocol.h"

namespace trainyard::agent {

namespace {

using nlohmann::json;
using SteadyClock = std::chrono::steady_clock;

constexpr std::chrono::milliseconds kLookForFile{20};
constexpr std::chrono::seconds kPingInterval{5};
constexpr std::int64_t kHasAll = -1;

} // namespace

/// The other host's answers are foreign text.
Status BlobPush::run()
{
    try {
        return sendAll();
    } catch (const json::exception&) {
        return failed("the agent of the other host gave a malformed answer");
    }
}

Status BlobPush::sendAll()
{
    TRAINYARD_TRY_STATUS(m_client.connect());
    for (const PushedFile& file : m_files) {
        TRAINYARD_TRY_STATUS(awaitFile(file));
        TRAINYARD_TRY(const std::int64_t offset, missingFrom(file));
        if (offset != kHasAll)
            TRAINYARD_TRY_STATUS(send(file, static_cast<std::uint64_t>(offset)));
        m_whole += file.size;
        m_done = m_whole;
    }
    return {};
}

/// A blob gets its name when it is whole. The client knows if it still comes, and stops who waits in vain.
Status BlobPush::awaitFile(const PushedFile& file)
{
    auto spoke = SteadyClock::now();
    std::error_code ignored;
    while (!std::filesystem::exists(file.path, ignored)) {
        if (!file.mayCome)
            return failed(file.path.string() + " is gone", "restore the file, then start again");
        if (m_client.isStopped())
            return cancelled("sending to another host was cancelled");
        if (SteadyClock::now() - spoke > kPingInterval) {
            TRAINYARD_TRY_STATUS(m_client.ping());
            spoke = SteadyClock::now();
        }
        std::this_thread::sleep_for(kLookForFile);
    }
    return {};
}

/// Returns where to go on, or kHasAll.
Result<std::int64_t> BlobPush::missingFrom(const PushedFile& file)
{
    TRAINYARD_TRY(const json reply, m_client.call({{"op", "have"}, {"sha256", json::array({file.sha256})}}));
    const json missing = reply.value("missing", json::array());
    if (missing.empty())
        return kHasAll;
    const auto have = missing[0].value("have_bytes", std::int64_t{0});
    return std::clamp<std::int64_t>(have, 0, static_cast<std::int64_t>(file.size));
}

Status BlobPush::send(const PushedFile& file, std::uint64_t offset)
{
    const FileDescriptor source(::open(file.path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!source.valid())
        return systemError(ErrorKind::Failed, "cannot read " + file.path.string(), errno);
    TRAINYARD_TRY(
        const std::uint32_t put,
        m_client.begin({{"op", "put"}, {"sha256", file.sha256}, {"size", file.size}, {"offset", offset}}));
    std::uint64_t at = offset;
    std::uint64_t received = offset;
    m_done = m_whole + received;
    for (;;) {
        TRAINYARD_TRY_STATUS(fillWindow(source.get(), put, file, at, received));
        json message;
        TRAINYARD_TRY(const bool isReply, m_client.take(put, message));
        if (isReply)
            return {};
        received = std::clamp(offset + message.value("received", std::uint64_t{0}), received, at);
        m_done = m_whole + received;
    }
}

/// The other agent answers as it writes; it takes chunks meanwhile, so that writing here cannot block both.
Status BlobPush::fillWindow(int source, std::uint32_t put, const PushedFile& file, std::uint64_t& at,
                            std::uint64_t received)
{
    std::string piece;
    while (at < file.size && at - received + kUploadChunk <= kUploadWindow) {
        piece.resize(std::min<std::uint64_t>(kUploadChunk, file.size - at));
        const ssize_t got = ::pread(source, piece.data(), piece.size(), static_cast<off_t>(at));
        if (got <= 0)
            return failed(file.path.string() + " became shorter while it was sent");
        TRAINYARD_TRY_STATUS(
            m_client.sendChunk(put, std::string_view(piece).substr(0, static_cast<std::size_t>(got))));
        at += static_cast<std::uint64_t>(got);
    }
    return {};
}

} // namespace trainyard::agent
