#include "datasets/prepare/folder_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/input/corpus_folder.h"

namespace trainyard {

namespace {

void warnOfLeftOut(const std::filesystem::path& folder, std::vector<std::string> names, Progress& progress)
{
    constexpr std::size_t kMostNames = 5;
    if (names.empty())
        return;
    const bool all = names.size() <= kMostNames;
    names.resize(std::min(names.size(), kMostNames));
    progress.warn("splits-left-out",
                  fmt::format("{}: only the split \"train\" is used; left out: {}{}", folder.string(),
                              fmt::join(names, ", "), all ? "" : ", ..."));
}

} // namespace

Result<PrepareOptions> withFilesOfFolders(const PrepareOptions& options, Progress& progress)
{
    PrepareOptions expanded = options;
    if (options.task.isOn())
        return expanded;
    expanded.dumps.clear();
    for (const std::filesystem::path& dump : options.dumps) {
        std::error_code ignored;
        if (!std::filesystem::is_directory(dump, ignored)) {
            expanded.dumps.push_back(dump);
            continue;
        }
        TRAINYARD_TRY(FolderFiles found, filesOfFolder(dump));
        expanded.dumps.insert(expanded.dumps.end(), found.files.begin(), found.files.end());
        warnOfLeftOut(dump, std::move(found.leftOut), progress);
    }
    return expanded;
}

} // namespace trainyard
