#include "app/widgets/roles.h"

#include <QStyle>
#include <QVariant>

namespace trainyard {

namespace {

template <typename Layout>
Layout* makeLayout(QWidget* parent, int spacing, const QMargins& margins)
{
    auto* layout = new Layout(parent);
    layout->setContentsMargins(margins);
    layout->setSpacing(spacing);
    return layout;
}

} // namespace

void setRole(QWidget* widget, const char* role)
{
    setStyleProperty(widget, "role", QLatin1String(role));
}

void setStyleProperty(QWidget* widget, const char* name, const QVariant& value)
{
    if (widget->property(name) == value)
        return;
    widget->setProperty(name, value);
    widget->style()->unpolish(widget);
    widget->style()->polish(widget);
    widget->update();
}

QLabel* makeLabel(const QString& text, const char* role, QWidget* parent)
{
    auto* label = new QLabel(text, parent);
    label->setTextFormat(Qt::PlainText);
    if (role)
        setRole(label, role);
    return label;
}

QLabel* makeParagraph(const QString& text, const char* role, QWidget* parent)
{
    QLabel* label = makeLabel(text, role, parent);
    label->setWordWrap(true);
    return label;
}

QPushButton* makeButton(const QString& text, const char* role, QWidget* parent)
{
    auto* button = new QPushButton(text, parent);
    button->setAccessibleName(QString(text).remove(QLatin1Char('&')));
    button->setAutoDefault(false);
    if (role)
        setRole(button, role);
    return button;
}

QFrame* makePanel(QWidget* parent)
{
    auto* panel = new QFrame(parent);
    setRole(panel, "panel");
    return panel;
}

QFrame* makeSeparator(QWidget* parent)
{
    auto* line = new QFrame(parent);
    setRole(line, "separator");
    return line;
}

QHBoxLayout* rowLayout(QWidget* parent, int spacing, const QMargins& margins)
{
    return makeLayout<QHBoxLayout>(parent, spacing, margins);
}

QVBoxLayout* columnLayout(QWidget* parent, int spacing, const QMargins& margins)
{
    return makeLayout<QVBoxLayout>(parent, spacing, margins);
}

QScrollArea* verticalScroll(QWidget* content)
{
    auto* scroll = new QScrollArea;
    scroll->setWidget(content);
    scroll->setWidgetResizable(true);
    scroll->setFocusPolicy(Qt::NoFocus);
    scroll->setFrameShape(QFrame::NoFrame);
    scroll->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    return scroll;
}

} // namespace trainyard
