#pragma once

#include <array>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <string>
#include <string_view>

#include "engine/base/result.h"

namespace trainyard {

/// SHA-256, fed in pieces. Names content: bundles, shards, vocabularies.
class Sha256 {
public:
    Sha256();
    ~Sha256();
    Sha256(Sha256&&) noexcept;
    void update(std::string_view bytes);
    /// 64 lower-case hex digits; the object must not be used afterwards.
    std::string hexDigest();

private:
    struct Context;
    std::unique_ptr<Context> m_context;
};

std::string sha256Hex(std::string_view bytes);
Result<std::string> sha256OfFile(const std::filesystem::path& path);

/// Frame check: the low 32 bits of XXH3-64. Detects damage, not attacks.
std::uint32_t checksum32(std::string_view bytes);

/// XXH3-64, as 16 hex digits; names the content of a tensor slice in a checkpoint.
std::string xxh3Hex(std::string_view bytes);

/// The same, fed in pieces.
class Xxh3 {
public:
    Xxh3();
    ~Xxh3();
    void update(std::string_view bytes);
    /// 16 hex digits, of the bytes fed so far.
    std::string hexDigest() const;

private:
    struct State;
    std::unique_ptr<State> m_state;
};

} // namespace trainyard
