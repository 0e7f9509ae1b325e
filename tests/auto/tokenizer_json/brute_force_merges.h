#pragma once

#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include <nlohmann/json.hpp>

#include "datasets/tokenizer/vocabulary_trainer.h"
#include "datasets/tokenizer_json/byte_alphabet.h"

namespace trainyard {

using Merges = std::vector<std::pair<std::string, std::string>>;

/// The definition, word for word: count all pairs anew, merge the most frequent one, of equally frequent ones
/// that of the older tokens.
class BruteForce {
public:
    explicit BruteForce(const WordCounts& counts)
    {
        for (const auto& [word, count] : counts) {
            std::vector<int> tokens;
            for (const char byte : word)
                tokens.push_back(idOfByte(static_cast<unsigned char>(byte)));
            m_words.emplace_back(std::move(tokens), count);
        }
    }

    Merges merges(std::size_t count)
    {
        Merges merges;
        while (merges.size() < count) {
            std::unordered_map<std::uint64_t, std::uint64_t> pairs;
            for (const auto& [tokens, occurrences] : m_words) {
                for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
                    pairs[keyOf(tokens[i], tokens[i + 1])] += occurrences;
            }
            std::uint64_t best = 0, most = 0;
            for (const auto& [pair, occurrences] : pairs) {
                if (occurrences > most || (occurrences == most && pair < best)) {
                    best = pair;
                    most = occurrences;
                }
            }
            if (most < 2)
                break;
            const int left = static_cast<int>(best >> 32), right = static_cast<int>(best & 0xFFFFFFFF);
            merges.emplace_back(m_names.at(left), m_names.at(right));
            merge(left, right, idOf(merges.back().first + merges.back().second));
        }
        return merges;
    }

private:
    static std::uint64_t keyOf(int left, int right)
    {
        return std::uint64_t(static_cast<unsigned>(left)) << 32 | static_cast<unsigned>(right);
    }

    /// Its bytes come in the order of their characters.
    int idOfByte(unsigned char byte)
    {
        if (m_ids.empty()) {
            std::map<char32_t, unsigned char> bytes;
            for (int i = 0; i < 256; ++i)
                bytes.emplace(characterOfByte(static_cast<unsigned char>(i)), static_cast<unsigned char>(i));
            for (const auto& [character, b] : bytes)
                idOf(spelledBytes(std::string(1, static_cast<char>(b))));
        }
        return idOf(spelledBytes(std::string(1, static_cast<char>(byte))));
    }

    int idOf(const std::string& name)
    {
        const auto [place, isNew] = m_ids.emplace(name, static_cast<int>(m_ids.size()));
        if (isNew)
            m_names.emplace(place->second, name);
        return place->second;
    }

    void merge(int left, int right, int whole)
    {
        for (auto& [tokens, occurrences] : m_words) {
            for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
                if (tokens[i] == left && tokens[i + 1] == right) {
                    tokens[i] = whole;
                    tokens.erase(tokens.begin() + static_cast<std::ptrdiff_t>(i) + 1);
                }
            }
        }
    }

    std::vector<std::pair<std::vector<int>, std::uint64_t>> m_words;
    std::map<std::string, int> m_ids;
    std::map<int, std::string> m_names;
};

/// Those of a tokenizer.json.
inline Merges mergesOf(const std::string& tokenizer)
{
    return nlohmann::json::parse(tokenizer).at("model").at("merges").get<Merges>();
}

} // namespace trainyard
