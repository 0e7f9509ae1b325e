#pragma once

#include <map>

#include <QWidget>

#include "app/designer/model/batch_equation.h"
#include "app/designer/model/spec_document.h"

class QGridLayout;
class QLabel;

namespace trainyard {

class NumberBox;
struct SpecField;

/// The batch equation: micro × accumulation × data = global. Changing one term adjusts the others.
class BatchRow : public QWidget {
    Q_OBJECT
public:
    explicit BatchRow(SpecDocument& document, QWidget* parent = nullptr);

    void setError(const QString& sentence);
    /// Returns the control of batch.micro, batch.accumulation, layout.data or batch.global; null for other
    /// paths.
    QWidget* controlOf(const QString& path) const;

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void addTerm(QGridLayout* grid, int column, BatchTerm term, const SpecField& field);
    void refresh();

    SpecDocument& m_document;
    std::map<BatchTerm, NumberBox*> m_terms;
    QLabel* m_error;
};

} // namespace trainyard
