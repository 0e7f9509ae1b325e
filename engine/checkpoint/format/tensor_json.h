#pragma once

#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"
#include "engine/checkpoint/format/manifest.h"

namespace trainyard {

/// The list "tensors" of a manifest, also the content of a shard's own list before publication.
nlohmann::ordered_json tensorsToJson(const std::vector<LogicalTensor>& tensors);

/// Reads it back, sorted by name, and checks that every tensor's slices cover it without overlap. Throws
/// nlohmann::json::exception for a missing key or a wrong type.
Result<std::vector<LogicalTensor>> tensorsFromJson(const nlohmann::ordered_json& json);

/// As above, for a list that holds only some slices of each tensor.
Result<std::vector<LogicalTensor>> partialTensorsFromJson(const nlohmann::ordered_json& json);

/// Failed, naming the tensor whose slices leave a gap, overlap, or extend beyond it.
Status checkCoverage(const std::vector<LogicalTensor>& tensors);

} // namespace trainyard
