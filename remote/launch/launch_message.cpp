#include "remote/launch/launch_message.h"

#include <QJsonArray>

#include "remote/preflight/node_names.h"
#include "remote/target/programs.h"

namespace trainyard {

namespace {

QJsonArray nodesOfJob(const StartPlan& plan, const HostGroup& hosts)
{
    QJsonArray nodes;
    for (const int slotCount : plan.slotCounts)
        nodes << QJsonObject{{"host", nameForMpi(hosts.hosts()[0])}, {"slots", slotCount}};
    return nodes;
}

QJsonArray nodesFor(const StartPlan& plan, const HostGroup& hosts, const std::vector<QJsonObject>& probes)
{
    QJsonArray nodes;
    for (int node = 0; node < hosts.size(); ++node) {
        const QJsonObject& probe = probes[static_cast<std::size_t>(node)];
        const auto agent = hosts.target(node).agent();
        nodes << QJsonObject{{"host", nameForMpi(hosts.hosts()[node])},
                             {"slots", plan.slotCounts.value(node, 1)},
                             {"cores", probe.value("cpu").toObject().value("cores").toInt()},
                             {"root", agent ? agent->root : QString()},
                             {"devices", QJsonArray::fromStringList(plan.devices.value(node))}};
    }
    return nodes;
}

/// NCCL takes interfaces by name alone.
QJsonObject variablesForNccl(const PreflightReport& report)
{
    QJsonObject variables;
    if (!report.interfaceNames.isEmpty())
        variables.insert("NCCL_SOCKET_IFNAME", '=' + report.interfaceNames.join(','));
    if (report.ipv6)
        variables.insert("NCCL_SOCKET_FAMILY", "AF_INET6");
    return variables;
}

/// How the ranks of several hosts reach each other.
void addNetwork(QJsonObject& message, const StartPlan& plan, const PreflightReport& found)
{
    if (!found.interface.isEmpty())
        message.insert("interface", found.interface);
    if (plan.network.firstPort > 0) {
        message.insert("first_port", plan.network.firstPort);
        message.insert("last_port", plan.network.lastPort);
    }
    if (found.ipv6)
        message.insert("ipv6", true);
    if (const QJsonObject variables = variablesForNccl(found); !variables.isEmpty())
        message.insert("environment", variables);
}

/// Of a run that goes on.
void addChanges(QJsonObject& message, const StartPlan& plan)
{
    if (plan.learningRate > 0)
        message.insert("learning_rate", plan.learningRate);
    if (plan.step)
        message.insert("step", *plan.step);
    if (!plan.layout.empty())
        message.insert("layout", QString::fromStdString(plan.layout));
}

} // namespace

QJsonObject launchMessage(const StartPlan& plan, const HostGroup& hosts, const PreflightReport& found,
                          const std::vector<QJsonObject>& probes, int leastReplicas)
{
    QJsonObject message{{"op", "launch"},
                        {"run", plan.run.id},
                        {"attempt", qint64{plan.run.attempt}},
                        {"nodes", plan.slurm ? nodesOfJob(plan, hosts) : nodesFor(plan, hosts, probes)},
                        {"known_hosts", knownHostsOf(hosts.targets().mid(1))}};
    if (plan.run.bundle == kInstalledPrograms)
        message.insert("programs", programFolder());
    else
        message.insert("bundle", plan.run.bundle);
    if (hosts.size() > 1)
        addNetwork(message, plan, found);
    if (leastReplicas > 0)
        message.insert("least_replicas", leastReplicas);
    addChanges(message, plan);
    return message;
}

} // namespace trainyard
