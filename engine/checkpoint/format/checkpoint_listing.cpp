#include "engine/checkpoint/format/checkpoint_listing.h"

#include <algorithm>
#include <tuple>

#include <fmt/format.h>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/stored_file.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// More is no name.
constexpr std::size_t kMaxNameBytes = 256;

Error unreadable(const fs::path& folder, const std::string& reason)
{
    return refused(
        fmt::format("the checkpoints of the run cannot be read: {}", reason),
        fmt::format("make {} readable, then try again; nothing in it was changed", folder.string()));
}

/// A link that leads nowhere is no folder; what cannot be asked is an error.
bool isFolder(const fs::directory_entry& entry, std::error_code& error)
{
    const bool is = entry.is_directory(error);
    if (error == std::errc::no_such_file_or_directory || error == std::errc::too_many_symbolic_link_levels)
        error.clear();
    return is;
}

Result<std::vector<CheckpointName>> namesIn(const fs::path& folder)
{
    std::vector<CheckpointName> names;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        const auto name = CheckpointName::parse(entry->path().filename().string());
        if (name && isFolder(*entry, error))
            names.push_back(*name);
        if (error)
            break;
    }
    if (error && error != std::errc::no_such_file_or_directory)
        return unreadable(folder, fmt::format("{}: {}", folder.string(), error.message()));
    std::ranges::sort(names, {}, [](const CheckpointName& name) {
        return std::tuple(-name.step.value, name.line, name.damaged);
    });
    return names;
}

/// The name in the file `latest` or `best`; empty where there is none.
Result<std::string> nameIn(const fs::path& folder, const char* fileName)
{
    const auto file = StoredFile::open(folder / fileName);
    if (!file.ok())
        return file.error().kind == ErrorKind::Failed ? unreadable(folder, file.error().message)
                                                      : Result<std::string>(std::string());
    auto text = file->content();
    if (!text.ok())
        return text.error().kind == ErrorKind::Failed ? unreadable(folder, text.error().message)
                                                      : Result<std::string>(std::string());
    std::string name = std::move(text).value().substr(0, kMaxNameBytes);
    while (!name.empty() && std::isspace(static_cast<unsigned char>(name.back())))
        name.pop_back();
    return name;
}

} // namespace

Result<CheckpointListing> CheckpointListing::read(const fs::path& checkpoints)
{
    CheckpointListing listing;
    listing.folder = checkpoints;
    TRAINYARD_TRY(listing.names, namesIn(checkpoints));
    TRAINYARD_TRY(listing.latest, nameIn(checkpoints, kLatestName));
    TRAINYARD_TRY(listing.best, nameIn(checkpoints, kBestName));
    auto record = LineRecord::load(checkpoints);
    if (!record.ok())
        return unreadable(checkpoints, record.error().message);
    listing.record = std::move(record).value();
    return listing;
}

bool CheckpointListing::has(const CheckpointName& name) const
{
    return std::ranges::find(names, name) != names.end();
}

int CheckpointListing::nextLine() const
{
    int highest = 0;
    for (const CheckpointLine& line : record.lines)
        highest = std::max(highest, line.number);
    for (const CheckpointName& name : names)
        highest = std::max(highest, name.line);
    return highest + 1;
}

} // namespace trainyard
