#pragma once

#include <string>
#include <string_view>

#include <nlohmann/json.hpp>

namespace trainyard {

/// Arguments as they stand on a command line or in a shell script.
struct MegatronArguments {
    std::string program;   ///< the last word that ends in ".py"; empty when there is none
    nlohmann::json values; ///< an object of "--name": number, text, list of these, or true for a bare flag
};

/// Takes a text apart as a shell does for plain words: quotes, comments, continued lines, arrays and
/// variables. Arguments in a list or in quotes count where they stand, whoever uses them. A variable that the
/// text gives no value stays as it is, so do commands and arithmetic. Underscores in names become hyphens.
/// Of an argument that is given twice the last counts.
MegatronArguments parseMegatronArguments(std::string_view text);

} // namespace trainyard
