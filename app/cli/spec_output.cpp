#include "app/cli/spec_output.h"

#include <filesystem>

#include <fmt/format.h>

namespace trainyard {

namespace fs = std::filesystem;

Status checkSpecOutput(const std::string& file)
{
    if (file.empty())
        return {};
    std::error_code error;
    if (fs::is_directory(file, error))
        return badInput(fmt::format("--spec-out: {} is a folder", file), "name a file in it");
    const fs::path folder = fs::path(file).parent_path();
    if (!folder.empty() && !fs::is_directory(folder, error))
        return badInput(fmt::format("--spec-out: there is no folder {}", folder.string()),
                        "make it first, or name another one");
    return {};
}

} // namespace trainyard
