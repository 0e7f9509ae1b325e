#include "remote/target/shell_diagnosis.h"

#include <algorithm>
#include <string_view>

#include <fmt/format.h>

#include "remote/ssh/command.h"

namespace trainyard {

namespace {

using namespace std::chrono_literals;

constexpr auto kProbePatience = 10s;
constexpr int kProbeStatus = 42;
constexpr const char* kProbe = "exit 42"; // in every shell

// draft-ietf-secsh-filexfer-02 section 3: SSH_FXP_INIT of version 3; an SFTP server answers SSH_FXP_VERSION.
constexpr std::string_view kSftpInit{"\0\0\0\5\1\0\0\0\3", 9};
constexpr char kSftpVersion = 2;

bool isSftpAnswer(const std::string& output)
{
    return output.size() >= 9 && output[0] == 0 && output[4] == kSftpVersion;
}

bool contains(std::string text, std::string_view words)
{
    std::transform(text.begin(), text.end(), text.begin(), [](unsigned char c) { return std::tolower(c); });
    return text.find(words) != std::string::npos;
}

std::string quoted(const std::string& words)
{
    return words.empty() ? ", without any output" : ": " + words;
}

Error agentDoesNotStart(const FailedStart& start)
{
    return refused("the agent does not start" + quoted(start.words), "log in there with ssh to investigate");
}

Error passwordExpired(const FailedStart& start)
{
    return refused("the account's password has expired, so the host runs no commands" + quoted(start.words),
                   "log in once with ssh and choose a new password");
}

Error fileTransferOnly()
{
    return refused(
        "the account allows file transfer (SFTP) only, so no agent can be started there",
        "use an account with a login shell; sshd_config says ForceCommand internal-sftp for this one");
}

Error noLoginShell(const FailedStart& start)
{
    return refused("the account has no login shell" + quoted(start.words),
                   "give it one on the host (chsh -s /bin/sh), or use another account");
}

Error shellEnds(const FailedStart& start, int status)
{
    return refused(fmt::format("the account's shell ends with status {} before it runs a command{}", status,
                               quoted(start.words)),
                   "look for `exit` in its shell start-up files, for a forced command (command= in "
                   "authorized_keys) and at its login shell (false is none)");
}

Error forcedCommand(const FailedStart& start)
{
    return refused("the account runs a fixed command instead of Trainyard's" + quoted(start.words),
                   "use a key without command= in authorized_keys, and an account without ForceCommand in "
                   "sshd_config");
}

} // namespace

Error explainFailedStart(ssh::Session& session, const FailedStart& start, const ssh::Interrupt& interrupt)
{
    if (contains(start.words, "password change required") || contains(start.words, "password has expired"))
        return passwordExpired(start);
    if (contains(start.words, "account is currently not available"))
        return noLoginShell(start);
    const auto probe = ssh::runCommand(session, kProbe, kSftpInit, kProbePatience, interrupt);
    if (!probe.ok())
        return agentDoesNotStart(start);
    if (isSftpAnswer(probe->output) || contains(start.words, "sftp connections only"))
        return fileTransferOnly();
    if (probe->exitStatus == kProbeStatus)
        return agentDoesNotStart(start);
    return probe->exitStatus.value_or(0) == 0 ? forcedCommand(start) : shellEnds(start, *probe->exitStatus);
}

} // namespace trainyard
