#pragma once

namespace trainyard {

/// Stands between the passes of the cleaner where a formula or a pronunciation was, so that what only led to
/// it, as in "(pronounced )", can go too. Never part of a paragraph, nor of markup: XML knows no such
/// character.
constexpr char kLeftOut = '\x01';

} // namespace trainyard
