#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "engine/base/result.h"
#include "remote/ssh/connection.h"
#include "remote/ssh/interaction.h"
#include "remote/ssh/interrupt.h"
#include "remote/target/agent_bootstrap.h"
#include "remote/target/agent_file.h"

namespace trainyard {

/// The thread that owns one SSH connection: it connects, starts the agent and then moves bytes between the
/// channel and two queues. No other thread touches libssh. No Qt.
class SshLink : private ssh::Interaction {
public:
    struct Options {
        std::string host;
        std::string agentPath;
        std::shared_ptr<AgentFiles> agentFiles;
        std::string nonce;
        AgentMode mode = AgentMode::Full;
        ssh::Connection::Options connection;
    };
    /// Called in the link's thread. `failed` comes last and at most once.
    struct Listener {
        std::function<void(ssh::HostKey)> hostKeyVerified; ///< once per connection, before `opened`
        std::function<void()> opened;
        std::function<void(std::string bytes)> received;
        std::function<void(Error)> failed;
        std::function<void(HostKeyInquiry)> hostKeyUnknown;
        std::function<void(HostKeyChange)> hostKeyChanged; ///< then the link fails
        std::function<void(ssh::LoginInquiry)> loginNeeded;
        std::function<void(std::string account)> loggedIn;
        /// ServerAliveInterval and ServerAliveCountMax, where configured; before `opened`.
        std::function<void(std::chrono::seconds interval, int countMax)> keepAlive;
        std::function<void(std::string)> notice;
        std::function<void(std::string)> progress;
    };

    SshLink(Options options, Listener listener);
    /// Ends the connection immediately, whatever it waits for.
    ~SshLink();

    // From any thread:
    enum class Lane { Control, Bulk };
    void send(Lane lane, std::string frame);
    /// The owner has processed this many received bytes; with too many outstanding the link stops reading.
    void consumed(std::size_t bytes);
    void answerHostKey(bool trust);
    void answerLogin(ssh::LoginAnswers answers);

private:
    void run();
    Status work();
    Status pump(ssh::Session& session, ssh::Channel& channel);
    Result<bool> readOnce(ssh::Channel& channel);
    Result<bool> readErrors(ssh::Channel& channel);
    Result<bool> writeOnce(ssh::Session& session, ssh::Channel& channel);
    bool takeFrame();
    void deliver(std::string bytes);
    void wake();
    void clearWake();
    Error ended(const ssh::Session& session, ssh::Channel& channel) const;

    // ssh::Interaction, in the link's thread
    bool trustUnknownKey(const HostKeyInquiry& inquiry) override;
    void hostKeyChanged(const HostKeyChange& change) override;
    ssh::LoginAnswers login(const ssh::LoginInquiry& inquiry) override;
    void loggedIn(const std::string& account) override;
    void notice(const std::string& text) override;
    void progress(const std::string& text) override;

    Options m_options;
    Listener m_listener;
    ssh::Interrupt m_interrupt;
    FileDescriptor m_wake;
    std::atomic<std::int64_t> m_unconsumed{0};

    std::mutex m_mutex; ///< guards the queues and the answers
    std::condition_variable m_answered;
    std::deque<std::string> m_control;
    std::deque<std::string> m_bulk;
    std::optional<bool> m_trust;
    std::optional<ssh::LoginAnswers> m_answers;

    std::string m_sending; ///< the thread's own: rest of the frame that is going out
    std::size_t m_sent = 0;
    std::string m_errors; ///< the thread's own: last words of the agent's stderr
    std::thread m_thread; ///< last: starts when everything else is there
};

} // namespace trainyard
