#include "remote/agent/serve/session.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/units.h"
#include "remote/agent/probe/probe.h"
#include "remote/wire/greeting.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

constexpr int kThreads = 8;
constexpr std::size_t kMaxRequests = 256;
constexpr std::size_t kMaxPushes = 4; ///< at once
constexpr std::size_t kMaxPorts = 4;  ///< at once
constexpr std::size_t kTailPiece = 64 * kKiB;
constexpr std::size_t kTailsPauseAt =
    256 * kKiB;               ///< waiting in the outbox: a slow client costs no more memory
constexpr int kMaxPieces = 8; ///< of files that are read at a time
constexpr std::size_t kRequestsPauseAt =
    1 * kMiB;                     ///< of answers that wait: who does not read is not served on
constexpr int kTailInterval = 20; ///< ms between looks at a quiet journal; polling works on every file system
constexpr int kSilenceInterval = 250; ///< ms between looks at the clock
constexpr std::int64_t kMaxSilenceMs = 3'600'000;

void makeNonBlocking(int fd)
{
    ::fcntl(fd, F_SETFL, ::fcntl(fd, F_GETFL) | O_NONBLOCK);
}

} // namespace

Session::Session(AgentContext context, int input, int output)
    : m_context(std::move(context)), m_input(input), m_output(output), m_work(kThreads)
{
    // One thread moves both directions: a client that sends or takes nothing must not stop the other one.
    makeNonBlocking(m_input);
    makeNonBlocking(m_output);
}

Status Session::serve()
{
    TRAINYARD_TRY_STATUS(greet());
    const Status ended = loop();
    endWork();
    return ended;
}

/// The next line of the greeting, without its end; what came behind it stays.
Result<std::string> Session::readLine()
{
    while (m_greeting.find('\n') == std::string::npos) {
        if (m_greeting.size() > 4 * kKiB)
            return badInput("the client's first line is not terminated");
        std::array<char, 256> buffer;
        pollfd wait{m_input, POLLIN, 0};
        ::poll(&wait, 1, -1);
        const ssize_t got = ::read(m_input, buffer.data(), buffer.size());
        if (got > 0)
            m_greeting.append(buffer.data(), static_cast<std::size_t>(got));
        else if (got == 0 || (errno != EAGAIN && errno != EINTR))
            return badInput("the client disconnected before the greeting");
    }
    const auto end = m_greeting.find('\n');
    std::string line = m_greeting.substr(0, end);
    m_greeting.erase(0, end + 1);
    return line;
}

Status Session::greet()
{
    TRAINYARD_TRY(std::string line, readLine());
    // Where sshd starts us by a forced command, the desk's line for the shell comes to us as well.
    if (isStartLine(line)) {
        TRAINYARD_TRY(line, readLine());
    }
    if (!isNonce(line))
        return badInput("the first line is not a nonce of 32 hex digits",
                        "this command is for the Trainyard client: see PROTOCOL.md");
    m_parser.feed(m_greeting);
    m_outbox.addUrgent(greetingLine(line));
    return {};
}

Status Session::loop()
{
    while (m_inputOpen) {
        if (const Status taken = takeFrames(); !taken.ok()) {
            replyError(0, taken.error());
            m_outbox.flush(m_output);
            return taken;
        }
        m_tailsIdle = !pumpTails();
        reportPushes();
        if (!flush() || !waitAndRead())
            m_inputOpen = false;
        m_work.finish();
        TRAINYARD_TRY_STATUS(checkSilence());
    }
    return {};
}

void Session::endWork()
{
    // An upload keeps its part and can resume. All other work runs to its end in ~WorkQueue: half a launch or
    // half a stop would be worse than a late one.
    for (const auto& [id, upload] : m_uploads)
        upload->cancel();
    for (const auto& [id, port] : m_ports)
        port->stop();
    for (const auto& [id, push] : m_pushes)
        push->stop();
}

/// False when nobody reads any more. What the client takes is a sign of its life only while its words are not
/// read: what lies between takes much, and for long, when nobody is there.
bool Session::flush()
{
    const std::size_t before = m_outbox.urgentBytes();
    const bool open = m_outbox.flush(m_output);
    if (!takesRequests() && m_outbox.urgentBytes() < before)
        m_lastSign = SteadyClock::now();
    return open;
}

/// For poll(): ms, -1 = for ever.
int Session::patience(bool hears) const
{
    const bool tailsWait = !m_tails.empty() && m_outbox.bulkBytes() < kTailsPauseAt;
    if ((tailsWait && !m_tailsIdle) || (hears && m_framesWait))
        return 0;
    if (tailsWait)
        return kTailInterval;
    return m_longestSilence.count() > 0 || !m_pushes.empty() ? kSilenceInterval : -1;
}

/// False when the client is gone.
bool Session::waitAndRead()
{
    const bool hears = takesRequests();
    // Requests are not read while too many replies wait: they stay in the pipe, which slows the client down.
    std::array<pollfd, 3> wait{{{m_input, static_cast<short>(hears ? POLLIN : 0), 0},
                                {m_work.completionFd(), POLLIN, 0},
                                {m_output, static_cast<short>(m_outbox.empty() ? 0 : POLLOUT), 0}}};
    ::poll(wait.data(), wait.size(), patience(hears));
    // Nobody reads our output. While requests are paused, the input alone would not show it.
    if ((wait[2].revents & (POLLERR | POLLNVAL)) != 0)
        return false;
    if (wait[0].revents == 0 || (!hears && (wait[0].revents & POLLHUP) == 0))
        return true;
    std::array<char, 256 * kKiB> buffer;
    const ssize_t got = ::read(m_input, buffer.data(), buffer.size());
    if (got > 0) {
        m_lastSign = SteadyClock::now();
        m_parser.feed(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
    }
    return got > 0 || (got < 0 && (errno == EAGAIN || errno == EINTR));
}

bool Session::takesRequests() const
{
    return m_outbox.urgentBytes() < kRequestsPauseAt && m_piecesAsked < kMaxPieces;
}

/// Stops while too many answers wait; what is left in the parser is taken when they are out.
Status Session::takeFrames()
{
    m_framesWait = false;
    while (takesRequests()) {
        TRAINYARD_TRY(const auto frame, m_parser.next());
        if (!frame)
            return {};
        if (frame->type == FrameType::Message)
            takeMessage(frame->payload);
        else
            takeChunk(*frame);
    }
    m_framesWait = true;
    return {};
}

void Session::takeMessage(std::string_view payload)
{
    std::uint32_t id = 0;
    const auto request = parseRequest(payload, id);
    if (!request.ok())
        return replyError(m_open.contains(id) ? 0 : id, request.error());
    if (m_open.contains(id))
        return replyError(0, badInput(fmt::format("the request {} is still open", id)));
    if (m_open.size() >= kMaxRequests)
        return replyError(id, refused(fmt::format("{} requests are open already", kMaxRequests)));
    m_open.insert(id);
    dispatch(*request);
}

void Session::takeChunk(const Frame& chunk)
{
    if (discard(chunk.request, chunk.payload.size()))
        return;
    // An upload that has ended meanwhile is not an error: its client may not know it yet.
    if (const auto upload = m_uploads.find(chunk.request); upload != m_uploads.end()) {
        const std::shared_ptr<Upload> keep = upload->second; // its end removes it from the map
        keep->take(chunk.payload);
    }
}

void Session::dispatch(const Request& request)
{
    if (m_context.readOnly && !isReading(request.op))
        return replyError(request.id, refused("this connection is read-only: \"" + request.op.substr(0, 100) +
                                                  "\" is not allowed",
                                              "connect without --read-only"));
    const Result<bool> handled = handleHere(request);
    if (!handled.ok())
        return replyError(request.id, handled.error());
    if (*handled)
        return;
    if (const Operation operation = findOperation(request.op))
        return answerLater(request, operation);
    replyError(request.id, badInput(fmt::format("the operation \"{}\" is unknown", request.op.substr(0, 100)),
                                    "the agent may be outdated: deploy again"));
}

/// What belongs to the connection itself; false for everything else.
Result<bool> Session::handleHere(const Request& request)
{
    if (request.op == "hello") {
        TRAINYARD_TRY_STATUS(takePromise(request));
        return false;
    }
    if (request.op == "ping") {
        reply(request.id, {{"time", clockFacts()}});
    } else if (request.op == "put") {
        TRAINYARD_TRY_STATUS(beginUpload(request));
    } else if (request.op == "tail") {
        TRAINYARD_TRY_STATUS(beginTail(request));
    } else if (request.op == "listen") {
        TRAINYARD_TRY_STATUS(beginListen(request));
    } else if (request.op == "push") {
        TRAINYARD_TRY_STATUS(beginPush(request));
    } else if (request.op == "discard") {
        TRAINYARD_TRY_STATUS(beginDiscard(request));
    } else if (request.op == "cancel") {
        TRAINYARD_TRY(const std::int64_t target, Fields(request.body).number("target", 1, UINT32_MAX));
        reply(request.id, {{"cancelled", cancel(static_cast<std::uint32_t>(target))}});
    } else {
        return false;
    }
    return true;
}

/// A link may die without an end of the input; a client that wants to be missed then says so.
Status Session::takePromise(const Request& hello)
{
    TRAINYARD_TRY(const std::int64_t silence, Fields(hello.body).numberOr("silence_ms", 0, 0, kMaxSilenceMs));
    m_longestSilence = std::chrono::milliseconds(silence);
    m_lastSign = SteadyClock::now();
    return {};
}

Status Session::checkSilence() const
{
    const bool isSilent = m_longestSilence.count() > 0 && SteadyClock::now() - m_lastSign > m_longestSilence;
    return isSilent ? unreachable("heard nothing from the client for " + formatDuration(m_longestSilence))
                    : Status();
}

void Session::answerLater(const Request& request, Operation operation)
{
    const bool isPiece = operation.givesPiece();
    m_piecesAsked += isPiece ? 1 : 0;
    auto answer = std::make_shared<Result<Answer>>(Answer{});
    m_work.run([this, answer, operation, body = request.body] { *answer = operation.run(m_context, body); },
               [this, answer, isPiece, id = request.id] {
                   m_piecesAsked -= isPiece ? 1 : 0;
                   if (m_cancelled.erase(id) > 0)
                       return;
                   if (!answer->ok())
                       return replyError(id, answer->error());
                   // In the same lane as the reply, which would overtake it otherwise.
                   if ((*answer)->chunk)
                       m_outbox.addUrgent(encodeChunk(id, *(*answer)->chunk));
                   reply(id, (*answer)->fields);
               });
}

Status Session::beginUpload(const Request& request)
{
    const Fields fields(request.body);
    BlobUpload blob;
    TRAINYARD_TRY(blob.sha256, sha256Field(request.body, "sha256"));
    TRAINYARD_TRY(blob.size, fields.number("size", 0, INT64_MAX));
    TRAINYARD_TRY(blob.offset, fields.numberOr("offset", 0, 0, static_cast<std::int64_t>(blob.size)));
    const std::uint32_t id = request.id;
    const Upload::Callbacks callbacks{
        [this, id](std::uint64_t total) {
            m_outbox.addUrgent(encodeMessage(nlohmann::json{{"id", id}, {"received", total}}.dump()));
        },
        [this, id](const Status& status) {
            m_uploads.erase(id);
            status.ok() ? reply(id, {{"stored", true}}) : replyError(id, status.error());
        }};
    const auto upload =
        std::make_shared<Upload>(BlobStore(m_context.root), std::move(blob), m_work, callbacks);
    m_uploads[id] = upload;
    upload->begin();
    return {};
}

Status Session::beginTail(const Request& request)
{
    const Fields fields(request.body);
    TRAINYARD_TRY(const std::string stream, fields.text("stream"));
    TRAINYARD_TRY(const std::int64_t offset, fields.numberOr("offset", 0, 0, INT64_MAX));
    TRAINYARD_TRY(const RunFolder folder, existingRun(m_context, request.body));
    if (!isSafeName(stream))
        return badInput(fmt::format("\"{}\" is not a valid stream name", stream.substr(0, 100)));
    m_tails.emplace(request.id, JournalTail(folder.journal() / stream, static_cast<std::uint64_t>(offset)));
    return {};
}

namespace {

/// {"first_port": .., "last_port": ..}; without them the kernel chooses.
Result<LinkPort::Ports> portsIn(const Fields& fields)
{
    TRAINYARD_TRY(const std::int64_t first, fields.numberOr("first_port", 0, 0, UINT16_MAX));
    TRAINYARD_TRY(const std::int64_t last, fields.numberOr("last_port", first, first, UINT16_MAX));
    return LinkPort::Ports{static_cast<std::uint16_t>(first), static_cast<std::uint16_t>(last)};
}

Error noThread()
{
    return refused("this user may start no more threads on the host",
                   "end other programs there, or raise its limit (`ulimit -u`)");
}

} // namespace

/// The one port that is ever opened: between hosts, while a preflight asks whether they reach each other.
Status Session::beginListen(const Request& request)
{
    const Fields fields(request.body);
    TRAINYARD_TRY(const std::string address, fields.text("address"));
    TRAINYARD_TRY(const std::string token, fields.text("token"));
    const std::int64_t longest = std::chrono::milliseconds(LinkPort::kMaxLifetime).count();
    TRAINYARD_TRY(const std::int64_t life, fields.numberOr("life_ms", longest, 1, longest));
    TRAINYARD_TRY(const LinkPort::Ports ports, portsIn(fields));
    if (m_ports.size() >= kMaxPorts)
        return refused(fmt::format("{} ports are open already", kMaxPorts));
    TRAINYARD_TRY(const auto port, LinkPort::open(address, token, ports));
    auto visits = std::make_shared<LinkPort::Visits>();
    const bool isStarted =
        m_work.runApart([port, visits, life] { *visits = port->serve(std::chrono::milliseconds(life)); },
                        [this, visits, id = request.id] {
                            m_ports.erase(id);
                            if (m_cancelled.erase(id) == 0)
                                reply(id, {{"served", visits->served}, {"strangers", visits->strangers}});
                        });
    if (!isStarted)
        return noThread();
    m_ports.emplace(request.id, port);
    m_outbox.addUrgent(encodeMessage(nlohmann::json{{"id", request.id}, {"port", port->port()}}.dump()));
    return {};
}

/// It may last for hours.
Status Session::beginPush(const Request& request)
{
    if (m_pushes.size() >= kMaxPushes)
        return refused(fmt::format("{} transfers to other hosts are open already", kMaxPushes));
    TRAINYARD_TRY(const auto push, Push::create(m_context, request.body));
    auto outcome = std::make_shared<Status>();
    const bool isStarted = m_work.runApart([push, outcome] { *outcome = push->run(); },
                                           [this, outcome, id = request.id] {
                                               m_pushes.erase(id);
                                               if (m_cancelled.erase(id) > 0)
                                                   return;
                                               outcome->ok() ? reply(id, nlohmann::json::object())
                                                             : replyError(id, outcome->error());
                                           });
    if (!isStarted)
        return noThread();
    m_pushes.emplace(request.id, push);
    return {};
}

void Session::reportPushes()
{
    for (const auto& [id, push] : m_pushes) {
        if (const auto done = push->newProgress(); done && !m_cancelled.contains(id))
            m_outbox.addUrgent(encodeMessage(nlohmann::json{{"id", id}, {"done", *done}}.dump()));
    }
}

/// Bytes that only show how fast the way here is.
Status Session::beginDiscard(const Request& request)
{
    TRAINYARD_TRY(const std::int64_t bytes,
                  Fields(request.body).number("bytes", 1, static_cast<std::int64_t>(kUploadWindow)));
    m_discards.emplace(request.id, static_cast<std::uint64_t>(bytes));
    return {};
}

/// False when these bytes belong to something else.
bool Session::discard(std::uint32_t id, std::size_t bytes)
{
    const auto left = m_discards.find(id);
    if (left == m_discards.end())
        return false;
    left->second -= std::min<std::uint64_t>(left->second, bytes);
    if (left->second == 0) {
        m_discards.erase(left);
        reply(id, nlohmann::json::object());
    }
    return true;
}

bool Session::cancel(std::uint32_t target)
{
    if (!m_open.contains(target))
        return false;
    if (const auto upload = m_uploads.find(target); upload != m_uploads.end())
        upload->second->cancel();
    else if (const auto port = m_ports.find(target); port != m_ports.end())
        port->second->stop();
    else if (const auto push = m_pushes.find(target); push != m_pushes.end())
        push->second->stop();
    if (!m_uploads.contains(target) && !m_tails.contains(target) && !m_discards.contains(target))
        m_cancelled.insert(target); // its work goes on, only its answer is dropped
    m_discards.erase(target);
    m_uploads.erase(target);
    m_tails.erase(target);
    replyError(target, cancelled("cancelled by the client"));
    return true;
}

bool Session::pumpTails()
{
    bool moved = false;
    for (auto at = m_tails.begin(); at != m_tails.end() && m_outbox.bulkBytes() < kTailsPauseAt;) {
        const auto next = std::next(at); // a tail that fails leaves the map
        moved |= pumpTail(at->first, at->second);
        at = next;
    }
    return moved;
}

bool Session::pumpTail(std::uint32_t id, JournalTail& tail)
{
    const Result<std::string> bytes = tail.read(kTailPiece);
    if (!bytes.ok()) {
        m_tails.erase(id);
        m_open.erase(id);
        // Behind its chunks, not before them.
        m_outbox.addBulk(encodeMessage(errorText(id, bytes.error())));
        return false;
    }
    for (std::string_view rest = *bytes; !rest.empty();
         rest.remove_prefix(std::min(rest.size(), kMaxPayload)))
        m_outbox.addBulk(encodeChunk(id, rest.substr(0, kMaxPayload)));
    return !bytes->empty();
}

void Session::reply(std::uint32_t id, const nlohmann::json& fields)
{
    m_open.erase(id);
    m_outbox.addUrgent(encodeMessage(replyText(id, fields)));
}

void Session::replyError(std::uint32_t id, const Error& error)
{
    m_open.erase(id);
    m_outbox.addUrgent(encodeMessage(errorText(id, error)));
}

} // namespace trainyard::agent
