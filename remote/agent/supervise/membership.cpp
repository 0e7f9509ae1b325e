#include "remote/agent/supervise/membership.h"

#include <algorithm>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/units.h"
#include "remote/agent/host/machine.h"
#include "remote/agent/runs/run_requests.h"
#include "remote/agent/supervise/attempt_spec.h"
#include "remote/agent/supervise/elastic_world.h"
#include "remote/agent/supervise/job_command.h"
#include "remote/agent/supervise/run_log.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

bool contains(const std::vector<std::string>& hosts, const std::string& host)
{
    return std::ranges::find(hosts, host) != hosts.end();
}

/// True when a rank would run on one of these hosts.
bool carryRanks(const std::vector<std::string>& hosts, const LaunchRequest& request, int ranks)
{
    for (int rank = 0; rank < ranks; ++rank) {
        if (contains(hosts, hostOfRank(request, rank)))
            return true;
    }
    return false;
}

std::string listed(const std::vector<std::string>& hosts)
{
    return fmt::format("{}", fmt::join(hosts, ", "));
}

const char* pronounFor(const std::vector<std::string>& hosts)
{
    return hosts.size() == 1 ? "it" : "them";
}

} // namespace

Membership::Membership(const RunFolder& folder, const RunWork& work, const LaunchRequest& first, RunLog& log)
    : m_folder(folder)
    , m_work(work)
    , m_log(&log)
    , m_pauses(first.lookForHosts)
    , m_growth(folder, SteadyClock::now(), first.lookForHosts)
    , m_attempt(first)
{
}

void Membership::report(Severity severity, const std::string& kind, const std::string& message) const
{
    m_log->event({severity, kind, message, {}, m_log->status().step});
}

void Membership::probe(const LaunchRequest& request, const std::vector<std::string>& hosts)
{
    m_probe.start(
        hosts, remoteShell(m_folder, request),
        nodeCheckCommand(m_folder, request, ownProgram(), usesOwnRuntime(m_folder, m_work, request)));
}

void Membership::ask(const LaunchRequest& last)
{
    probe(last, otherHosts(last));
}

Result<LaunchRequest> Membership::fit(const LaunchRequest& next)
{
    const std::vector<std::string> unable = m_probe.unable();
    reportTroubles();
    if (!m_work.restart.elastic)
        return carryRanks(unable, next, m_work.ranks) ? unreachable(m_probe.troubles())
                                                      : Result<LaunchRequest>(next);
    TRAINYARD_TRY(const RunSpec spec, specOf(next, m_folder));
    if (m_needsAllHosts)
        return unable.empty() ? withoutHosts(next, {}, spec)
                              : unreachable(m_probe.troubles() + ", and the checkpoint needs all hosts");
    std::vector<std::string> away = unable;
    std::ranges::copy_if(m_probe.able(), std::back_inserter(away), [this](const std::string& host) {
        return m_pauses.isPaused(host, SteadyClock::now());
    });
    auto fitted = withoutHosts(next, away, spec);
    if (!fitted.ok()) // better with a paused host than not at all
        fitted = withoutHosts(next, unable, spec);
    if (fitted.ok())
        return fitted;
    return unreachable(fmt::format("{}, and the run cannot continue without: {}", m_probe.troubles(),
                                   fitted.error().message));
}

void Membership::attemptBegins(const LaunchRequest& attempt)
{
    std::erase_if(m_returned, [&](const std::string& host) { return !contains(attempt.away, host); });
    pauseHosts(m_returned,
               fmt::format("attempt {} started without {}", attempt.attempt, pronounFor(m_returned)));
    m_rejoined = m_attempt.away;
    std::erase_if(m_rejoined, [&](const std::string& host) { return contains(attempt.away, host); });
    m_attempt = attempt;
    m_needsAllHosts = false;
    m_growth = WorldGrowth(m_folder, SteadyClock::now(), attempt.lookForHosts);
    m_checkpointAtStart = m_folder.publishedCheckpoint();
    m_returned.clear();
}

bool Membership::shouldEnd()
{
    if (m_attempt.away.empty())
        return false;
    if (m_probe.isUnderWay() && m_probe.isOver())
        handleAnswers();
    switch (m_growth.next(SteadyClock::now())) {
    case WorldGrowth::Action::None:
        return false;
    case WorldGrowth::Action::LookForHosts: {
        std::vector<std::string> hosts = m_attempt.away;
        std::erase_if(
            hosts, [this](const std::string& host) { return m_pauses.isPaused(host, SteadyClock::now()); });
        probe(m_attempt, hosts);
        return false;
    }
    case WorldGrowth::Action::AskForCheckpoint:
        askForCheckpoint();
        return false;
    case WorldGrowth::Action::EndAttempt:
        m_returned = m_probe.able();
        return true;
    }
    return false;
}

std::string Membership::returned() const
{
    return m_returned.empty() ? std::string() : listed(m_returned) + " can run ranks again";
}

void Membership::postpone(const Error& reason)
{
    report(Severity::Warning, "hosts-not-taken-in",
           fmt::format("{} not rejoined yet: {}", listed(m_returned), reason.text()));
    m_returned.clear();
    m_growth.nobodyFound(SteadyClock::now());
}

/// Reports each problem once, however often the hosts are probed.
void Membership::reportTroubles()
{
    const std::string troubles = m_probe.troubles();
    if (troubles.empty() || troubles == m_reportedTroubles)
        return;
    m_reportedTroubles = troubles;
    report(Severity::Warning, "hosts-away", troubles);
}

void Membership::handleAnswers()
{
    reportTroubles();
    if (m_probe.able().empty())
        m_growth.nobodyFound(SteadyClock::now());
    else
        m_growth.hostsFound();
}

void Membership::askForCheckpoint()
{
    report(Severity::Info, "hosts-returned",
           listed(m_probe.able()) + " can run ranks again; they rejoin after a checkpoint");
    if (const Status asked = agent::askForCheckpoint(m_folder); !asked.ok())
        report(Severity::Warning, "no-checkpoint-request",
               "they have to wait for the run's next checkpoint: " + asked.error().text());
}

bool Membership::broughtACheckpoint() const
{
    return m_folder.publishedCheckpoint() > m_checkpointAtStart;
}

/// Returns the host whose rank failed before the first step; otherwise the hosts that rejoined.
std::vector<std::string> Membership::suspects(const Verdict& verdict, bool finishedAStep) const
{
    const bool isRestart = m_attempt.restarts.restarts > 0 || !m_rejoined.empty();
    if (!m_work.restart.elastic || !isRestart || broughtACheckpoint())
        return {};
    if (!finishedAStep && contains(otherHosts(m_attempt), verdict.host))
        return {verdict.host};
    return m_rejoined;
}

bool Membership::canContinueWithout(const std::vector<std::string>& hosts) const
{
    std::vector<std::string> away = m_attempt.away;
    away.insert(away.end(), hosts.begin(), hosts.end());
    const auto spec = specOf(m_attempt, m_folder);
    return spec.ok() && withoutHosts(m_attempt, away, *spec).ok();
}

void Membership::pauseHosts(const std::vector<std::string>& hosts, const std::string& reason)
{
    if (hosts.empty())
        return;
    m_pauses.pause(hosts, SteadyClock::now());
    report(Severity::Warning, "hosts-left-alone",
           fmt::format("{} not retried for {}: {}", listed(hosts),
                       formatDuration(m_pauses.lengthOf(hosts.front())), reason));
}

void Membership::judge(Verdict& verdict, bool finishedAStep)
{
    m_reportedTroubles.clear();
    if (broughtACheckpoint())
        m_pauses.succeeded(m_rejoined);
    m_needsAllHosts = verdict.lacksHosts && !m_attempt.away.empty();
    if (verdict.lacksHosts)
        return; // no host that took part caused it
    if (verdict.failure == FailureKind::Work && finishedAStep)
        return; // every host ran its ranks: the training itself failed
    const std::vector<std::string> hosts = suspects(verdict, finishedAStep);
    if (hosts.empty() || !canContinueWithout(hosts))
        return;
    pauseHosts(hosts, fmt::format("with {} attempt {} failed", pronounFor(hosts), m_attempt.attempt));
    if (!finishedAStep)
        verdict.failure = FailureKind::Infrastructure;
}

} // namespace trainyard::agent
