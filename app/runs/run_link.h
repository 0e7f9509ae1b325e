#pragma once

#include "app/runs/open_run.h"
#include "remote/stream/run_follower.h"

namespace trainyard {

/// What a follower's link is to those who look at its run.
RunLink runLinkOf(LinkState state);

} // namespace trainyard
