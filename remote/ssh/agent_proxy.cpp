#include "remote/ssh/agent_proxy.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <optional>
#include <string_view>

#include <fcntl.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "remote/ssh/tcp.h"

namespace trainyard::ssh {

namespace {

using namespace std::chrono_literals;

// draft-miller-ssh-agent section 5.1: u32 length (big-endian), u8 type, content.
constexpr char kIdentitiesAnswer = 12;
constexpr char kSignRequest = 13;
constexpr std::size_t kMaxMessage = 256 * 1024;

std::uint32_t numberAt(std::string_view bytes, std::size_t at)
{
    std::uint32_t value = 0;
    for (std::size_t i = 0; i < 4; ++i)
        value = value << 8 | static_cast<unsigned char>(bytes[at + i]);
    return value;
}

std::string numberText(std::size_t value)
{
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8)
        bytes += static_cast<char>(value >> shift & 0xff);
    return bytes;
}

/// What ends the proxy while it waits.
struct Stops {
    int closed;      ///< our owner is gone
    int interrupted; ///< the connection was given up
};

bool readExactly(int fd, Stops stops, std::string& into, std::size_t size, std::chrono::milliseconds patience)
{
    while (into.size() < size) {
        std::array<pollfd, 3> watched{pollfd{fd, POLLIN, 0}, pollfd{stops.closed, POLLIN, 0},
                                      pollfd{stops.interrupted, POLLIN, 0}};
        const int ready = ::poll(watched.data(), watched.size(), static_cast<int>(patience.count()));
        if (ready < 0 && errno == EINTR)
            continue;
        if (ready <= 0 || watched[1].revents != 0 || watched[2].revents != 0)
            return false;
        std::array<char, 4096> buffer;
        const ssize_t got = ::read(fd, buffer.data(), std::min(buffer.size(), size - into.size()));
        if (got <= 0)
            return false;
        into.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return true;
}

std::optional<std::string> readMessage(int fd, Stops stops, std::chrono::milliseconds patience)
{
    std::string head;
    if (!readExactly(fd, stops, head, 4, patience))
        return std::nullopt;
    const std::size_t size = numberAt(head, 0);
    if (size == 0 || size > kMaxMessage)
        return std::nullopt;
    std::string body;
    if (!readExactly(fd, stops, body, size, patience))
        return std::nullopt;
    return body;
}

bool writeMessage(int fd, const std::string& body)
{
    const std::string message = numberText(body.size()) + body;
    std::size_t sent = 0;
    while (sent < message.size()) {
        const ssize_t put = ::send(fd, message.data() + sent, message.size() - sent, MSG_NOSIGNAL);
        if (put < 0 && errno == EINTR)
            continue;
        if (put <= 0)
            return false;
        sent += static_cast<std::size_t>(put);
    }
    return true;
}

void serve(const FileDescriptor& client, const FileDescriptor& agent, Stops stops,
           const AgentProxy::Wish& wish, std::atomic<int>& keysShown)
{
    constexpr auto whileTheLinkLives = std::chrono::milliseconds(-1);
    while (auto request = readMessage(client.get(), stops, whileTheLinkLives)) {
        // A person may have to confirm a signature (ssh-add -c) or touch a security key.
        const auto patience = request->front() == kSignRequest ? 30s : 5s;
        if (!writeMessage(agent.get(), *request))
            return;
        const auto answer = readMessage(agent.get(), stops, patience);
        if (!answer)
            return;
        const std::string passedOn = filterIdentities(*answer, wish);
        if (passedOn.front() == kIdentitiesAnswer)
            keysShown = static_cast<int>(numberAt(passedOn, 1));
        if (!writeMessage(client.get(), passedOn))
            return;
    }
}

Result<FileDescriptor> connectAgent(const std::filesystem::path& path)
{
    sockaddr_un address{};
    address.sun_family = AF_UNIX;
    if (path.string().size() >= sizeof address.sun_path)
        return unreachable("the path of the ssh-agent's socket is too long: " + path.string());
    std::copy_n(path.c_str(), path.string().size(), address.sun_path);
    // The queue of an agent that was stopped fills up: connecting says so then instead of waiting.
    FileDescriptor socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
    if (!socket.valid() ||
        ::connect(socket.get(), reinterpret_cast<sockaddr*>(&address), sizeof address) != 0)
        return systemError(ErrorKind::Unreachable, "the ssh-agent at " + path.string() + " does not answer",
                           errno);
    ::fcntl(socket.get(), F_SETFL, 0);
    return socket;
}

struct Identity {
    std::string_view blob;
    std::string_view whole; ///< blob and comment with their lengths
};

/// Nothing when the lengths do not fit the bytes.
std::optional<std::vector<Identity>> parseIdentities(std::string_view answer)
{
    if (answer.size() < 5)
        return std::nullopt;
    std::vector<Identity> found;
    std::size_t at = 5;
    for (std::uint32_t left = numberAt(answer, 1); left > 0; --left) {
        const std::size_t begin = at;
        Identity identity;
        for (int field = 0; field < 2; ++field) {
            if (answer.size() - at < 4 || numberAt(answer, at) > answer.size() - at - 4)
                return std::nullopt;
            const std::size_t size = numberAt(answer, at);
            if (field == 0)
                identity.blob = answer.substr(at + 4, size);
            at += 4 + size;
        }
        identity.whole = answer.substr(begin, at - begin);
        found.push_back(identity);
    }
    return found;
}

} // namespace

std::string filterIdentities(const std::string& answer, const AgentProxy::Wish& wish)
{
    if (answer.empty() || answer.front() != kIdentitiesAnswer)
        return answer;
    auto identities = parseIdentities(answer);
    if (!identities)
        return std::string(1, kIdentitiesAnswer) + numberText(0);
    const auto isPreferred = [&](const Identity& identity) {
        return std::find(wish.preferred.begin(), wish.preferred.end(), identity.blob) != wish.preferred.end();
    };
    const auto others = std::stable_partition(identities->begin(), identities->end(), isPreferred);
    if (wish.onlyPreferred)
        identities->erase(others, identities->end());
    identities->resize(std::min<std::size_t>(identities->size(), static_cast<std::size_t>(wish.mostKeys)));
    std::string filtered = std::string(1, kIdentitiesAnswer) + numberText(identities->size());
    for (const Identity& identity : *identities)
        filtered += identity.whole;
    return filtered;
}

AgentProxy::AgentProxy(FileDescriptor client, FileDescriptor stop,
                       std::shared_ptr<std::atomic<int>> keysShown, std::thread thread)
    : m_client(std::move(client))
    , m_stop(std::move(stop))
    , m_keysShown(std::move(keysShown))
    , m_thread(std::move(thread))
{
}

Result<AgentProxy> AgentProxy::start(const std::filesystem::path& agentSocket, Wish wish,
                                     const Interrupt& interrupt)
{
    TRAINYARD_TRY(FileDescriptor agent, connectAgent(agentSocket));
    TRAINYARD_TRY(auto link, makeSocketPair());
    TRAINYARD_TRY(auto stop, makeSocketPair());
    auto keysShown = std::make_shared<std::atomic<int>>(0);
    std::thread thread([wish = std::move(wish), keysShown, client = std::move(link[1]),
                        agent = std::move(agent), closed = std::move(stop[1]),
                        interrupted = interrupt.pollFd()] {
        serve(client, agent, {closed.get(), interrupted}, wish, *keysShown);
    });
    return AgentProxy(std::move(link[0]), std::move(stop[0]), std::move(keysShown), std::move(thread));
}

AgentProxy::~AgentProxy()
{
    m_stop.reset();
    if (m_thread.joinable())
        m_thread.join();
}

} // namespace trainyard::ssh
