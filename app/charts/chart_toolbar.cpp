#include "app/charts/chart_toolbar.h"

#include <cmath>

#include <QComboBox>
#include <QLabel>
#include <QShortcut>
#include <QSlider>
#include <QToolButton>

#include "app/base/display_text.h"
#include "app/base/theme.h"
#include "app/widgets/roles.h"

namespace trainyard {

namespace {

constexpr int kSliderSteps = 100;
constexpr double kMaxWeight = 0.99;
constexpr int kMinSlider = 40; ///< pixels
constexpr int kMaxSlider = 96;

QLabel* caption(const QString& text, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setProperty("role", "muted");
    return label;
}

} // namespace

ChartToolbar::ChartToolbar(QWidget* keyScope, QWidget* parent)
    : QWidget(parent)
    , m_axis(new QComboBox(this))
    , m_kind(new QComboBox(this))
    , m_weight(new QSlider(Qt::Horizontal, this))
    , m_weightText(new QLabel(this))
    , m_reset(new QToolButton(this))
{
    buildAxis();
    m_logarithmic = toggle(tr("Log y"), tr("Logarithmic vertical axis (L)"), Qt::Key_L, keyScope);
    m_logarithmicX = toggle(tr("Log x"), tr("Logarithmic horizontal axis (X)"), Qt::Key_X, keyScope);
    m_outliers = toggle(tr("Hide outliers"), tr("Fit the axis to most points; a badge counts the others (O)"),
                        Qt::Key_O, keyScope);
    buildSmoothing();
    m_reset->setText(tr("Show all"));
    m_reset->setToolTip(tr("Undo the zoom (double click, 0)"));
    m_reset->setProperty("role", "button");
    m_reset->hide();

    auto* row = rowLayout(this);
    row->addWidget(m_axis);
    row->addWidget(m_logarithmicX);
    row->addWidget(m_logarithmic);
    row->addWidget(m_outliers);
    row->addSpacing(metrics::kGap);
    row->addWidget(caption(tr("Smoothing"), this));
    row->addWidget(m_kind);
    row->addWidget(m_weight);
    row->addWidget(m_weightText);
    row->addStretch(1);
    row->addWidget(m_reset);

    connect(m_logarithmic, &QToolButton::toggled, this,
            [this](bool on) { change([on](ChartOptions& o) { o.logarithmic = on; }); });
    connect(m_logarithmicX, &QToolButton::toggled, this,
            [this](bool on) { change([on](ChartOptions& o) { o.logarithmicX = on; }); });
    connect(m_outliers, &QToolButton::toggled, this,
            [this](bool on) { change([on](ChartOptions& o) { o.hideOutliers = on; }); });
    connect(m_reset, &QToolButton::clicked, this, &ChartToolbar::resetZoomWanted);
    auto* key = new QShortcut(Qt::Key_S, keyScope, this, &ChartToolbar::toggleSmoothing);
    key->setContext(Qt::WidgetWithChildrenShortcut);
    showOptions();
}

void ChartToolbar::buildAxis()
{
    m_axis->addItems({tr("over steps"), tr("over tokens"), tr("over samples"), tr("over training time"),
                      tr("over time of day")});
    m_axis->setAccessibleName(tr("Horizontal axis"));
    m_axis->setToolTip(tr("Unit of the horizontal axis; training time excludes pauses"));
    connect(m_axis, &QComboBox::activated, this,
            [this](int index) { change([index](ChartOptions& o) { o.axis = ChartAxis(index); }); });
}

void ChartToolbar::buildSmoothing()
{
    m_kind->addItems({tr("per point"), tr("by distance")});
    m_kind->setAccessibleName(tr("Kind of smoothing"));
    m_kind->setToolTip(wrappedToolTip(tr(
        "Per point: an exponential moving average of the same strength for every run, as in TensorBoard. By "
        "distance: weighted by distance on the horizontal axis, as in Weights & Biases, so that runs that "
        "log at "
        "different intervals look alike; its strength depends on the length of a run.")));
    m_weight->setRange(0, kSliderSteps);
    m_weight->setMinimumWidth(kMinSlider);
    m_weight->setMaximumWidth(kMaxSlider);
    m_weight->setAccessibleName(tr("Smoothing"));
    m_weight->setToolTip(tr("Weight of the moving average (S turns it off and on)"));
    m_weightText->setFixedWidth(fontMetrics().horizontalAdvance(QStringLiteral("0.000")));
    connect(m_kind, &QComboBox::activated, this, [this](int index) {
        change([index](ChartOptions& o) { o.smoothing.kind = SmoothingKind(index); });
    });
    connect(m_weight, &QSlider::valueChanged, this, [this](int value) {
        change([value](ChartOptions& o) { o.smoothing.weight = value * kMaxWeight / kSliderSteps; });
    });
}

QToolButton* ChartToolbar::toggle(const QString& text, const QString& tip, Qt::Key key, QWidget* keyScope)
{
    auto* button = new QToolButton(this);
    button->setText(text);
    button->setToolTip(tip);
    button->setCheckable(true);
    button->setProperty("role", "button");
    auto* shortcut = new QShortcut(key, keyScope, button, &QToolButton::toggle);
    shortcut->setContext(Qt::WidgetWithChildrenShortcut);
    return button;
}

void ChartToolbar::setOptions(const ChartOptions& options)
{
    m_options = options;
    showOptions();
}

void ChartToolbar::setZoomed(bool zoomed)
{
    m_reset->setVisible(zoomed);
}

void ChartToolbar::toggleSmoothing()
{
    const double now = m_options.smoothing.weight;
    if (now > 0)
        m_lastWeight = now;
    change([&](ChartOptions& o) { o.smoothing.weight = now > 0 ? 0 : m_lastWeight; });
}

void ChartToolbar::showOptions()
{
    const QSignalBlocker blockers[] = {QSignalBlocker(m_axis),         QSignalBlocker(m_logarithmic),
                                       QSignalBlocker(m_logarithmicX), QSignalBlocker(m_outliers),
                                       QSignalBlocker(m_kind),         QSignalBlocker(m_weight)};
    m_axis->setCurrentIndex(int(m_options.axis));
    m_logarithmic->setChecked(m_options.logarithmic);
    m_logarithmicX->setChecked(m_options.logarithmicX);
    m_logarithmicX->setEnabled(canBeLogarithmic(m_options.axis));
    m_outliers->setChecked(m_options.hideOutliers);
    m_kind->setCurrentIndex(int(m_options.smoothing.kind));
    m_weight->setValue(int(std::lround(m_options.smoothing.weight * kSliderSteps / kMaxWeight)));
    m_weightText->setText(m_options.smoothing.weight > 0 ? QString::number(m_options.smoothing.weight, 'f', 2)
                                                         : tr("off"));
}

void ChartToolbar::change(const std::function<void(ChartOptions&)>& edit)
{
    ChartOptions options = m_options;
    edit(options);
    if (options == m_options)
        return;
    m_options = options;
    showOptions();
    emit optionsChanged(m_options);
}

} // namespace trainyard
