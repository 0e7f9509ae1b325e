#include "engine/spec/recipes.h"

#include <algorithm>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/spec/embedded_presets.h"
#include "engine/spec/phases/phases.h"
#include "engine/spec/spec_json.h"

namespace trainyard {

std::vector<std::string> recipeNames()
{
    std::vector<std::string> names;
    for (const EmbeddedFile& file : embeddedRecipes())
        names.emplace_back(file.name);
    std::ranges::sort(names);
    return names;
}

std::optional<Recipe> recipeOf(std::string_view name)
{
    for (const EmbeddedFile& file : embeddedRecipes()) {
        if (file.name != name)
            continue;
        const auto json = nlohmann::json::parse(file.content);
        ParsedSpec parsed = parseSpec(json.at("run").dump());
        TRAINYARD_CHECK_MSG(parsed.diagnostics.empty(),
                            std::string(name) + ": " + toError(parsed.diagnostics).text());
        return Recipe{std::string(name), json.at("title"), json.at("source"), json.at("lengths"),
                      std::move(parsed.spec)};
    }
    return std::nullopt;
}

Result<RunSpec> runOf(const Recipe& recipe, const std::vector<std::string>& dataSets)
{
    RunSpec run = recipe.run;
    const auto phases = static_cast<std::size_t>(phaseCount(run));
    if (dataSets.empty())
        return run;
    if (dataSets.size() != phases)
        return badInput(fmt::format("{} has {} phases, and {} data sets were given", recipe.name, phases,
                                    dataSets.size()),
                        "give one for each phase, in their order");
    for (std::size_t phase = 0; phase < run.phases.size(); ++phase) {
        run.phases[phase].dataset.path = dataSets[phase];
        run.phases[phase].named.insert("dataset.path");
    }
    if (run.phases.empty())
        run.dataset.path = dataSets.front();
    return run;
}

} // namespace trainyard
