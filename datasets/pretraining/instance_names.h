#pragma once

#include <array>
#include <string_view>
#include <utility>

#include "datasets/pretraining/instance.h"

namespace trainyard {

/// The spelling of choices on the command line and in the manifest.
template <typename Enum>
using OptionNames = std::pair<std::string_view, Enum>;

inline constexpr std::array kObjectiveNames{
    OptionNames<Objective>{"bert", Objective::Bert},
    OptionNames<Objective>{"mlm", Objective::Masked},
    OptionNames<Objective>{"gpt", Objective::Tokens},
};
inline constexpr std::array kNextSentenceNames{
    OptionNames<NextSentence>{"random", NextSentence::Random},
    OptionNames<NextSentence>{"swap", NextSentence::Swap},
    OptionNames<NextSentence>{"none", NextSentence::Follow},
};

template <typename Names, typename Enum>
constexpr std::string_view nameIn(const Names& names, Enum value)
{
    for (const auto& [name, each] : names) {
        if (each == value)
            return name;
    }
    return {};
}

} // namespace trainyard
