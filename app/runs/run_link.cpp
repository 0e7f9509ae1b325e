#include "app/runs/run_link.h"

namespace trainyard {

RunLink runLinkOf(LinkState state)
{
    switch (state) {
    case LinkState::Live:
        return RunLink::Live;
    case LinkState::Behind:
        return RunLink::CatchingUp;
    case LinkState::Lost:
        return RunLink::Lost;
    }
    return RunLink::Lost;
}

} // namespace trainyard
