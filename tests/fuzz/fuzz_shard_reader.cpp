#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>

#include "datasets/shards/shard_reader.h"
#include "datasets/shards/shard_writer.h"
#include "engine/base/check.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

constexpr int kLength = 16, kPredictions = 3;
constexpr std::size_t kRows = 20;

std::string wholeShard(const ScratchFolder& folder)
{
    const auto file = folder.path() / "whole.hdf5";
    RowBlock rows(kLength, kPredictions);
    rows.resize(kRows);
    for (std::size_t i = 0; i < rows.inputIds.size(); ++i)
        rows.inputIds[i] = static_cast<std::int32_t>(i * 7 % 100);
    auto writer = ShardWriter::create(file, {kRows, kLength, kPredictions});
    TRAINYARD_CHECK(writer.ok() && writer->append(rows).ok() && writer->close().ok());
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Damage as a list of (place: two bytes, new value: one byte), which keeps the rest of the file as it was;
/// what is left over at the end cuts the file there.
std::string damaged(std::string file, std::string_view edits)
{
    const auto place = [&] {
        std::uint16_t number = 0;
        std::memcpy(&number, edits.data(), sizeof number);
        return number % file.size();
    };
    for (; edits.size() >= 3; edits.remove_prefix(3))
        file[place()] = edits[2];
    if (edits.size() == 2)
        file.resize(place());
    return file;
}

void readAll(const std::filesystem::path& file)
{
    const auto shape = readShardShape(file);
    if (!shape.ok())
        return;
    auto reader = ShardReader::open(file, kLength, kPredictions);
    if (!reader.ok())
        return;
    RowBlock rows;
    for (std::uint64_t row = 0; row < std::min<std::uint64_t>(reader->rows(), 2 * kRows); ++row)
        (void)reader->read(row, 1, rows).ok();
}

} // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ScratchFolder folder;
    static const std::string whole = wholeShard(folder);
    readAll(folder.write("damaged.hdf5", damaged(whole, bytesOf(data, size))));
    return 0;
}
