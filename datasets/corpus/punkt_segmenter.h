#pragma once

#include "datasets/corpus/punkt_parameters.h"
#include "datasets/corpus/sentence_segmenter.h"

namespace trainyard {

/// Punkt (Kiss and Strunk 2006): splits where nltk 3.10's PunktSentenceTokenizer does with the same
/// parameters, default language variables and realign_boundaries.
class PunktSegmenter : public SentenceSegmenter {
public:
    explicit PunktSegmenter(PunktParameters parameters) : m_parameters(std::move(parameters)) {}

    std::vector<std::string_view> split(std::string_view paragraph) const override;

private:
    PunktParameters m_parameters;
};

} // namespace trainyard
