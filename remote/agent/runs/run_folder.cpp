#include "remote/agent/runs/run_folder.h"

#include <algorithm>
#include <charconv>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard::agent {

bool isSafeName(std::string_view name)
{
    const auto isSafe = [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '.' ||
               c == '_' || c == '-';
    };
    return !name.empty() && name.size() <= 128 && name[0] != '.' && name[0] != '-' &&
           std::all_of(name.begin(), name.end(), isSafe);
}

bool RunFolder::exists() const
{
    std::error_code ignored;
    return std::filesystem::is_directory(std::filesystem::symlink_status(m_path, ignored));
}

std::filesystem::path RunFolder::rankLog(int rank) const
{
    return ranks() / fmt::format("{:04}.log", rank);
}

std::filesystem::path RunFolder::rankRing(int rank) const
{
    return ranks() / fmt::format("{:04}.ring", rank);
}

std::filesystem::path RunFolder::launchFile(std::uint32_t attempt) const
{
    return attempts() / fmt::format("{:04}.json", attempt);
}

std::filesystem::path RunFolder::jobLog(std::uint32_t attempt) const
{
    return attempts() / fmt::format("{:04}.log", attempt);
}

std::filesystem::path RunFolder::batchLog(std::uint32_t attempt) const
{
    return attempts() / fmt::format("{:04}.slurm.log", attempt);
}

std::int64_t RunFolder::publishedCheckpoint() const
{
    constexpr std::string_view kName = "step-"; // engine/checkpoint/FORMAT.md
    const auto name = readFile(checkpoints() / "latest");
    std::int64_t step = 0;
    if (name.ok() && name->starts_with(kName))
        std::from_chars(name->data() + kName.size(), name->data() + name->size(), step);
    return step;
}

std::filesystem::path RunFolder::samplerLock(int node) const
{
    return m_path / fmt::format("sampler-{}.lock", node);
}

std::filesystem::path RunFolder::samplerLog(int node) const
{
    return m_path / fmt::format("sampler-{}.log", node);
}

} // namespace trainyard::agent
