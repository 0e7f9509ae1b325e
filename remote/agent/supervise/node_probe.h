#pragma once

#include <chrono>
#include <optional>
#include <string>
#include <vector>

#include <sys/types.h>

#include "engine/base/file.h"

namespace trainyard::agent {

/// Asks nodes whether they can carry ranks, over the way that mpirun takes, all at once and in the
/// background. The supervisor reaps the children and tells it how they ended.
class NodeProbe {
public:
    /// `hosts` as the head reaches them; `rsh` and `command` as remoteShell() and nodeCheckCommand() tell
    /// them.
    void start(const std::vector<std::string>& hosts, const std::string& rsh,
               const std::vector<std::string>& command);
    void childEnded(pid_t child, int waitStatus);
    /// True when every host has answered, or had its time; what is still under way then is ended.
    bool isOver();
    bool isUnderWay() const { return m_underWay; }

    /// Hosts that can carry ranks, and those that cannot or do not answer.
    std::vector<std::string> able() const { return hostsThatAre(true); }
    std::vector<std::string> unable() const { return hostsThatAre(false); }
    /// Why the unable ones are that: "no answer from b; c cannot carry ranks: there is no program ...".
    std::string troubles() const;

private:
    struct Question {
        std::string host;
        pid_t child = 0; ///< 0 = ended, or could not be started
        FileDescriptor words{};
        std::optional<int> status{}; ///< exit status; nothing = no answer
        std::string said{};          ///< the last of what came out of the pipe
    };
    static Question ask(const std::string& host, std::vector<std::string> words,
                        const std::vector<std::string>& command);
    static void listen(Question& question);
    static std::string trouble(const Question& question);
    std::vector<std::string> hostsThatAre(bool able) const;

    std::vector<Question> m_questions;
    std::chrono::steady_clock::time_point m_deadline;
    bool m_underWay = false;
};

/// The last line of what a probed node printed, without the agent's name before it.
std::string lastWords(const std::string& text);

} // namespace trainyard::agent
