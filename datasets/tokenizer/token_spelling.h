#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace trainyard {

/// How the tokens of a tokenizer make up text. Immutable; any thread may use it.
class TokenSpelling {
public:
    virtual ~TokenSpelling() = default;

    /// Sets starts[i] to whether tokens[i] begins a word, for consecutive tokens of text without special
    /// ones. The first one does, even if the beginning of its word was cut off.
    virtual void findWords(std::span<const std::int32_t> tokens, std::vector<bool>& starts) const = 0;

    /// One token for a person to read, with "##" in front where it continues what is before it.
    virtual std::string shown(std::int32_t token) const = 0;

    /// The text that the tokens stand for. It need not be UTF-8: tokens may be parts of characters.
    virtual std::string decode(std::span<const std::int32_t> tokens) const = 0;
};

} // namespace trainyard
