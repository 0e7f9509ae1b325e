#include <vector>

#include "datasets/tokenizer_json/tokenizer_file.h"
#include "engine/base/check.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

std::vector<std::int32_t> idsOf(TextEncoder& encoder, std::string_view text)
{
    std::vector<std::int32_t> ids;
    encoder.encode(text, ids);
    return ids;
}

} // namespace

/// A tokenizer.json. Texts are short, because an expression may look at them in exponentially many ways.
/// Bytes that are no JSON are a text for a tokenizer that knows everything.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const auto everything = parseTokenizer(
        R"json({"version": "1.0", "added_tokens": [{"id": 5, "content": "<a>", "single_word": true, "lstrip": true,
            "rstrip": true, "normalized": false, "special": true}], "normalizer": {"type": "NFKC"},
            "pre_tokenizer": {"type": "Split", "pattern": {"Regex": "\\s+(?!\\S)|\\p{L}++|(?i:a|k)"},
            "behavior": "MergedWithNext", "invert": false}, "model": {"type": "BPE", "unk_token": "?",
            "byte_fallback": true, "vocab": {"a": 0, "b": 1, "?": 2, "<0xC3>": 3, "ab": 4}, "merges": ["a b"]}})json");
    const std::string_view bytes = bytesOf(data, size);
    const auto tokenizer = parseTokenizer(bytes);
    if (!tokenizer.ok()) {
        const auto encoder = (*everything)->encoder();
        TRAINYARD_CHECK(idsOf(*encoder, bytes) == idsOf(*encoder, bytes));
        return 0;
    }
    const auto encoder = (*tokenizer)->encoder();
    for (const char* const text : {"", "a", "ab a\n b", "\u00E9\u0301 \u4E2D\U0001F600", " <a> b'S \xFF"})
        TRAINYARD_CHECK(idsOf(*encoder, text) == idsOf(*encoder, text));
    return 0;
}
