#include "remote/ssh/private_key.h"

#include <libssh/libssh.h>
#include <sys/stat.h>

#include "engine/base/file.h"
#include "remote/ssh/base64.h"

namespace trainyard::ssh {

namespace {

constexpr std::string_view kOpenSshBegin = "-----BEGIN OPENSSH PRIVATE KEY-----";
constexpr std::string_view kOpenSshMagic{"openssh-key-v1\0", 15};

/// OpenSSH's PROTOCOL.key: magic, then the cipher's name as the first string; "none" = not encrypted.
bool openSshKeyIsEncrypted(std::string_view content)
{
    std::string text;
    for (const char c : content.substr(kOpenSshBegin.size(), 120)) {
        if (c != '\n' && c != '\r')
            text += c;
    }
    const auto start = fromBase64(std::string_view(text).substr(0, text.size() / 4 * 4));
    return start && start->starts_with(kOpenSshMagic) &&
           std::string_view(*start).substr(kOpenSshMagic.size(), 8) != std::string_view("\0\0\0\4none", 8);
}

/// What follows so many strings of the wire format (RFC 4251, section 5); empty where there are fewer.
std::string_view behindStrings(std::string_view blob, int count)
{
    constexpr std::size_t kLengthBytes = 4;
    for (int i = 0; i < count; ++i) {
        if (blob.size() < kLengthBytes)
            return {};
        std::size_t length = 0;
        for (const char byte : blob.substr(0, kLengthBytes))
            length = length << 8 | static_cast<unsigned char>(byte);
        if (blob.size() - kLengthBytes < length)
            return {};
        blob.remove_prefix(kLengthBytes + length);
    }
    return blob;
}

Status checkPermissions(const std::filesystem::path& file)
{
    struct stat status {};
    if (::stat(file.c_str(), &status) == 0 && (status.st_mode & 077) != 0)
        return badInput("the key " + file.string() + " may be read by others, so it is not used",
                        "chmod 600 " + file.string());
    return {};
}

} // namespace

void Key::Free::operator()(ssh_key_struct* key) const
{
    ssh_key_free(key);
}

std::string Key::publicBlob() const
{
    char* text = nullptr;
    if (ssh_pki_export_pubkey_base64(handle(), &text) != SSH_OK)
        return {};
    std::string blob = fromBase64(text).value_or("");
    ssh_string_free_char(text);
    return blob;
}

bool isEncryptedKey(std::string_view content)
{
    if (content.starts_with(kOpenSshBegin))
        return openSshKeyIsEncrypted(content);
    return content.starts_with("-----BEGIN ENCRYPTED") ||
           content.find("Proc-Type: 4,ENCRYPTED") != content.npos;
}

Result<Key> loadPrivateKey(const std::filesystem::path& file, const Secret* passphrase)
{
    TRAINYARD_TRY_STATUS(checkPermissions(file));
    ssh_key key = nullptr;
    // The empty callback keeps libssh from asking on the terminal.
    const auto askNobody = [](const char*, char*, std::size_t, int, int, void*) { return -1; };
    if (ssh_pki_import_privkey_file(file.c_str(), passphrase ? passphrase->c_str() : nullptr, askNobody,
                                    nullptr, &key) == SSH_OK)
        return Key(key);
    if (passphrase)
        return refused("wrong passphrase for the key " + file.string());
    return badInput(file.string() + " is not a private key that can be used");
}

Result<Key> loadPublicKey(const std::filesystem::path& privateFile)
{
    ssh_key key = nullptr;
    if (ssh_pki_import_pubkey_file((privateFile.string() + ".pub").c_str(), &key) != SSH_OK)
        return badInput(privateFile.string() + ".pub cannot be read");
    return Key(key);
}

Result<Key> loadCertificate(const std::filesystem::path& file)
{
    ssh_key key = nullptr;
    if (ssh_pki_import_cert_file(file.c_str(), &key) != SSH_OK)
        return badInput(file.string() + " is not a certificate that can be used");
    return Key(key);
}

bool isCertificateOf(const Key& certificate, const Key& publicHalf)
{
    // A certificate begins with its kind and a random string, a key with its kind; then both have the same
    // numbers.
    const std::string certified = certificate.publicBlob();
    const std::string plain = publicHalf.publicBlob();
    const std::string_view numbers = behindStrings(plain, 1);
    return !numbers.empty() && behindStrings(certified, 2).starts_with(numbers);
}

Status attachCertificate(const Key& certificate, Key& privateKey)
{
    if (ssh_pki_copy_cert_to_privkey(certificate.handle(), privateKey.handle()) != SSH_OK)
        return badInput("the certificate belongs to another key");
    return {};
}

} // namespace trainyard::ssh
