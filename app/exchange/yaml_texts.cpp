#include "app/exchange/yaml_texts.h"

#include <yaml-cpp/yaml.h>

#include "app/base/display_text.h"
#include "engine/base/file.h"

namespace trainyard {

namespace {

constexpr std::size_t kMaxYamlBytes = 4 << 20;

void collectScalars(const YAML::Node& node, const QString& name, std::map<QString, QString>& texts)
{
    const auto below = [&](const QString& key) { return name.isEmpty() ? key : name + u'.' + key; };
    if (node.IsScalar())
        texts[name] = toQString(node.Scalar());
    if (node.IsMap()) {
        for (const auto& entry : node)
            collectScalars(entry.second, below(toQString(entry.first.Scalar())), texts);
    }
    for (std::size_t i = 0; node.IsSequence() && i < node.size(); ++i)
        collectScalars(node[i], below(QString::number(i)), texts);
}

} // namespace

Result<std::map<QString, QString>> readYamlTexts(const std::filesystem::path& file)
{
    TRAINYARD_TRY(const std::string text, readFile(file));
    if (text.size() > kMaxYamlBytes)
        return badInput(file.string() + ": is larger than 4 MiB", "settings of a run are a few kilobytes");
    try {
        const YAML::Node document = YAML::Load(text);
        if (!document.IsMap())
            return badInput(file.string() + ": is not a map of names and values", "copy the file again");
        std::map<QString, QString> texts;
        collectScalars(document, {}, texts);
        return texts;
    } catch (const YAML::Exception& problem) {
        return badInput(file.string() + ", line " + std::to_string(problem.mark.line + 1) + ": " +
                            problem.msg,
                        "copy the file again");
    }
}

} // namespace trainyard
