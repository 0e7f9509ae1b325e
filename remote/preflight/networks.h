#pragma once

#include <vector>

#include <QJsonObject>
#include <QList>
#include <QString>
#include <QStringList>

namespace trainyard {

/// An IPv4 or IPv6 network in which every host of a run has a unique address.
struct CommonNetwork {
    QString network;       ///< "10.1.0.0/16", "fd00:1::/64"; empty = the hosts' addresses have none in common
    QStringList addresses; ///< of each host, in their order
    QStringList interfaces; ///< of each host: "eth0"
    qint64 speed = 0;       ///< Mbit/s of the slowest interface; 0 = not all drivers tell
    bool infiniband = false;
    bool ipv6 = false;
    qint64 smallestMtu = 0; ///< bytes; 0 = unknown
    qint64 largestMtu = 0;

    /// The names of its interfaces, each once, for libraries that know interfaces only by name (NCCL, and
    /// OpenMPI with IPv6); empty when one of the names means another network on some host.
    QStringList plainNames = {};

    /// How OpenMPI is told to use it: "10.1.0.0/16" or, with IPv6, an interface that is called alike on all
    /// hosts; empty = MPI chooses.
    QString forMpi() const;
};

/// Returns the networks that hosts with these answers to `probe` have in common, best first: InfiniBand
/// before the others, then by speed, then IPv4, then in the head's order. Skips a network in which two hosts
/// have the same address (as container bridges do on every machine), because it connects nobody.
QList<CommonNetwork> commonNetworks(const std::vector<QJsonObject>& probes);

/// Returns those that `choice` (launch.network) names: by a network that contains them, "10.0.0.0/8", or by
/// an interface of any of the hosts. If it is an interface that every host has, in whatever networks, a
/// network without a name is added that consists of their addresses there.
QList<CommonNetwork> chosenNetworks(const QList<CommonNetwork>& networks,
                                    const std::vector<QJsonObject>& probes, const QString& choice);

/// Returns an address for each host when they have no common network: its first address that no other host
/// has, IPv4 if all have one. Empty for a host without one.
QStringList ownAddresses(const std::vector<QJsonObject>& probes);

} // namespace trainyard
