#pragma once

#include "engine/comm/group_maker.h"
#include "engine/comm/local_transport.h"
#include "engine/comm/process_group.h"

namespace trainyard {

/// Groups of this process alone, whatever job it is in.
class AloneMaker final : public GroupMaker {
public:
    Rank rank() const override { return Rank{0}; }
    WorldSize worldSize() const override { return WorldSize{1}; }
    std::unique_ptr<ProcessGroup> make(const GroupDescription& description) override
    {
        return std::make_unique<ProcessGroup>(
            ProcessGroup::Parts{std::make_unique<LocalTransport>(), nullptr, nullptr, description.number});
    }
};

} // namespace trainyard
