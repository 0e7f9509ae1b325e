#include "remote/agent/runs/checkpoint_list.h"

#include <map>

#include <fmt/format.h>

#include "engine/checkpoint/format/start_choice.h"

namespace trainyard::agent {

namespace {

using SteadyClock = std::chrono::steady_clock;

/// Looks at each checkpoint once, whoever asks.
class Examiner {
public:
    Examiner(std::filesystem::path checkpoints, std::chrono::milliseconds verification)
        : m_checkpoints(std::move(checkpoints)), m_deadline(SteadyClock::now() + verification)
    {
    }

    struct Found {
        CheckpointHealth health;
        std::optional<CheckpointParts> parts;
    };
    const Found& of(const CheckpointName& name)
    {
        const auto known = m_known.find(name);
        return known != m_known.end() ? known->second : m_known.emplace(name, look(name)).first->second;
    }

private:
    Found look(const CheckpointName& name) const
    {
        const auto folder = m_checkpoints / name.text();
        const auto goesOn = [this] { return SteadyClock::now() < m_deadline; };
        auto parts = examineParts(folder, goesOn);
        const CheckpointHealth health = parts ? parts->health : verifyContent(folder, goesOn);
        return {health, std::move(parts)};
    }

    std::filesystem::path m_checkpoints;
    SteadyClock::time_point m_deadline;
    std::map<CheckpointName, Found> m_known;
};

ListedCheckpoint listed(const CheckpointName& name, const CheckpointHealth& health)
{
    ListedCheckpoint one{name, std::string(nameOf(health.state)), health.reason, 0, health.verified};
    if (name.line > 0 && health.state == CheckpointState::Complete) {
        one.state = "abandoned";
        one.reason = fmt::format("the run has left branch {}", name.line);
    } else if (name.damaged > 0) {
        one.state = "damaged";
        one.reason = "set aside" + (health.reason.empty() ? std::string() : ": " + health.reason);
    }
    return one;
}

} // namespace

Result<CheckpointList> listCheckpoints(const RunFolder& folder, std::chrono::milliseconds verification)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(folder.checkpoints()));
    Examiner examiner(folder.checkpoints(), verification);
    for (const CheckpointName& name : listing.names) {
        if (name.isPresent())
            examiner.of(name); // before the time is spent on others
    }
    const auto next = chooseStart(
        listing, {.examine = [&](const CheckpointName& name) { return examiner.of(name).health; }});
    CheckpointList list{
        {}, !listing.record.hosts.empty() || listing.names.empty(), switchAskedFor(listing).has_value()};
    for (const CheckpointName& name : listing.names) {
        const auto& [health, parts] = examiner.of(name);
        list.all.push_back(listed(name, health));
        ListedCheckpoint& one = list.all.back();
        one.bytes = bytesOf(folder.checkpoints() / name.text());
        one.latest = name.text() == listing.latest;
        one.best = name.text() == listing.best;
        one.next = next.ok() && next->checkpoint == name;
        one.parts = parts;
    }
    return list;
}

} // namespace trainyard::agent
