#pragma once

#include <functional>
#include <vector>

#include <QJsonObject>
#include <QObject>

#include "remote/deploy/parcel.h"
#include "remote/target/host_group.h"

namespace trainyard {

/// Who sends to whom, among hosts that are to get the same files: a chain where they reach each other, so
/// that this computer sends the files once. Asks every host which of the later ones it can log in to with its
/// own key (op `reach`). A host that none before it reaches gets the files from this computer. `done` gets a
/// feed for every host of the group, in its order; it comes once, later, and not after the group or `context`
/// are gone. All links must be up.
void findRoute(HostGroup& hosts, QObject* context, std::function<void(const std::vector<Feed>&)> done);

/// The request `push` that sends to this host, without the files.
QJsonObject pushTo(Target& host);

/// The nearest earlier host that reaches it and has few others to send to; -1 = none. `reached[i][j]`: host i
/// can log in to host j. `children`: how many each sends to already; counts the answer.
int senderFor(int host, const std::vector<std::vector<bool>>& reached, std::vector<int>& children);

} // namespace trainyard
