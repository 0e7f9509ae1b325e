#include "engine/comm/group_maker.h"

#include "engine/comm/process_group.h"

namespace trainyard {

std::unique_ptr<ProcessGroup> GroupMaker::makeWorld()
{
    GroupDescription world;
    for (int rank = 0; rank < worldSize().value; ++rank)
        world.members.push_back(Rank{rank});
    return make(world);
}

} // namespace trainyard
