#pragma once

#include <atomic>
#include <cstdint>
#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/result.h"
#include "remote/agent/links/neighbour_agent.h"

namespace trainyard::agent {

/// A file to send.
struct PushedFile {
    std::filesystem::path path; ///< here
    bool mayCome = true;        ///< a blob of the store, which may still be on its way here
    std::uint64_t size = 0;     ///< bytes
    std::string sha256;
};

/// Sends files of this host into the blob store of another, in their order, each as soon as it is whole here:
/// so hosts form a chain in which every link is busy at once. The other agent verifies what it receives, and
/// an interrupted file resumes after its verified bytes.
class BlobPush {
public:
    BlobPush(AgentAddress to, std::string known, std::vector<PushedFile> files)
        : m_client(std::move(to), std::move(known)), m_files(std::move(files))
    {
    }

    /// Blocks until all are there, also while one that may come has not. Unreachable when the other host is
    /// not, or stays silent; Failed when a file is gone; Cancelled by stop(); the other agent's errors.
    Status run();
    /// Any thread.
    void stop() { m_client.stop(); }
    /// Bytes of the files that the other host has, whether sent now or before. Any thread.
    std::uint64_t done() const { return m_done; }

private:
    Status sendAll();
    Status awaitFile(const PushedFile& file);
    Result<std::int64_t> missingFrom(const PushedFile& file);
    Status send(const PushedFile& file, std::uint64_t offset);
    Status fillWindow(int source, std::uint32_t put, const PushedFile& file, std::uint64_t& at,
                      std::uint64_t received);

    NeighbourAgent m_client;
    std::vector<PushedFile> m_files;
    std::uint64_t m_whole = 0; ///< bytes of files that are there
    std::atomic<std::uint64_t> m_done{0};
};

} // namespace trainyard::agent
