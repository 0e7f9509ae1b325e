#pragma once

#include <random>
#include <string>

#include <unistd.h>

#include <fmt/format.h>

namespace trainyard {

/// ".tmp-<pid>-<random>": the end of a name for what is not whole yet. Random, because hosts that share a
/// disk give the same process ids.
inline std::string temporarySuffix()
{
    std::random_device random;
    return fmt::format(".tmp-{}-{:08x}", ::getpid(), random());
}

} // namespace trainyard
