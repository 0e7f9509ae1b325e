#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "engine/checkpoint/format/line_switch.h"
#include "engine/checkpoint/format/store_agreement.h"
#include "engine/records/fence.h"

namespace trainyard {

/// What a start changes in one host's folder `checkpoints` once the hosts have compared theirs
/// (`store_agreement.h`). Each may be interrupted anywhere and called again; nothing is deleted. Failed
/// names the folder.

/// Publishes what is complete in `.step-*.partial`.
Status finishPublications(const std::filesystem::path& checkpoints,
                          const std::vector<Publication>& publications, const Fence& fence);

/// Makes a checkpoint known to a host that has no shard of it, or a wrong manifest, which is kept beside the
/// right one. Another damaged one of that name is set aside; one that cannot be read is left as it is.
Status keepManifest(const std::filesystem::path& checkpoints, const CheckpointName& name,
                    const std::string& manifest, const Fence& fence);

/// Takes the names and lines of a host that knows of lines which this one has missed. A wish in `latest` to
/// go back to a checkpoint stays, with the name that this one has then.
Status followHistory(const std::filesystem::path& checkpoints, const std::vector<LineSwitch::Rename>& renames,
                     const LineRecord& record, const Fence& fence);

/// Takes the head's names, `latest` and lines. A folder that does not exist is left alone.
Status followHead(const std::filesystem::path& checkpoints, const std::vector<LineSwitch::Rename>& renames,
                  const LineRecord& record, const Fence& fence);

} // namespace trainyard
