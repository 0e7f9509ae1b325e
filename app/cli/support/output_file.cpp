#include "app/cli/support/output_file.h"

#include <filesystem>

#include <fmt/format.h>
#include <unistd.h>

namespace trainyard {

namespace fs = std::filesystem;

Status checkOutputFile(const char* option, const std::string& file)
{
    if (file.empty())
        return {};
    std::error_code error;
    if (fs::is_directory(file, error))
        return badInput(fmt::format("{}: {} is a folder", option, file), "name a file in it");
    const fs::path parent = fs::path(file).parent_path();
    const fs::path folder = parent.empty() ? fs::path(".") : parent;
    if (!fs::is_directory(folder, error))
        return badInput(fmt::format("{}: there is no folder {}", option, folder.string()),
                        "create it first, or name another one");
    if (::access(folder.c_str(), W_OK | X_OK) != 0) {
        Error error =
            systemError(ErrorKind::BadInput,
                        fmt::format("{}: cannot write to the folder {}", option, folder.string()), errno);
        error.hint = "name another one";
        return error;
    }
    return {};
}

} // namespace trainyard
