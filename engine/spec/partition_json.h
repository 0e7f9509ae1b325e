#pragma once

#include <nlohmann/json.hpp>

#include "engine/spec/field_reader.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// Reads a partition: the name of what is made equal ("layers"), or the layers of each stage ([3, 4, 4, 3]).
void readPartition(FieldReader& reader, const char* key, StagePartition& partition);

nlohmann::ordered_json partitionJson(const StagePartition& partition);

} // namespace trainyard
