#include <unistd.h>

#include "engine/base/hash.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/probe/probe.h"
#include "remote/agent/serve/operations.h"
#include "remote/wire/protocol.h"

namespace trainyard::agent {

namespace {

Result<Answer> hello(const AgentContext& context, const nlohmann::json&)
{
    const auto hash = sha256OfFile("/proc/self/exe");
    return Answer{{{"protocol", kProtocolVersion},
                   {"version", TRAINYARD_VERSION},
                   {"agent_sha256", hash.ok() ? *hash : ""},
                   {"host", hostName()},
                   {"boot_id", bootId()},
                   {"root", context.root.string()},
                   {"pid", ::getpid()},
                   {"local", context.local},
                   {"time", clockFacts()}},
                  {}};
}

Result<Answer> probeHost(const AgentContext& context, const nlohmann::json&)
{
    return Answer{probe(context.root), {}};
}

} // namespace

const OperationTable& hostOperations()
{
    static const OperationTable table{{"hello", hello}, {"probe", probeHost}};
    return table;
}

Operation findOperation(const std::string& name)
{
    for (const OperationTable* table :
         {&hostOperations(), &storeOperations(), &runOperations(), &fileOperations()}) {
        if (const auto found = table->find(name); found != table->end())
            return found->second;
    }
    return nullptr;
}

} // namespace trainyard::agent
