#include "engine/base/resident_set.h"

#include <cstdio>
#include <memory>
#include <unistd.h>

namespace trainyard {

Bytes residentSetBytes()
{
    const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file(std::fopen("/proc/self/statm", "re"),
                                                               &std::fclose);
    unsigned long total = 0;
    unsigned long resident = 0;
    if (!file || std::fscanf(file.get(), "%lu %lu", &total, &resident) != 2)
        return 0;
    return Bytes{resident} * static_cast<Bytes>(::sysconf(_SC_PAGESIZE));
}

} // namespace trainyard
