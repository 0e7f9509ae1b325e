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
/// that this computer sends the files once. Asks every host which of the later ones it can log in to with its
/// own key (op `reach`). `done` comes once, later, and not after the group is gone. All links must be up.
void findRoute(HostGroup& hosts, std::function<void(const Route&)> done);

/// The request `push` that sends to this host, without the files.
QJsonObject pushTo(Target& host);

/// The nearest earlier host that reaches it; -1 = none. `reached[i][j]`: host i can log in to host j.
int senderFor(int host, const std::vector<std::vector<bool>>& reached);

} // namespace trainyard
