#include "app/exchange/protocol_buffer.h"

#include <bit>

#include "engine/records/wire.h"

namespace trainyard {

namespace {

constexpr int kVarintBits = 64;

} // namespace

double ProtoField::asDouble() const
{
    return std::bit_cast<double>(bits);
}

float ProtoField::asFloat() const
{
    return std::bit_cast<float>(std::uint32_t(bits));
}

std::optional<ProtoField> ProtoReader::next()
{
    if (m_rest.empty() || m_damaged)
        return std::nullopt;
    ProtoField field;
    const auto key = varint();
    field.number = std::uint32_t(key.value_or(0) >> 3);
    field.kind = ProtoField::Kind(key.value_or(0) & 7);
    m_damaged = !key || field.number == 0 || !readValue(field);
    return m_damaged ? std::nullopt : std::optional(field);
}

template <typename Number>
std::optional<std::uint64_t> ProtoReader::fixed()
{
    WireReader in(m_rest);
    const auto value = in.number<Number>();
    if (!in.ok())
        return std::nullopt;
    m_rest.remove_prefix(sizeof value);
    return value;
}

bool ProtoReader::readValue(ProtoField& field)
{
    std::optional<std::uint64_t> value;
    switch (field.kind) {
    case ProtoField::Kind::Varint:
        value = varint();
        break;
    case ProtoField::Kind::Fixed64:
        value = fixed<std::uint64_t>();
        break;
    case ProtoField::Kind::Fixed32:
        value = fixed<std::uint32_t>();
        break;
    case ProtoField::Kind::Bytes:
        value = varint();
        if (!value || *value > m_rest.size())
            return false;
        field.bytes = m_rest.substr(0, *value);
        m_rest.remove_prefix(*value);
        return true;
    }
    field.bits = value.value_or(0);
    return value.has_value(); // groups (kinds 3 and 4) are not in use
}

std::optional<std::uint64_t> ProtoReader::varint()
{
    std::uint64_t value = 0;
    for (int shift = 0; shift < kVarintBits && !m_rest.empty(); shift += 7) {
        const auto byte = static_cast<unsigned char>(m_rest.front());
        m_rest.remove_prefix(1);
        value |= std::uint64_t(byte & 0x7f) << shift;
        if (byte < 0x80)
            return value;
    }
    return std::nullopt;
}

ProtoWriter& ProtoWriter::varint(std::uint32_t number, std::uint64_t value)
{
    key(number, ProtoField::Kind::Varint);
    put(value);
    return *this;
}

ProtoWriter& ProtoWriter::fixed64(std::uint32_t number, double value)
{
    key(number, ProtoField::Kind::Fixed64);
    WireWriter(m_message).number(value);
    return *this;
}

ProtoWriter& ProtoWriter::fixed32(std::uint32_t number, float value)
{
    key(number, ProtoField::Kind::Fixed32);
    WireWriter(m_message).number(value);
    return *this;
}

ProtoWriter& ProtoWriter::bytes(std::uint32_t number, std::string_view value)
{
    key(number, ProtoField::Kind::Bytes);
    put(value.size());
    m_message.append(value);
    return *this;
}

void ProtoWriter::key(std::uint32_t number, ProtoField::Kind kind)
{
    put(std::uint64_t(number) << 3 | std::uint64_t(kind));
}

void ProtoWriter::put(std::uint64_t value)
{
    for (; value >= 0x80; value >>= 7)
        m_message.push_back(char(value | 0x80));
    m_message.push_back(char(value));
}

} // namespace trainyard
