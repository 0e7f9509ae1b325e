#include "remote/wire/agent_folder.h"

#include <cstdlib>

namespace trainyard {

std::filesystem::path agentFolder()
{
    const char* folder = std::getenv("TRAINYARD_HOME");
    if (folder && *folder != '\0') // set to nothing it is as if unset, as for the shell
        return folder;
    const char* home = std::getenv("HOME");
    return std::filesystem::path(home ? home : "/") / ".trainyard";
}

} // namespace trainyard
