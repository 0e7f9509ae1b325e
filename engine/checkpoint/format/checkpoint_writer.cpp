#include "engine/checkpoint/format/checkpoint_writer.h"

#include <algorithm>
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

/// `names` of the lists, for errors.
Result<std::vector<LogicalTensor>> joined(const std::vector<std::string>& lists,
                                          const std::vector<std::string>& names)
{
    std::map<std::string, LogicalTensor> all;
    for (std::size_t i = 0; i < lists.size(); ++i) {
        try {
            TRAINYARD_TRY(auto part, partialTensorsFromJson(nlohmann::ordered_json::parse(lists[i])));
            TRAINYARD_TRY_STATUS(join(all, std::move(part), names[i]));
        } catch (const nlohmann::json::exception& error) {
            return failed(fmt::format("{}: {}", names[i], jsonProblem(error, lists[i])));
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
//   .step-N.partial ---------------------> step-N ---------------------> .step-N.leaving ---> removed
//          |                                 |
//          | interrupted                     +--- content is wrong ----> step-N.damaged
//          v                                 |
//   removed by the next begin()              +--- a start goes back ---> step-N.line-K

} // namespace

CheckpointWriter::CheckpointWriter(fs::path folder, Step step, Fence fence)
    : m_folder(std::move(folder)), m_step(step), m_fence(std::move(fence))
{
}

fs::path CheckpointWriter::staging() const
{
    return m_folder / fmt::format(".{}.partial", checkpointFolderName(m_step));
}

Status CheckpointWriter::begin(const fs::path& spared) const
{
    TRAINYARD_TRY_STATUS(m_fence.check());
    TRAINYARD_TRY_STATUS(makeFolder(m_folder));
    // Removed first: what an interrupted checkpoint left may be the room that this one needs.
    TRAINYARD_TRY_STATUS(removeInterrupted(m_folder, spared));
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

std::string CheckpointWriter::shardFile(int index, int count)
{
    return shardName(index, count, "safetensors");
}

Result<std::string> CheckpointWriter::listOf(int index, int count) const
{
    return readFile(staging() / shardName(index, count, "json"));
}

Result<CheckpointManifest> CheckpointWriter::joinLists(const TrainingPosition& position,
                                                       const std::vector<std::string>& lists)
{
    const int count = static_cast<int>(lists.size());
    std::vector<std::string> names;
    for (int index = 0; index < count; ++index)
        names.push_back(shardName(index, count, "json"));
    TRAINYARD_TRY(auto tensors, joined(lists, names));
    return CheckpointManifest{position, std::move(tensors)};
}

Status CheckpointWriter::prepare(int shardCount, const std::string& manifest, const std::string& host) const
{
    TRAINYARD_TRY_STATUS(m_fence.check());
    if (!host.empty())
        TRAINYARD_TRY_STATUS(writeFileAtomically(staging() / kHostName, host + "\n"));
    TRAINYARD_TRY_STATUS(writeFileAtomically(staging() / kManifestName, manifest));
    // The manifest has all that they say. Before the rename: what is published never changes.
    TRAINYARD_TRY_STATUS(removeLists(staging(), shardCount));
    return syncPath(staging());
}

Status CheckpointWriter::publish(int shardCount, const TrainingPosition& position,
                                 const KeptCheckpoints& kept) const
{
    std::vector<std::string> lists;
    for (int index = 0; index < shardCount; ++index) {
        TRAINYARD_TRY(lists.emplace_back(), listOf(index, shardCount));
    }
    TRAINYARD_TRY(const CheckpointManifest manifest, joinLists(position, lists));
    TRAINYARD_TRY_STATUS(prepare(shardCount, manifest.toJson()));
    TRAINYARD_TRY_STATUS(commit(position));
    return removeOutdated(m_folder, kept, m_fence);
}

Status CheckpointWriter::commit(const TrainingPosition& position) const
{
    TRAINYARD_CHECK(position.step == m_step);
    TRAINYARD_TRY_STATUS(m_fence.check());
    TRAINYARD_TRY_STATUS(beginPublication(m_folder));
    TRAINYARD_TRY_STATUS(publishFolder(staging(), m_folder / checkpointFolderName(m_step)));
    TRAINYARD_TRY_STATUS(
        m_fence.check());  // syncing may have taken long; a folder without `latest` does no harm
    if (position.isBest()) // before `latest`: a resume from this checkpoint takes it for the best one
        TRAINYARD_TRY_STATUS(markAsBest(m_folder, checkpointFolderName(m_step)));
    return finishPublication(m_folder, checkpointFolderName(m_step));
}

void CheckpointWriter::abandon() const
{
    if (!m_fence.check().ok())
        return;              // a newer attempt may be writing there
    std::error_code ignored; // begin() of the next checkpoint tries again
    fs::remove_all(staging(), ignored);
}

} // namespace trainyard
