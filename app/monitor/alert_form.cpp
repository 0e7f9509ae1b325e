#include "app/monitor/alert_form.h"

#include <QCheckBox>
#include <QDoubleSpinBox>
#include <QGridLayout>
#include <QHBoxLayout>
#include <QSignalBlocker>

#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kColumns = 4; ///< each a label above its box
constexpr int kBoxWidth = 148;

QDoubleSpinBox* makeBox(const ThresholdField& field)
{
    auto* box = new QDoubleSpinBox;
    box->setRange(field.least, field.most);
    box->setSingleStep(field.step);
    box->setDecimals(field.step < 0.1 ? 2 : field.step < 1 ? 1 : 0);
    box->setSuffix(QLatin1Char(' ') + field.unit);
    box->setKeyboardTracking(false);
    box->setFixedWidth(kBoxWidth);
    box->setAccessibleName(field.label);
    box->setAccessibleDescription(field.help);
    box->setToolTip(
        QObject::tr("%1. Default: %2 %3").arg(field.help).arg(field.get(AlertThresholds())).arg(field.unit));
    return box;
}

} // namespace

AlertForm::AlertForm(QWidget* parent)
    : QFrame(parent)
    , m_notifies(new QCheckBox(tr("Desktop notification when the window is not in front"), this))
    , m_problem(makeParagraph({}, "error", this))
{
    setRole(this, "panel");
    m_notifies->setToolTip(tr("Notifies you of a new alert while you work elsewhere. Default: yes"));
    auto* grid = new QGridLayout(this);
    grid->setContentsMargins(metrics::kLowPanelMargins);
    grid->setHorizontalSpacing(metrics::kGap);
    grid->setVerticalSpacing(metrics::kGap);
    const QList<ThresholdField>& fields = thresholdFields();
    for (qsizetype i = 0; i < fields.size(); ++i) {
        QDoubleSpinBox* box = makeBox(fields[i]);
        auto* label = makeLabel(fields[i].label, "muted", this);
        label->setBuddy(box);
        auto* field = columnLayout(nullptr, 2);
        field->addWidget(label);
        field->addWidget(box, 0, Qt::AlignLeft);
        const int column = int(i) % kColumns;
        grid->addLayout(field, int(i) / kColumns, column);
        grid->setColumnStretch(column, 1);
        connect(box, &QDoubleSpinBox::valueChanged, this, &AlertForm::emitChanged);
        m_boxes.append(box);
    }
    QPushButton* reset = makeButton(tr("Defaults"), "link", this);
    reset->setToolTip(tr("Restore default thresholds"));
    connect(reset, &QPushButton::clicked, this, [this] {
        setSettings({AlertThresholds(), m_notifies->isChecked()});
        emitChanged();
    });
    connect(m_notifies, &QCheckBox::toggled, this, &AlertForm::emitChanged);
    auto* last = new QHBoxLayout;
    last->addWidget(m_notifies);
    last->addWidget(reset);
    last->addStretch(1);
    const int row = grid->rowCount();
    grid->addLayout(last, row, 0, 1, kColumns);
    m_problem->hide();
    grid->addWidget(m_problem, row + 1, 0, 1, kColumns);
}

void AlertForm::setSettings(const AlertSettings& settings)
{
    const QSignalBlocker blocked(this);
    for (qsizetype i = 0; i < m_boxes.size(); ++i) {
        const QSignalBlocker silent(m_boxes[i]);
        m_boxes[i]->setValue(thresholdFields()[i].get(settings.thresholds));
    }
    m_notifies->setChecked(settings.notifies);
}

void AlertForm::setProblem(const QString& problem)
{
    m_problem->setText(problem);
    m_problem->setVisible(!problem.isEmpty());
}

AlertSettings AlertForm::settings() const
{
    AlertSettings settings;
    for (qsizetype i = 0; i < m_boxes.size(); ++i)
        thresholdFields()[i].set(settings.thresholds, m_boxes[i]->value());
    settings.notifies = m_notifies->isChecked();
    return settings;
}

void AlertForm::emitChanged()
{
    emit changed(settings());
}

} // namespace trainyard
