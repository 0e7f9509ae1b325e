#include <array>

#include "datasets/corpus/punkt_segmenter.h"
#include "engine/base/check.h"
#include "tests/fuzz/check_sentences.h"
#include "tests/support/fuzz/scratch_folder.h"

using namespace trainyard;

namespace {

/// The text up to the next form feed, which is taken away with it.
std::string_view part(std::string_view& text)
{
    const std::size_t end = std::min(text.find('\f'), text.size());
    const std::string_view front = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return front;
}

} // namespace

/// The four files of the parameters, then a text that they cut, with form feeds between them.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    static const ScratchFolder folder;
    std::string_view rest = bytesOf(data, size);
    for (const char* name :
         {"abbrev_types.txt", "collocations.tab", "ortho_context.tab", "sent_starters.txt"})
        folder.write(name, part(rest));
    auto parameters = PunktParameters::load(folder.path());
    if (!parameters.ok()) {
        TRAINYARD_CHECK(!parameters.error().message.empty());
        return 0;
    }
    checkSentences(PunktSegmenter(std::move(parameters.value())), rest);
    return 0;
}
