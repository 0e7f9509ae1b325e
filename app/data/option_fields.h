#pragma once

#include <functional>
#include <map>
#include <string>

#include <QObject>
#include <QString>

#include "app/data/model/prepare_options.h"

class QVBoxLayout;
class QWidget;

namespace trainyard {

class FormRow;

/// The rows of a form, each bound to a member of PrepareOptions and named after it. What is wrong is said
/// under a field once the user has been there.
class OptionFields : public QObject {
    Q_OBJECT
public:
    struct Words {
        QString label;
        QString help; ///< what it means, its unit and its default
        QString unit{};
    };
    struct Choice {
        QString value; ///< as the command spells it
        QString text;
    };
    struct Range {
        int low;
        int high;
    };

    using QObject::QObject;

    void addNumber(QVBoxLayout* column, const char* member, int PrepareOptions::*value, Range range,
                   const Words& words);
    void addText(QVBoxLayout* column, const char* member, QString PrepareOptions::*value,
                 const QString& placeholder, const Words& words);
    /// A share between 0 and 1.
    void addShare(QVBoxLayout* column, const char* member, double PrepareOptions::*value, const Words& words);
    void addSeed(QVBoxLayout* column, const char* member, std::uint64_t PrepareOptions::*value,
                 const Words& words);
    void addMebibytes(QVBoxLayout* column, const char* member, Bytes PrepareOptions::*value,
                      const Words& words);
    void addFlag(QVBoxLayout* column, const char* member, bool PrepareOptions::*value, const QString& text,
                 const Words& words);
    void addChoice(QVBoxLayout* column, const char* member, QString PrepareOptions::*value,
                   const QList<Choice>& choices, const Words& words);
    /// A field of its own making. `show` and `take` move between the field and the options; whoever makes the
    /// field calls touch() when the user has changed it.
    FormRow* addRow(QVBoxLayout* column, const char* member, QWidget* field, const Words& words,
                    std::function<void(const PrepareOptions&)> show,
                    std::function<void(PrepareOptions&)> take);

    PrepareOptions options() const;
    void show(const PrepareOptions& options);
    /// The user has been there.
    void touch(const char* member);
    /// `all` also where the user has not been yet.
    void showProblems(const Diagnostics& problems, bool all);
    /// Null when no field shows that member.
    FormRow* row(const std::string& member) const;

signals:
    void edited();

private:
    struct Field {
        FormRow* row = nullptr;
        std::function<void(const PrepareOptions&)> show;
        std::function<void(PrepareOptions&)> take;
        bool visited = false;
    };
    std::map<std::string, Field> m_fields;
};

} // namespace trainyard
