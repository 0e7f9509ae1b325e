#include "engine/training/run_directory.h"

#include <fmt/format.h>

namespace trainyard {

std::filesystem::path RunDirectory::log(Rank rank) const
{
    return ranks() / fmt::format("{:04}.log", rank.value);
}

} // namespace trainyard
