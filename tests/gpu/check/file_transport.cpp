#include "tests/gpu/check/file_transport.h"

#include <algorithm>
#include <chrono>
#include <cstring>
#include <thread>

#include <fmt/format.h>

#include "engine/base/check.h"
#include "engine/base/file.h"
#include "engine/comm/process_group.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

constexpr std::chrono::seconds kLimit{60};

std::string_view textOf(std::span<const std::byte> bytes)
{
    return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

template <typename T>
void combine(T* into, const std::string& bytes, std::size_t count, ReduceOp op)
{
    std::vector<T> other(count);
    std::memcpy(other.data(), bytes.data(), count * sizeof(T));
    for (std::size_t i = 0; i < count; ++i)
        into[i] = op == ReduceOp::Sum ? into[i] + other[i] : std::max(into[i], other[i]);
}

} // namespace

FileTransport::FileTransport(fs::path folder, Rank rank, WorldSize size)
    : m_folder(std::move(folder)), m_rank(rank), m_size(size)
{
    fs::create_directories(m_folder);
}

std::string FileTransport::await(const fs::path& file) const
{
    const auto deadline = std::chrono::steady_clock::now() + kLimit;
    while (!fs::exists(file)) {
        if (std::chrono::steady_clock::now() > deadline)
            throw CommunicationError(fmt::format("{} did not come", file.filename().string()));
        std::this_thread::sleep_for(std::chrono::milliseconds(2));
    }
    return readFile(file).value();
}

std::vector<std::string> FileTransport::exchange(std::string_view mine)
{
    const auto fileOf = [this](int rank) { return m_folder / fmt::format("call-{}-rank-{}", m_calls, rank); };
    TRAINYARD_CHECK(writeFileAtomically(fileOf(m_rank.value), mine).ok());
    std::vector<std::string> all;
    for (int rank = 0; rank < m_size.value; ++rank)
        all.push_back(await(fileOf(rank)));
    ++m_calls;
    return all;
}

void FileTransport::allReduce(FloatSpan values, ReduceOp op)
{
    const auto all = exchange(textOf(values.asBytes()));
    std::memcpy(values.data, all.front().data(), values.bytes());
    for (std::size_t rank = 1; rank < all.size(); ++rank) {
        if (values.type == FloatType::Float64)
            combine(static_cast<double*>(values.data), all[rank], values.count, op);
        else if (values.type == FloatType::Float32)
            combine(static_cast<float*>(values.data), all[rank], values.count, op);
        else
            TRAINYARD_CHECK_MSG(false, "16-bit numbers of host memory are not added up");
    }
}

void FileTransport::broadcast(std::span<std::byte> bytes, Rank root)
{
    const auto all = exchange(m_rank == root ? textOf(bytes) : std::string_view());
    std::memcpy(bytes.data(), all[static_cast<std::size_t>(root.value)].data(), bytes.size());
}

std::vector<std::string> FileTransport::gather(std::string_view bytes)
{
    auto all = exchange(bytes);
    return m_rank.value == 0 ? all : std::vector<std::string>();
}

void FileTransport::allGather(std::span<std::byte> all)
{
    const std::size_t part = all.size() / static_cast<std::size_t>(m_size.value);
    const auto parts = exchange(textOf(all.subspan(part * static_cast<std::size_t>(m_rank.value), part)));
    for (std::size_t rank = 0; rank < parts.size(); ++rank)
        std::memcpy(all.data() + rank * part, parts[rank].data(), part);
}

void FileTransport::send(std::span<const std::byte>, Rank)
{
    TRAINYARD_CHECK_MSG(false, "ranks of a file transport send no messages");
}

void FileTransport::receive(std::span<std::byte>, Rank)
{
    TRAINYARD_CHECK_MSG(false, "ranks of a file transport send no messages");
}

bool FileTransport::tryReceive(std::span<std::byte>, Rank)
{
    return false;
}

std::unique_ptr<ProcessGroup> FileGroupMaker::make(const GroupDescription& description)
{
    return std::make_unique<ProcessGroup>(
        ProcessGroup::Parts{std::make_unique<FileTransport>(
                                m_folder / fmt::format("group-{}", description.number), m_rank, m_size),
                            nullptr, nullptr, description.number});
}

} // namespace trainyard
