#pragma once

#include <QWidget>

#include "app/data/model/prepare_options.h"

namespace trainyard {

class ChoiceBox;
class NumberBox;

/// Asks for the row length: one of BERT's phases, both of them in one pass, or custom values.
class ShapeField : public QWidget {
    Q_OBJECT
public:
    explicit ShapeField(QWidget* parent = nullptr);

    void setShapes(const QList<RowShape>& shapes);
    QList<RowShape> shapes() const;

signals:
    void edited();

private:
    void showOwn();

    ChoiceBox* m_phase;
    QWidget* m_own;
    NumberBox* m_length;
    NumberBox* m_predictions;
};

} // namespace trainyard
