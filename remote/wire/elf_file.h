#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// The requirements in the dynamic section of a 64-bit little-endian ELF file, and the symbols it offers.
/// Read from the program headers, so a stripped file works too.
struct ElfFile {
    std::uint16_t machine = 0; ///< EM_X86_64 = 62, EM_AARCH64 = 183
    /// Libraries that it must be loaded with (DT_NEEDED), each with the symbol versions that it needs of it
    /// (.gnu.version_r): {"libc.so.6": {"GLIBC_2.34", …}}. Versions that are marked weak are left out.
    std::map<std::string, std::set<std::string>> needs;
    std::set<std::string> versions; ///< symbol versions that it defines (.gnu.version_d)
    std::string kernel; ///< oldest Linux that it runs on, "3.2.0" (NT_GNU_ABI_TAG); empty = not said
};

/// Returns nullopt for other files (a script, data, a 32-bit ELF file). BadInput for an ELF file whose tables
/// exceed it. Any thread.
Result<std::optional<ElfFile>> readElf(const std::filesystem::path& path);

/// "x86_64", "aarch64" as `uname -m` prints it; "ELF machine 21" for others.
std::string architectureName(std::uint16_t machine);

/// Returns the largest number after `prefix` ("GLIBC_"), part by part: "2.36" of {"GLIBC_2.4", "GLIBC_2.36",
/// "GLIBC_PRIVATE"}. Empty when there is none.
std::string newestVersion(const std::set<std::string>& versions, std::string_view prefix);

/// True when `left` is older than `right`, part by part: "2.9" < "2.36". An empty text is the oldest.
bool isOlder(std::string_view left, std::string_view right);

} // namespace trainyard
