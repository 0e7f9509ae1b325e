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

    const CheckpointHealth& of(const CheckpointName& name)
    {
        const auto known = m_known.find(name);
        return known != m_known.end() ? known->second : m_known.emplace(name, look(name)).first->second;
    }

private:
    CheckpointHealth look(const CheckpointName& name) const
    {
        const auto folder = m_checkpoints / name.text();
        return verifyContent(folder, [this] { return SteadyClock::now() < m_deadline; });
    }

    std::filesystem::path m_checkpoints;
    SteadyClock::time_point m_deadline;
    std::map<CheckpointName, CheckpointHealth> m_known;
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

Result<std::vector<ListedCheckpoint>> listCheckpoints(const RunFolder& folder,
                                                      std::chrono::milliseconds verification)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(folder.checkpoints()));
    Examiner examiner(folder.checkpoints(), verification);
    for (const CheckpointName& name : listing.names) {
        if (name.isPresent())
            examiner.of(name); // before the time is spent on others
    }
    const auto next =
        chooseStart(listing, {.examine = [&](const CheckpointName& name) { return examiner.of(name); }});
    std::vector<ListedCheckpoint> all;
    for (const CheckpointName& name : listing.names) {
        all.push_back(listed(name, examiner.of(name)));
        all.back().bytes = bytesOf(folder.checkpoints() / name.text());
        all.back().latest = name.text() == listing.latest;
        all.back().best = name.text() == listing.best;
        all.back().next = next.ok() && next->checkpoint == name;
    }
    return all;
}

} // namespace trainyard::agent
