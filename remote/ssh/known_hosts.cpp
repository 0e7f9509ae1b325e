#include "remote/ssh/known_hosts.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <sstream>

#include <fmt/format.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <openssl/rand.h>

#include "engine/base/file.h"
#include "engine/base/hash.h"
#include "remote/ssh/base64.h"

namespace trainyard::ssh {

namespace {

std::string lowered(std::string_view text)
{
    std::string lower(text);
    std::transform(lower.begin(), lower.end(), lower.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return lower;
}

/// '*' and '?' as in ssh_config(5) PATTERNS. Iterative, so a line of stars costs no more than its length
/// squared.
bool matchesPattern(std::string_view pattern, std::string_view text)
{
    std::size_t p = 0, t = 0, star = std::string_view::npos, retry = 0;
    while (t < text.size()) {
        if (p < pattern.size() && pattern[p] == '*') {
            star = p++;
            retry = t;
        } else if (p < pattern.size() && (pattern[p] == '?' || pattern[p] == text[t])) {
            ++p, ++t;
        } else if (star != std::string_view::npos) {
            p = star + 1;
            t = ++retry;
        } else {
            return false;
        }
    }
    while (p < pattern.size() && pattern[p] == '*')
        ++p;
    return p == pattern.size();
}

std::string hmacSha1(std::string_view key, std::string_view text)
{
    std::array<unsigned char, EVP_MAX_MD_SIZE> digest;
    unsigned int size = 0;
    HMAC(EVP_sha1(), key.data(), static_cast<int>(key.size()),
         reinterpret_cast<const unsigned char*>(text.data()), text.size(), digest.data(), &size);
    return {reinterpret_cast<const char*>(digest.data()), size};
}

/// `|1|<salt>|<HMAC-SHA1(salt, name)>`, both base64.
bool matchesHash(std::string_view field, std::string_view name)
{
    field.remove_prefix(3);
    const auto bar = field.find('|');
    if (bar == std::string_view::npos)
        return false;
    const auto salt = fromBase64(field.substr(0, bar));
    const auto hash = fromBase64(field.substr(bar + 1));
    return salt && hash && hmacSha1(*salt, name) == *hash;
}

/// The type name that a key's wire form starts with.
std::string typeInBlob(std::string_view blob)
{
    if (blob.size() < 4)
        return {};
    std::size_t size = 0;
    for (int i = 0; i < 4; ++i)
        size = size << 8 | static_cast<unsigned char>(blob[i]);
    return size <= blob.size() - 4 ? std::string(blob.substr(4, size)) : std::string();
}

std::string bytesOfHex(std::string_view hex)
{
    std::string bytes;
    for (std::size_t i = 0; i + 1 < hex.size(); i += 2)
        bytes += static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16));
    return bytes;
}

std::string_view takeWord(std::string_view& text)
{
    const auto begin = text.find_first_not_of(" \t\r");
    text.remove_prefix(std::min(begin, text.size()));
    const auto end = std::min(text.find_first_of(" \t\r"), text.size());
    const std::string_view word = text.substr(0, end);
    text.remove_prefix(end);
    return word;
}

/// A host reached at the default port may also be written with it.
std::vector<std::string> spellings(std::string_view name)
{
    const std::string lower = lowered(name);
    if (lower.starts_with('['))
        return {lower};
    return {lower, "[" + lower + "]:22"};
}

} // namespace

std::string HostKey::type() const
{
    return typeInBlob(blob);
}

std::string HostKey::fingerprint() const
{
    std::string text = toBase64(bytesOfHex(sha256Hex(blob)));
    while (text.ends_with('='))
        text.pop_back();
    return "SHA256:" + text;
}

bool hostFieldMatches(std::string_view field, std::string_view name)
{
    const auto names = spellings(name);
    if (field.starts_with("|1|"))
        return std::any_of(names.begin(), names.end(), [&](const auto& n) { return matchesHash(field, n); });
    bool matched = false;
    std::istringstream patterns{lowered(field)};
    for (std::string pattern; std::getline(patterns, pattern, ',');) {
        const bool negated = pattern.starts_with('!');
        const std::string_view bare = std::string_view(pattern).substr(negated ? 1 : 0);
        if (bare.empty() ||
            std::none_of(names.begin(), names.end(), [&](const auto& n) { return matchesPattern(bare, n); }))
            continue;
        if (negated)
            return false;
        matched = true;
    }
    return matched;
}

std::string hashedHostName(std::string_view name)
{
    std::string salt(20, '\0'); // as long as the hash, as ssh-keygen makes them
    TRAINYARD_CHECK(
        RAND_bytes(reinterpret_cast<unsigned char*>(salt.data()), static_cast<int>(salt.size())) == 1);
    return "|1|" + toBase64(salt) + '|' + toBase64(hmacSha1(salt, lowered(name)));
}

KnownHosts KnownHosts::load(const std::vector<std::filesystem::path>& files)
{
    KnownHosts hosts;
    for (const auto& file : files) {
        std::error_code unknown;
        if (const auto text = readFile(file); text.ok())
            hosts.addText(file.string(), *text);
        else if (std::filesystem::exists(file, unknown) || unknown)
            hosts.m_unreadable.push_back(file.string());
    }
    return hosts;
}

void KnownHosts::addText(const std::string& source, std::string_view text)
{
    std::istringstream lines{std::string(text)};
    int number = 0;
    for (std::string raw; std::getline(lines, raw);) {
        ++number;
        Line line = parseLine(raw);
        if (line.names.empty())
            continue;
        line.source = source;
        line.number = number;
        m_lines.push_back(std::move(line));
    }
}

KnownHosts::Line KnownHosts::parseLine(std::string_view text)
{
    Line line;
    std::string_view word = takeWord(text);
    if (word.empty() || word.starts_with('#'))
        return line;
    if (word.starts_with('@')) {
        line.marker = word;
        word = takeWord(text);
    }
    line.names = word;
    line.type = takeWord(text);
    if (auto blob = fromBase64(takeWord(text)); blob && typeInBlob(*blob) == line.type)
        line.blob = std::move(*blob);
    return line;
}

std::string KnownHosts::Line::where() const
{
    return fmt::format("{} line {}", source, number);
}

KeyAnswer KnownHosts::check(std::string_view name, const HostKey& key) const
{
    KeyAnswer answer;
    const auto raise = [&](KeyVerdict verdict, const std::string& where) {
        if (static_cast<int>(verdict) > static_cast<int>(answer.verdict)) {
            answer.verdict = verdict;
            answer.where = where;
        }
    };
    bool trusted = false;
    for (const Line& line : m_lines) {
        if (!hostFieldMatches(line.names, name))
            continue;
        if (line.marker == "@cert-authority")
            answer.notices.push_back(line.where() +
                                     ": host certificates are not supported; add the host's plain key");
        else if (line.blob.empty() || (!line.marker.empty() && line.marker != "@revoked"))
            answer.notices.push_back(line.where() + ": not readable, skipped");
        else if (line.marker == "@revoked" && line.blob == key.blob)
            raise(KeyVerdict::Revoked, line.where());
        else if (line.marker.empty() && line.blob == key.blob)
            trusted = true;
        else if (line.marker.empty())
            raise(line.type == key.type() ? KeyVerdict::Changed : KeyVerdict::OtherType, line.where());
    }
    if (trusted && answer.verdict != KeyVerdict::Revoked)
        answer.verdict = KeyVerdict::Trusted;
    return answer;
}

std::vector<KnownKey> KnownHosts::keysOf(std::string_view name) const
{
    std::vector<KnownKey> keys;
    for (const Line& line : m_lines) {
        if (line.marker.empty() && !line.blob.empty() && hostFieldMatches(line.names, name))
            keys.push_back({{line.blob}, line.source, line.number});
    }
    return keys;
}

std::vector<std::string> KnownHosts::knownTypes(std::string_view name) const
{
    std::vector<std::string> types;
    for (const KnownKey& known : keysOf(name)) {
        if (std::find(types.begin(), types.end(), known.key.type()) == types.end())
            types.push_back(known.key.type());
    }
    return types;
}

} // namespace trainyard::ssh
