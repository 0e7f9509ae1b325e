#pragma once

#include "datasets/prepare/prepare_options.h"
#include "datasets/pretraining/instance_names.h"

namespace trainyard {

/// As OptionNames, which see.
inline constexpr std::array kFormatNames{
    OptionNames<CorpusFormat>{"auto", CorpusFormat::Auto},
    OptionNames<CorpusFormat>{"mediawiki", CorpusFormat::MediaWiki},
    OptionNames<CorpusFormat>{"wikiextractor", CorpusFormat::WikiExtractor},
    OptionNames<CorpusFormat>{"articles", CorpusFormat::Articles},
    OptionNames<CorpusFormat>{"sentences", CorpusFormat::Sentences},
    OptionNames<CorpusFormat>{"jsonl", CorpusFormat::JsonLines},
};

} // namespace trainyard
