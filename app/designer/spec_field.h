#pragma once

#include <functional>
#include <string>
#include <vector>

#include <QString>
#include <QStringList>
#include <QVariant>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// One plain field of a specification, as the form shows it: made from its description in engine/spec.
struct SpecField {
    enum class Kind { Integer, Real, Text, Choice };

    QString path{}; ///< JSON path, as in Diagnostic::path
    QString label{};
    QString unit{};
    QString effect{};
    QString source{}; ///< of what it does; papers as "arXiv:" and their number
    Kind kind = Kind::Text;
    QStringList choices{};                         ///< of a Choice
    std::function<QVariant(const RunSpec&)> get{}; ///< int, double or QString, by kind
    std::function<void(RunSpec&, const QVariant&)> set{};
    /// Of a Text: what is wrong with it before it can be set; empty = nothing. May be left out.
    std::function<QString(const QString&)> complaint = {};

    /// Effect, unit, default and source, for a tool tip and for those who cannot see the form.
    QString help() const;
};

struct SpecSection {
    QString title;
    bool advanced = false; ///< folded until the user wants it
    std::vector<SpecField> fields;
};

/// The field of that JSON path, which has to exist and not to be one of a node.
SpecField specField(const char* path);
/// What the form calls the field or object at a JSON path: "Attention heads", "Parallelism", "Host 2: slots".
/// The path itself if the form does not show it.
QString fieldLabel(const QString& path);
/// `text` with each JSON path replaced by its label in quotation marks.
QString withFieldLabels(const QString& text);
/// The help of a field of cluster.nodes[], by its key.
QString nodeFieldHelp(const std::string& key);
/// The fields below the editor of the batch's sizes.
std::vector<SpecField> batchFields();
/// The sections of the form in their order; batch and cluster have editors of their own between them.
std::vector<SpecSection> specSections();

} // namespace trainyard
