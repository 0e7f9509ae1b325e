#include "engine/hand_over/model_card.h"

#include "engine/hand_over/card_sections.h"

namespace trainyard {

std::string modelCard(const CardFacts& facts)
{
    std::string text =
        card::metadata(facts) + "\n" + card::introduction(facts) + card::taskText(facts) + card::use(facts);
    if (facts.hasRun())
        text += card::data(facts) + card::recipe(facts) + card::layout(facts) + card::curve(facts) +
                card::results(facts);
    return text + card::limitations(facts);
}

} // namespace trainyard
