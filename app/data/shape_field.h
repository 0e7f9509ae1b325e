#pragma once

#include <vector>

#include <QWidget>

#include "datasets/options/prepare_options.h"

namespace trainyard {

class ChoiceBox;
class NumberBox;

/// Asks for the row length: one of BERT's phases, both of them in one pass, or custom values.
class ShapeField : public QWidget {
    Q_OBJECT
public:
    explicit ShapeField(QWidget* parent = nullptr);

    /// Requires at least one.
    void setShapes(const std::vector<RowShape>& shapes);
    std::vector<RowShape> shapes() const;
    /// Asks for one length alone: rows of labelled examples have no masks.
    void showLengthOnly(bool shown);

signals:
    void edited();

private:
    void showOwn();

    bool m_lengthOnly = false;
    ChoiceBox* m_phase;
    QWidget* m_own;
    NumberBox* m_length;
    NumberBox* m_predictions;
};

} // namespace trainyard
