#pragma once

#include <QWidget>

#include "engine/generation/options/try_options.h"

class QCheckBox;
class QLabel;
class QLineEdit;
class QVBoxLayout;

namespace trainyard {

class ChoiceBox;
class DecimalBox;
class FormRow;
class NumberBox;

/// The settings of a trial: how new tokens are chosen, and how many answers there are.
class SamplingForm : public QWidget {
    Q_OBJECT

public:
    explicit SamplingForm(QWidget* parent = nullptr);

    /// Without model and text.
    TryOptions settings() const;
    /// What the chosen models may do.
    struct Uses {
        bool continues = false;
        bool fillsIn = false; ///< masks
        bool judges = false;  ///< labels, tags and answers of a task
        bool answers = false; ///< questions
    };
    void setUses(const Uses& uses);

signals:
    /// The row with the focus or under the pointer.
    void helpWanted(const QString& help);

private:
    QWidget* makeContinuing();
    QWidget* makeAnswers();
    FormRow* addRow(QVBoxLayout* column, const QString& label, QWidget* field, const QString& help);
    void showDrawn();

    ChoiceBox* m_method;
    DecimalBox* m_temperature;
    NumberBox* m_topK;
    DecimalBox* m_topP;
    QLineEdit* m_seed;
    NumberBox* m_newTokens;
    QCheckBox* m_stops;
    NumberBox* m_answers;
    QList<FormRow*> m_drawn; ///< rows that have a use only if tokens are drawn
    QWidget* m_continuing;
    QLabel* m_answersHeading;
    QCheckBox* m_noAnswer;
    FormRow* m_noAnswerRow = nullptr;
    QWidget* m_answersPart;
};

} // namespace trainyard
