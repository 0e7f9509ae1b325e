#include "datasets/tokenizer_json/byte_pair_model.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/tokenizer_json/byte_alphabet.h"
#include "datasets/tokenizer_json/byte_pair_encoder.h"
#include "engine/base/utf8.h"

namespace trainyard {

namespace {

/// What two tokens become; a token that continues a piece loses its prefix.
std::string joined(const std::string& left, const std::string& right, const std::string& prefix)
{
    return left + (right.size() >= prefix.size() ? right.substr(prefix.size()) : right);
}

Result<MergeTable> mergesOf(const BytePairSettings& settings)
{
    MergeTable table(settings.merges.size());
    for (std::size_t i = 0; i < settings.merges.size(); ++i) {
        const auto& [left, right] = settings.merges[i];
        const std::string whole = joined(left, right, settings.continuingPrefix);
        const std::string* const tokens[] = {&left, &right, &whole};
        std::int32_t ids[3];
        for (std::size_t k = 0; k < 3; ++k) {
            const auto found = settings.vocabulary.find(*tokens[k]);
            if (found == settings.vocabulary.end())
                return badInput(
                    fmt::format("model.merges[{}] needs \"{}\", which is not in model.vocab", i, *tokens[k]),
                    "the file is damaged; get it again");
            ids[k] = found->second;
        }
        table.add(ids[0], ids[1], {static_cast<std::uint32_t>(i), ids[2]});
    }
    return table;
}

std::string byteToken(unsigned byte)
{
    return fmt::format("<0x{:02X}>", byte);
}

/// Nothing is unknown to it.
bool hasEveryByte(const BytePairSettings& settings)
{
    bool all = settings.isByteLevel && settings.continuingPrefix.empty() && settings.endSuffix.empty();
    for (int byte = 0; all && byte < 256; ++byte)
        all = settings.vocabulary.contains(spelledBytes(std::string(1, static_cast<char>(byte))));
    return all;
}

} // namespace

Result<BytePairModel> BytePairModel::create(const BytePairSettings& settings)
{
    // GPT-2's own file has "", which is no token and is never needed.
    if (settings.unknown && !settings.vocabulary.contains(*settings.unknown) && !hasEveryByte(settings))
        return badInput(fmt::format("model.unk_token \"{}\" is not in model.vocab", *settings.unknown),
                        "the file is damaged; get it again");
    if (settings.fallsBackToBytes && !(settings.continuingPrefix.empty() && settings.endSuffix.empty()))
        return badInput(
            "model.byte_fallback cannot be combined with continuing_subword_prefix or end_of_word_suffix",
            "use a tokenizer with one of them");
    TRAINYARD_TRY(MergeTable merges, mergesOf(settings));
    return BytePairModel(settings, std::move(merges));
}

BytePairModel::BytePairModel(const BytePairSettings& settings, MergeTable merges)
    : m_merges(std::move(merges))
    , m_fusesUnknown(settings.fusesUnknown)
    , m_isByteLevel(settings.isByteLevel)
    , m_hasPrefix(!settings.continuingPrefix.empty())
    , m_hasSuffix(!settings.endSuffix.empty())
{
    for (Characters& characters : m_characters)
        characters.bytes.fill(kNone);
    m_byteTokens.fill(kNone);
    if (settings.unknown && settings.vocabulary.contains(*settings.unknown))
        m_unknown = settings.vocabulary.at(*settings.unknown);
    for (unsigned byte = 0; settings.fallsBackToBytes && byte < m_byteTokens.size(); ++byte) {
        if (const auto found = settings.vocabulary.find(byteToken(byte)); found != settings.vocabulary.end())
            m_byteTokens[byte] = found->second;
    }
    for (const auto& [token, id] : settings.vocabulary) {
        addCharacter(token, id, settings);
        addLength(token, id);
        if (!settings.ignoresMerges)
            continue;
        if (auto bytes = m_isByteLevel ? bytesSpelledBy(token) : std::optional(token))
            m_pieces.emplace(std::move(*bytes), id);
    }
    for (const std::int32_t id : m_byteTokens) {
        if (id != kNone)
            m_lengths[static_cast<std::size_t>(id)] = 1;
    }
}

void BytePairModel::addLength(std::string_view token, std::int32_t id)
{
    const auto index = static_cast<std::size_t>(id);
    m_lengths.resize(std::max(m_lengths.size(), index + 1));
    const auto beginsCharacter = [](char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; };
    const auto length = m_isByteLevel ? std::ranges::count_if(token, beginsCharacter) : std::ssize(token);
    m_lengths[index] = static_cast<std::uint32_t>(length);
}

/// Into the tables of the positions where the token stands for a character.
void BytePairModel::addCharacter(const std::string& token, std::int32_t id, const BytePairSettings& settings)
{
    for (std::size_t position = 0; position < kPositions; ++position) {
        std::string_view character = token;
        const std::string_view prefix = position & 1 ? std::string_view(settings.continuingPrefix) : "";
        const std::string_view suffix = position & 2 ? std::string_view(settings.endSuffix) : "";
        if (character.size() <= prefix.size() + suffix.size() || !character.starts_with(prefix) ||
            !character.ends_with(suffix))
            continue;
        character = character.substr(prefix.size(), character.size() - prefix.size() - suffix.size());
        const Utf8Char c = decodeUtf8(character, 0);
        if (c.bytes != character.size())
            continue;
        if (!m_isByteLevel && c.code >= m_characters[position].bytes.size() / 2)
            m_characters[position].others.emplace(c.code, id);
        else if (!m_isByteLevel)
            m_characters[position].bytes[c.code] = id;
        else if (const auto byte = bytesSpelledBy(character))
            m_characters[position].bytes[static_cast<unsigned char>(byte->front())] = id;
    }
}

std::unique_ptr<PieceEncoder> BytePairModel::encoder() const
{
    return std::make_unique<BytePairEncoder>(*this);
}

void BytePairModel::encode(std::string_view piece, PairMerger& merger, std::vector<std::int32_t>& ids) const
{
    if (!m_pieces.empty()) {
        if (const auto found = m_pieces.find(piece); found != m_pieces.end()) {
            ids.push_back(found->second);
            return;
        }
    }
    const std::size_t begin = ids.size();
    appendCharacters(piece, ids);
    merger.merge(m_merges, ids, begin);
}

void BytePairModel::encodeAligned(std::string_view piece, std::vector<AlignedPiece>& tokens) const
{
    PairMerger merger;
    std::vector<std::int32_t> ids;
    encode(piece, merger, ids);
    const auto lengthOf = [&](std::int32_t id) { return m_lengths[static_cast<std::size_t>(id)]; };
    std::size_t total = 0;
    for (const std::int32_t id : ids)
        total += lengthOf(id);
    std::size_t at = 0;
    for (const std::int32_t id : ids) {
        const bool isHidden = total != piece.size(); // by unknown characters, prefixes or suffixes
        tokens.push_back({id, isHidden ? 0 : at, isHidden ? piece.size() : at + lengthOf(id)});
        at += lengthOf(id);
    }
}

void BytePairModel::appendCharacters(std::string_view piece, std::vector<std::int32_t>& ids) const
{
    const auto characterAt = [&](std::string_view bytes) {
        return m_isByteLevel ? spelledBytes(bytes) : std::string(bytes);
    };
    bool isUnknownOpen = false; // an unknown token that is appended later
    for (std::size_t at = 0; at < piece.size();) {
        const bool isByte = m_isByteLevel || static_cast<unsigned char>(piece[at]) < 0x80;
        const Utf8Char c =
            isByte ? Utf8Char{static_cast<unsigned char>(piece[at]), 1} : decodeUtf8(piece, at);
        const Characters& characters = m_characters[positionOf(at == 0, at + c.bytes == piece.size())];
        std::int32_t id = isByte ? characters.bytes[c.code] : kNone;
        if (!isByte) {
            const auto found = characters.others.find(c.code);
            id = found == characters.others.end() ? kNone : found->second;
        }
        if (id != kNone) {
            if (std::exchange(isUnknownOpen, false))
                ids.push_back(m_unknown);
            ids.push_back(id);
        } else if (!appendBytes(characterAt(piece.substr(at, c.bytes)), ids) && m_unknown != kNone) {
            if (isUnknownOpen && !m_fusesUnknown)
                ids.push_back(m_unknown);
            isUnknownOpen = true;
        }
        at += c.bytes;
    }
    if (isUnknownOpen)
        ids.push_back(m_unknown);
}

/// False if there is no token for one of the bytes.
bool BytePairModel::appendBytes(std::string_view character, std::vector<std::int32_t>& ids) const
{
    for (const char byte : character) {
        if (m_byteTokens[static_cast<unsigned char>(byte)] == kNone)
            return false;
    }
    for (const char byte : character)
        ids.push_back(m_byteTokens[static_cast<unsigned char>(byte)]);
    return true;
}

} // namespace trainyard
