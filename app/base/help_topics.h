#pragma once

#include <optional>

#include <QList>
#include <QString>

namespace trainyard {

/// A page of help, or one term of the glossary.
struct HelpTopic {
    QString name;  ///< what `trainyard help` takes: "layouts", "micro-batch"
    QString title; ///< "Layouts: sharing a model among devices"
    QString text;  ///< Markdown, with the title as its heading
    bool isTerm = false;

    bool operator==(const HelpTopic&) const = default;
};

/// The pages in the order in which a newcomer reads them, then the terms, alphabetically. From
/// resources/help.
const QList<HelpTopic>& helpTopics();

/// The topics that have all `words`: those with them in name or title first. All topics without words.
QList<HelpTopic> helpTopicsWith(const QString& words);

/// By name or title, whatever its case; nullopt if there is none.
std::optional<HelpTopic> helpTopic(const QString& name);

} // namespace trainyard
