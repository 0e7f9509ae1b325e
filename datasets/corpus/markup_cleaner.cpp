#include "datasets/corpus/markup_cleaner.h"

#include "datasets/corpus/braces.h"
#include "datasets/corpus/links.h"
#include "datasets/corpus/tags.h"

namespace trainyard {

CleanText cleanMarkup(std::string_view markup, const MarkupSettings& settings)
{
    // Footnotes and listings first: they hold braces and brackets that belong to nobody.
    CleanText clean;
    clean.paragraphs = joinParagraphs(dropTags(replaceLinks(replaceBraces(dropElements(markup)), settings)),
                                      settings, clean.dropped);
    return clean;
}

CleanText cleanMarkup(std::string_view markup)
{
    static const MarkupSettings settings;
    return cleanMarkup(markup, settings);
}

} // namespace trainyard
