#include "engine/checkpoint/format/checkpoint_writer.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <fcntl.h>
#include <future>
#include <map>

#include <fmt/format.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "engine/base/json_problem.h"
#include "engine/checkpoint/format/tensor_json.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

std::string shardName(int index, int count, const char* extension)
{
    return fmt::format("shard-{:04}-of-{:04}.{}", index, count, extension);
}

std::string_view asText(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// The format wants one name per entry; the second slice of a tensor is called "<tensor>#2".
std::vector<TensorBytes> namedApart(const std::vector<SliceToSave>& slices)
{
    std::vector<TensorBytes> tensors;
    std::map<std::string, int> seen;
    for (const SliceToSave& slice : slices) {
        tensors.push_back(slice.values);
        if (const int count = ++seen[slice.values.name]; count > 1)
            tensors.back().name += fmt::format("#{}", count);
    }
    return tensors;
}

std::vector<std::string> hashesOf(const std::vector<SliceToSave>& slices)
{
    std::vector<std::string> hashes;
    for (const SliceToSave& slice : slices)
        hashes.push_back(xxh3Hex(asText(slice.values.bytes)));
    return hashes;
}

LogicalTensor describe(const SliceToSave& slice, const std::string& file, std::uint64_t offset,
                       std::string hash)
{
    const TensorBytes& values = slice.values;
    TensorSlice described{slice.begin, values.shape, file, offset, values.bytes.size(), std::move(hash)};
    return {values.name, values.type, slice.globalShape, {std::move(described)}};
}

// Adds the slices that one shard wrote to the tensors of all.
Status join(std::map<std::string, LogicalTensor>& all, std::vector<LogicalTensor> part,
            const std::string& shard)
{
    for (LogicalTensor& tensor : part) {
        const auto [known, isNew] = all.try_emplace(tensor.name, tensor);
        if (isNew)
            continue;
        if (known->second.shape != tensor.shape || known->second.type != tensor.type)
            return failed(fmt::format("{}: tensor {} has a different shape or type than in the other shards",
                                      shard, tensor.name));
        std::ranges::move(tensor.slices, std::back_inserter(known->second.slices));
    }
    return {};
}

Result<std::vector<LogicalTensor>> joinShards(const fs::path& folder, int count)
{
    std::map<std::string, LogicalTensor> all;
    for (int index = 0; index < count; ++index) {
        const fs::path list = folder / shardName(index, count, "json");
        TRAINYARD_TRY(const std::string text, readFile(list));
        try {
            TRAINYARD_TRY(auto part, partialTensorsFromJson(nlohmann::ordered_json::parse(text)));
            TRAINYARD_TRY_STATUS(join(all, std::move(part), list.string()));
        } catch (const nlohmann::json::exception& error) {
            return failed(fmt::format("{}: {}", list.string(), jsonProblem(error, text)));
        }
    }
    std::vector<LogicalTensor> tensors;
    for (auto& [name, tensor] : all)
        tensors.push_back(std::move(tensor));
    TRAINYARD_TRY_STATUS(checkCoverage(tensors));
    return tensors;
}

Status removeLists(const fs::path& folder, int count)
{
    std::error_code error;
    for (int index = 0; index < count; ++index) {
        fs::remove(folder / shardName(index, count, "json"), error);
        if (error)
            return failed("cannot remove a file of " + folder.string() + ": " + error.message());
    }
    return {};
}

// The life of a checkpoint's folder. Each arrow is one rename, so a crash leaves one state or the next:
//
//                      all files synced           newer ones are kept
//   .step-N.partial ---------------------> step-N ---------------------> .step-N.partial ---> removed
//          |                                 |
//          | interrupted                     +--- content is wrong ----> step-N.damaged
//          v                                 |
//   removed by the next begin()              +--- a start goes back ---> step-N.line-K

// A checkpoint of this step is there already, from before a crash or a resume: trade places in one instant.
Status replaceFolder(const fs::path& staged, const fs::path& existing)
{
    if (::renameat2(AT_FDCWD, staged.c_str(), AT_FDCWD, existing.c_str(), RENAME_EXCHANGE) != 0) {
        Error error = systemError(ErrorKind::Failed, "cannot replace " + existing.string(), errno);
        error.hint = "remove that checkpoint, or write to another folder";
        return error;
    }
    std::error_code error;
    fs::remove_all(staged, error);
    return syncPath(existing.parent_path());
}

Status publishFolder(const fs::path& staged, const fs::path& final)
{
    // The files were synced by their writers; this makes their names last. Only then may the folder get the
    // name that says that it is complete.
    TRAINYARD_TRY_STATUS(syncPath(staged));
    if (fs::exists(final))
        return replaceFolder(staged, final);
    if (::rename(staged.c_str(), final.c_str()) != 0)
        return systemError(ErrorKind::Failed, "cannot publish " + final.string(), errno);
    return syncPath(final.parent_path());
}

} // namespace

CheckpointWriter::CheckpointWriter(fs::path folder, Step step, Fence fence)
    : m_folder(std::move(folder)), m_step(step), m_fence(std::move(fence))
{
}

fs::path CheckpointWriter::staging() const
{
    return m_folder / fmt::format(".{}.partial", checkpointFolderName(m_step));
}

Status CheckpointWriter::begin() const
{
    TRAINYARD_TRY_STATUS(m_fence.check());
    TRAINYARD_TRY_STATUS(makeFolder(m_folder));
    // Removed first: what an interrupted checkpoint left may be the room that this one needs.
    TRAINYARD_TRY_STATUS(removeInterrupted(m_folder));
    return makeFolder(staging());
}

Status CheckpointWriter::writeShard(int index, int count, const std::vector<SliceToSave>& slices) const
{
    const std::string name = shardName(index, count, "safetensors");
    auto hashing = std::async(std::launch::async, hashesOf, std::cref(slices)); // while the disk works
    TRAINYARD_TRY(const auto written, writeSafetensors(staging() / name, namedApart(slices)));
    std::vector<std::string> hashes = hashing.get();
    std::vector<LogicalTensor> list;
    for (std::size_t i = 0; i < slices.size(); ++i)
        list.push_back(describe(slices[i], name, written[i].offset, std::move(hashes[i])));
    return writeFileAtomically(staging() / shardName(index, count, "json"), tensorsToJson(list).dump());
}

Status CheckpointWriter::publish(int shardCount, const TrainingPosition& position,
                                 const KeptCheckpoints& kept) const
{
    TRAINYARD_CHECK(position.step == m_step);
    TRAINYARD_TRY(auto tensors, joinShards(staging(), shardCount));
    const CheckpointManifest manifest{position, std::move(tensors)};
    TRAINYARD_TRY_STATUS(writeFileAtomically(staging() / kManifestName, manifest.toJson()));
    // The manifest has all that they say. Before the rename: what is published never changes.
    TRAINYARD_TRY_STATUS(removeLists(staging(), shardCount));
    TRAINYARD_TRY_STATUS(m_fence.check());
    TRAINYARD_TRY_STATUS(beginPublication(m_folder));
    TRAINYARD_TRY_STATUS(publishFolder(staging(), m_folder / checkpointFolderName(m_step)));
    TRAINYARD_TRY_STATUS(
        m_fence.check());  // syncing may have taken long; a folder without `latest` does no harm
    if (position.isBest()) // before `latest`: a resume from this checkpoint takes it for the best one
        TRAINYARD_TRY_STATUS(markAsBest(m_folder, checkpointFolderName(m_step)));
    TRAINYARD_TRY_STATUS(finishPublication(m_folder, checkpointFolderName(m_step)));
    return removeOutdated(m_folder, kept);
}

void CheckpointWriter::abandon() const
{
    if (!m_fence.check().ok())
        return;              // a newer attempt may be writing there
    std::error_code ignored; // begin() of the next checkpoint tries again
    fs::remove_all(staging(), ignored);
}

} // namespace trainyard
