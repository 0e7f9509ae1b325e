#include "remote/preflight/report_json.h"

namespace trainyard {

namespace {

QJsonObject toJson(const CheckRow& row)
{
    return {{"check", row.check}, {"found", row.found}, {"verdict", nameOf(row.verdict)}, {"fix", row.fix}};
}

QJsonObject toJson(const LinkRow& link)
{
    QJsonObject json{{"to", link.to},
                     {"way", link.way == LinkRow::Way::Ssh ? "ssh" : "tcp"},
                     {"found", link.found},
                     {"verdict", nameOf(link.verdict)},
                     {"fix", link.fix}};
    if (link.latencyMs > 0)
        json.insert("latency_ms", link.latencyMs);
    if (link.bytesPerSecond > 0)
        json.insert("bytes_per_second", link.bytesPerSecond);
    return json;
}

bool isWorthKeeping(const LinkRow& link)
{
    return link.verdict != Verdict::Ok || link.bytesPerSecond > 0;
}

} // namespace

QString nameOf(Verdict verdict)
{
    switch (verdict) {
    case Verdict::Ok:
        return "ok";
    case Verdict::Warn:
        return "warning";
    case Verdict::Fail:
        break;
    }
    return "fail";
}

QJsonObject toJson(const HostReport& report)
{
    QJsonArray checks;
    for (const CheckRow& row : report.rows)
        checks << toJson(row);
    QJsonObject json{{"host", report.host}, {"verdict", nameOf(report.worst())}, {"checks", checks}};
    QJsonArray links;
    for (const LinkRow& link : report.links)
        links << toJson(link);
    if (!links.isEmpty())
        json.insert("links", links);
    return json;
}

QJsonObject toJson(const PreflightReport& report)
{
    QJsonArray hosts;
    for (HostReport host : report.hosts) {
        host.rows.removeIf([](const CheckRow& row) {
            return row.verdict == Verdict::Ok && row.check != QLatin1String("network");
        });
        host.links.removeIf([](const LinkRow& link) { return !isWorthKeeping(link); });
        hosts << toJson(host);
    }
    return {{"verdict", nameOf(report.worst())}, {"interface", report.interface}, {"hosts", hosts}};
}

} // namespace trainyard
