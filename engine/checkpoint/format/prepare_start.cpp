#include "engine/checkpoint/format/prepare_start.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <random>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "engine/base/file.h"
#include "engine/checkpoint/format/checkpoint_folder.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

Status renameFolder(const fs::path& from, const fs::path& to)
{
    // Onto a folder that is there, rename() fails: nothing is lost even if a name should be taken.
    if (::rename(from.c_str(), to.c_str()) != 0)
        return systemError(ErrorKind::Failed,
                           fmt::format("cannot rename {} to {}", from.string(), to.filename().string()),
                           errno);
    return {};
}

CheckpointName freeDamagedName(const CheckpointListing& listing, CheckpointName name)
{
    for (name.damaged = 1; listing.has(name);)
        ++name.damaged;
    return name;
}

std::string whyWithout(const std::vector<std::string>& hosts)
{
    return hosts.empty()
               ? std::string()
               : fmt::format(", because the run continues without the disk of {}, which may have newer "
                             "checkpoints",
                             fmt::join(hosts, ", "));
}

/// What one start changes in its folder, in an order that may be interrupted anywhere: `latest` goes on to
/// ask for the new line until all of it is done.
class Arrangement {
public:
    Arrangement(const CheckpointListing& listing, const StartChoice& choice,
                const std::vector<std::string>& hosts)
        : m_listing(listing), m_choice(choice), m_hosts(hosts)
    {
    }

    Result<StartPoint> carryOut()
    {
        // In this order a crash in between loses nothing: folders first, then `latest`, which asks for them,
        // then the record, which says that the question was answered.
        TRAINYARD_TRY_STATUS(setDamagedAside());
        TRAINYARD_TRY_STATUS(switchLine());
        TRAINYARD_TRY_STATUS(writeLatest());
        m_point.step = m_choice.step();
        m_point.text = m_choice.text();
        if (m_choice.checkpoint)
            m_point.checkpoint = m_listing.folder / chosenName();
        return m_point;
    }

private:
    /// The present line has it once the line is switched.
    std::string chosenName() const
    {
        return m_choice.checkpoint ? CheckpointName{m_choice.checkpoint->step}.text() : std::string();
    }

    Status setDamagedAside()
    {
        for (const DamagedCheckpoint& damaged : m_choice.damaged) {
            const CheckpointName aside = freeDamagedName(m_listing, damaged.name);
            TRAINYARD_TRY_STATUS(
                renameFolder(m_listing.folder / damaged.folder.text(), m_listing.folder / aside.text()));
            m_changes = true;
            m_point.changes.push_back(
                fmt::format("the checkpoint of step {} is damaged and was set aside as {}: {}",
                            damaged.name.step.value, aside.text(), damaged.reason));
        }
        return {};
    }

    bool isSetAside(const CheckpointName& name) const
    {
        return std::ranges::find(m_choice.damaged, name, &DamagedCheckpoint::folder) !=
               m_choice.damaged.end();
    }

    Status switchLine()
    {
        if (!m_choice.lineSwitch)
            return {};
        std::string left;
        for (const LineSwitch::Rename& rename : m_choice.lineSwitch->renames) {
            if (isSetAside(rename.from))
                continue;
            TRAINYARD_TRY_STATUS(
                renameFolder(m_listing.folder / rename.from.text(), m_listing.folder / rename.to.text()));
            if (rename.to.line > 0 && rename.to.damaged == 0)
                left += fmt::format("{}{}", left.empty() ? "" : ", ", rename.from.step.value);
        }
        m_changes = true;
        m_point.changes.push_back(
            fmt::format("line {} begins at step {}{}{}", m_choice.lineSwitch->line.number,
                        m_choice.lineSwitch->line.from, whyWithout(m_choice.absent),
                        left.empty() ? std::string()
                                     : fmt::format("; the checkpoints above it are kept as line {}: {}",
                                                   m_choice.lineSwitch->left, left)));
        return {};
    }

    Status writeLatest()
    {
        const std::string name = chosenName();
        if (m_changes)
            TRAINYARD_TRY_STATUS(syncPath(m_listing.folder));
        if (name != m_listing.latest) {
            TRAINYARD_TRY_STATUS(name.empty()
                                     ? removeLatest()
                                     : writeFileAtomically(m_listing.folder / kLatestName, name + "\n"));
        }
        LineRecord record = m_listing.record;
        record.latest = name;
        record.hosts = m_hosts;
        if (m_choice.lineSwitch)
            record.lines.push_back(newLine());
        return record == m_listing.record ? Status() : record.save(m_listing.folder);
    }

    CheckpointLine newLine() const
    {
        CheckpointLine line = m_choice.lineSwitch->line;
        std::random_device random;
        if (!m_hosts.empty() || !m_listing.record.hosts.empty())
            line.id = fmt::format("{:08x}{:08x}", random(), random());
        return line;
    }

    Status removeLatest() const
    {
        std::error_code error;
        fs::remove(m_listing.folder / kLatestName, error);
        return error ? Status(failed("cannot remove " + (m_listing.folder / kLatestName).string() + ": " +
                                     error.message()))
                     : syncPath(m_listing.folder);
    }

    const CheckpointListing& m_listing;
    const StartChoice& m_choice;
    const std::vector<std::string>& m_hosts;
    StartPoint m_point;
    bool m_changes = false;
};

StartPoint pointOf(const CheckpointListing& listing, const StartChoice& choice)
{
    StartPoint point{{}, choice.step(), {}, choice.text()};
    if (choice.checkpoint)
        point.checkpoint = listing.folder / choice.checkpoint->text();
    return point;
}

std::string stepsIn(const CheckpointListing& listing)
{
    std::string steps;
    std::int64_t last = -1;
    for (const CheckpointName& name : listing.names) {
        if (name.damaged > 0 || name.step.value == last)
            continue;
        last = name.step.value;
        steps += fmt::format("{}{}", steps.empty() ? "" : ", ", last);
    }
    return steps;
}

std::optional<CheckpointName> findStep(const CheckpointListing& listing, std::int64_t step)
{
    std::optional<CheckpointName> found;
    for (const CheckpointName& name : listing.names) {
        if (name.step.value != step || name.damaged > 0)
            continue;
        if (!found || name.comesBefore(*found))
            found = name;
    }
    return found;
}

} // namespace

Result<StartPoint> prepareStart(const fs::path& checkpoints, const Fence& fence)
{
    return prepareStart(checkpoints, fence, {.examine = [&checkpoints](const CheckpointName& name) {
                            return examineIndex(checkpoints / name.text());
                        }});
}

Result<StartPoint> prepareStart(const fs::path& checkpoints, const Fence& fence, const StartView& view)
{
    TRAINYARD_TRY(CheckpointListing listing, CheckpointListing::read(checkpoints));
    if (view.record)
        listing.record = *view.record;
    const auto choice = chooseStart(listing, view);
    // Only the folders of all hosts together say what is damaged and which lines there are.
    if (!view.hosts && !listing.record.hosts.empty())
        return choice.ok() ? pointOf(listing, *choice)
                           : StartPoint{{}, 0, {}, "what the hosts hold together"};
    if (!choice.ok())
        return choice.error();
    TRAINYARD_TRY_STATUS(fence.check());
    const auto hosts = view.hosts.value_or(std::vector<std::string>());
    const bool isNew = listing.names.empty() && listing.latest.empty() && !choice->lineSwitch;
    if (isNew && hosts == listing.record.hosts)
        return pointOf(listing, *choice);
    return Arrangement(listing, *choice, hosts).carryOut();
}

Result<CheckpointName> setAside(const fs::path& folder, const Fence& fence)
{
    TRAINYARD_TRY_STATUS(fence.check());
    const auto name = CheckpointName::parse(folder.filename().string());
    TRAINYARD_CHECK_MSG(name.has_value(), folder.string());
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(folder.parent_path()));
    const CheckpointName aside = freeDamagedName(listing, *name);
    TRAINYARD_TRY_STATUS(renameFolder(folder, folder.parent_path() / aside.text()));
    TRAINYARD_TRY_STATUS(syncPath(folder.parent_path()));
    return aside;
}

Status goBackTo(const fs::path& checkpoints, std::int64_t step)
{
    TRAINYARD_TRY(const CheckpointListing listing, CheckpointListing::read(checkpoints));
    auto target = findStep(listing, step);
    if (!target && step == 0)
        target = CheckpointName{};
    if (!target)
        return refused(fmt::format("there is no checkpoint of step {}", step),
                       listing.names.empty() ? "the run has no checkpoint yet"
                                             : "available steps: " + stepsIn(listing));
    if (listing.has(*target)) {
        const CheckpointHealth health = examineIndex(checkpoints / target->text());
        const bool mayBeElsewhere = health.state == CheckpointState::Damaged && !listing.record.hosts.empty();
        if (health.state != CheckpointState::Complete && !mayBeElsewhere)
            return refused(
                fmt::format("the checkpoint of step {} is {}: {}", step, nameOf(health.state), health.reason),
                "`trainyard checkpoints RUN` lists the others");
    }
    if (listing.names.empty())
        return {};
    // A `latest` that is as the last start or publication left it asks for nothing; now it does.
    if (target->text() == listing.record.latest) {
        LineRecord record = listing.record;
        record.latest.clear();
        TRAINYARD_TRY_STATUS(record.save(checkpoints));
    }
    return writeFileAtomically(checkpoints / kLatestName, target->text() + "\n");
}

} // namespace trainyard
