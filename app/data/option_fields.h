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

/// The rows of a form, each bound to a member of PrepareOptions and named after it. A field shows its
/// problem once the user has visited it.
class OptionFields : public QObject {
    Q_OBJECT
public:
    struct Words {
        QString label;
        QString help; ///< meaning, unit and default
        QString unit{};
    };
    struct Choice {
        QString value; ///< as spelled by the command
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
    /// A fraction between 0 and 1.
    void addShare(QVBoxLayout* column, const char* member, double PrepareOptions::*value, const Words& words);
    void addSeed(QVBoxLayout* column, const char* member, std::uint64_t PrepareOptions::*value,
                 const Words& words);
    void addMebibytes(QVBoxLayout* column, const char* member, Bytes PrepareOptions::*value,
                      const Words& words);
    void addFlag(QVBoxLayout* column, const char* member, bool PrepareOptions::*value, const QString& text,
                 const Words& words);
    void addChoice(QVBoxLayout* column, const char* member, QString PrepareOptions::*value,
                   const QList<Choice>& choices, const Words& words);
    /// A custom field. `show` and `take` copy between field and options; the owner of the field calls
    /// touch() when the user has changed it.
    FormRow* addRow(QVBoxLayout* column, const char* member, QWidget* field, const Words& words,
                    std::function<void(const PrepareOptions&)> show,
                    std::function<void(PrepareOptions&)> take);

    PrepareOptions options() const;
    void show(const PrepareOptions& options);
    /// Marks a field as visited by the user.
    void touch(const char* member);
    /// `all`: also for fields not visited yet.
    void showProblems(const Diagnostics& problems, bool all);
    /// Null if no field shows that member.
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
