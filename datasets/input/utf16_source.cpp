#include "datasets/input/utf16_source.h"

#include <string_view>

#include "engine/base/utf8.h"

namespace trainyard {

using namespace std::string_view_literals;

namespace {

enum class Order : std::uint8_t { LittleEndian, BigEndian };

struct Encoding {
    std::optional<Order> utf16; ///< nothing = UTF-8
    std::size_t markBytes = 0;
};

Encoding encodingOf(std::string_view head)
{
    if (head.starts_with("\xEF\xBB\xBF"sv))
        return {std::nullopt, 3};
    if (head.starts_with("\xFF\xFE"sv))
        return {Order::LittleEndian, 2};
    if (head.starts_with("\xFE\xFF"sv))
        return {Order::BigEndian, 2};
    if (head.starts_with("<\0"sv))
        return {Order::LittleEndian, 0};
    if (head.starts_with("\0<"sv))
        return {Order::BigEndian, 0};
    return {};
}

/// Converts UTF-16 that arrives bit by bit.
class Utf16Decoder {
public:
    explicit Utf16Decoder(Order order) : m_order(order) {}

    void decode(std::string_view bytes, std::string& out)
    {
        for (const char c : bytes) {
            const auto byte = static_cast<unsigned char>(c);
            if (!m_halfUnit) {
                m_halfUnit = byte;
                continue;
            }
            const bool little = m_order == Order::LittleEndian;
            addUnit(static_cast<char16_t>(little ? *m_halfUnit | byte << 8 : *m_halfUnit << 8 | byte), out);
            m_halfUnit.reset();
        }
    }
    void finish(std::string& out)
    {
        if (m_highSurrogate || m_halfUnit)
            appendUtf8(out, kReplacementCharacter);
        m_highSurrogate = 0;
        m_halfUnit.reset();
    }

private:
    void addUnit(char16_t unit, std::string& out)
    {
        const bool low = unit >= 0xDC00 && unit < 0xE000;
        if (m_highSurrogate && low) {
            appendUtf8(out, 0x10000 + ((m_highSurrogate - 0xD800u) << 10) + (unit - 0xDC00u));
            m_highSurrogate = 0;
            return;
        }
        if (m_highSurrogate)
            appendUtf8(out, kReplacementCharacter);
        m_highSurrogate = unit >= 0xD800 && unit < 0xDC00 ? unit : char16_t{0};
        if (!m_highSurrogate)
            appendUtf8(out, low ? kReplacementCharacter : char32_t{unit});
    }

    Order m_order;
    std::optional<unsigned char> m_halfUnit;
    char16_t m_highSurrogate = 0; ///< 0 = none waits for its other half
};

class Utf16Source final : public ByteSource {
public:
    Utf16Source(std::unique_ptr<ByteSource> source, std::string first, Order order)
        : m_source(std::move(source)), m_decoder(order)
    {
        m_decoder.decode(first, m_waiting);
    }

    Result<std::optional<ByteChunk>> next() override
    {
        while (m_waiting.empty() && !m_ended) {
            TRAINYARD_TRY(const auto chunk, m_source->next());
            m_ended = !chunk;
            if (chunk)
                m_decoder.decode(chunk->bytes, m_waiting);
            else
                m_decoder.finish(m_waiting);
        }
        if (m_waiting.empty())
            return std::optional<ByteChunk>();
        ByteChunk converted{std::exchange(m_waiting, {}), 0, m_produced};
        m_produced += converted.bytes.size();
        return std::optional(std::move(converted));
    }
    std::uint64_t fileOffset() const override { return m_source->fileOffset(); }

private:
    std::unique_ptr<ByteSource> m_source;
    Utf16Decoder m_decoder;
    std::string m_waiting;
    std::uint64_t m_produced = 0;
    bool m_ended = false;
};

/// Gives the first chunk back, which had to be looked at.
class PushedBackSource final : public ByteSource {
public:
    PushedBackSource(std::unique_ptr<ByteSource> source, ByteChunk first)
        : m_source(std::move(source)), m_first(std::move(first))
    {
    }
    Result<std::optional<ByteChunk>> next() override
    {
        if (m_first)
            return std::exchange(m_first, std::nullopt);
        return m_source->next();
    }
    std::uint64_t fileOffset() const override { return m_source->fileOffset(); }

private:
    std::unique_ptr<ByteSource> m_source;
    std::optional<ByteChunk> m_first;
};

} // namespace

Result<std::unique_ptr<ByteSource>> asUtf8(std::unique_ptr<ByteSource> source)
{
    TRAINYARD_TRY(auto first, source->next());
    if (!first)
        return source;
    const Encoding encoding = encodingOf(first->bytes);
    first->bytes.erase(0, encoding.markBytes);
    first->skip += encoding.markBytes;
    if (encoding.utf16)
        return std::unique_ptr<ByteSource>(
            std::make_unique<Utf16Source>(std::move(source), std::move(first->bytes), *encoding.utf16));
    return std::unique_ptr<ByteSource>(
        std::make_unique<PushedBackSource>(std::move(source), std::move(*first)));
}

} // namespace trainyard
