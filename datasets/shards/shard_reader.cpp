#include "datasets/shards/shard_reader.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "datasets/shards/chunk_check.h"
#include "datasets/shards/columns.h"
#include "datasets/shards/hdf5_handle.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::size_t kChunkCacheBytes = 4u
                                         << 20; // a few chunks per column, so that shuffled rows stay cheap
constexpr std::size_t kChunkCacheSlots = 521;

Error wrongColumn(const fs::path& file, const Column& column, const std::string& problem)
{
    return badInput(fmt::format("{}: column {} {}", file.string(), column.name, problem),
                    "the file is not a shard of this shape; prepare the data set again");
}

Result<Hdf5Handle> openFile(const fs::path& file)
{
    silenceHdf5();
    std::error_code error;
    if (!fs::is_regular_file(file, error))
        return badInput(file.string() + ": there is no such file", "check the path of the data set");
    Hdf5Handle handle(H5Fopen(file.c_str(), H5F_ACC_RDONLY, H5P_DEFAULT), H5Fclose);
    if (!handle.valid())
        return Error{ErrorKind::BadInput,
                     hdf5Error(ErrorKind::BadInput, file.string() + ": not a complete HDF5 file").message,
                     "the file is truncated or damaged; copy or prepare it again"};
    return handle;
}

Result<Hdf5Handle> openColumn(const Hdf5Handle& handle, const fs::path& file, const Column& column)
{
    if (H5Lexists(handle.get(), column.name, H5P_DEFAULT) <= 0)
        return wrongColumn(file, column, "is missing");
    const Hdf5Handle access(H5Pcreate(H5P_DATASET_ACCESS), H5Pclose);
    H5Pset_chunk_cache(access.get(), kChunkCacheSlots, kChunkCacheBytes, 1.0);
    Hdf5Handle dataset(H5Dopen2(handle.get(), column.name, access.get()), H5Dclose);
    if (!dataset.valid())
        return wrongColumn(file, column, "is not a dataset");
    return dataset;
}

std::vector<hsize_t> shapeOf(const Hdf5Handle& dataset)
{
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
    const int rank = H5Sget_simple_extent_ndims(space.get());
    std::vector<hsize_t> shape(rank > 0 ? static_cast<std::size_t>(rank) : 0);
    if (!shape.empty())
        H5Sget_simple_extent_dims(space.get(), shape.data(), nullptr);
    return shape;
}

Status checkType(const Hdf5Handle& dataset, const fs::path& file, const Column& column)
{
    const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
    const bool ofKind = column.isFloat
                            ? H5Tget_class(type.get()) == H5T_FLOAT
                            : H5Tget_class(type.get()) == H5T_INTEGER && H5Tget_sign(type.get()) == H5T_SGN_2;
    if (!ofKind || H5Tget_size(type.get()) != static_cast<std::size_t>(column.bytesPerValue))
        return wrongColumn(file, column, fmt::format("does not contain {}", typeName(column)));
    return {};
}

/// What stock HDF5 cannot decompress would fail at the first read, with a message that does not help.
Status checkFilters(const Hdf5Handle& dataset, const fs::path& file, const Column& column)
{
    const Hdf5Handle properties(H5Dget_create_plist(dataset.get()), H5Pclose);
    for (int i = 0; i < H5Pget_nfilters(properties.get()); ++i) {
        unsigned flags = 0;
        std::size_t values = 0;
        std::array<char, 64> name{};
        const H5Z_filter_t filter = H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags,
                                                   &values, nullptr, name.size() - 1, name.data(), nullptr);
        if (H5Zfilter_avail(filter) <= 0)
            return wrongColumn(
                file, column,
                fmt::format("is stored with filter {} ({}), which is not part of HDF5", filter, name.data()));
    }
    return {};
}

std::vector<hsize_t> expectedShape(const Column& column, hsize_t rows, int sequenceLength, int maxPredictions)
{
    if (column.width == Column::Width::Scalar)
        return {rows};
    return {rows, column.valuesPerRow(sequenceLength, maxPredictions)};
}

hid_t typeInMemory(const Column& column)
{
    if (column.isFloat)
        return H5T_NATIVE_DOUBLE;
    return column.bytesPerValue == 8   ? H5T_NATIVE_INT64
           : column.bytesPerValue == 4 ? H5T_NATIVE_INT32
                                       : H5T_NATIVE_INT8;
}

/// All rows of `out`, which has room for them. False: HDF5's error stack says why.
bool readColumn(const Hdf5Handle& dataset, const Column& column, std::uint64_t firstRow, RowBlock& out)
{
    const auto extent = expectedShape(column, out.rows, out.sequenceLength, out.maxPredictions);
    const std::array<hsize_t, 2> start{firstRow, 0};
    const Hdf5Handle memory(H5Screate_simple(static_cast<int>(extent.size()), extent.data(), nullptr),
                            H5Sclose);
    const Hdf5Handle space(H5Dget_space(dataset.get()), H5Sclose);
    return H5Sselect_hyperslab(space.get(), H5S_SELECT_SET, start.data(), nullptr, extent.data(), nullptr) >=
               0 &&
           H5Dread(dataset.get(), typeInMemory(column), memory.get(), space.get(), H5P_DEFAULT,
                   column.data(out)) >= 0;
}

} // namespace

struct ShardReader::State {
    fs::path file;
    int sequenceLength = 0;
    int maxPredictions = 0;
    bool provenance = false;
    TaskKind task = TaskKind::None;
    std::uint64_t rows = 0;
    Hdf5Handle handle;
    std::span<const Column> columns;
    std::vector<Hdf5Handle> datasets; ///< of the columns
};

ShardReader::ShardReader(std::unique_ptr<State> state) : m_state(std::move(state)) {}
ShardReader::ShardReader(ShardReader&&) noexcept = default;
ShardReader& ShardReader::operator=(ShardReader&&) noexcept = default;
ShardReader::~ShardReader() = default;

std::uint64_t ShardReader::rows() const
{
    return m_state->rows;
}

Result<ShardReader> ShardReader::open(const fs::path& file, int sequenceLength, int maxPredictions,
                                      bool provenance)
{
    auto state = std::make_unique<State>();
    state->file = file;
    state->sequenceLength = sequenceLength;
    state->maxPredictions = maxPredictions;
    state->provenance = provenance;
    return openAs(std::move(state));
}

Result<ShardReader> ShardReader::openTask(const fs::path& file, int sequenceLength, TaskKind task)
{
    auto state = std::make_unique<State>();
    state->file = file;
    state->sequenceLength = sequenceLength;
    state->task = task;
    return openAs(std::move(state));
}

Result<ShardReader> ShardReader::openAs(std::unique_ptr<State> state)
{
    const fs::path& file = state->file;
    state->columns = columnsOf(state->maxPredictions, state->provenance, state->task);
    TRAINYARD_TRY(state->handle, openFile(file));
    std::optional<hsize_t> rows;
    for (const Column& column : state->columns) {
        TRAINYARD_TRY(Hdf5Handle dataset, openColumn(state->handle, file, column));
        TRAINYARD_TRY_STATUS(checkType(dataset, file, column));
        TRAINYARD_TRY_STATUS(checkFilters(dataset, file, column));
        const auto shape = shapeOf(dataset);
        if (!rows && !shape.empty())
            rows = shape[0];
        const auto expected =
            expectedShape(column, rows.value_or(0), state->sequenceLength, state->maxPredictions);
        if (shape != expected)
            return wrongColumn(file, column,
                               fmt::format("has the shape [{}], expected [{}]", fmt::join(shape, ", "),
                                           fmt::join(expected, ", ")));
        if (const std::string problem = chunkProblem(dataset); !problem.empty())
            return wrongColumn(file, column, problem);
        state->datasets.push_back(std::move(dataset));
    }
    state->rows = *rows;
    return ShardReader(std::move(state));
}

Status ShardReader::read(std::uint64_t firstRow, std::size_t count, RowBlock& out)
{
    const State& state = *m_state;
    TRAINYARD_CHECK(firstRow + count <= state.rows);
    silenceHdf5();
    out.sequenceLength = state.sequenceLength;
    out.maxPredictions = state.maxPredictions;
    out.provenance = state.provenance;
    out.task = state.task;
    out.resize(count);
    if (count == 0)
        return {};
    for (std::size_t i = 0; i < state.columns.size(); ++i) {
        if (!readColumn(state.datasets[i], state.columns[i], firstRow, out))
            return hdf5Error(ErrorKind::BadInput,
                             fmt::format("{}: cannot read rows {} to {} of {}", state.file.string(), firstRow,
                                         firstRow + count - 1, state.columns[i].name));
    }
    if (state.maxPredictions == 0 && state.task == TaskKind::None) // running text: every token counts
        std::fill(out.inputMask.begin(), out.inputMask.end(), std::int8_t{1});
    return {};
}

Result<FoundShape> readShardShape(const fs::path& file)
{
    TRAINYARD_TRY(const Hdf5Handle handle, openFile(file));
    const auto has = [&](const Column& column) {
        return H5Lexists(handle.get(), column.name, H5P_DEFAULT) > 0;
    };
    const auto widthOf = [&](const Column& column) -> Result<int> {
        TRAINYARD_TRY(const Hdf5Handle dataset, openColumn(handle, file, column));
        const auto shape = shapeOf(dataset);
        if (shape.size() != 2)
            return wrongColumn(file, column, fmt::format("has {} dimensions, expected 2", shape.size()));
        if (shape[1] < 1 || shape[1] > kWidestColumn)
            return wrongColumn(file, column, fmt::format("has {} values per row", shape[1]));
        return static_cast<int>(shape[1]);
    };
    FoundShape found;
    TRAINYARD_TRY(found.sequenceLength, widthOf(kShardColumns[0]));
    if (std::none_of(kShardColumns.begin() + 1, kShardColumns.end(), has))
        return found;
    TRAINYARD_TRY(found.maxPredictions, widthOf(kShardColumns[3]));
    const auto origins = columnsOf(found.maxPredictions, true).subspan(kShardColumns.size());
    found.provenance = std::any_of(origins.begin(), origins.end(), has);
    return found;
}

} // namespace trainyard
