#include "tests/faults/soak/checkpoint_harm.h"

#include <array>
#include <cstdio>
#include <fcntl.h>
#include <fstream>
#include <sys/stat.h>
#include <unistd.h>

#include <fmt/format.h>

#include "tests/faults/soak/start_rule.h"
#include "tests/support/checkpoint/folder_state.h"

namespace trainyard::soak {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kMuch = 5; ///< folders that no start takes
constexpr const char* kAside = ".aside";

Harm harmOf(FaultKind kind)
{
    switch (kind) {
    case FaultKind::CutShard:
        return Harm::CutShard;
    case FaultKind::DeleteShard:
        return Harm::NoShard;
    case FaultKind::FlipBit:
        return Harm::OneBit;
    case FaultKind::CutManifest:
        return Harm::CutManifest;
    case FaultKind::DeleteManifest:
        return Harm::NoManifest;
    default:
        return Harm::None;
    }
}

/// What `latest` then holds.
FolderState stateOf(FaultKind kind)
{
    FolderState state;
    state.latest = kind == FaultKind::DeleteLatest    ? Latest::Missing
                   : kind == FaultKind::EmptyLatest   ? Latest::Empty
                   : kind == FaultKind::MisnameLatest ? Latest::Dangling
                                                      : Latest::Garbage;
    return state;
}

std::vector<std::string> completeOfLinesLeft(const FolderSeen& folder)
{
    std::vector<std::string> names;
    for (const CheckpointFound& found : folder.checkpoints) {
        const auto parts = partsOf(found.name);
        if (parts->line > 0 && parts->damaged == 0 && found.state == "whole")
            names.push_back(found.name);
    }
    return names;
}

} // namespace

std::vector<std::string> completeInLine(const FolderSeen& folder)
{
    std::vector<std::string> names;
    for (const CheckpointFound& found : folder.checkpoints) {
        if (partsOf(found.name)->isPresent() && found.state == "whole")
            names.push_back(found.name);
    }
    return names;
}

std::string CheckpointHarm::inflict(FaultKind kind, int variant, const FolderSeen& folder)
{
    const auto whole = completeInLine(folder);
    if (whole.empty())
        return {};
    switch (kind) {
    case FaultKind::DeleteLatest:
    case FaultKind::EmptyLatest:
    case FaultKind::MisnameLatest:
    case FaultKind::GarbleLatest:
        writeLatest(m_folder, stateOf(kind));
        return "it named " + folder.latest;
    case FaultKind::GoBack:
        return goBack(variant, folder);
    case FaultKind::LeaveTemporary:
        return leaveTemporary();
    case FaultKind::HideFolder:
        return hide(m_folder);
    case FaultKind::HideLatest:
        return hide(m_folder / "latest");
    case FaultKind::HideCheckpoint:
        return hide(m_folder / whole.front() / "manifest.json");
    default:
        doHarm(m_folder / whole.front(), harmOf(kind));
        return whole.front();
    }
}

void CheckpointHarm::undo(FaultKind kind)
{
    show(kind == FaultKind::HideFolder   ? m_folder.filename()
         : kind == FaultKind::HideLatest ? "latest"
                                         : "manifest.json");
    m_place.reset();
}

/// With an editor that keeps the file: a full disk has room for that.
std::string CheckpointHarm::goBack(int variant, const FolderSeen& folder) const
{
    const auto left = completeOfLinesLeft(folder);
    auto older = completeInLine(folder);
    older.erase(older.begin());
    const auto& names = variant % 2 == 1 && !left.empty() ? left : older;
    if (names.empty())
        return {};
    const std::string& name = names[std::size_t(variant) % names.size()];
    const FileDescriptor file(::open((m_folder / "latest").c_str(), O_WRONLY | O_CLOEXEC));
    const auto bytes = off_t(name.size() + 1);
    const bool isWritten = file.valid() && writeAll(file.get(), name + "\n", "latest").ok() &&
                           ::ftruncate(file.get(), bytes) == 0;
    return isWritten ? fmt::format("from {} to {}", folder.latest, name) : std::string();
}

/// Of a step that has no checkpoint.
std::string CheckpointHarm::leaveTemporary() const
{
    const std::string name = ".step-000000001.partial";
    std::error_code ignored;
    fs::create_directory(m_folder / name, ignored);
    std::ofstream(m_folder / name / "shard-0000-of-0001.safetensors") << std::string(4096, 'x');
    return name;
}

/// Root may read whatever has a mode, so a mode hides nothing here. Nobody can open a socket as a file
/// (ENXIO), and nobody gets through a link that leads to itself (ELOOP).
std::string CheckpointHarm::hide(const fs::path& file)
{
    const std::string name = file.filename();
    m_place = FileDescriptor(::open(file.parent_path().c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    const int place = m_place.get();
    if (::renameat(place, name.c_str(), place, (name + kAside).c_str()) != 0)
        return {};
    const bool isHidden = file == m_folder ? ::symlinkat(name.c_str(), place, name.c_str()) == 0
                                           : ::mknodat(place, name.c_str(), S_IFSOCK | 0600, 0) == 0;
    if (!isHidden)
        show(name);
    return isHidden ? file.lexically_relative(m_folder.parent_path()).string() : std::string();
}

/// What the run has put in its place meanwhile stays.
void CheckpointHarm::show(const std::string& name) const
{
    const std::string aside = name + kAside;
    const int place = m_place.get();
    struct stat info {};
    const bool isThere = ::fstatat(place, name.c_str(), &info, AT_SYMLINK_NOFOLLOW) == 0;
    if (isThere && S_ISREG(info.st_mode)) {
        ::unlinkat(place, aside.c_str(), 0);
        return;
    }
    if (isThere)
        ::unlinkat(place, name.c_str(), 0);
    ::renameat(place, aside.c_str(), place, name.c_str());
}

std::string CheckpointHarm::tidyUp(const FolderSeen& folder) const
{
    std::vector<std::string> names;
    for (const CheckpointFound& found : folder.checkpoints) {
        if (!partsOf(found.name)->isPresent())
            names.push_back(found.name);
    }
    if (names.size() < kMuch)
        return {};
    std::error_code ignored;
    for (const std::string& name : names)
        fs::remove_all(m_folder / name, ignored);
    return fmt::format("{} folders removed that no start takes", names.size());
}

} // namespace trainyard::soak
