#include "datasets/prepare/given_tokens.h"

#include <algorithm>

#include <fmt/format.h>

#include "datasets/input/indexed_dataset.h"
#include "datasets/input/raw_file.h"
#include "datasets/prepare/document_part.h"

namespace trainyard {

namespace fs = std::filesystem;

namespace {

bool holdsTokens(const fs::path& file)
{
    std::error_code ignored;
    if (!fs::is_regular_file(file, ignored))
        return false;
    auto raw = RawFile::open(file);
    const auto head = raw.ok() ? raw->peek(16) : Result<std::string_view>(raw.error());
    return head.ok() && IndexedDataset::recognizes(*head);
}

/// The first file or part with tokens; empty = there is none.
Result<fs::path> firstWithTokens(const PrepareOptions& options)
{
    const auto file = std::ranges::find_if(options.dumps, holdsTokens);
    if (file != options.dumps.end())
        return *file;
    for (const fs::path& folder : options.parts) {
        TRAINYARD_TRY(const DocumentPart part, DocumentPart::load(folder));
        if (part.corpus.format.find(nameOf(CorpusFormat::Megatron)) != std::string::npos)
            return folder;
    }
    return fs::path();
}

} // namespace

Status checkGivenTokens(const PrepareOptions& options)
{
    TRAINYARD_TRY(const fs::path found, firstWithTokens(options));
    if (found.empty())
        return {};
    if (options.trainVocabulary > 0 || options.trainTokenizer > 0)
        return badInput(fmt::format("{} has token ids, and no text to train a vocabulary on", found.string()),
                        "pass the tokenizer that it was made with: --tokenizer or --vocab");
    if (options.instances.objective != Objective::Tokens)
        return badInput(
            fmt::format("{} has token ids without sentences and words, which --objective {} needs",
                        found.string(), nameOf(options.instances.objective)),
            "use --objective gpt, or pass the text");
    return {};
}

Result<TokenizedDocument> givenDocument(const CorpusDocument& document, const RowTokenizer& tokenizer)
{
    const auto size = static_cast<std::int32_t>(tokenizer.vocabulary.size());
    const auto wrong =
        std::ranges::find_if(document.ids, [size](std::int32_t id) { return id < 0 || id >= size; });
    if (wrong != document.ids.end())
        return badInput(fmt::format("the token id {} is none of the tokenizer's 0 to {}", *wrong, size - 1),
                        "pass the tokenizer that the file was made with");
    TokenizedDocument given;
    given.pageId = document.id;
    given.tokens = document.ids;
    if (!given.tokens.empty() && given.tokens.back() == tokenizer.vocabulary.special().documentEnd)
        given.tokens.pop_back(); // rows put one behind every document
    if (given.tokens.empty())
        return given;
    given.sentenceEnds = {static_cast<std::uint32_t>(given.tokens.size())};
    given.textBytes = tokenizer.vocabulary.decode(given.tokens).size() + 1;
    return given;
}

} // namespace trainyard
