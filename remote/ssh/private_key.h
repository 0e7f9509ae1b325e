#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "engine/base/result.h"
#include "remote/ssh/secret.h"

struct ssh_key_struct;

namespace trainyard::ssh {

/// Owns a key of libssh's.
class Key {
public:
    explicit Key(ssh_key_struct* key) : m_key(key) {}
    ssh_key_struct* handle() const { return m_key.get(); }
    /// The public half in wire form.
    std::string publicBlob() const;

private:
    struct Free {
        void operator()(ssh_key_struct* key) const;
    };
    std::unique_ptr<ssh_key_struct, Free> m_key;
};

/// Returns true when the file is a private key with a passphrase (OpenSSH's own format, PKCS#8 or the old PEM
/// one).
bool isEncryptedKey(std::string_view fileContent);

/// BadInput when others may read the file (ssh refuses it too) or it is not a key; Refused when the
/// passphrase is wrong.
Result<Key> loadPrivateKey(const std::filesystem::path& file, const Secret* passphrase);
/// Returns the `.pub` file next to a private key.
Result<Key> loadPublicKey(const std::filesystem::path& privateFile);

/// A user's certificate: a public key with what an authority says of it.
Result<Key> loadCertificate(const std::filesystem::path& file);
/// Whether the certificate is of that key.
bool isCertificateOf(const Key& certificate, const Key& publicHalf);
/// From then on the private key logs in with its certificate.
Status attachCertificate(const Key& certificate, Key& privateKey);

} // namespace trainyard::ssh
