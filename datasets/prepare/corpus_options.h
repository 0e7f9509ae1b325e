#pragma once

#include <map>
#include <string>

#include <CLI/CLI.hpp>

#include "datasets/prepare/prepare_options.h"

namespace trainyard {

/// Adds an option that takes one of the names of an enumeration.
template <typename Names, typename Enum>
CLI::Option* addChoice(CLI::App& command, const char* option, Enum& value, const Names& names,
                       const std::string& help)
{
    std::map<std::string, Enum> choices;
    std::string accepted;
    for (const auto& [name, each] : names) {
        choices.emplace(name, each);
        accepted += (accepted.empty() ? "" : ", ") + std::string(name);
    }
    const std::string before(nameIn(names, value));
    return command.add_option(option, value, help + ": " + accepted)
        ->transform(CLI::CheckedTransformer(choices, CLI::ignore_case).description(""))
        ->option_text("TEXT [" + before + "]");
}

/// Options for turning files into tokenized documents.
void addCorpusOptions(CLI::App& command, PrepareOptions& options);
/// Options for the resources of the process.
void addResourceOptions(CLI::App& command, PrepareOptions& options);

} // namespace trainyard
