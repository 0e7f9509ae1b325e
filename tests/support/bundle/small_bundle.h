#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "remote/deploy/bundle.h"

namespace trainyard::support {

/// A file of a made-up bundle.
struct BundleContent {
    std::string path;
    std::string bytes;
    bool executable = false;
    bool forCuda = false;
    bool forTables = false;
};

/// Writes the files and a manifest.json as packaging/bundle does.
void writeBundle(const std::filesystem::path& folder, const std::vector<BundleContent>& files,
                 const std::string& version = TRAINYARD_VERSION);

/// `size` bytes that do not repeat and do not compress; the same for the same seed.
std::string noise(std::size_t size, unsigned seed);

} // namespace trainyard::support
