#pragma once

#include <string>

namespace trainyard::stand_in {

/// What is to go wrong in this process: TRAINYARD_STAND_IN_FAULT=ACTION@POINT:N, at the N-th time (from 1 on;
/// 1 without) that the process comes to the point. Several are separated by commas. The points are named
/// where they are passed; actions: die (as by SIGKILL), stick (come no further), error, lost.
/// Returns the action that falls due now, empty mostly; carries out die and stick itself.
std::string faultAt(const std::string& point);

} // namespace trainyard::stand_in
