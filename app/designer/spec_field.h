#pragma once

#include <functional>
#include <string>
#include <vector>

#include <QString>
#include <QStringList>
#include <QVariant>

#include "engine/spec/run_spec.h"

namespace trainyard {

/// One field of a specification as the form shows it, made from its description in engine/spec.
struct SpecField {
    enum class Kind { Integer, Real, Text, Choice };

    QString path{}; ///< JSON path, as in Diagnostic::path
    QString label{};
    QString unit{};
    QString zero{}; ///< shown for 0: "Off"; empty = the number
    QString effect{};
    QString source{}; ///< reference for its meaning; papers as "arXiv:" and a number
    Kind kind = Kind::Text;
    QStringList choices{};                         ///< of a Choice
    std::function<QVariant(const RunSpec&)> get{}; ///< int, double or QString, by kind
    std::function<void(RunSpec&, const QVariant&)> set{};
    /// For a Text: returns why the text cannot be set; empty = valid. May be null.
    std::function<QString(const QString&)> complaint = {};

    /// Returns effect, unit, default and source, for the tool tip and screen readers.
    QString help() const;
};

struct SpecSection {
    QString title;
    bool advanced = false; ///< hidden until the user unfolds the section
    std::vector<SpecField> fields;
};

/// Returns the field of that JSON path, which must exist and not belong to a node.
SpecField specField(const char* path);
/// Returns the help of a field of cluster.nodes[], by its key.
QString nodeFieldHelp(const std::string& key);
/// Returns the fields below the batch equation.
std::vector<SpecField> batchFields();
/// Returns the fields of one phase of the list: "phases[1].steps".
std::vector<SpecField> fieldsOfPhase(int phase);
/// Returns path and weight of a data set of the run's mix, which must exist for the getters and setters:
/// "dataset.mix[1].path".
std::vector<SpecField> fieldsOfMixedSet(int set);
/// Returns the fields of the section at `path`, such as "memory", in the order of the file.
std::vector<SpecField> fieldsOf(const QString& path);
/// Returns the sections of the form in order; the separate editors of batch and cluster are between them.
std::vector<SpecSection> specSections();

} // namespace trainyard
