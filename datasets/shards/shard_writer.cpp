#include "datasets/shards/shard_writer.h"

#include <algorithm>
#include <array>
#include <vector>

#include <fmt/format.h>

#include "datasets/shards/chunk_codec.h"
#include "datasets/shards/columns.h"
#include "datasets/shards/hdf5_handle.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

/// Stored in the file, and used by those who change it with other programs; the reference's.
constexpr unsigned kDeflateLevel = 4;

std::size_t rowsPerChunk(const ShardShape& shape)
{
    return static_cast<std::size_t>(std::min<std::uint64_t>(shape.rows, ShardWriter::kRowsPerChunk));
}

/// [rows, width], or [rows] for a scalar column.
std::vector<hsize_t> extentOf(const Column& column, const ShardShape& shape, hsize_t rows)
{
    std::vector<hsize_t> extent{rows};
    if (column.width != Column::Width::Scalar)
        extent.push_back(column.valuesPerRow(shape.sequenceLength, shape.maxPredictions));
    return extent;
}

hid_t storedType(const Column& column)
{
    if (column.isFloat)
        return H5T_IEEE_F64LE;
    return column.bytesPerValue == 8   ? H5T_STD_I64LE
           : column.bytesPerValue == 4 ? H5T_STD_I32LE
                                       : H5T_STD_I8LE;
}

Hdf5Handle creationProperties(const std::vector<hsize_t>& chunk)
{
    Hdf5Handle properties(H5Pcreate(H5P_DATASET_CREATE), H5Pclose);
    H5Pset_chunk(properties.get(), static_cast<int>(chunk.size()), chunk.data());
    H5Pset_shuffle(properties.get());
    H5Pset_deflate(properties.get(), kDeflateLevel);
    H5Pset_obj_track_times(properties.get(), false); // the same rows must give the same bytes on any day
    H5Pset_fill_time(properties.get(), H5D_FILL_TIME_NEVER);
    return properties;
}

} // namespace

struct ShardWriter::State {
    fs::path file;
    ShardShape shape;
    std::uint64_t written = 0;
    Hdf5Handle handle;
    std::span<const Column> columns;
    std::vector<Hdf5Handle> datasets; ///< of the columns
    ChunkEncoder encoder;
    std::vector<std::byte> padded; ///< one column of the last chunk

    Error failure() const { return hdf5Error(ErrorKind::Failed, "cannot write " + file.string()); }
    Status createColumn(const Column& column);
    Status writeChunk(std::size_t index, const RowBlock& rows);
};

Status ShardWriter::State::createColumn(const Column& column)
{
    const auto extent = extentOf(column, shape, shape.rows);
    const Hdf5Handle space(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                           H5Sclose);
    const Hdf5Handle properties = creationProperties(extentOf(column, shape, rowsPerChunk(shape)));
    datasets.emplace_back(H5Dcreate2(handle.get(), column.name, storedType(column), space.get(), H5P_DEFAULT,
                                     properties.get(), H5P_DEFAULT),
                          H5Dclose);
    if (!datasets.back().valid())
        return failure();
    return {};
}

Status ShardWriter::State::writeChunk(std::size_t index, const RowBlock& rows)
{
    const Column& column = columns[index];
    const std::size_t rowBytes = column.valuesPerRow(shape.sequenceLength, shape.maxPredictions) *
                                 static_cast<std::size_t>(column.bytesPerValue);
    std::span values(column.data(rows), rows.rows * rowBytes);
    if (rows.rows < rowsPerChunk(shape)) {
        padded.assign(rowsPerChunk(shape) * rowBytes, std::byte{0});
        std::copy(values.begin(), values.end(), padded.begin());
        values = padded;
    }
    const auto encoded = encoder.encode(values, static_cast<std::size_t>(column.bytesPerValue));
    const std::array<hsize_t, 2> offset{written, 0};
    if (H5Dwrite_chunk(datasets[index].get(), H5P_DEFAULT, 0, offset.data(), encoded.size(), encoded.data()) <
        0)
        return failure();
    return {};
}

ShardWriter::ShardWriter(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ShardWriter::ShardWriter(ShardWriter&&) noexcept = default;
ShardWriter& ShardWriter::operator=(ShardWriter&&) noexcept = default;
ShardWriter::~ShardWriter() = default;

Result<ShardWriter> ShardWriter::create(const fs::path& file, const ShardShape& shape)
{
    TRAINYARD_CHECK(shape.rows > 0);
    silenceHdf5();
    auto state = std::make_unique<State>();
    state->file = file;
    state->shape = shape;
    state->handle = Hdf5Handle(H5Fcreate(file.c_str(), H5F_ACC_EXCL, H5P_DEFAULT, H5P_DEFAULT), H5Fclose);
    if (!state->handle.valid())
        return state->failure();
    state->columns = columnsOf(shape.maxPredictions, shape.provenance, shape.task);
    for (const Column& column : state->columns)
        TRAINYARD_TRY_STATUS(state->createColumn(column));
    return ShardWriter(std::move(state));
}

Status ShardWriter::append(const RowBlock& rows)
{
    State& state = *m_state;
    TRAINYARD_CHECK_MSG(rows.rows == std::min<std::uint64_t>(kRowsPerChunk, state.shape.rows - state.written),
                        fmt::format("{} rows after {} of {}", rows.rows, state.written, state.shape.rows));
    silenceHdf5();
    for (std::size_t i = 0; i < state.columns.size(); ++i)
        TRAINYARD_TRY_STATUS(state.writeChunk(i, rows));
    state.written += rows.rows;
    return {};
}

Status ShardWriter::close()
{
    State& state = *m_state;
    TRAINYARD_CHECK(state.written == state.shape.rows);
    silenceHdf5();
    for (Hdf5Handle& dataset : state.datasets) {
        if (!dataset.close())
            return state.failure();
    }
    if (!state.handle.close())
        return state.failure();
    return {};
}

} // namespace trainyard
