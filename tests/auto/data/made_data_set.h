#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "tests/support/bundle/small_bundle.h"

namespace trainyard::test {

/// Writes a folder with a manifest that names a vocabulary and `shards` files of `bytes` each; their content
/// is not that of a data set. The same for the same seed.
inline void makeDataSet(const std::filesystem::path& folder, int shards, std::size_t bytes, unsigned seed = 1)
{
    std::filesystem::create_directories(folder);
    const auto write = [&](const std::string& name, const std::string& content) {
        (void)writeFileAtomically(folder / name, content);
        return "\"" + name + "\", \"sha256\": \"" + sha256Hex(content) + "\"";
    };
    const std::string vocabulary = "[PAD]\n[UNK]\n" + std::to_string(seed) + "\n";
    (void)writeFileAtomically(folder / "vocab.txt", vocabulary);
    std::string list;
    for (int shard = 0; shard < shards; ++shard)
        list += (shard > 0 ? ", " : "") + std::string("{\"file\": ") +
                write("train-" + std::to_string(shard) + ".hdf5",
                      support::noise(bytes, seed * 100 + static_cast<unsigned>(shard))) +
                ", \"rows\": 1, \"training\": true}";
    (void)writeFileAtomically(
        folder / "manifest.json",
        "{\"version\": 1, \"vocabulary_file\": \"vocab.txt\", \"vocabulary_sha256\": \"" +
            sha256Hex(vocabulary) + "\", \"shards\": [" + list + "]}\n");
}

} // namespace trainyard::test
