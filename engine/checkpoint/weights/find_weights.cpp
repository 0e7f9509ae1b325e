#include "engine/checkpoint/weights/find_weights.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/checkpoint/format/start_choice.h"
#include "engine/checkpoint/hugging_face/format/hugging_face_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

bool isThere(const fs::path& path)
{
    std::error_code ignored;
    return fs::exists(path, ignored);
}

Error noWeights(const fs::path& folder)
{
    return badInput("there are no weights in " + folder.string(),
                    "give a folder with config.json and model.safetensors, a run's folder, or a checkpoint");
}

/// Of equal steps the present line's, else that of the line abandoned last: the first one of the list.
Result<fs::path> checkpointOfStep(const CheckpointListing& listing, int step)
{
    std::vector<std::int64_t> steps;
    for (const CheckpointName& name : listing.names) {
        if (name.damaged > 0)
            continue;
        if (name.step.value == step)
            return listing.folder / name.text();
        if (steps.empty() || steps.back() != name.step.value)
            steps.push_back(name.step.value);
    }
    return badInput(fmt::format("{} has no checkpoint of step {}", listing.folder.string(), step),
                    fmt::format("available steps: {}", fmt::join(steps, ", ")));
}

Result<fs::path> newestCheckpoint(const fs::path& checkpoints)
{
    TRAINYARD_TRY(const StartChoice start, chooseStart(checkpoints));
    if (!start.checkpoint)
        return noWeights(checkpoints);
    return checkpoints / start.checkpoint->text();
}

Result<fs::path> checkpointIn(const fs::path& checkpoints, int step)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    if (listing.names.empty())
        return noWeights(checkpoints);
    return step > 0 ? checkpointOfStep(listing, step) : newestCheckpoint(checkpoints);
}

/// A step means one of several checkpoints.
Result<fs::path> withoutSteps(const fs::path& folder, int step)
{
    if (step == 0)
        return folder;
    return badInput(fmt::format("is {}, and {} has no steps to choose from", step, folder.string()),
                    "leave it out, or give the folder of a run");
}

} // namespace

Result<fs::path> findWeights(const InitSpec& init, const fs::path& runs)
{
    const fs::path folder = init.path.front() == '/' ? fs::path(init.path) : runs / init.path;
    const bool holdsOne = isThere(folder / kConfigName) || isThere(folder / kManifestName);
    if (holdsOne) {
        const auto found = withoutSteps(folder, init.step);
        return found.ok() ? found : found.error().in("init.step");
    }
    const bool isRun = isThere(folder / "checkpoints");
    const auto found = checkpointIn(isRun ? folder / "checkpoints" : folder, init.step);
    return found.ok() ? found : found.error().in(init.step > 0 ? "init.step" : "init.path");
}

} // namespace trainyard
