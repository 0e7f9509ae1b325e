#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"
#include "engine/spec/run_spec.h"

namespace trainyard {

/// A published training: a file of resources/presets/recipes.
struct Recipe {
    std::string name; ///< "bert-large-lamb"
    std::string title;
    std::string source;
    std::vector<int> lengths; ///< tokens per sequence of each phase
    RunSpec run;              ///< without data sets
};

/// In the order of their names.
std::vector<std::string> recipeNames();
/// nullopt: there is none of that name.
std::optional<Recipe> recipeOf(std::string_view name);

/// The recipe's run on these data sets: one for each phase, or none to leave them out. BadInput for another
/// number.
Result<RunSpec> runOf(const Recipe& recipe, const std::vector<std::string>& dataSets);

} // namespace trainyard
