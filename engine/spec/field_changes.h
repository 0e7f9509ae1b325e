#pragma once

#include <string>
#include <vector>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// A field of a specification and the value it gets, both as spec.json has them: "layout.schedule",
/// "\"1f1b\"".
struct FieldChange {
    std::string path;
    std::string value;

    bool operator==(const FieldChange&) const = default;
};

/// The fields in which the specifications differ, with their values in `after`, in the order of their paths.
std::vector<FieldChange> changesBetween(const RunSpec& before, const RunSpec& after);

/// Every field and its value as text without quotes, in the order of the file; each field of a node and each
/// number of a list by itself: "cluster.nodes[0].host", "gpu-03".
std::vector<FieldChange> fieldTexts(const RunSpec& spec);

/// "batch.accumulation 8, batch.micro 2".
std::string textOf(const std::vector<FieldChange>& changes);

} // namespace trainyard
