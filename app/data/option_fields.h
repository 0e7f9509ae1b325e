#pragma once

#include <functional>
#include <map>
#include <string>

#include <QObject>
#include <QString>

#include "app/data/model/prepare_request.h"

class QPlainTextEdit;
class QVBoxLayout;
class QWidget;

namespace trainyard {

class FormRow;

/// The rows of a form, each bound to a member of PrepareRequest and named after its option ("--shards"). A
/// field shows its problem once the user has visited it.
class OptionFields : public QObject {
    Q_OBJECT
public:
    struct Choice {
        QString value; ///< as spelled by the command
        QString text;
    };
    struct Words {
        QString label;
        QString help; ///< meaning, unit and default
        QString unit{};
        QString zero{};          ///< shown for 0: "Auto"; empty = the number
        QString text{};          ///< of a check box, or the placeholder of a line
        QList<Choice> choices{}; ///< for enumerations, and texts that have choices
    };
    template <typename Value>
    using Member = std::function<Value&(PrepareRequest&)>;

    using QObject::QObject;

    /// A field that fits the type and the range of an option in prepare_fields.h.
    void addOption(QVBoxLayout* column, const char* option, const Words& words);
    void addFlag(QVBoxLayout* column, const char* name, const Words& words, const Member<bool>& member);
    void addPath(QVBoxLayout* column, const char* name, const Words& words,
                 const Member<std::filesystem::path>& member);
    using Paths = std::vector<std::filesystem::path>;
    /// Paths, one on each line.
    QPlainTextEdit* addPaths(QVBoxLayout* column, const char* name, const Words& words,
                             const Member<Paths>& member);
    /// A custom field. `show` and `take` copy between field and request; the owner of the field calls
    /// touch() when the user has changed it.
    FormRow* addRow(QVBoxLayout* column, const char* name, QWidget* field, const Words& words,
                    std::function<void(PrepareRequest&)> show, std::function<void(PrepareRequest&)> take);

    PrepareRequest request() const;
    void show(PrepareRequest request);
    /// Marks a field as visited by the user.
    void touch(const char* name);
    /// `all`: also for fields not visited yet.
    void showProblems(const Diagnostics& problems, bool all);
    void setVisible(const char* name, bool visible) const;
    /// Returns the row with the field of an option; null if there is none.
    FormRow* row(const std::string& name) const;

signals:
    void edited();

private:
    struct Field {
        FormRow* row = nullptr;
        std::function<void(PrepareRequest&)> show;
        std::function<void(PrepareRequest&)> take;
        bool visited = false;
    };

    template <typename Value>
    void addLine(QVBoxLayout* column, const char* name, const Words& words, const Member<Value>& member,
                 const QString& accepted = {});
    void addNumber(QVBoxLayout* column, const char* name, const Words& words, const Member<int>& member,
                   int low, int high);
    void addMebibytes(QVBoxLayout* column, const char* name, const Words& words, const Member<Bytes>& member);
    template <typename Value>
    void addChoice(QVBoxLayout* column, const char* name, const Words& words, const Member<Value>& member);

    std::map<std::string, Field> m_fields;
};

} // namespace trainyard
