#include "app/designer/layer_panel.h"

#include <QClipboard>
#include <QGuiApplication>
#include <QMenu>
#include <QToolButton>

#include "app/base/field_label.h"
#include "app/base/theme.h"
#include "app/designer/layer/layer_picture.h"
#include "app/designer/model/layer_text.h"
#include "app/designer/problem_text.h"
#include "app/widgets/elided_label.h"
#include "app/widgets/roles.h"

namespace trainyard {

LayerPanel::LayerPanel(QWidget* parent)
    : QFrame(parent)
    , m_readOut(new ReadOutLabel("small"))
    , m_picture(new LayerPicture)
    , m_menu(new QToolButton)
{
    setRole(this, "panel");
    auto* head = rowLayout();
    head->addWidget(makeLabel(tr("Model"), "heading"));
    head->addWidget(m_readOut, 1);
    head->addWidget(m_menu);
    auto* column = columnLayout(this, metrics::kHalf, metrics::kLowPanelMargins);
    column->addLayout(head);
    column->addWidget(m_picture, 1);
    fillMenu();
    connect(m_picture, &LayerPicture::readOutChanged, m_readOut, &ReadOutLabel::setReadOut);
}

void LayerPanel::fillMenu()
{
    m_menu->setText(QStringLiteral("⋯"));
    m_menu->setToolTip(tr("Save or copy the drawing of the model"));
    m_menu->setAccessibleName(m_menu->toolTip());
    m_menu->setPopupMode(QToolButton::InstantPopup);
    auto* menu = new QMenu(m_menu);
    menu->addAction(tr("Save image…"), this, &LayerPanel::askAndSave);
    menu->addAction(tr("Copy image"), this, &LayerPanel::copyImage);
    menu->addAction(tr("Copy as text"), this, &LayerPanel::copyText);
    m_menu->setMenu(menu);
}

void LayerPanel::setModel(const ModelSpec& model)
{
    if (model == m_model)
        return;
    m_model = model;
    const Diagnostics problems = modelProblems(model);
    m_menu->setEnabled(problems.empty());
    if (!problems.empty()) {
        const Diagnostic& first = problems.front();
        m_picture->showNothing(
            QStringLiteral("%1: %2").arg(fieldLabel(QString::fromStdString(first.path)), sentenceOf(first)));
        return m_readOut->setSummary({});
    }
    m_picture->setDrawing(drawLayer(model));
    m_readOut->setSummary(drawingSummary(*m_picture->drawing()));
}

SavedPicture LayerPanel::picture() const
{
    QString title = drawingSummary(*m_picture->drawing());
    if (!m_model->preset.empty())
        title = QStringLiteral("%1: %2").arg(QString::fromStdString(m_model->preset), title);
    return {title, m_picture->placed().size().toSize(), m_picture->font(), m_picture->palette(),
            [this](QPainter& painter) { m_picture->paintDrawing(painter); }};
}

Status LayerPanel::saveImage(const QString& file) const
{
    return trainyard::saveImage(picture(), file);
}

void LayerPanel::askAndSave()
{
    const QString name = m_model->preset.empty() ? tr("model") : QString::fromStdString(m_model->preset);
    const QString file = askForFile(this, tr("Save image"), name, imageFilters(), QStringLiteral("png"));
    if (file.isEmpty())
        return;
    const Status status = saveImage(file);
    if (status.ok())
        emit saved(file);
    else
        emit saveFailed(status.error());
}

void LayerPanel::copyImage() const
{
    QGuiApplication::clipboard()->setImage(imageOf(picture()));
}

void LayerPanel::copyText() const
{
    QGuiApplication::clipboard()->setText(drawingText(*m_picture->drawing()));
}

} // namespace trainyard
