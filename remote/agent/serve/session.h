#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <set>
#include <string>

#include "remote/agent/links/link_port.h"
#include "remote/agent/runs/journal_tail.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/outbox.h"
#include "remote/agent/serve/push.h"
#include "remote/agent/serve/request.h"
#include "remote/agent/serve/upload.h"
#include "remote/agent/serve/work_queue.h"
#include "remote/wire/frame.h"

namespace trainyard::agent {

/// Serves one client on a pair of file descriptors: greeting, then frames, until the client disconnects. One
/// thread runs the loop and waits only for the descriptors; long work goes to the work queue. PROTOCOL.md
/// describes the protocol.
class Session {
public:
    /// Both descriptors are made non-blocking.
    Session(AgentContext context, int input, int output);

    /// Serves until the input ends and finishes the accepted work before it returns. BadInput when the client
    /// violates the protocol, Unreachable when it stays silent for longer than it promised in `hello`.
    Status serve();

private:
    Status greet();
    Result<std::string> readLine();
    Status loop();
    void endWork();
    bool flush();
    bool waitAndRead();
    int patience(bool hears) const;
    Status takeFrames();
    bool takesRequests() const;

    void takeMessage(std::string_view payload);
    void takeChunk(const Frame& chunk);
    void dispatch(const Request& request);
    Status takePromise(const Request& hello);
    Status checkSilence() const;
    Result<bool> handleHere(const Request& request);

    void answerLater(const Request& request, Operation operation);
    Status beginUpload(const Request& request);
    Status beginTail(const Request& request);
    Status beginListen(const Request& request);
    Status beginPush(const Request& request);
    void reportPushes();
    Status beginDiscard(const Request& request);
    bool discard(std::uint32_t id, std::size_t bytes);
    bool cancel(std::uint32_t target);

    /// Moves data from the tails to the outbox while it has capacity. Returns true when there was any.
    bool pumpTails();
    bool pumpTail(std::uint32_t id, JournalTail& tail);

    void reply(std::uint32_t id, const nlohmann::json& fields);
    void replyError(std::uint32_t id, const Error& error);

    AgentContext m_context;
    int m_input;
    int m_output;
    std::string m_greeting; ///< what has come of the first lines
    FrameParser m_parser;
    Outbox m_outbox;
    std::chrono::milliseconds m_longestSilence{0};    ///< that the client promised; 0 = nothing promised
    std::chrono::steady_clock::time_point m_lastSign; ///< of the client's life
    bool m_inputOpen = true;
    bool m_tailsIdle = true;
    int m_piecesAsked = 0;               ///< pieces of files under way, which may be large
    bool m_framesWait = false;           ///< in the parser, until answers are out
    std::set<std::uint32_t> m_open;      ///< requests without a reply yet
    std::set<std::uint32_t> m_cancelled; ///< open requests whose answer nobody waits for
    std::map<std::uint32_t, JournalTail> m_tails;
    std::map<std::uint32_t, std::shared_ptr<Upload>> m_uploads;
    std::map<std::uint32_t, std::shared_ptr<LinkPort>> m_ports;
    std::map<std::uint32_t, std::shared_ptr<Push>> m_pushes;
    std::map<std::uint32_t, std::uint64_t> m_discards; ///< bytes that are still to come
    WorkQueue m_work;                                  ///< last: its threads end before what they use
};

} // namespace trainyard::agent
