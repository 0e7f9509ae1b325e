#include "remote/launch/host_stop.h"

#include <QJsonArray>

#include "remote/target/joined_errors.h"

namespace trainyard {

namespace {

constexpr const char* kSilentHint =
    "ranks there end together with the first host's, or on their own once they hear nothing from it; stop "
    "the run again when the host is reachable";

/// Of a batch job, which the login host answers for.
QStringList silentNodes(const QJsonObject& answer)
{
    QStringList nodes;
    for (const auto& node : answer.value("unreachable").toArray())
        nodes << node.toString();
    return nodes;
}

std::optional<Error> doubtIn(const QString& host, const QJsonObject& answer)
{
    if (const QStringList nodes = silentNodes(answer); !nodes.isEmpty())
        return unreachable("Slurm has lost " + nodes.join(", ").toStdString(), kSilentHint);
    if (answer.value("clean").toBool())
        return std::nullopt;
    return failed(host.toStdString() + ": processes of the run remain",
                  "stop it again without a grace period");
}

std::optional<Error> doubtIn(const QString& host, const Result<QJsonObject>& answer)
{
    if (answer.ok())
        return doubtIn(host, *answer);
    Error error = answer.error();
    if (error.kind == ErrorKind::Unreachable)
        error.hint = kSilentHint;
    return error;
}

} // namespace

HostStop hostStop(const QString& host, const std::vector<Result<QJsonObject>>& answers)
{
    HostStop stop{host, 0, std::nullopt};
    for (const auto& answer : answers) {
        if (answer.ok())
            stop.killed += answer->value("killed").toInt();
        stop.doubt = doubtIn(host, answer);
    }
    return stop;
}

Status allClean(const std::vector<HostStop>& stops)
{
    std::vector<Error> doubts;
    for (const HostStop& stop : stops) {
        if (stop.doubt)
            doubts.push_back(*stop.doubt);
    }
    return joinedErrors(doubts, static_cast<int>(stops.size()));
}

QStringList killedWords(const std::vector<HostStop>& stops)
{
    QStringList words;
    for (const HostStop& stop : stops) {
        if (stop.killed > 0)
            words << QString("%1: %2 process%3 had to be killed")
                         .arg(stop.host)
                         .arg(stop.killed)
                         .arg(stop.killed == 1 ? "" : "es");
    }
    return words;
}

} // namespace trainyard
