#include <algorithm>
#include <array>
#include <string_view>
#include <unistd.h>

#include "engine/base/hash.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/probe/probe.h"
#include "remote/agent/runs/run_registry.h"
#include "remote/agent/serve/operations.h"
#include "remote/agent/serve/request.h"
#include "remote/wire/protocol.h"

namespace trainyard::agent {

namespace {

Result<Answer> hello(const AgentContext& context, const nlohmann::json&)
{
    const auto hash = sha256OfFile("/proc/self/exe");
    return Answer{{{"protocol", kProtocolVersion},
                   {"protocol_oldest", kOldestProtocolVersion},
                   {"version", TRAINYARD_VERSION},
                   {"agent_sha256", hash.ok() ? *hash : ""},
                   {"host", hostName()},
                   {"boot_id", bootId()},
                   {"root", context.root.string()},
                   {"pid", ::getpid()},
                   {"local", context.local},
                   {"read_only", context.readOnly},
                   {"time", clockFacts()}},
                  {}};
}

Result<Answer> probeHost(const AgentContext& context, const nlohmann::json& request)
{
    TRAINYARD_TRY(nlohmann::json facts,
                  probe(context.root, request.value("needs", nlohmann::json::object())));
    return Answer{std::move(facts), {}};
}

} // namespace

const OperationTable& hostOperations()
{
    static const OperationTable table{{"hello", hello}, {"probe", probeHost}};
    return table;
}

Result<RunFolder> existingRun(const AgentContext& context, const nlohmann::json& request)
{
    TRAINYARD_TRY(const std::string run, Fields(request).text("run"));
    return RunRegistry(context.root).existing(run);
}

Operation findOperation(const std::string& name)
{
    for (const OperationTable* table : {&hostOperations(), &linkOperations(), &storeOperations(),
                                        &runOperations(), &dataOperations(), &fileOperations()}) {
        if (const auto found = table->find(name); found != table->end())
            return found->second;
    }
    return {};
}

Result<Answer> Operation::run(const AgentContext& context, const nlohmann::json& request) const
{
    try {
        return m_function(context, request);
    } catch (const std::exception& problem) { // of the standard library: no memory, a file that went away
        return failed(std::string("the agent cannot do this: ") + problem.what());
    }
}

bool isReading(const std::string& name)
{
    static constexpr std::array<std::string_view, 15> reading{
        "hello", "ping", "probe",    "bundles",   "checkpoints", "runs",    "streams", "tail",
        "read",  "list", "data-set", "data-sets", "folder",      "weights", "cancel"};
    return std::find(reading.begin(), reading.end(), name) != reading.end();
}

} // namespace trainyard::agent
