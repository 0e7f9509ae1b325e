#pragma once

#include <QString>

#include "app/designer/model/layer_drawing.h"

namespace trainyard {

// The texts of a LayerDrawing.

/// "525 M", "8.03 B", "4 096": three significant digits from ten thousand on.
QString shortCount(std::int64_t count);
/// "32 × 41.9 M · 16.7 %": of one box and of all, against the whole.
QString boxFigures(const DrawnBox& box, const LayerDrawing& drawing);
/// "46.7 billion parameters, 12.9 billion active per token".
QString drawingSummary(const LayerDrawing& drawing);
/// "Layer × 32" and "6.98 B · 86.9 %".
QString layerTitle(const LayerDrawing& drawing);
QString layerFigures(const LayerDrawing& drawing);

/// A box in one sentence, with all digits: for the read-out and screen readers.
QString describeBox(const DrawnBox& box, const LayerDrawing& drawing);
/// "4 096 × 4 096".
QString shapeText(const DrawnTensor& tensor);
/// The box with its tensors, as a table in HTML.
QString boxToolTip(const DrawnBox& box, const LayerDrawing& drawing);
/// The box with its tensors, tab-separated, or the whole drawing, a line for each box: for the clipboard.
QString boxText(const DrawnBox& box, const LayerDrawing& drawing);
QString drawingText(const LayerDrawing& drawing);

} // namespace trainyard
