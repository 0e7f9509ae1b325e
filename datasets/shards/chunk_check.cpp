#include "datasets/shards/chunk_check.h"

#include <algorithm>
#include <array>
#include <functional>
#include <libdeflate.h>
#include <memory>
#include <numeric>
#include <span>
#include <vector>

#include <fmt/format.h>

namespace trainyard {

namespace {

constexpr std::size_t kChecksumBytes = 4;              // of fletcher32, behind the chunk
constexpr hsize_t kMaxChunkBytes = hsize_t{256} << 20; // bytes; what is larger is damage

using Filters = std::vector<H5Z_filter_t>;

Filters filtersOf(const Hdf5Handle& properties)
{
    Filters filters;
    for (int i = 0; i < H5Pget_nfilters(properties.get()); ++i) {
        unsigned flags = 0;
        std::size_t values = 0;
        filters.push_back(H5Pget_filter2(properties.get(), static_cast<unsigned>(i), &flags, &values, nullptr,
                                         0, nullptr, nullptr));
    }
    return filters;
}

/// Some of those that HDF5 always brings along, in the order in which they make sense for rows.
bool areUsual(const Filters& filters)
{
    constexpr std::array kUsual{H5Z_FILTER_SHUFFLE, H5Z_FILTER_DEFLATE, H5Z_FILTER_FLETCHER32};
    auto from = kUsual.begin();
    for (const H5Z_filter_t filter : filters) {
        from = std::find(from, kUsual.end(), filter);
        if (from == kUsual.end())
            return false;
        ++from;
    }
    return true;
}

bool has(const Filters& filters, H5Z_filter_t filter)
{
    return std::find(filters.begin(), filters.end(), filter) != filters.end();
}

/// The grid of a dataset's chunks.
class ChunkGrid {
public:
    ChunkGrid(const Hdf5Handle& dataset, const Hdf5Handle& properties)
        : m_space(H5Dget_space(dataset.get()), H5Sclose)
    {
        const int rank = std::max(H5Sget_simple_extent_ndims(m_space.get()), 1);
        m_shape.resize(static_cast<std::size_t>(rank));
        m_chunk.resize(m_shape.size());
        H5Sget_simple_extent_dims(m_space.get(), m_shape.data(), nullptr);
        H5Pget_chunk(properties.get(), rank, m_chunk.data());
    }
    const Hdf5Handle& space() const { return m_space; }
    hsize_t valuesPerChunk() const // two factors of 32 bits in a file
    {
        return std::accumulate(m_chunk.begin(), m_chunk.end(), hsize_t{1}, std::multiplies<>());
    }
    hsize_t chunks() const { return along(0) * along(1); }
    /// Returns the coordinates of the first value of a chunk; chunks are numbered row by row.
    std::vector<hsize_t> begin(hsize_t number) const
    {
        std::vector<hsize_t> at(m_shape.size());
        at.back() = number % along(1) * m_chunk.back();
        at.front() = number / along(1) * m_chunk.front();
        return at;
    }

private:
    hsize_t along(std::size_t axis) const
    {
        if (axis >= m_shape.size() || m_chunk[axis] == 0)
            return 1;
        return m_shape[axis] / m_chunk[axis] + (m_shape[axis] % m_chunk[axis] != 0);
    }
    Hdf5Handle m_space;
    std::vector<hsize_t> m_shape;
    std::vector<hsize_t> m_chunk;
};

/// The stored bytes give exactly `chunkBytes` of values.
bool inflatesTo(std::size_t chunkBytes, std::span<const char> stored)
{
    const std::unique_ptr<libdeflate_decompressor, void (*)(libdeflate_decompressor*)> inflate(
        libdeflate_alloc_decompressor(), libdeflate_free_decompressor);
    std::vector<char> values(chunkBytes);
    return libdeflate_zlib_decompress(inflate.get(), stored.data(), stored.size(), values.data(),
                                      values.size(), nullptr) == LIBDEFLATE_SUCCESS;
}

bool firstChunkFits(const Hdf5Handle& dataset, const ChunkGrid& grid, const Filters& filters,
                    hsize_t storedBytes, std::size_t chunkBytes)
{
    const std::size_t behind = has(filters, H5Z_FILTER_FLETCHER32) ? kChecksumBytes : 0;
    if (!has(filters, H5Z_FILTER_DEFLATE))
        return storedBytes == chunkBytes + behind;
    std::vector<char> stored(storedBytes);
    std::uint32_t leftOut = 0;
    if (storedBytes <= behind ||
        H5Dread_chunk(dataset.get(), H5P_DEFAULT, grid.begin(0).data(), &leftOut, stored.data()) < 0)
        return false;
    return inflatesTo(chunkBytes, std::span(stored).first(storedBytes - behind));
}

} // namespace

std::string chunkProblem(const Hdf5Handle& dataset)
{
    const Hdf5Handle properties(H5Dget_create_plist(dataset.get()), H5Pclose);
    if (H5Pget_layout(properties.get()) != H5D_CHUNKED)
        return {};
    const Hdf5Handle type(H5Dget_type(dataset.get()), H5Tclose);
    const ChunkGrid grid(dataset, properties);
    const Filters filters = filtersOf(properties);
    const hsize_t values = grid.valuesPerChunk();
    const hsize_t chunkBytes = values > kMaxChunkBytes ? 0 : values * H5Tget_size(type.get());
    hsize_t stored = 0;
    if (!areUsual(filters) || chunkBytes == 0 || chunkBytes > kMaxChunkBytes)
        return "has filters or chunk sizes that stock HDF5 cannot read";
    if (H5Dget_num_chunks(dataset.get(), grid.space().get(), &stored) < 0 || stored != grid.chunks())
        return fmt::format("has {} chunks, expected {}", stored, grid.chunks());
    for (hsize_t number = 0; number < stored; ++number) {
        unsigned leftOut = 0;
        haddr_t address = 0;
        hsize_t bytes = 0;
        const bool found = H5Dget_chunk_info_by_coord(dataset.get(), grid.begin(number).data(), &leftOut,
                                                      &address, &bytes) >= 0;
        if (!found || leftOut != 0 || bytes > kMaxChunkBytes ||
            (number == 0 && !firstChunkFits(dataset, grid, filters, bytes, chunkBytes)))
            return fmt::format("has a damaged chunk at row {}", grid.begin(number).front());
    }
    return {};
}

} // namespace trainyard
