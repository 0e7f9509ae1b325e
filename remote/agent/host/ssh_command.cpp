#include "remote/agent/host/ssh_command.h"

namespace trainyard::agent {

std::vector<std::string> sshCommand(const std::vector<std::string>& options)
{
    std::vector<std::string> command{"ssh", "-o", "BatchMode=yes", "-o", "StrictHostKeyChecking=yes"};
    for (const std::string& option : options) {
        if (!option.empty())
            command.insert(command.end(), {"-o", option});
    }
    return command;
}

} // namespace trainyard::agent
