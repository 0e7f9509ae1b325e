#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace trainyard {

/// One field of a message in the wire format of Protocol Buffers
/// (https://protobuf.dev/programming-guides/encoding).
struct ProtoField {
    enum class Kind { Varint = 0, Fixed64 = 1, Bytes = 2, Fixed32 = 5 };

    std::uint32_t number = 0;
    Kind kind = Kind::Varint;
    std::uint64_t bits = 0; ///< of every kind but Bytes
    std::string_view bytes; ///< of Bytes: text, a message, or packed values

    double asDouble() const; ///< of Fixed64
    float asFloat() const;   ///< of Fixed32
};

/// Iterates over the fields of an untrusted message; never reads outside of it.
class ProtoReader {
public:
    explicit ProtoReader(std::string_view message) : m_rest(message) {}

    /// Nullopt at the end, and where the message is damaged.
    std::optional<ProtoField> next();
    bool isDamaged() const { return m_damaged; }

private:
    std::optional<std::uint64_t> varint();
    template <typename Number>
    std::optional<std::uint64_t> fixed();
    bool readValue(ProtoField& field);

    std::string_view m_rest;
    bool m_damaged = false;
};

/// Builds a message, field by field.
class ProtoWriter {
public:
    ProtoWriter& varint(std::uint32_t number, std::uint64_t value);
    ProtoWriter& fixed64(std::uint32_t number, double value);
    ProtoWriter& fixed32(std::uint32_t number, float value);
    ProtoWriter& bytes(std::uint32_t number, std::string_view value);

    const std::string& message() const { return m_message; }

private:
    void put(std::uint64_t value);
    void key(std::uint32_t number, ProtoField::Kind kind);

    std::string m_message;
};

} // namespace trainyard
