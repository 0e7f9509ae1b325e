#include "datasets/options/task_options.h"

namespace trainyard {

TaskOptions TaskOptions::meaningful() const
{
    const TaskOptions usual;
    const bool isOfSentences = kind == TaskKind::Classify || kind == TaskKind::Regress;
    const bool isOfTable = isOfSentences || kind == TaskKind::Complete;
    TaskOptions options = *this;
    if (!isOn())
        options.heldOut.clear();
    if (kind == TaskKind::Answer)
        options.text.clear();
    if (!isOfTable && kind != TaskKind::Tag)
        options.label.clear();
    if (!isOfSentences)
        options.pair.clear();
    if (!isOfTable)
        options.noHeader = usual.noHeader;
    if (kind != TaskKind::Classify && kind != TaskKind::Tag)
        options.labels.clear();
    if (kind != TaskKind::Answer)
        options.docStride = usual.docStride;
    return options;
}

std::vector<std::string> TaskOptions::meaningless() const
{
    const TaskOptions used = meaningful();
    std::vector<std::string> names;
    const auto compare = [&names](const char* name, const auto& given, const auto& meant) {
        if (given != meant)
            names.emplace_back(name);
    };
    compare("--text", text, used.text);
    compare("--pair", pair, used.pair);
    compare("--label", label, used.label);
    compare("--no-header", noHeader, used.noHeader);
    compare("--labels", labels, used.labels);
    compare("--held-out", heldOut, used.heldOut);
    compare("--doc-stride", docStride, used.docStride);
    return names;
}

} // namespace trainyard
