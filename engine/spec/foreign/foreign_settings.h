#pragma once

#include <optional>
#include <string_view>

#include "engine/spec/foreign/conversion.h"

namespace trainyard {

/// Tools whose settings can be read and written.
enum class ForeignTool {
    DeepSpeed, ///< its configuration, JSON
    Megatron,  ///< command-line arguments of Megatron-LM, alone or as they stand in a shell script
    SageMaker, ///< `smp_options` or the parameters of its model-parallel library, version 1 or 2, JSON
};

std::string_view nameOf(ForeignTool tool); ///< "deepspeed", "megatron", "sagemaker"
std::optional<ForeignTool> foreignToolFromName(std::string_view name);

/// Lays the settings over the base. What a tool has a default for gets this default where its settings say
/// nothing; what they cannot say comes from the base. Nothing is dropped silently: every setting is in the
/// specification, among the problems or among the omissions.
ImportedSpec importSettings(ForeignTool tool, std::string_view text, const ImportBase& base);

/// The same for that tool, as far as it can be said there. Reading the text again onto a fresh specification,
/// for as many ranks, gives `spec` back but for the omissions.
ExportedSettings exportSettings(ForeignTool tool, const RunSpec& spec);

} // namespace trainyard
