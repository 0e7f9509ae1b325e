#include "engine/base/hash.h"

#include <cerrno>
#include <fcntl.h>
#include <unistd.h>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <xxhash.h>

#include "engine/base/file.h"

namespace trainyard {

struct Sha256::Context {
    EVP_MD_CTX* evp = EVP_MD_CTX_new();
    ~Context() { EVP_MD_CTX_free(evp); }
};

Sha256::Sha256() : m_context(std::make_unique<Context>())
{
    TRAINYARD_CHECK(EVP_DigestInit_ex(m_context->evp, EVP_sha256(), nullptr) == 1);
}
Sha256::~Sha256() = default;
Sha256::Sha256(Sha256&&) noexcept = default;

void Sha256::update(std::string_view bytes)
{
    TRAINYARD_CHECK(EVP_DigestUpdate(m_context->evp, bytes.data(), bytes.size()) == 1);
}

std::string Sha256::hexDigest()
{
    std::array<unsigned char, 32> digest{};
    TRAINYARD_CHECK(EVP_DigestFinal_ex(m_context->evp, digest.data(), nullptr) == 1);
    std::string hex;
    for (const unsigned char byte : digest)
        hex += fmt::format("{:02x}", byte);
    return hex;
}

std::string sha256Hex(std::string_view bytes)
{
    Sha256 hash;
    hash.update(bytes);
    return hash.hexDigest();
}

Result<std::string> sha256OfFile(const std::filesystem::path& path)
{
    FileDescriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    if (!file.valid())
        return systemError(ErrorKind::BadInput, "cannot open " + path.string(), errno);
    Sha256 hash;
    std::string buffer(1 << 20, '\0');
    for (;;) {
        const ssize_t got = ::read(file.get(), buffer.data(), buffer.size());
        if (got == 0)
            return hash.hexDigest();
        if (got > 0)
            hash.update(std::string_view(buffer.data(), static_cast<std::size_t>(got)));
        else if (errno != EINTR)
            return systemError(ErrorKind::BadInput, "cannot read " + path.string(), errno);
    }
}

std::uint32_t checksum32(std::string_view bytes)
{
    return static_cast<std::uint32_t>(XXH3_64bits(bytes.data(), bytes.size()));
}

std::string xxh3Hex(std::string_view bytes)
{
    return fmt::format("{:016x}", XXH3_64bits(bytes.data(), bytes.size()));
}

struct Xxh3::State {
    XXH3_state_t* xxh3 = XXH3_createState();
    ~State() { XXH3_freeState(xxh3); }
};

Xxh3::Xxh3() : m_state(std::make_unique<State>())
{
    XXH3_64bits_reset(m_state->xxh3);
}
Xxh3::~Xxh3() = default;

void Xxh3::update(std::string_view bytes)
{
    XXH3_64bits_update(m_state->xxh3, bytes.data(), bytes.size());
}

std::string Xxh3::hexDigest() const
{
    return fmt::format("{:016x}", XXH3_64bits_digest(m_state->xxh3));
}

} // namespace trainyard
