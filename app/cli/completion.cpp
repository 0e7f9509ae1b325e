#include "app/cli/completion.h"

#include <algorithm>
#include <sstream>

#include "app/cli/embedded_completions.h"

namespace trainyard {

namespace {

using Words = std::vector<std::string>;

/// The command that the words so far have led to, and what it still waits for.
struct Position {
    const CLI::App* command;
    const CLI::Option* waiting = nullptr; ///< an option whose value comes next
    std::size_t positionals = 0;          ///< given so far
};

std::vector<const CLI::App*> shownCommands(const CLI::App& app)
{
    return app.get_subcommands([](const CLI::App* command) { return !command->get_group().empty(); });
}

const CLI::Option* optionCalled(const CLI::App& app, const std::string& word)
{
    const auto options = app.get_options(
        [&](const CLI::Option* option) { return option->nonpositional() && option->check_name(word); });
    return options.empty() ? nullptr : options.front();
}

Position after(Position at, const std::string& word)
{
    if (at.waiting)
        return {at.command, nullptr, at.positionals};
    if (word.starts_with('-')) {
        const CLI::Option* option = optionCalled(*at.command, word);
        at.waiting = option && option->get_items_expected_max() > 0 ? option : nullptr;
        return at;
    }
    for (const CLI::App* command : shownCommands(*at.command)) {
        if (command->get_name() == word)
            return {command};
    }
    ++at.positionals;
    return at;
}

/// "TEXT:{time,cost,memory}": the names in a list that CLI11's IsMember wrote there.
Words listedIn(const std::string& type)
{
    const std::size_t begin = type.find('{');
    const std::size_t end = type.find('}', begin);
    if (begin == std::string::npos || end == std::string::npos)
        return {};
    Words names;
    std::istringstream list(type.substr(begin + 1, end - begin - 1));
    for (std::string name; std::getline(list, name, ',');)
        names.push_back(name);
    return names;
}

Words valuesOf(const CLI::Option& option, const CompletionNames& names)
{
    const std::string name = option.get_single_name();
    if (name == "RUN")
        return names.runs();
    if (name == "HOST" || name == "host")
        return names.hosts();
    if (name == "hardware" || name == "predict")
        return names.hardware();
    return listedIn(option.get_type_name());
}

Words optionNames(const CLI::App& app)
{
    Words names;
    for (const CLI::Option* option : app.get_options()) {
        for (const std::string& name : option->get_lnames())
            names.push_back("--" + name);
    }
    return names;
}

/// The one that the next word without a dash fills; the last one may take several.
const CLI::Option* nextPositional(const Position& at)
{
    const auto all =
        at.command->get_options([](const CLI::Option* option) { return option->get_positional(); });
    if (at.positionals < all.size())
        return all[at.positionals];
    return !all.empty() && all.back()->get_items_expected_max() > 1 ? all.back() : nullptr;
}

Words candidatesAt(const Position& at, const std::string& begun, const CompletionNames& names)
{
    if (at.waiting)
        return valuesOf(*at.waiting, names);
    if (begun.starts_with('-'))
        return optionNames(*at.command);
    Words candidates;
    for (const CLI::App* command : shownCommands(*at.command))
        candidates.push_back(command->get_name());
    if (const CLI::Option* positional = nextPositional(at))
        std::ranges::copy(valuesOf(*positional, names), std::back_inserter(candidates));
    return candidates;
}

} // namespace

std::vector<std::string> completionsOf(const CLI::App& app, const std::vector<std::string>& words,
                                       const CompletionNames& names)
{
    if (words.empty())
        return {};
    Position at{&app};
    for (auto word = words.begin(); word != words.end() - 1; ++word)
        at = after(at, *word);
    Words candidates = candidatesAt(at, words.back(), names);
    std::erase_if(candidates, [&](const std::string& word) { return !word.starts_with(words.back()); });
    return candidates;
}

std::string completionScript(const std::string& shell)
{
    const auto scripts = embeddedCompletions();
    const auto script = std::ranges::find(scripts, shell, &EmbeddedFile::name);
    return script == scripts.end() ? std::string() : std::string(script->content);
}

} // namespace trainyard
