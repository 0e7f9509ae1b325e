#include "engine/base/host_name.h"

#include <array>
#include <unistd.h>

namespace trainyard {

std::string hostName()
{
    std::array<char, 256> name{}; // its last byte stays 0
    return ::gethostname(name.data(), name.size() - 1) == 0 && name[0] != '\0' ? name.data() : "this host";
}

} // namespace trainyard
