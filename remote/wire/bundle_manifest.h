#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "engine/base/result.h"

namespace trainyard {

/// One file of a node bundle.
struct BundleFile {
    std::string path;        ///< relative, '/'-separated plain names: "bin/trainyard-worker"
    bool executable = false; ///< mode 0755, otherwise 0644
    std::string sha256;      ///< of the content, 64 lower-case hex digits
};

/// True for 64 lower-case hex digits.
bool isSha256(std::string_view text);

/// True for a relative path of plain names without "..", "." and empty parts.
bool isBundlePath(std::string_view path);

/// `<sha256> <0755|0644> <path>\n` for each file, in the byte order of the paths. BadInput when there is no
/// file, a path or hash is not well-formed, a path comes twice, or one path is a folder of another.
Result<std::string> canonicalManifest(std::vector<BundleFile> files);

/// The SHA-256 of the canonical manifest: same files, same id, everywhere.
Result<std::string> bundleId(std::vector<BundleFile> files);

} // namespace trainyard
