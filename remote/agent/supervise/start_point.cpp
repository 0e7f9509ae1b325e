#include "remote/agent/supervise/start_point.h"

#include <algorithm>

#include "engine/checkpoint/format/checkpoint_folder.h"
#include "engine/checkpoint/format/checkpoint_listing.h"
#include "engine/checkpoint/format/prepare_start.h"
#include "remote/agent/runs/run_work.h"

namespace trainyard::agent {

bool isSpreadOverHosts(const RunFolder& folder)
{
    const auto listing = CheckpointListing::read(folder.checkpoints());
    std::error_code ignored;
    return listing.ok() && std::ranges::any_of(listing->names, [&](const CheckpointName& name) {
               return std::filesystem::exists(folder.checkpoints() / name.text() / kHostName, ignored);
           });
}

Status checkStart(const RunFolder& folder, std::optional<std::int64_t> goBackToStep)
{
    if (kindOf(folder) != WorkKind::Train)
        return {};
    if (goBackToStep)
        TRAINYARD_TRY_STATUS(goBackTo(folder.checkpoints(), *goBackToStep));
    const auto choice = chooseStart(folder.checkpoints());
    return choice.ok() || isSpreadOverHosts(folder) ? Status() : Status(choice.error());
}

std::string startingPoint(const RunFolder& folder)
{
    const auto choice = chooseStart(folder.checkpoints());
    if (!choice.ok())
        return "if it finds a checkpoint by then (now: " + choice.error().message + ")";
    return choice->checkpoint ? "from " + choice->text()
                              : "from step 0 again, because there is no checkpoint yet";
}

} // namespace trainyard::agent
