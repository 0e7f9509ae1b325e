#pragma once

#include <chrono>
#include <memory>

#include <QString>
#include <QStringList>

#include "remote/target/agent_file.h"

namespace trainyard {

/// How a host is reached. The defaults are what the user's own `ssh` does.
struct TargetOptions {
    QString agentPath; ///< trainyard-agent to run or to send; empty = in TRAINYARD_BIN or beside this program
    QString
        agentRoot; ///< the local agent's folder; empty = TRAINYARD_HOME or ~/.trainyard. Not used over SSH

    std::shared_ptr<AgentFiles> agentFiles = std::make_shared<AgentFiles>(); ///< shared by copies

    QString user;              ///< empty = from the ssh configuration
    int port = 0;              ///< 0 = from the ssh configuration
    QString sshConfigFile;     ///< empty = the user's and the system's; "none" = no file
    QStringList identityFiles; ///< empty = from the ssh configuration
    QString knownHostsFile;  ///< read and, after a person's yes, extended; empty = from the ssh configuration
    bool useSshAgent = true; ///< offer the keys of a running ssh-agent

    bool readOnly = false; ///< the agent refuses whatever would change something on the host

    std::chrono::milliseconds connectTimeout{
        9'000}; ///< for each of: connection, key exchange, authentication
    std::chrono::milliseconds pingInterval{4'000};
    std::chrono::milliseconds lostAfter{
        13'000}; ///< without a sign of life from the agent; noticed within 15 s in any case
};

} // namespace trainyard
