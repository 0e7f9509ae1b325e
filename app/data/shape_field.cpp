#include "app/data/shape_field.h"

#include <algorithm>

#include <QHBoxLayout>
#include <QVBoxLayout>

#include "app/base/theme.h"
#include "app/widgets/input_boxes.h"

namespace trainyard {

namespace {

const QList<std::vector<RowShape>> kPhases{{{128, 20}}, {{512, 80}}, {{128, 20}, {512, 80}}};

} // namespace

ShapeField::ShapeField(QWidget* parent)
    : QWidget(parent)
    , m_phase(new ChoiceBox)
    , m_own(new QWidget)
    , m_length(new NumberBox(1, PrepareOptions::kMaxSequenceLength, tr("tokens")))
    , m_predictions(new NumberBox(1, PrepareOptions::kMaxSequenceLength, tr("masked")))
{
    m_phase->addItems({tr("Phase 1: 128 tokens, 20 masked"), tr("Phase 2: 512 tokens, 80 masked"),
                       tr("Both phases in one pass"), tr("Custom")});
    m_phase->setAccessibleName(tr("Phase"));
    m_phase->setToolTip(tr("Row length: BERT trains on short rows first, then on long ones"));
    m_length->setAccessibleName(tr("Sequence length"));
    m_length->setToolTip(tr("Tokens per row, including special tokens"));
    m_predictions->setAccessibleName(tr("Masked positions"));
    m_predictions->setToolTip(tr("Maximum number of masked tokens per row"));
    auto* own = new QHBoxLayout(m_own);
    own->setContentsMargins(0, 0, 0, 0);
    own->setSpacing(metrics::kGap);
    own->addWidget(m_length, 1);
    own->addWidget(m_predictions, 1);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(metrics::kHalf);
    column->addWidget(m_phase);
    column->addWidget(m_own);
    setFocusProxy(m_phase);
    connect(m_phase, &QComboBox::activated, this, [this] {
        showOwn();
        emit edited();
    });
    connect(m_length, &QSpinBox::valueChanged, this, &ShapeField::edited);
    connect(m_predictions, &QSpinBox::valueChanged, this, &ShapeField::edited);
    setShapes(kPhases[0]);
}

void ShapeField::setShapes(const std::vector<RowShape>& shapes)
{
    const auto phase = kPhases.indexOf(shapes);
    m_phase->setCurrentIndex(phase < 0 ? int(kPhases.size()) : int(phase));
    m_length->showValue(shapes.front().sequenceLength);
    m_predictions->showValue(shapes.front().maxPredictions);
    showOwn();
}

std::vector<RowShape> ShapeField::shapes() const
{
    if (m_lengthOnly)
        return {{m_length->value(), std::min(m_predictions->value(), m_length->value())}};
    if (m_phase->currentIndex() < kPhases.size())
        return kPhases[m_phase->currentIndex()];
    return {{m_length->value(), m_predictions->value()}};
}

void ShapeField::showLengthOnly(bool shown)
{
    if (shown == m_lengthOnly)
        return;
    if (shown)
        m_length->showValue(shapes().front().sequenceLength);
    m_lengthOnly = shown;
    setFocusProxy(shown ? static_cast<QWidget*>(m_length) : m_phase);
    showOwn();
}

void ShapeField::showOwn()
{
    m_phase->setVisible(!m_lengthOnly);
    m_predictions->setVisible(!m_lengthOnly);
    m_own->setVisible(m_lengthOnly || m_phase->currentIndex() == kPhases.size());
}

} // namespace trainyard
