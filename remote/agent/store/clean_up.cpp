#include "remote/agent/store/clean_up.h"

#include <algorithm>
#include <ctime>
#include <functional>
#include <map>
#include <optional>

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/file.h"
#include "engine/base/lock_file.h"
#include "engine/base/units.h"
#include "remote/agent/host/open_folder.h"
#include "remote/agent/host/process_table.h"
#include "remote/wire/bundle_manifest.h"
#include "remote/wire/greeting.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

using std::chrono::seconds;
using FileId = std::pair<dev_t, ino_t>;

constexpr std::size_t kHashDigits = 64;
constexpr const char* kTemporary = ".tmp-"; // in temporarySuffix()

seconds ageOf(const timespec& time)
{
    return seconds(std::max<std::int64_t>(0, ::time(nullptr) - time.tv_sec));
}

FileId idOf(const struct stat& info)
{
    return {info.st_dev, info.st_ino};
}

/// The files below a folder; links are left out.
void forEachFile(const OpenFolder& folder, const std::function<void(const struct stat&)>& visit)
{
    for (const std::string& name : folder.names()) {
        if (const auto inner = folder.folder(name))
            forEachFile(*inner, visit);
        else if (const auto info = folder.info(name); info && S_ISREG(info->st_mode))
            visit(*info);
    }
}

std::uint64_t bytesIn(const OpenFolder& folder)
{
    std::uint64_t bytes = 0;
    forEachFile(folder, [&](const struct stat& file) { bytes += static_cast<std::uint64_t>(file.st_size); });
    return bytes;
}

/// Everything that a run says of the bundles it was started with, as text.
std::string wordsOfRun(const fs::path& run)
{
    std::string words;
    if (const auto inventory = readFile(run / "inventory.json"); inventory.ok())
        words += *inventory;
    std::error_code ignored;
    for (const auto& attempt : fs::directory_iterator(run / "attempts", ignored)) {
        if (attempt.path().extension() != ".json") // logs lie there as well
            continue;
        if (const auto text = readFile(attempt.path()); text.ok())
            words += *text;
    }
    return words;
}

std::map<std::string, std::string> wordsOfRuns(const fs::path& root)
{
    std::map<std::string, std::string> words;
    std::error_code ignored;
    for (const auto& run : fs::directory_iterator(root / "runs", ignored))
        words[run.path().filename().string()] = wordsOfRun(run.path());
    return words;
}

class Planner {
public:
    Planner(const fs::path& root, const CleanUpRules& rules) : m_root(root), m_rules(rules) {}

    Result<CleanUpPlan> plan()
    {
        TRAINYARD_TRY(const OpenFolder root, OpenFolder::open(m_root));
        if (const auto bundles = root.folder("bundles"))
            planBundles(*bundles);
        if (const auto agents = root.folder("agents"); agents && !m_rules.keepAgents)
            planAgents(*agents);
        if (const auto data = root.folder("data"))
            planHiddenIn(*data, "data/");
        if (m_rules.everything)
            planTraces(root);
        if (const auto store = root.folder("cas")) {
            for (const std::string& shelf : store->names()) {
                if (const auto folder = store->folder(shelf))
                    planShelf(*folder, "cas/" + shelf + "/");
            }
        }
        return std::move(m_plan);
    }

private:
    void planBundles(const OpenFolder& bundles)
    {
        const auto runs = wordsOfRuns(m_root);
        for (const std::string& name : bundles.names()) {
            const auto info = bundles.info(name);
            const auto folder = bundles.folder(name);
            if (info && S_ISREG(info->st_mode) && isSha256(name.substr(0, kHashDigits)))
                planPart("bundles/" + name, *info); // of a repair that was cut short
            if (!info || !folder)
                continue;
            if (isSha256(name))
                planBundle(*folder, name, ageOf(info->st_mtim), runs);
            else
                planHidden("bundles/", name, *folder, ageOf(info->st_mtim));
        }
    }

    /// What was being made or removed when its agent died.
    void planHidden(const std::string& path, const std::string& name, const OpenFolder& folder, seconds age)
    {
        if (!name.starts_with('.') || !isOld(age, m_rules.partsOlderThan))
            return;
        forEachFile(folder, [&](const struct stat& file) { ++m_doomedNames[idOf(file)]; });
        add(Leftover::Kind::Part, path + name, 0, age);
    }

    /// Of data sets and runs: whole ones are the user's.
    void planHiddenIn(const OpenFolder& parent, const std::string& path)
    {
        for (const std::string& name : parent.names()) {
            const auto info = parent.info(name);
            if (const auto folder = parent.folder(name); info && folder)
                planHidden(path, name, *folder, ageOf(info->st_mtim));
        }
    }

    void planTraces(const OpenFolder& root)
    {
        if (const auto runs = root.folder("runs"))
            planHiddenIn(*runs, "runs/");
        if (const auto marks = root.folder("marks")) {
            for (const std::string& name : marks->names()) {
                if (isNonce(name))
                    addFile(Leftover::Kind::Mark, *marks, "marks/", name);
            }
        }
        for (const std::string& name : root.names()) {
            if (name == "on-boot.lock" || name == "devices.lock")
                addFile(Leftover::Kind::Lock, root, "", name);
            else if (name == "on-boot" || isTemporaryOfRoot(name))
                addFile(Leftover::Kind::Part, root, "", name);
        }
    }

    static bool isTemporaryOfRoot(const std::string& name)
    {
        return name == ".crontab" || name.starts_with(".known_hosts-") ||
               (name.starts_with('.') && name.find(kTemporary) != std::string::npos);
    }

    void addFile(Leftover::Kind kind, const OpenFolder& folder, const std::string& path,
                 const std::string& name)
    {
        if (const auto info = folder.info(name); info && S_ISREG(info->st_mode))
            add(kind, path + name, static_cast<std::uint64_t>(info->st_size), ageOf(info->st_mtim));
    }

    bool isOld(seconds age, seconds limit) const { return m_rules.everything || age > limit; }

    void planBundle(const OpenFolder& folder, const std::string& id, seconds age,
                    const std::map<std::string, std::string>& runs)
    {
        const auto user = std::ranges::find_if(
            runs, [&](const auto& run) { return run.second.find(id) != std::string::npos; });
        if (user != runs.end() && !m_rules.everything)
            return m_plan.kept.push_back({id, "the run " + user->first + " was started with it"});
        if (!isOld(age, m_rules.unusedFor))
            return m_plan.kept.push_back({id, "last deployed " + formatDuration(age) + " ago"});
        forEachFile(folder, [&](const struct stat& file) { ++m_doomedNames[idOf(file)]; });
        add(Leftover::Kind::Bundle, "bundles/" + id, bytesIn(folder), age);
    }

    void planAgents(const OpenFolder& agents)
    {
        const auto running = runningPrograms(m_rules.everything ? ::getpid() : 0);
        for (const std::string& name : agents.names()) {
            const auto info = agents.info(name);
            const auto folder = agents.folder(name);
            if (!info || !folder)
                continue;
            const auto program = folder->info("trainyard-agent");
            if (program && running.contains(idOf(*program)))
                continue;
            const seconds age = ageOf(info->st_mtim);
            if (!isSha256(name))
                planHidden("agents/", name, *folder, age);
            else if (isOld(age, m_rules.unusedFor))
                add(Leftover::Kind::Agent, "agents/" + name, bytesIn(*folder), age);
        }
    }

    void planShelf(const OpenFolder& shelf, const std::string& path)
    {
        for (const std::string& name : shelf.names()) {
            const auto info = shelf.info(name);
            // A blob that is being copied from elsewhere on this host has a hidden name.
            const std::size_t begin = name.starts_with('.') ? 1 : 0;
            if (!info || !S_ISREG(info->st_mode) || !isSha256(name.substr(begin, kHashDigits)))
                continue;
            if (name.size() == kHashDigits)
                planBlob(*info, path + name, static_cast<std::uint64_t>(info->st_size));
            else
                planPart(path + name, *info);
        }
    }

    void planPart(const std::string& name, const struct stat& info)
    {
        const seconds age = ageOf(info.st_mtim);
        if (!isOld(age, m_rules.partsOlderThan) || LockFile::isHeld(m_root / name))
            return;
        ++m_doomedNames[idOf(info)]; // a repair links blobs
        add(Leftover::Kind::Part, name, static_cast<std::uint64_t>(info.st_size), age);
    }

    /// Every deployment that asks for a blob, and every bundle that gets it, changes its status time.
    void planBlob(const struct stat& info, const std::string& name, std::uint64_t bytes)
    {
        const auto doomed = m_doomedNames.find(idOf(info));
        const nlink_t kept = info.st_nlink - (doomed == m_doomedNames.end() ? 0 : doomed->second);
        if (kept <= 1 && isOld(ageOf(info.st_ctim), m_rules.unusedFor))
            add(Leftover::Kind::Blob, name, bytes, ageOf(info.st_ctim));
    }

    void add(Leftover::Kind kind, const std::string& name, std::uint64_t bytes, seconds age)
    {
        m_plan.leftovers.push_back({kind, name, bytes, age});
    }

    fs::path m_root;
    CleanUpRules m_rules;
    CleanUpPlan m_plan;
    std::map<FileId, nlink_t> m_doomedNames; ///< how many names of a file go with bundles and folders
};

/// A bundle or an agent: out of sight in one instant. One that was needed again in the meantime comes back.
std::uint64_t removeFolder(const OpenFolder& parent, const Leftover& leftover, const std::string& id)
{
    const std::string hidden = fmt::format(".{}.removed-{}", id, ::getpid());
    if (!parent.rename(id, hidden))
        return 0;
    if (const auto info = parent.info(hidden); info && ageOf(info->st_mtim) < leftover.age) {
        parent.rename(hidden, id);
        return 0;
    }
    return parent.removeTree(hidden);
}

std::uint64_t removeBlob(const OpenFolder& shelf, const std::string& name)
{
    const auto info = shelf.info(name);
    return info && info->st_nlink == 1 ? shelf.removeFile(name) : 0;
}

/// The open folder that holds `path`, reached from `root` without following links.
std::optional<OpenFolder> folderOf(const OpenFolder& root, const fs::path& path)
{
    std::optional<OpenFolder> folder = root.folder(path.begin()->string());
    for (auto part = std::next(path.begin()); folder && std::next(part) != path.end(); ++part)
        folder = folder->folder(part->string());
    return folder;
}

std::uint64_t removeFrom(const OpenFolder& folder, const Leftover& leftover, const fs::path& path)
{
    const std::string name = path.filename().string();
    if (leftover.kind == Leftover::Kind::Bundle || leftover.kind == Leftover::Kind::Agent)
        return removeFolder(folder, leftover, name);
    if (leftover.kind == Leftover::Kind::Blob)
        return removeBlob(folder, name);
    return LockFile::isHeld(path) ? 0 : folder.removeTree(name);
}

} // namespace

Result<CleanUpPlan> planCleanUp(const fs::path& root, const CleanUpRules& rules)
{
    return Planner(root, rules).plan();
}

Result<std::uint64_t> cleanUp(const fs::path& root, const CleanUpPlan& plan)
{
    TRAINYARD_TRY(const OpenFolder opened, OpenFolder::open(root));
    std::uint64_t freed = 0;
    for (const Leftover& leftover : plan.leftovers) {
        const fs::path path = leftover.name;
        if (!path.has_parent_path())
            freed += removeFrom(opened, leftover, root / path);
        else if (const auto folder = folderOf(opened, path))
            freed += removeFrom(*folder, leftover, root / path);
    }
    return freed;
}

const char* nameOf(Leftover::Kind kind)
{
    switch (kind) {
    case Leftover::Kind::Bundle:
        return "bundle";
    case Leftover::Kind::Blob:
        return "file";
    case Leftover::Kind::Part:
        return "part";
    case Leftover::Kind::Agent:
        return "agent";
    case Leftover::Kind::Mark:
        return "mark";
    case Leftover::Kind::Lock:
        return "lock";
    }
    return "";
}

void markAgentUsed(const fs::path& root, const fs::path& program)
{
    const fs::path folder = program.parent_path();
    if (folder.parent_path() == root / "agents")
        ::utimensat(AT_FDCWD, folder.c_str(), nullptr, AT_SYMLINK_NOFOLLOW);
}

} // namespace trainyard::agent
