#include "tests/faults/soak/checkpoint_check.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <sys/stat.h>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/faults/soak/start_rule.h"

namespace trainyard::soak {

namespace fs = std::filesystem;

namespace {

using nlohmann::json;

constexpr int kTries = 5;

/// The file system does not let us read: nothing is known of the content.
struct Unreadable : std::runtime_error {
    using std::runtime_error::runtime_error;
};
/// Files and sizes are right, and a hash differs.
struct WrongBytes : std::runtime_error {
    using std::runtime_error::runtime_error;
};

bool isMissing(int error)
{
    return error == ENOENT || error == ENOTDIR || error == ELOOP;
}

/// Throws when it cannot be read.
std::string contentOf(const fs::path& file)
{
    const FileDescriptor probe(::open(file.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat info {};
    if (!probe.valid() && !isMissing(errno))
        throw Unreadable(file.filename().string() + ": " + std::strerror(errno));
    if (!probe.valid())
        throw std::runtime_error(file.filename().string() + " is missing");
    if (::fstat(probe.get(), &info) != 0 || !S_ISREG(info.st_mode))
        throw std::runtime_error(file.filename().string() + " is no file");
    auto content = readFile(file);
    if (!content.ok())
        throw std::runtime_error(content.error().text());
    return *std::move(content);
}

std::string withoutLineFeed(std::string text)
{
    while (text.ends_with('\n'))
        text.pop_back();
    return text;
}

/// Empty while there is none.
std::string nameOfLatest(const fs::path& checkpoints)
{
    const auto content = readFile(checkpoints / "latest");
    return content.ok() ? withoutLineFeed(*content) : std::string();
}

/// Throws what is wrong.
json readManifest(const fs::path& file)
{
    const std::string text = contentOf(file);
    json manifest = json::parse(text);
    if (xxh3Hex(std::string_view(text).substr(0, text.rfind(",\n"))) != manifest.at("xxh3"))
        throw std::runtime_error("manifest.json does not have its own hash");
    return manifest;
}

/// Throws what is wrong.
void checkSlices(const fs::path& folder, const json& manifest)
{
    std::map<std::string, std::string> files;
    std::string wrong;
    for (const json& tensor : manifest.at("tensors")) {
        for (const json& slice : tensor.at("slices")) {
            const std::string name = slice.at("file");
            if (!files.contains(name))
                files[name] = contentOf(folder / name);
            const auto offset = slice.at("offset").get<std::size_t>();
            const auto bytes = slice.at("bytes").get<std::size_t>();
            if (offset + bytes > files[name].size())
                throw std::runtime_error(name + " is too short");
            if (xxh3Hex(std::string_view(files[name]).substr(offset, bytes)) != slice.at("xxh3"))
                wrong = fmt::format("{} has other bytes at {}", name, offset);
        }
    }
    if (!wrong.empty())
        throw WrongBytes(wrong);
}

CheckpointFound examine(const fs::path& folder)
{
    CheckpointFound found{folder.filename().string(), "whole", {}};
    try {
        checkSlices(folder, readManifest(folder / "manifest.json"));
    } catch (const Unreadable& error) {
        found.state = "unreadable";
        found.reason = error.what();
    } catch (const WrongBytes& error) {
        found.state = "wrong bytes";
        found.reason = error.what();
    } catch (const std::exception& error) {
        found.state = "damaged";
        found.reason = error.what();
    }
    return found;
}

/// Names, sizes, times and numbers of the files.
std::string marksOf(const fs::path& folder)
{
    std::vector<std::string> marks;
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        struct stat info {};
        if (::lstat(entry->path().c_str(), &info) == 0)
            marks.push_back(fmt::format("{} {} {} {}.{}", entry->path().filename().string(), info.st_ino,
                                        info.st_size, info.st_mtim.tv_sec, info.st_mtim.tv_nsec));
    }
    std::ranges::sort(marks);
    std::string text;
    for (const std::string& mark : marks)
        text += mark + '\n';
    return text;
}

void listFolder(const fs::path& folder, FolderSeen& seen)
{
    std::error_code error;
    for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
        std::error_code ignored;
        const std::string name = entry->path().filename().string();
        if (partsOf(name) && entry->is_directory(ignored))
            seen.checkpoints.push_back({name, {}, {}});
        else if (name.starts_with(".step-"))
            seen.leftovers.push_back(name);
    }
    if (error && error != std::errc::no_such_file_or_directory)
        seen.trouble = "checkpoints: " + error.message();
    std::ranges::sort(seen.checkpoints, std::greater(), &CheckpointFound::name);
    std::ranges::sort(seen.leftovers);
}

/// Empty for a file that is not there.
std::string textOf(const fs::path& file, FolderSeen& seen)
{
    try {
        return contentOf(file);
    } catch (const Unreadable& error) {
        seen.trouble = error.what();
    } catch (const std::exception&) {
    }
    return {};
}

/// The names and what the two small files say.
FolderSeen outlineOf(const fs::path& folder)
{
    FolderSeen seen;
    listFolder(folder, seen);
    seen.latest = withoutLineFeed(textOf(folder / "latest", seen));
    const json record = json::parse(textOf(folder / "line.json", seen), nullptr, false);
    if (record.is_object())
        seen.recorded = record.value("latest", std::string());
    return seen;
}

} // namespace

std::optional<CheckpointSeen> seeLatestCheckpoint(const fs::path& checkpoints)
{
    constexpr std::string_view kPrefix = "step-";
    for (;;) {
        const std::string name = nameOfLatest(checkpoints);
        if (name.empty())
            return std::nullopt;
        if (!name.starts_with(kPrefix))
            return CheckpointSeen{0, "latest names \"" + name + '"'};
        const std::string damage = soak::examine(checkpoints / name).reason;
        if (damage.empty() || nameOfLatest(checkpoints) == name)
            return CheckpointSeen{std::stoll(name.substr(kPrefix.size())), damage};
    }
}

std::optional<FolderSeen> FolderReader::read()
{
    for (int i = 0; i < kTries; ++i) {
        FolderSeen seen = outlineOf(m_folder);
        const FolderSeen outline = seen;
        examine(seen);
        FolderSeen again = outlineOf(m_folder);
        again.leftovers = outline.leftovers; // come and go all the time
        if (again == outline)
            return seen;
    }
    return std::nullopt;
}

void FolderReader::examine(FolderSeen& seen)
{
    std::map<std::string, CheckpointFound> known;
    for (CheckpointFound& found : seen.checkpoints) {
        const std::string marks = marksOf(m_folder / found.name);
        const auto before = m_known.find(marks);
        const CheckpointFound health =
            before != m_known.end() ? before->second : soak::examine(m_folder / found.name);
        found.state = health.state;
        found.reason = health.reason;
        known[marks] = health;
    }
    m_known = std::move(known);
}

} // namespace trainyard::soak
