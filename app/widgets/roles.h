#pragma once

#include <QBoxLayout>
#include <QFrame>
#include <QLabel>
#include <QPushButton>
#include <QScrollArea>
#include <QString>

#include "app/base/theme.h"

namespace trainyard {

/// The style sheet knows plain widgets by the dynamic property "role" (themes/trainyard.qss).
void setRole(QWidget* widget, const char* role);
/// Sets a dynamic property that the style sheet looks at and has the widget styled again, if it changed.
void setStyleProperty(QWidget* widget, const char* name, const QVariant& value);

/// A label of a role: "title", "heading", "muted", "help", "error", "small", "figure", "mono".
QLabel* makeLabel(const QString& text, const char* role = nullptr, QWidget* parent = nullptr);
/// The same, with lines that wrap.
QLabel* makeParagraph(const QString& text, const char* role = nullptr, QWidget* parent = nullptr);
/// A button of a role: "primary", "danger", "link"; its accessible name is its text.
QPushButton* makeButton(const QString& text, const char* role = nullptr, QWidget* parent = nullptr);
/// A frame with the panel's background, border and radius; give it a layout with panel padding.
QFrame* makePanel(QWidget* parent = nullptr);
/// A line between sections.
QFrame* makeSeparator(QWidget* parent = nullptr);

/// Layouts without the style's margins. A negative spacing is the style's.
QHBoxLayout* rowLayout(QWidget* parent = nullptr, int spacing = metrics::kGap, const QMargins& margins = {});
QVBoxLayout* columnLayout(QWidget* parent = nullptr, int spacing = metrics::kGap,
                          const QMargins& margins = {});
/// A frameless area that scrolls vertically alone and takes no focus.
QScrollArea* verticalScroll(QWidget* content);

} // namespace trainyard
