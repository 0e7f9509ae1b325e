#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/spec/diagnostic.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A setting that the other side has no counterpart for, or only a near one.
struct Omission {
    std::string
        field; ///< as its own format spells it: "zero_optimization.overlap_comm", "--rampup-batch-size"
    std::string value;  ///< as JSON
    std::string reason; ///< why it was left behind
    std::string advice; ///< what to do about it

    /// `field = value: reason — advice`, one line for a person.
    std::string text() const;
    bool operator==(const Omission&) const = default;
};

using Omissions = std::vector<Omission>;

/// What another tool's settings are laid over.
struct ImportBase {
    RunSpec spec; ///< gives what the settings cannot say: cluster, data set, often the model
    std::optional<int>
        ranks; ///< devices that the other tool is started on; without: the slots of spec.cluster
};

struct ImportedSpec {
    RunSpec spec;         ///< as far as the settings could be read; the base's values elsewhere
    Diagnostics problems; ///< wrong types and values; empty = spec says what the settings say
    Omissions omissions;  ///< every other setting of the input
};

struct ExportedSettings {
    std::string text; ///< the other tool's file
    /// Every field of the specification that reading `text` onto a fresh specification does not give back.
    Omissions omissions;
};

ImportedSpec importDeepSpeed(std::string_view text, const ImportBase& base);
ExportedSettings exportDeepSpeed(const RunSpec& spec);
ImportedSpec importMegatron(std::string_view text, const ImportBase& base);
ExportedSettings exportMegatron(const RunSpec& spec);
ImportedSpec importSageMaker(std::string_view text, const ImportBase& base);
ExportedSettings exportSageMaker(const RunSpec& spec);

} // namespace trainyard
