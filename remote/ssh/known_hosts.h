#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard::ssh {

/// A server's public key in SSH's wire form (RFC 4253 section 6.6).
struct HostKey {
    std::string blob;

    std::string type() const;        ///< "ssh-ed25519"; empty when the blob is none
    std::string fingerprint() const; ///< "SHA256:…" as `ssh-keygen -l` prints it
};

enum class KeyVerdict {
    Trusted,
    Unknown,   ///< no line names this host: a person decides
    OtherType, ///< the host is known, but only by keys of other types: to be treated as Changed
    Changed,   ///< a line names this host with another key of this type
    Revoked,   ///< an @revoked line has this key
};

/// A host's key in a line of known_hosts.
struct KnownKey {
    HostKey key;
    std::string source; ///< the file
    int line = 0;       ///< counted from 1
};

struct KeyAnswer {
    KeyVerdict verdict = KeyVerdict::Unknown;
    std::string where; ///< "/home/a/.ssh/known_hosts line 12", for Changed, OtherType and Revoked
    std::vector<std::string> notices; ///< lines that name this host but cannot be used
};

/// Our own reading of known_hosts, because libssh's accepts a changed key with `StrictHostKeyChecking no`,
/// does not know @revoked, and forgets a changed key when an unreadable line follows. Understands plain
/// names, wildcards, negation, [host]:port, hashed names (HMAC-SHA1) and @revoked. @cert-authority gives a
/// notice and counts as absent. Over all files the order is Revoked > Trusted > Changed > OtherType >
/// Unknown: one good line is enough, as with OpenSSH.
class KnownHosts {
public:
    /// Missing files count as empty; see unreadable().
    static KnownHosts load(const std::vector<std::filesystem::path>& files);
    void addText(const std::string& source, std::string_view text);

    /// `name` as HostConfig::knownHostsName().
    KeyAnswer check(std::string_view name, const HostKey& key) const;
    /// Returns the known keys of the host from lines without a marker, in the files' order.
    std::vector<KnownKey> keysOf(std::string_view name) const;
    /// Returns their types: the order in which to ask the server.
    std::vector<std::string> knownTypes(std::string_view name) const;
    /// Returns existing files that could not be read: their keys are unknown, so a key that no other line
    /// trusts must not be treated as new.
    const std::vector<std::string>& unreadable() const { return m_unreadable; }

private:
    struct Line {
        std::string source; ///< the file
        int number = 0;
        std::string marker; ///< "", "@revoked", "@cert-authority"
        std::string names;
        std::string type;
        std::string blob; ///< empty = unreadable

        std::string where() const; ///< "/home/a/.ssh/known_hosts line 12"
    };
    static Line parseLine(std::string_view text);

    std::vector<Line> m_lines;
    std::vector<std::string> m_unreadable;
};

/// Returns whether this field of a line names the host. Exposed for the test against `ssh-keygen -F`.
bool hostFieldMatches(std::string_view field, std::string_view name);

/// Returns `|1|<salt>|<hash>` with a fresh salt: a field that matches this name only.
std::string hashedHostName(std::string_view name);

} // namespace trainyard::ssh
