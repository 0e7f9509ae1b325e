#pragma once

#include <QFrame>

#include "app/designer/model/spec_document.h"
#include "engine/planner/scaling/scaled_layout.h"

class QComboBox;
class QLabel;
class QLineEdit;

namespace trainyard {

/// Writes the specifications of a scaling study, one copy per rank count, to a folder. Shows the resulting
/// copies and problems while the user types. Hidden until ask().
class ScaledCopiesBar : public QFrame {
    Q_OBJECT
public:
    explicit ScaledCopiesBar(SpecDocument& document, QWidget* parent = nullptr);

    void ask();

signals:
    void written(const QStringList& files);
    void failed(const trainyard::Error& error);

protected:
    void keyPressEvent(QKeyEvent* event) override;

private:
    Result<std::vector<RunSpec>> copies() const;
    void showPreview();
    void save();

    SpecDocument& m_document;
    QLineEdit* m_ranks;
    QComboBox* m_scaling;
    QLabel* m_preview;
    QWidget* m_save;
};

} // namespace trainyard
