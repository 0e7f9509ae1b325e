#include "engine/spec/foreign/conversion.h"

namespace trainyard {

std::string Omission::text() const
{
    return field + " = " + value + ": " + reason + " — " + advice;
}

} // namespace trainyard
