#pragma once

#include "app/base/theme.h"
#include "app/designer/layer/layer_layout.h"

class QPainter;

namespace trainyard {

/// Paints a drawing; `pointed` is the box under the pointer, or -1.
void paintLayer(QPainter& painter, const LayerDrawing& drawing, const LayerLayout& layout,
                const LayerFonts& fonts, const ThemeColours& colours, int pointed = -1);

/// Paints a ring around the box, or with -1 around the layer.
void paintLayerRing(QPainter& painter, const LayerLayout& layout, int box, const ThemeColours& colours);

} // namespace trainyard
