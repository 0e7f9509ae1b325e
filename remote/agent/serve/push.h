#pragma once

#include <memory>
#include <optional>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"
#include "remote/agent/links/blob_push.h"
#include "remote/agent/links/temporary_known_hosts.h"
#include "remote/agent/serve/operations.h"

namespace trainyard::agent {

/// One request `push`: its fields, and what it needs as long as it lasts. Any thread; run() on one of the
/// work queue's.
class Push {
public:
    static Result<std::shared_ptr<Push>> create(const AgentContext& context, const nlohmann::json& request);

    Status run() { return m_push.run(); }
    void stop() { m_push.stop(); }
    /// Returns the number of bytes that the other host has, when it is another one than at the last call;
    /// else nullopt. One thread.
    std::optional<std::uint64_t> newProgress();

private:
    Push(const AgentContext& context, const std::vector<std::string>& knownHosts, AgentAddress to,
         std::vector<PushedFile> files)
        : m_known(context.root, knownHosts), m_push(std::move(to), m_known.option(), std::move(files))
    {
    }

    TemporaryKnownHosts m_known;
    BlobPush m_push;
    std::uint64_t m_reported = 0;
};

} // namespace trainyard::agent
