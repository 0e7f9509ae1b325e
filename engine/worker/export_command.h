#pragma once

#include <filesystem>

#include "engine/base/result.h"
#include "engine/hand_over/options/export_command_line.h"

namespace trainyard {

/// `trainyard-worker export`: a checkpoint as a folder that AutoModel and AutoTokenizer load, with a model
/// card. The folder appears when it is complete; SIGINT and SIGTERM end the export without it. As a job, a
/// relative path of the folder is one in `runDirectory`.
Status runExportCommand(const ModelExportOptions& options, const std::filesystem::path& runDirectory);

} // namespace trainyard
