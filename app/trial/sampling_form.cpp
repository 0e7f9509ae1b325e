#include "app/trial/sampling_form.h"

#include <QCheckBox>
#include <QLineEdit>
#include <QRegularExpressionValidator>

#include "app/widgets/form_row.h"
#include "app/widgets/input_boxes.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr double kUsualTemperature = 0.8;
constexpr double kUsualTopP = 0.95;
constexpr double kStep = 0.05;
constexpr int kMaxTopK = 1'000'000;
constexpr int kMaxNewTokens = 1'000'000;
constexpr int kMaxAnswers = 1000;
constexpr int kSeedDigits = 18; ///< what fits for certain

enum Method { Drawn, Greedy };

DecimalBox* makeNumber(double low, double high, double value)
{
    auto* box = new DecimalBox(low, high, kStep);
    box->setValue(value);
    return box;
}

} // namespace

SamplingForm::SamplingForm(QWidget* parent)
    : QWidget(parent)
    , m_method(new ChoiceBox)
    , m_temperature(makeNumber(0.05, 10, kUsualTemperature))
    , m_topK(new NumberBox(0, kMaxTopK))
    , m_topP(makeNumber(0.01, 1, kUsualTopP))
    , m_seed(new QLineEdit(QStringLiteral("0")))
    , m_newTokens(new NumberBox(0, kMaxNewTokens))
    , m_stops(new QCheckBox(tr("At a document's end")))
    , m_answers(new NumberBox(1, kMaxAnswers))
    , m_continuing(makeContinuing())
    , m_answersHeading(makeLabel({}, "heading"))
    , m_noAnswer(new QCheckBox(tr("Allowed")))
    , m_answersPart(makeAnswers())
{
    auto* column = columnLayout(this);
    column->addWidget(m_continuing);
    column->addWidget(m_answersPart);
    connect(m_method, &QComboBox::currentIndexChanged, this, &SamplingForm::showDrawn);
    showDrawn();
}

QWidget* SamplingForm::makeContinuing()
{
    auto* part = new QWidget;
    auto* column = columnLayout(part);
    column->addWidget(makeLabel(tr("Continue a text"), "heading"));
    m_method->addItem(tr("Draw by probability"), Drawn);
    m_method->addItem(tr("Most probable"), Greedy);
    addRow(column, tr("Next token"), m_method,
           tr("Samples each token by its probability, or always takes the most probable one"));
    m_drawn << addRow(column, tr("Temperature"), m_temperature,
                      tr("Below 1 probable tokens become more probable, above 1 less; usually 0.7 to 1"));
    m_topK->setSpecialValueText(tr("all"));
    m_drawn << addRow(column, tr("Top k"), m_topK,
                      tr("Draws from this many of the most probable tokens; 0 = all, 40 is common"));
    m_drawn << addRow(column, tr("Top p"), m_topP,
                      tr("Draws from the fewest tokens that together have this probability; 1 = all"));
    m_seed->setValidator(new QRegularExpressionValidator(
        QRegularExpression(QStringLiteral("\\d{0,%1}").arg(kSeedDigits)), m_seed));
    m_drawn << addRow(column, tr("Seed"), m_seed,
                      tr("The same seed draws the same tokens again; another one gives another text"));
    m_newTokens->setSpecialValueText(tr("up to 64"));
    addRow(column, tr("New tokens"), m_newTokens,
           tr("Length of the continuation; 0 = 64, or as many as the model has positions for"));
    m_stops->setChecked(true);
    addRow(column, tr("Stop"), m_stops, tr("Ends early where the model ends its document"));
    return part;
}

QWidget* SamplingForm::makeAnswers()
{
    auto* part = new QWidget;
    auto* column = columnLayout(part);
    column->addWidget(m_answersHeading);
    m_answers->setValue(TryOptions().answers);
    addRow(column, tr("Answers"), m_answers,
           tr("Most probable words for each [MASK], labels of a text or word, or answers to a question"));
    m_noAnswerRow = addRow(column, tr("No answer"), m_noAnswer,
                           tr("Lets the model reply that the text has no answer, as in SQuAD 2.0; always on if the data set of its run has such questions"));
    return part;
}

FormRow* SamplingForm::addRow(QVBoxLayout* column, const QString& label, QWidget* field, const QString& help)
{
    auto* row = new FormRow(label, field, help, FormRow::Help::OnHover);
    connect(row, &FormRow::helpWanted, this, &SamplingForm::helpWanted);
    column->addWidget(row);
    return row;
}

void SamplingForm::showDrawn()
{
    for (FormRow* row : m_drawn)
        row->setVisible(m_method->currentData().toInt() == Drawn);
}

void SamplingForm::setUses(const Uses& uses)
{
    m_continuing->setVisible(uses.continues);
    m_answersHeading->setText(uses.judges ? tr("Answers of the model") : tr("Fill in masks"));
    m_answersPart->setVisible(uses.fillsIn || uses.judges);
    m_noAnswerRow->setVisible(uses.answers);
}

TryOptions SamplingForm::settings() const
{
    TryOptions settings;
    settings.greedy = m_method->currentData().toInt() == Greedy;
    settings.sampling = {m_temperature->value(), m_topK->value(), m_topP->value(),
                         m_seed->text().toULongLong()};
    if (m_newTokens->value() > 0)
        settings.newTokens = m_newTokens->value();
    settings.stop = m_stops->isChecked();
    settings.answers = m_answers->value();
    settings.noAnswer = m_noAnswer->isChecked();
    return settings;
}

} // namespace trainyard
