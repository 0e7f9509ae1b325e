#pragma once

#include <functional>
#include <vector>

#include <QJsonObject>

#include "remote/deploy/parcel.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// For every host, by which others it can get the files, in order of preference; none = not from a host.
using Route = std::vector<std::vector<Feed>>;

/// Who sends to whom, among hosts that are to get the same files: a chain where they reach each other, so
/// that this computer sends the files once. Asks hosts which later ones they can log in to with their own key
/// (op `reach`, RouteSearch). `done` comes once, later, and not after the group is gone. All links must be
/// up.
void findRoute(HostGroup& hosts, std::function<void(const Route&)> done);

/// The request `push` that sends to this host, without the files.
QJsonObject pushTo(Target& host);

} // namespace trainyard
