#include "remote/agent/store/full_clean_up.h"

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <optional>
#include <set>

#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include "engine/base/lock_file.h"
#include "remote/agent/host/open_folder.h"
#include "remote/agent/store/owner_file.h"
#include "remote/wire/bundle_manifest.h"

namespace trainyard::agent {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kDigitsOfHash = 64;
/// A client that stores an agent gives up after 30 s without a byte.
constexpr auto kStillWritten = OwnerFile::kLease;

bool isYoung(const timespec& time)
{
    return ::time(nullptr) - time.tv_sec < kStillWritten.count();
}

/// Also anything in it.
bool isBeingWritten(const OpenFolder& folder, const std::string& name)
{
    const auto info = folder.info(name);
    if (!info || isYoung(info->st_mtim))
        return info.has_value();
    const auto inner = folder.folder(name);
    const auto names = inner ? inner->names() : std::vector<std::string>();
    return std::ranges::any_of(names,
                               [&](const std::string& entry) { return isBeingWritten(*inner, entry); });
}

/// "<sha256>.part" is locked while it grows, and may be resumed later. All others are removed by those that
/// write them, unless they are killed.
bool hasLock(const std::string& name)
{
    return isSha256(name.substr(0, kDigitsOfHash)) && name.substr(kDigitsOfHash) == ".part";
}

bool isHalfMade(const std::string& name)
{
    return name.find(".part") != std::string::npos || name.find(".tmp-") != std::string::npos;
}

class ArrivalSearch {
public:
    explicit ArrivalSearch(const fs::path& root) : m_root(root) {}

    /// Its path; empty: none.
    std::string find(const OpenFolder& root) const
    {
        for (const char* name : {"bundles", "data", "runs"}) {
            const auto folder = root.folder(name);
            if (std::string found = folder ? findIn(*folder, name) : std::string(); !found.empty())
                return found;
        }
        for (const char* name : {"agents", "cas"}) {
            const auto folder = root.folder(name);
            for (const std::string& entry : folder ? folder->names() : std::vector<std::string>()) {
                const auto inner = folder->folder(entry);
                if (std::string found = inner ? findIn(*inner, fs::path(name) / entry) : std::string();
                    !found.empty())
                    return found;
            }
        }
        return {};
    }

private:
    std::string findIn(const OpenFolder& folder, const fs::path& path) const
    {
        for (const std::string& name : folder.names()) {
            if (!isHalfMade(name))
                continue;
            if (hasLock(name) ? LockFile::isHeld(m_root / path / name) : isBeingWritten(folder, name))
                return path / name;
        }
        return {};
    }

    const fs::path& m_root;
};

class RemainderList {
public:
    explicit RemainderList(const CleanUpPlan& plan)
    {
        for (const Leftover& leftover : plan.leftovers)
            m_doomed.insert(leftover.name);
    }

    std::vector<Remainder> list(const OpenFolder& root)
    {
        for (const std::string& name : root.names()) {
            const auto folder = root.folder(name);
            if (folder && name == "cas")
                addShelves(*folder);
            else if (folder && isOurs(name))
                addAll(*folder, name, kindIn(name));
            else
                add(name, Remainder::Kind::Other);
        }
        return std::move(m_found);
    }

    static bool isOurs(const std::string& folder)
    {
        return folder == "agents" || folder == "bundles" || folder == "data" || folder == "marks" ||
               folder == "runs";
    }

private:
    static Remainder::Kind kindIn(const std::string& folder)
    {
        if (folder == "runs")
            return Remainder::Kind::Run;
        if (folder == "data")
            return Remainder::Kind::DataSet;
        return folder == "agents" ? Remainder::Kind::Agent : Remainder::Kind::Other;
    }

    void addAll(const OpenFolder& folder, const std::string& path, Remainder::Kind kind)
    {
        for (const std::string& name : folder.names()) {
            const bool isWhole =
                !name.starts_with('.') && folder.folder(name).has_value() &&
                (kind != Remainder::Kind::Agent || isSha256(name)) &&
                (kind != Remainder::Kind::DataSet || folder.folder(name)->info("manifest.json").has_value());
            add(path + "/" + name, isWhole ? kind : Remainder::Kind::Other);
        }
    }

    /// Blobs with several names are those of data sets.
    void addShelves(const OpenFolder& store)
    {
        for (const std::string& shelf : store.names()) {
            const auto folder = store.folder(shelf);
            if (!folder)
                add("cas/" + shelf, Remainder::Kind::Other);
            for (const std::string& name : folder ? folder->names() : std::vector<std::string>()) {
                const auto info = folder->info(name);
                if (info && !(isSha256(name) && info->st_nlink > 1))
                    add("cas/" + shelf + "/" + name, Remainder::Kind::Other);
            }
        }
    }

    void add(const fs::path& path, Remainder::Kind kind)
    {
        if (m_doomed.contains(path))
            return;
        const bool isNamed = kind == Remainder::Kind::Run || kind == Remainder::Kind::DataSet;
        m_found.push_back({kind, isNamed ? path.filename().string() : path.string()});
    }

    std::set<std::string> m_doomed;
    std::vector<Remainder> m_found;
};

fs::path homeFolder()
{
    const char* home = std::getenv("HOME");
    return home ? fs::path(home) / ".trainyard" : fs::path();
}

bool isOurFolder(const fs::path& path)
{
    struct stat info {};
    return ::lstat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode) && info.st_uid == ::geteuid();
}

/// The empty ones; others are left by rmdir().
void removeEmptyBelow(const fs::path& folder)
{
    std::error_code ignored;
    std::vector<fs::path> inner;
    for (fs::directory_iterator at(folder, ignored), end; !ignored && at != end; at.increment(ignored))
        inner.push_back(at->path());
    for (const fs::path& path : inner)
        ::rmdir(path.c_str());
}

} // namespace

Status checkNothingArrives(const fs::path& root)
{
    TRAINYARD_TRY(const OpenFolder opened, OpenFolder::open(root));
    const std::string arrives = ArrivalSearch(root).find(opened);
    if (arrives.empty())
        return {};
    return refused(fmt::format("a client is storing {}", (root / arrives).string()),
                   "wait until it has ended; one that was killed counts for a minute");
}

std::vector<Remainder> remainders(const fs::path& root, const CleanUpPlan& plan)
{
    const auto opened = OpenFolder::open(root);
    return opened.ok() ? RemainderList(plan).list(*opened) : std::vector<Remainder>();
}

void removeEmptyFolders(const fs::path& root)
{
    for (const char* name : {"agents", "bundles", "cas"}) {
        if (isOurFolder(root / name))
            removeEmptyBelow(root / name);
    }
    for (const char* name : {"agents", "bundles", "cas", "data", "marks", "runs"})
        ::rmdir((root / name).c_str());
    std::error_code ignored;
    if (!fs::is_symlink(homeFolder(), ignored) || !fs::equivalent(homeFolder(), root, ignored))
        ::rmdir(root.c_str());
}

std::vector<fs::path> otherAgentFolders(const fs::path& root)
{
    std::vector<fs::path> others;
    std::error_code ignored;
    for (const fs::path& folder :
         {homeFolder(), fs::path(fmt::format("/var/tmp/trainyard-{}", ::geteuid()))}) {
        if (isOurFolder(folder) && !fs::equivalent(folder, root, ignored))
            others.push_back(folder);
    }
    return others;
}

const char* nameOf(Remainder::Kind kind)
{
    switch (kind) {
    case Remainder::Kind::Run:
        return "run";
    case Remainder::Kind::DataSet:
        return "data-set";
    case Remainder::Kind::Agent:
        return "agent";
    case Remainder::Kind::Other:
        return "other";
    }
    return "";
}

} // namespace trainyard::agent
