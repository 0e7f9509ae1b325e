#include "app/cli/hardware_input.h"

#include "app/models/hardware_library.h"
#include "engine/base/file.h"
#include "engine/planner/hardware/hardware_json.h"
#include "engine/spec/hardware_name.h"
#include "remote/target/desk_folders.h"

namespace trainyard {

Result<NodeModel> readHardwareInput(const std::string& hardware)
{
    const HardwareLibrary library(deskDataFolder() / "hardware");
    std::error_code error;
    if (isHardwareName(hardware) && !std::filesystem::exists(hardware, error))
        return library.find(hardware);
    const auto text = readFile(hardware);
    if (!text.ok())
        return badInput("\"" + hardware + "\" is neither the name of hardware nor a file that can be read",
                        "see resources/presets/hardware");
    ParsedNode parsed = parseNode(*text);
    if (!parsed.diagnostics.empty())
        return toError(parsed.diagnostics).in(hardware);
    return std::move(parsed.node);
}

} // namespace trainyard
