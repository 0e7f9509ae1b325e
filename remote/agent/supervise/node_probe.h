#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include <sys/types.h>

#include "engine/base/file.h"

namespace trainyard::agent {

/// Asks nodes whether they can run ranks, over the route that mpirun uses, in parallel and in the background.
/// The supervisor reaps the children and passes on how they ended.
class NodeProbe {
public:
    /// `hosts` as the head reaches them; `rsh` and `command` from remoteShell() and nodeCheckCommand().
    void start(const std::vector<std::string>& hosts, const std::string& rsh,
               const std::vector<std::string>& command);
    /// Add a question with a command of its own: on this node, called `host`, or on another one. After
    /// start().
    void askHere(const std::string& host, const std::vector<std::string>& command);
    void askThere(const std::string& host, const std::string& rsh, const std::vector<std::string>& command);
    void childEnded(pid_t child, int waitStatus);
    /// Returns true when every host has answered, or when the time is over: then it ends the remaining
    /// probes.
    bool isOver();
    bool isUnderWay() const { return m_underWay; }

    /// Return the hosts that can run ranks, and those that cannot or did not respond.
    std::vector<std::string> able() const { return hostsThatAre(true); }
    std::vector<std::string> unable() const { return hostsThatAre(false); }
    /// Returns why hosts are unable: "no answer from b; c cannot run ranks: there is no program ...".
    std::string troubles() const;
    /// Returns the last words of the hosts that said no.
    std::vector<std::pair<std::string, std::string>> refusals() const;
    /// Names the hosts that did not respond: "no answer from b; no answer from c"; empty = all did.
    std::string silence() const;

private:
    struct Question {
        std::string host;
        pid_t child = 0; ///< 0 = ended, or could not be started
        FileDescriptor words{};
        std::optional<int> status{}; ///< exit status; nullopt = no answer
        std::string said{};          ///< end of its output
    };
    static Question ask(const std::string& host, std::vector<std::string> words);
    static void listen(Question& question);
    static std::string trouble(const Question& question);
    std::string troublesOf(bool (*concerns)(const Question&)) const;
    std::vector<std::string> hostsThatAre(bool able) const;

    std::vector<Question> m_questions;
    std::chrono::steady_clock::time_point m_deadline;
    bool m_underWay = false;
};

/// Returns the last line of a probed node's output, without the agent's name at its beginning.
std::string lastWords(const std::string& text);

} // namespace trainyard::agent
