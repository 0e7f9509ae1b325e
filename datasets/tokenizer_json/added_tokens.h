#pragma once

#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "datasets/tokenizer/piece_trie.h"
#include "datasets/tokenizer_json/code_point_set.h"

namespace trainyard {

/// One of the "added_tokens" of a tokenizer.json.
struct AddedToken {
    std::string content;
    std::int32_t id = 0;
    bool singleWord = false; ///< only where no letter or digit is beside it
    bool leftStrip = false;  ///< takes the white space before it
    bool rightStrip = false;
    bool isSpecial = false;  ///< frames texts rather than being a part of them
    bool normalized = false; ///< looked for in the text after the normalizer, as the normalizer makes it
};

/// Tokens that are found in a text before anything else: at each place the longest, from left to right.
/// Immutable; any thread may use it.
class AddedTokens {
public:
    explicit AddedTokens(std::vector<AddedToken> tokens);

    bool isEmpty() const { return m_tokens.empty(); }

    /// Calls text(begin, end) for what lies between tokens, if it is not empty, and token(id, begin, end), in
    /// their order.
    template <typename Text, typename Token>
    void split(std::string_view text, Text onText, Token onToken) const
    {
        std::size_t done = 0;
        for (std::size_t at = 0; at < text.size();) {
            const Found found = find(text, at);
            if (!found.token)
                break;
            at = found.end;
            const Span span = spanOf(*found.token, text, found, done);
            if (!span.isToken)
                continue;
            if (span.begin > done)
                onText(done, span.begin);
            onToken(found.token->id, span.begin, span.end);
            done = span.end;
        }
        if (done < text.size())
            onText(done, text.size());
    }

private:
    struct Found {
        const AddedToken* token = nullptr;
        std::size_t begin = 0;
        std::size_t end = 0;
    };
    struct Span {
        bool isToken;
        std::size_t begin;
        std::size_t end;
    };
    Found find(std::string_view text, std::size_t from) const;
    Span spanOf(const AddedToken& token, std::string_view text, const Found& found, std::size_t done) const;

    std::vector<AddedToken> m_tokens;
    PieceTrie m_trie; ///< of their contents
    std::array<bool, 256> m_begins{};
    CodePointSet m_word; ///< \w of Rust
};

} // namespace trainyard
