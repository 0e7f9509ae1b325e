#include "app/plan/memory_here.h"

#include <unistd.h>

#include "app/base/this_machine.h"

namespace trainyard {

NodeMemory memoryHere(const NodeSpec& node)
{
    const long pages = ::sysconf(_SC_PHYS_PAGES);
    if (node.host != thisMachine().toStdString() || !node.hardware.empty() || pages <= 0)
        return {};
    return {static_cast<Bytes>(pages) * static_cast<Bytes>(::sysconf(_SC_PAGESIZE)), {}, processorMathHere()};
}

} // namespace trainyard
