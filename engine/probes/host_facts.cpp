#include "engine/probes/host_facts.h"

#include <fstream>
#include <unistd.h>

namespace trainyard {

std::string processorName()
{
    std::ifstream facts("/proc/cpuinfo");
    for (std::string line; std::getline(facts, line);) {
        const auto colon = line.find(": ");
        if (line.starts_with("model name") && colon != std::string::npos)
            return line.substr(colon + 2);
    }
    return "processor";
}

Bytes physicalMemory()
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    const long bytes = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && bytes > 0 ? static_cast<Bytes>(pages) * static_cast<Bytes>(bytes) : 0;
}

} // namespace trainyard
