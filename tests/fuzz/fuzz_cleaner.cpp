#include <algorithm>
#include <array>

#include "datasets/corpus/markup_cleaner.h"
#include "datasets/corpus/sentence_segmenter.h"
#include "datasets/input/utf8_repair.h"
#include "engine/base/check.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

bool isBlank(char c)
{
    return c == ' ';
}

/// What a reader of running text must not see.
void checkResidue(std::string_view paragraph)
{
    constexpr std::array<std::string_view, 2> kMarkup{"\n", "\r"};
    for (const std::string_view markup : kMarkup)
        TRAINYARD_CHECK_MSG(paragraph.find(markup) == std::string_view::npos, std::string(paragraph));
    TRAINYARD_CHECK(!paragraph.empty());
    TRAINYARD_CHECK(validUtf8Prefix(paragraph) == paragraph.size());
}

/// The sentences are the paragraph without the blanks between them.
void checkSentences(std::string_view paragraph)
{
    const char* at = paragraph.data();
    for (const std::string_view sentence : splitSentences(paragraph)) {
        TRAINYARD_CHECK(!sentence.empty() && sentence.data() >= at);
        TRAINYARD_CHECK(std::all_of(at, sentence.data(), isBlank));
        at = sentence.data() + sentence.size();
    }
    TRAINYARD_CHECK(std::all_of(at, paragraph.data() + paragraph.size(), isBlank));
}

} // namespace

/// Wiki markup; bytes that are no UTF-8 are replaced first, as the reader does.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    std::string markup(bytesOf(data, size));
    repairUtf8(markup);
    for (const std::string& paragraph : cleanMarkup(markup).paragraphs) {
        checkResidue(paragraph);
        checkSentences(paragraph);
    }
    return 0;
}
