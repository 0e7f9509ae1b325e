#pragma once

#include <cstdint>
#include <filesystem>

namespace trainyard {

struct ProbeOptions {
    std::filesystem::path runDirectory;
    std::uint32_t attempt = 1;
};

/// `trainyard-worker probe`: one rank of the probes that probe.json, a specification, asks for. Rank 0 writes
/// the stream "probe" and in the end probes.json. Returns the exit status; SIGTERM ends it at once.
int runProbe(const ProbeOptions& options);

} // namespace trainyard
