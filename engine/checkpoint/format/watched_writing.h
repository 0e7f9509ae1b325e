#pragma once

#include <functional>

#include "engine/checkpoint/format/safetensors.h"

namespace trainyard {

/// As writeSafetensors(), and calls `before` before each tensor; its error ends the writing.
Result<std::vector<WrittenTensor>>
writeSafetensorsWatched(const std::filesystem::path& file, std::span<const TensorBytes> tensors,
                        const std::map<std::string, std::string>& metadata,
                        const std::function<Status(const TensorBytes&)>& before);

} // namespace trainyard
