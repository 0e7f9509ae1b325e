#pragma once

#include <functional>

#include <QFont>
#include <QImage>
#include <QPalette>
#include <QString>

#include "engine/base/result.h"

class QPainter;
class QWidget;

namespace trainyard {

/// A picture of the window that can be saved or copied, in the window's colours and with its title above it.
struct SavedPicture {
    QString title;
    QSize size; ///< pixels, without the title
    QFont font;
    QPalette palette;
    /// Paints it from the origin on. What it gets is a QCPPainter.
    std::function<void(QPainter&)> paint;
};

/// At twice the screen resolution.
QImage imageOf(const SavedPicture& picture);

/// Saves it as PNG, or with lines and text as SVG or PDF. BadInput for another suffix, Failed if the file
/// cannot be written.
Status saveImage(const SavedPicture& picture, const QString& file);

/// Of the file dialogs of saveImage().
QString imageFilters();
/// Asks where to save something, and proposes a name after `title`; empty = cancelled.
QString askForFile(QWidget* parent, const QString& caption, const QString& title, const QString& filters,
                   const QString& suffix);

} // namespace trainyard
