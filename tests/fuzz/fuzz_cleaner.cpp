#include <algorithm>
#include <array>
#include <cctype>

#include "datasets/corpus/markup_cleaner.h"
#include "datasets/corpus/rule_segmenter.h"
#include "engine/base/check.h"
#include "engine/base/utf8.h"
#include "tests/fuzz/check_sentences.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

/// What a reader of running text must not see. `literal`: the article shows markup as its text.
void checkResidue(std::string_view paragraph, bool literal)
{
    constexpr std::array<std::string_view, 5> kMarkup{"{{", "}}", "[[", "]]", "<!--"};
    for (const std::string_view markup : kMarkup)
        TRAINYARD_CHECK_MSG(literal || paragraph.find(markup) == std::string_view::npos,
                            std::string(paragraph));
    TRAINYARD_CHECK(!paragraph.empty() && paragraph.find_first_of("\n\r") == std::string_view::npos);
    TRAINYARD_CHECK(isUtf8(paragraph));
}

/// Entities and <nowiki> are there to show it.
bool showsMarkup(std::string markup)
{
    std::transform(markup.begin(), markup.end(), markup.begin(),
                   [](unsigned char c) { return std::tolower(c); });
    return markup.find('&') != std::string::npos || markup.find("nowiki") != std::string::npos;
}

} // namespace

/// Wiki markup; bytes that are no UTF-8 are replaced first, as the reader does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string markup(bytesOf(data, size));
    repairUtf8(markup);
    const bool literal = showsMarkup(markup);
    for (const Paragraph& paragraph : cleanMarkup(markup).paragraphs) {
        checkResidue(paragraph.text, literal);
        checkSentences(RuleSegmenter(), paragraph.text);
    }
    return 0;
}
