#include "engine/spec/foreign/foreign_settings.h"

#include <array>

#include "engine/base/check.h"
#include "engine/spec/foreign/conversion.h"

namespace trainyard {

namespace {

struct ToolEntry {
    ForeignTool tool;
    std::string_view name;
    ImportedSpec (*import)(std::string_view, const ImportBase&);
    ExportedSettings (*write)(const RunSpec&);
};

constexpr std::array kTools{
    ToolEntry{ForeignTool::DeepSpeed, "deepspeed", importDeepSpeed, exportDeepSpeed},
    ToolEntry{ForeignTool::Megatron, "megatron", importMegatron, exportMegatron},
    ToolEntry{ForeignTool::SageMaker, "sagemaker", importSageMaker, exportSageMaker},
};

const ToolEntry& entryOf(ForeignTool tool)
{
    for (const ToolEntry& entry : kTools) {
        if (entry.tool == tool)
            return entry;
    }
    TRAINYARD_CHECK_MSG(false, "unknown tool");
    return kTools.front();
}

} // namespace

std::string_view nameOf(ForeignTool tool)
{
    return entryOf(tool).name;
}

std::optional<ForeignTool> foreignToolFromName(std::string_view name)
{
    for (const ToolEntry& entry : kTools) {
        if (entry.name == name)
            return entry.tool;
    }
    return std::nullopt;
}

ImportedSpec importSettings(ForeignTool tool, std::string_view text, const ImportBase& base)
{
    return entryOf(tool).import(text, base);
}

ExportedSettings exportSettings(ForeignTool tool, const RunSpec& spec)
{
    return entryOf(tool).write(spec);
}

} // namespace trainyard
