#include "engine/checkpoint/weights/find_weights.h"

#include <set>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/start_choice.h"
#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"
#include "engine/checkpoint/weights/adapter_config.h"
#include "engine/spec/field_reader.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

bool isCheckpoint(const fs::path& path)
{
    return isThere(path / kManifestName);
}

/// Of the directory of a run the folder in it.
fs::path folderOfCheckpoints(const fs::path& path)
{
    return isThere(path / "checkpoints") ? path / "checkpoints" : path;
}

Result<FoundWeights> onlyOne(const fs::path& path, const CheckpointWish& wish)
{
    if (wish.isAny())
        return FoundWeights{path};
    return badInput(path.string() + " is a single model, without steps to choose from",
                    "leave the step out, or give the folder of a run");
}

Result<FoundWeights> bestIn(const CheckpointListing& listing)
{
    if (!isPlainName(listing.best))
        return badInput(listing.folder.string() + ": no checkpoint is marked as the best",
                        "only runs with evaluation.keep_best mark one; give a step");
    if (!isCheckpoint(listing.folder / listing.best))
        return badInput(
            fmt::format("{}: the best checkpoint, {}, is missing", listing.folder.string(), listing.best),
            "give a step");
    return FoundWeights{listing.folder / listing.best};
}

/// Of equal steps the present line's, else that of the line abandoned last: the first one of the list.
Result<FoundWeights> ofStep(const CheckpointListing& listing, Step step)
{
    std::set<std::int64_t> steps;
    for (const CheckpointName& name : listing.names) {
        if (name.damaged > 0)
            continue;
        if (name.step.value == step.value)
            return FoundWeights{listing.folder / name.text()};
        steps.insert(name.step.value);
    }
    return badInput(fmt::format("{} has no checkpoint of step {}", listing.folder.string(), step.value),
                    fmt::format("available steps: {}", fmt::join(steps, ", ")));
}

Result<FoundWeights> newestIn(const fs::path& folder)
{
    TRAINYARD_TRY(const StartChoice start, chooseStart(folder));
    if (!start.checkpoint)
        return badInput(folder.string() + ": no checkpoint found",
                        "give a step-... folder, or a folder that contains some");
    return FoundWeights{folder / start.checkpoint->text(),
                        start.damaged.empty() ? std::string() : start.text()};
}

std::vector<std::string> foldersBeside(const fs::path& path)
{
    const fs::path parent = path.parent_path();
    std::vector<std::string> folders;
    std::error_code ignored;
    for (fs::directory_iterator entry(parent.empty() ? "." : parent, ignored), end; !ignored && entry != end;
         entry.increment(ignored)) {
        std::error_code unknown;
        if (entry->is_directory(unknown))
            folders.push_back((parent / entry->path().filename()).string());
    }
    return folders;
}

} // namespace

Error noSuchModel(const std::string& model, std::vector<std::string> known)
{
    const std::vector<std::string> folders = foldersBeside(model);
    known.insert(known.end(), folders.begin(), folders.end());
    const std::string nearest = nearestName(model, known);
    return badInput("there is no run, checkpoint or folder " + model,
                    nearest.empty() ? "give a run's id (`trainyard runs` lists them), a checkpoint, or a "
                                      "folder with config.json and model.safetensors"
                                    : "did you mean " + nearest + "?");
}

Result<FoundWeights> findCheckpoint(const fs::path& path, const CheckpointWish& wish)
{
    if (isCheckpoint(path))
        return onlyOne(path, wish);
    const fs::path folder = folderOfCheckpoints(path);
    if (wish.isAny())
        return newestIn(folder);
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(folder));
    return wish.best ? bestIn(listing) : ofStep(listing, *wish.step);
}

Result<FoundWeights> findWeights(const fs::path& path, const CheckpointWish& wish)
{
    if (!isThere(path))
        return noSuchModel(path.string());
    if (isThere(path / kConfigName) || isAdapterFolder(path))
        return onlyOne(path, wish);
    if (isCheckpoint(path))
        return findCheckpoint(path, wish);
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(folderOfCheckpoints(path)));
    if (listing.names.empty())
        return badInput("there are no weights in " + path.string(),
                        "give a folder with config.json and model.safetensors, a run's folder, or a "
                        "checkpoint");
    return findCheckpoint(path, wish);
}

Result<fs::path> findInitialWeights(const InitSpec& init, const fs::path& runs)
{
    CheckpointWish wish;
    if (init.step > 0)
        wish.step = Step{init.step};
    const auto found = findWeights(runs / init.path, wish); // an absolute path replaces what is before it
    if (!found.ok())
        return found.error().in(wish.isAny() ? "init.path" : "init.step");
    return found->folder;
}

} // namespace trainyard
