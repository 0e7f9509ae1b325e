#include "tests/support/checkpoint/folder_state.h"

#include <algorithm>
#include <fstream>
#include <vector>

#include <sys/stat.h>

#include <fmt/format.h>

namespace trainyard {

namespace fs = std::filesystem;

namespace {

void cut(const fs::path& file)
{
    fs::resize_file(file, fs::file_size(file) / 2);
}

fs::path lastShardOf(const fs::path& checkpoint)
{
    std::vector<fs::path> shards;
    for (const auto& entry : fs::directory_iterator(checkpoint)) {
        if (entry.path().extension() == ".safetensors")
            shards.push_back(entry.path());
    }
    return *std::ranges::max_element(shards);
}

} // namespace

std::optional<std::int64_t> FolderState::startingStep() const
{
    for (std::size_t i = latest == Latest::Older ? 2 : 3; i-- > 0;) {
        if (harms[i] == Harm::Unreadable)
            return std::nullopt;
        if (harms[i] == Harm::None)
            return steps[i];
    }
    return std::nullopt;
}

std::string FolderState::text() const
{
    return fmt::format("harms {} {} {}, latest {}, leftovers {}, two lines {}", int(harms[0]), int(harms[1]),
                       int(harms[2]), int(latest), leftovers, twoLines);
}

fs::path checkpointOf(const fs::path& checkpoints, std::int64_t step)
{
    return checkpoints / fmt::format("step-{:09}", step);
}

void flipBit(const fs::path& file, std::uintmax_t at)
{
    std::fstream stream(file, std::ios::in | std::ios::out | std::ios::binary);
    stream.seekg(std::streamoff(at));
    const char byte = char(stream.get() ^ 0x04);
    stream.seekp(std::streamoff(at));
    stream.put(byte);
}

void doHarm(const fs::path& checkpoint, Harm harm)
{
    const fs::path manifest = checkpoint / "manifest.json";
    const fs::path shard = lastShardOf(checkpoint);
    switch (harm) {
    case Harm::None:
        return;
    case Harm::CutShard:
        return cut(shard);
    case Harm::OneBit:
        return flipBit(shard, fs::file_size(shard) - 2);
    case Harm::NoShard:
        fs::remove(shard);
        return;
    case Harm::NoManifest:
        fs::remove(manifest);
        return;
    case Harm::CutManifest:
        return cut(manifest);
    case Harm::Unreadable:
        ::chmod(manifest.c_str(), 0);
        return;
    }
}

void writeLatest(const fs::path& checkpoints, const FolderState& state)
{
    const auto write = [&](const std::string& text) { std::ofstream(checkpoints / "latest") << text; };
    switch (state.latest) {
    case Latest::Right:
    case Latest::Behind:
        return;
    case Latest::Missing:
        fs::remove(checkpoints / "latest");
        return;
    case Latest::Empty:
        return write("");
    case Latest::Dangling:
        return write("step-000009999\n");
    case Latest::Garbage:
        return write("\x7f\x01 no name\n\n../..");
    case Latest::Older:
        return write(checkpointOf({}, state.steps[1]).string() + "\n");
    }
}

} // namespace trainyard
