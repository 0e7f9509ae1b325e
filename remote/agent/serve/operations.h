#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"
#include "remote/agent/runs/run_folder.h"

namespace trainyard::agent {

/// Root and permissions of this agent. Constant while it serves; any thread.
struct AgentContext {
    std::filesystem::path root;
    bool local = false;    ///< the client is on this very machine: installed programs may be started
    bool readOnly = false; ///< the client may look, not change: no run, no file and no process
};

/// The result of an operation.
struct Answer {
    nlohmann::json fields = nlohmann::json::object();
    std::optional<std::string> chunk; ///< sent before the reply
};

/// An operation that returns one reply, on a thread of the work queue. A new operation is one function and
/// one line in the table of its file.
class Operation {
public:
    using Function = Result<Answer> (*)(const AgentContext& context, const nlohmann::json& request);
    enum class Answers { Fields, Piece };

    Operation() = default; ///< unknown
    Operation(Function function, Answers answers = Answers::Fields) : m_function(function), m_answers(answers)
    {
    }

    explicit operator bool() const { return m_function != nullptr; }
    /// Its answer may be large: a session works on few of them at a time.
    bool givesPiece() const { return m_answers == Answers::Piece; }
    /// Failed also when the operation throws: an agent must not end because of one request.
    Result<Answer> run(const AgentContext& context, const nlohmann::json& request) const;

private:
    Function m_function = nullptr;
    Answers m_answers = Answers::Fields;
};
using OperationTable = std::map<std::string, Operation, std::less<>>;

const OperationTable& hostOperations();  ///< hello, probe
const OperationTable& linkOperations();  ///< dial, stream, reach
const OperationTable& storeOperations(); ///< have, adopt, assemble, bundles, clean, mark
const OperationTable&
runOperations(); ///< create-run, launch, attend, slurm-check, runs, stop, checkpoint, checkpoints, remove-run
const OperationTable&
dataOperations(); ///< data-sets, data-files, read-data, adopt-data, assemble-data, remove-data
const OperationTable& fileOperations(); ///< streams, read, list, data-set, folder, place, weights

/// The run that a request names. BadInput when there is none.
Result<RunFolder> existingRun(const AgentContext& context, const nlohmann::json& request);

/// Returns one that is false for an unknown name.
Operation findOperation(const std::string& name);

/// Returns true for operations that change nothing; a read-only client is refused all others.
bool isReading(const std::string& name);

} // namespace trainyard::agent
