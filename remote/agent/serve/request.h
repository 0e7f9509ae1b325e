#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "engine/base/result.h"

namespace trainyard::agent {

struct Request {
    std::uint32_t id = 0;
    std::string op;
    nlohmann::json body;
};

/// BadInput when the payload is not a JSON object with "id" and "op". Sets `id` as soon as it is known, so
/// that the error can be sent to its request.
Result<Request> parseRequest(std::string_view payload, std::uint32_t& id);

/// Typed access to a request's fields; every error names the field.
class Fields {
public:
    explicit Fields(const nlohmann::json& object) : m_object(object) {}

    Result<std::string> text(const char* name) const;
    Result<std::string> textOr(const char* name, const std::string& otherwise) const;
    Result<std::int64_t> number(const char* name, std::int64_t least, std::int64_t most) const;
    Result<std::int64_t> numberOr(const char* name, std::int64_t otherwise, std::int64_t least,
                                  std::int64_t most) const;
    Result<bool> flagOr(const char* name, bool otherwise) const;
    /// An array of at most `most` entries.
    Result<nlohmann::json> list(const char* name, std::size_t most) const;
    /// Returns the value as JSON text; a string is returned as the text itself, to keep it byte for byte.
    Result<std::string> document(const char* name) const;

private:
    const nlohmann::json& m_object;
};

/// Reads a field that must be a SHA-256.
Result<std::string> sha256Field(const nlohmann::json& object, const char* name);

/// The optional list "known_hosts"; BadInput as checkKnownHosts().
Result<std::vector<std::string>> knownHostsIn(const nlohmann::json& request);

std::string replyText(std::uint32_t id, const nlohmann::json& fields);
std::string errorText(std::uint32_t id, const Error& error);

} // namespace trainyard::agent
