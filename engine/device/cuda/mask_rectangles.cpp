#include "engine/device/cuda/mask_rectangles.h"

namespace trainyard {

namespace {

bool addRow(MaskRectangle& rectangle, const DropoutPart& part)
{
    if (part.sample != rectangle.sample || part.count != rectangle.columns)
        return false;
    const std::int64_t distance =
        part.firstElement - rectangle.firstElement - (rectangle.rows - 1) * rectangle.rowStride;
    if (rectangle.rows == 1)
        rectangle.rowStride = distance;
    if (distance != rectangle.rowStride)
        return false;
    ++rectangle.rows;
    return true;
}

bool addHead(MaskRectangle& rectangle, const MaskRectangle& head)
{
    if (head.sample != rectangle.sample || head.columns != rectangle.columns || head.rows != rectangle.rows ||
        head.rowStride != rectangle.rowStride)
        return false;
    const std::int64_t distance =
        head.firstElement - rectangle.firstElement - (rectangle.heads - 1) * rectangle.headStride;
    if (rectangle.heads == 1)
        rectangle.headStride = distance;
    if (distance != rectangle.headStride)
        return false;
    ++rectangle.heads;
    return true;
}

} // namespace

std::vector<MaskRectangle> rectanglesOf(std::uint8_t* mask, std::span<const DropoutPart> parts)
{
    std::vector<MaskRectangle> ofRows;
    for (const DropoutPart& part : parts) {
        if (ofRows.empty() || !addRow(ofRows.back(), part))
            ofRows.push_back({mask, part.sample, part.firstElement, 1, 0, 1, 0, part.count});
        mask += part.count;
    }
    std::vector<MaskRectangle> rectangles;
    for (const MaskRectangle& head : ofRows) {
        if (rectangles.empty() || !addHead(rectangles.back(), head))
            rectangles.push_back(head);
    }
    return rectangles;
}

} // namespace trainyard
