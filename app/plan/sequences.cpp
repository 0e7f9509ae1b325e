#include "app/plan/sequences.h"

namespace trainyard {

SequenceShape sequencesOf(int length)
{
    constexpr double kMaskedShare = 0.15;
    return {length, static_cast<int>(length * kMaskedShare)};
}

} // namespace trainyard
