#pragma once

#include <optional>

#include <QFrame>

#include "app/charts/image_export.h"
#include "engine/spec/run_spec.h"

class QToolButton;

namespace trainyard {

class LayerPicture;
class ReadOutLabel;

/// The drawing of the model with one layer in detail, its parameters in total, and a menu to save or copy it.
/// A model with problems has no drawing, but the first of them.
class LayerPanel : public QFrame {
    Q_OBJECT
public:
    explicit LayerPanel(QWidget* parent = nullptr);

    void setModel(const ModelSpec& model);
    /// The whole drawing as PNG, SVG or PDF by the file's suffix.
    Status saveImage(const QString& file) const;
    void copyImage() const;
    void copyText() const;

signals:
    /// A file was written, or could not be.
    void saved(const QString& file);
    void saveFailed(const trainyard::Error& error);

private:
    void fillMenu();
    void askAndSave();
    SavedPicture picture() const;

    std::optional<ModelSpec> m_model; ///< that is shown
    ReadOutLabel* m_readOut;
    LayerPicture* m_picture;
    QToolButton* m_menu;
};

} // namespace trainyard
