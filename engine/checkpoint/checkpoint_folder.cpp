#include "engine/checkpoint/checkpoint_folder.h"

#include <algorithm>
#include <functional>
#include <regex>
#include <vector>

#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

const std::regex& publishedName()
{
    static const std::regex pattern("step-[0-9]{9,}");
    return pattern;
}

const std::regex& interruptedName()
{
    static const std::regex pattern("\\.step-[0-9]{9,}\\.partial");
    return pattern;
}

Result<std::vector<fs::path>> foldersNamed(const fs::path& checkpoints, const std::regex& pattern)
{
    std::vector<fs::path> found;
    std::error_code error;
    for (fs::directory_iterator entry(checkpoints, error), end; !error && entry != end;
         entry.increment(error)) {
        if (std::regex_match(entry->path().filename().string(), pattern))
            found.push_back(entry->path());
    }
    if (error)
        return failed("cannot list " + checkpoints.string() + ": " + error.message());
    return found;
}

Status removeFolder(const fs::path& folder)
{
    std::error_code error;
    fs::remove_all(folder, error);
    if (error)
        return failed("cannot remove " + folder.string() + ": " + error.message());
    return {};
}

/// Of a published folder.
std::int64_t stepOf(const fs::path& folder)
{
    return std::stoll(folder.filename().string().substr(std::string_view("step-").size()));
}

} // namespace

std::string checkpointFolderName(Step step)
{
    return fmt::format("step-{:09}", step.value);
}

Result<std::optional<fs::path>> latestCheckpoint(const fs::path& checkpoints)
{
    const fs::path latest = checkpoints / kLatestName;
    std::error_code ignored;
    if (!fs::exists(latest, ignored))
        return std::optional<fs::path>();
    TRAINYARD_TRY(std::string name, readFile(latest));
    while (!name.empty() && name.back() == '\n')
        name.pop_back();
    if (!std::regex_match(name, publishedName()) || !fs::is_directory(checkpoints / name, ignored))
        return badInput(
            fmt::format("{} names \"{}\", which is not a checkpoint beside it", latest.string(), name),
            "write the name of an existing step-... folder into it, or remove it to start anew");
    return std::optional(checkpoints / name);
}

Status removeInterrupted(const fs::path& checkpoints)
{
    TRAINYARD_TRY(const auto folders, foldersNamed(checkpoints, interruptedName()));
    for (const fs::path& folder : folders)
        TRAINYARD_TRY_STATUS(removeFolder(folder));
    return {};
}

Status removeOutdated(const fs::path& checkpoints, const KeptCheckpoints& kept)
{
    if (kept.last == 0)
        return {};
    TRAINYARD_TRY(auto folders, foldersNamed(checkpoints, publishedName()));
    std::ranges::sort(folders, std::greater());
    for (std::size_t i = static_cast<std::size_t>(kept.last); i < folders.size(); ++i) {
        if (kept.every == 0 || stepOf(folders[i]) % kept.every != 0)
            TRAINYARD_TRY_STATUS(removeFolder(folders[i]));
    }
    return {};
}

} // namespace trainyard
