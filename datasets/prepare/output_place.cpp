#include "datasets/prepare/output_place.h"

#include <fmt/format.h>

#include "engine/base/file.h"

namespace trainyard {

namespace fs = std::filesystem;

Result<fs::path> realPlace(const fs::path& path)
{
    if (path.empty())
        return badInput("--out is empty", "name the folder of the data set");
    std::error_code error;
    fs::path place = fs::weakly_canonical(fs::absolute(path), error);
    if (error)
        return badInput(fmt::format("--out {}: {}", path.string(), error.message()),
                        "choose a folder that this user can create");
    if (place == fs::current_path(error))
        return badInput(fmt::format("--out {} is the current folder", path.string()),
                        "choose a folder in it; it will be created");
    return place.has_filename() ? place : place.parent_path();
}

Status checkFree(const fs::path& place)
{
    std::error_code error;
    if (!fs::exists(place, error) || (fs::is_directory(place, error) && fs::is_empty(place, error)))
        return {};
    return badInput(fmt::format("--out {} exists and is not empty", place.string()),
                    "choose another folder or remove it first");
}

Status makeEmptyFolder(const fs::path& folder)
{
    std::error_code error;
    fs::remove_all(folder, error);
    if (error)
        return failed("cannot clear " + folder.string() + ": " + error.message(), "remove that folder");
    return makeFolder(folder);
}

Status removeUnnoted(const fs::path& file)
{
    std::error_code error;
    fs::remove(file, error);
    if (error)
        return failed("cannot remove " + file.string() + ": " + error.message(), "remove it by hand");
    return {};
}

} // namespace trainyard
