#include "app/runs/attempt_spec.h"

#include <algorithm>

#include <QDir>
#include <QRegularExpression>

#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/json_problem.h"
#include "engine/spec/elastic.h"
#include "engine/spec/layout_change.h"

namespace trainyard {

namespace {

using nlohmann::json;

/// What a request says about who takes part.
struct Spread {
    std::string layout; ///< text of layoutText(); empty = that of the specification
    int replicas = 0;   ///< 0 = those of the layout
    std::vector<std::string> hosts;
    std::vector<std::string> away;
};

Result<Spread> spreadIn(std::string_view request)
try {
    const json document = json::parse(request);
    Spread spread{document.value("layout", std::string()), document.value("replicas", 0), {}, {}};
    for (const json& node : document.at("nodes"))
        spread.hosts.push_back(node.at("host").get<std::string>());
    spread.away = document.value("away", spread.away);
    return spread;
} catch (const json::exception& error) {
    return badInput("not a launch request: " + jsonProblem(error, request),
                    "remove the file, or fetch it again from the run's host");
}

void takeSlotsOfAwayHosts(RunSpec& spec, const Spread& spread)
{
    const std::size_t nodes = std::min(spec.cluster.nodes.size(), spread.hosts.size());
    for (std::size_t node = 0; node < nodes; ++node) {
        if (std::ranges::find(spread.away, spread.hosts[node]) != spread.away.end())
            spec.cluster.nodes[node].slotCount = 0;
    }
}

/// 0 = there is none.
std::uint32_t newestAttempt(const QDir& attempts)
{
    static const QRegularExpression form(QStringLiteral("^(\\d{4,9})\\.json$"));
    std::uint32_t newest = 0;
    for (const QString& file : attempts.entryList(QDir::Files))
        newest = std::max(newest, form.match(file).captured(1).toUInt());
    return newest;
}

} // namespace

Result<RunSpec> specOfAttempt(const RunSpec& launched, std::string_view request)
{
    TRAINYARD_TRY(const Spread spread, spreadIn(request));
    RunSpec spec = launched;
    if (!spread.layout.empty()) {
        TRAINYARD_TRY(spec, withLayout(spec, spread.layout));
    }
    if (spread.replicas > 0) {
        TRAINYARD_TRY(spec, withReplicas(spec, spread.replicas));
    }
    takeSlotsOfAwayHosts(spec, spread);
    return spec;
}

Result<std::optional<AttemptSpec>> newestAttemptSpec(const QString& folder, const RunSpec& launched)
{
    const QDir attempts(folder + QStringLiteral("/attempts"));
    const std::uint32_t attempt = newestAttempt(attempts);
    if (attempt < 2)
        return std::optional<AttemptSpec>();
    const std::string file =
        attempts.filePath(QStringLiteral("%1.json").arg(attempt, 4, 10, QLatin1Char('0'))).toStdString();
    TRAINYARD_TRY(const std::string text, readFile(file));
    auto spec = specOfAttempt(launched, text);
    if (!spec.ok())
        return spec.error().in(file);
    return std::optional(AttemptSpec{attempt, std::move(spec).value()});
}

} // namespace trainyard
