#include "engine/base/check.h"
#include "remote/ssh/host_config.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

/// What `ssh -G` prints. What is accepted is within its limits, and no name can be taken for an option.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    const auto host = ssh::parseSshConfigDump({"", "gpu"}, bytesOf(data, size));
    if (!host.ok()) {
        TRAINYARD_CHECK(!host.error().message.empty());
        return 0;
    }
    TRAINYARD_CHECK(host->port >= 1 && host->port <= 65535);
    TRAINYARD_CHECK(!host->address.empty() && host->address.front() != '-');
    TRAINYARD_CHECK(host->passwordPrompts >= 0 && host->aliveInterval.count() >= 0);
    for (const auto& jump : host->jumpHosts)
        [[maybe_unused]] const auto name = ssh::parseHostName(jump);
    return 0;
}
