#pragma once

#include <cstddef>
#include <random>
#include <string>
#include <string_view>
#include <vector>

namespace trainyard {

/// Makes new inputs of known ones: bits flipped, bytes set, ranges erased, moved and repeated, words of a
/// dictionary put in, inputs spliced. The same seed makes the same inputs.
class Mutator {
public:
    Mutator(std::uint64_t seed, std::vector<std::string> words, std::size_t longest);

    /// One to eight changes to `input`; `other` lends parts of itself.
    std::string mutate(std::string input, std::string_view other);
    /// Below `limit`, which is not 0.
    std::size_t below(std::size_t limit) { return m_random() % limit; }

private:
    struct Range {
        std::size_t begin;
        std::size_t size;
    };
    void change(std::string& input, std::string_view other);
    void putIn(std::string& input, std::string_view part);
    Range rangeIn(std::string_view text);
    std::string_view word();

    std::mt19937_64 m_random;
    std::vector<std::string> m_words;
    std::size_t m_longest;
};

/// The words of a dictionary file as libFuzzer reads it: a quoted string a line, with \" \\ and \xAB;
/// anything before the first quote is a name.
std::vector<std::string> dictionaryWords(std::string_view text);

} // namespace trainyard
