#pragma once

#include <QString>

namespace trainyard::lab {

/// Prepares the sample dump as rows of 64 tokens for masked-language models, in `folder`. Needs
/// trainyard-prepare. Empty, or what went wrong.
QString makeSmallDataSet(const QString& folder, int shards = 2);
int vocabularySizeOf(const QString& folder);

} // namespace trainyard::lab
