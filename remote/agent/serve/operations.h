#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard::agent {

/// Where this agent lives and what it may do. Does not change while it serves; any thread.
struct AgentContext {
    std::filesystem::path root;
    bool local = false; ///< the client is on this very machine: installed programs may be started
};

/// What an operation answers.
struct Answer {
    nlohmann::json fields = nlohmann::json::object();
    std::optional<std::string> chunk; ///< sent before the reply
};

/// An operation that is asked and answers, on a thread of the work queue. New operation = one function and
/// one line in the table of its file.
using Operation = Result<Answer> (*)(const AgentContext& context, const nlohmann::json& request);
using OperationTable = std::map<std::string, Operation, std::less<>>;

const OperationTable& hostOperations();  ///< hello, probe
const OperationTable& storeOperations(); ///< have, assemble, bundles
const OperationTable& runOperations();   ///< create-run, launch, attend, runs, stop, remove-run
const OperationTable& fileOperations();  ///< streams, read, list, data-set, folder, place

/// Null when nobody knows it.
Operation findOperation(const std::string& name);

} // namespace trainyard::agent
