#pragma once

#include <optional>
#include <string>
#include <vector>

#include "datasets/options/prepare_options.h"

namespace CLI {
class App;
}

namespace trainyard {

/// Options of `prepare` on a command line: adds them to a command, and returns what was parsed.
class PrepareCommandLine {
public:
    /// Must outlive the parsing of `command`.
    void addTo(CLI::App& command);
    /// BadInput if --seq-len and --max-pred have different numbers of values.
    Result<PrepareOptions> options() const;
    /// Whether --max-pred was given.
    bool asksForPredictions() const { return !m_predictions.empty(); }

private:
    PrepareOptions m_options;
    std::vector<int> m_lengths{128};
    std::vector<int> m_predictions; ///< empty = as usual for the lengths
    std::vector<std::string> m_formats;
};

/// Adds the options of `documents` to `command`, which parses into `options`.
void addDocumentsOptions(CLI::App& command, PrepareOptions& options);

/// Returns the arguments of `trainyard-prepare prepare` that ask for these options, without those of tasks of
/// other kinds; saveEvery is none of them.
std::vector<std::string> prepareArguments(const PrepareOptions& options);
/// Returns the arguments of `trainyard-prepare documents` that turn the files into documents in
/// `options.out`.
std::vector<std::string> documentsArguments(const PrepareOptions& options);
/// Reads the arguments of `trainyard-prepare prepare`; nullopt if it would not accept them.
std::optional<PrepareOptions> fromPrepareArguments(std::vector<std::string> arguments);

} // namespace trainyard
