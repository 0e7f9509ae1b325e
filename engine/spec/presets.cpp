#include "engine/spec/presets.h"

#include <algorithm>

#include <nlohmann/json.hpp>

#include "engine/spec/embedded_presets.h"
#include "engine/spec/object_reader.h"

namespace trainyard {

std::vector<std::string> modelPresetNames()
{
    std::vector<std::string> names;
    for (const auto& file : embeddedModelPresets())
        names.emplace_back(file.name);
    std::stable_sort(names.begin(), names.end(), [](const auto& a, const auto& b) {
        const auto size = [](const ModelSpec& m) { return std::int64_t{m.layers} * m.hidden * m.hidden; };
        return size(*modelPreset(a)) < size(*modelPreset(b));
    });
    return names;
}

std::optional<ModelSpec> modelPreset(std::string_view name)
{
    for (const auto& file : embeddedModelPresets()) {
        if (file.name != name)
            continue;
        Diagnostics diagnostics;
        const auto json = nlohmann::json::parse(file.content);
        FieldReader reader(json, "", diagnostics);
        ModelSpec model;
        readObject(reader, model, diagnostics);
        reader.finish();
        TRAINYARD_CHECK_MSG(diagnostics.empty(), std::string(name) + ": " + toError(diagnostics).text());
        model.preset = name;
        return model;
    }
    return std::nullopt;
}

} // namespace trainyard
