#pragma once

#include <map>

#include <QFrame>

#include "app/models/prepare_options.h"

class QLineEdit;
class QPlainTextEdit;
class QPushButton;
class QVBoxLayout;

namespace trainyard {

class ChoiceBox;
class FormRow;
class NumberBox;

/// Asks what to prepare, where and how. Says what is wrong with a field once the user has been there;
/// pressing Prepare says all of it.
class PrepareForm : public QFrame {
    Q_OBJECT
public:
    explicit PrepareForm(QWidget* parent = nullptr);

    void setHosts(const QStringList& hosts);
    PrepareOptions options() const;
    void setOptions(const PrepareOptions& options);
    /// One job at a time: why Prepare cannot be pressed now; empty = it can.
    void setBlocked(const QString& reason);

signals:
    /// The options are valid.
    void prepareRequested(const trainyard::PrepareOptions& options);
    void closed();

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    QWidget* makeSourceColumn();
    QWidget* makeShapeColumn();
    QWidget* makeDumpField();
    FormRow* addRow(QVBoxLayout* column, const char* member, const QString& label, QWidget* field,
                    const QString& help);
    void onPhaseChosen(int phase);
    void onEdited(const char* member);
    void showProblems(bool all);
    void chooseDumps();
    void submit();

    ChoiceBox* m_host;
    QPlainTextEdit* m_dumps;
    ChoiceBox* m_vocabulary;
    QLineEdit* m_vocabularyFile;
    NumberBox* m_vocabularySize;
    QLineEdit* m_output;
    ChoiceBox* m_phase;
    NumberBox* m_sequenceLength;
    NumberBox* m_maxPredictions;
    NumberBox* m_dupe;
    NumberBox* m_shards;
    QLineEdit* m_seed;
    NumberBox* m_threads;
    QPushButton* m_prepare;
    std::map<std::string, FormRow*> m_rows; ///< by member of PrepareOptions
    std::map<std::string, bool> m_visited;
    QString m_blocked;
};

} // namespace trainyard
