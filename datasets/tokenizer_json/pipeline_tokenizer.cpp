#include "datasets/tokenizer_json/pipeline_tokenizer.h"

#include "engine/base/utf8.h"

namespace trainyard {

namespace {

class PipelineEncoder : public TextEncoder {
public:
    explicit PipelineEncoder(const TokenizerPipeline& pipeline)
        : m_pipeline(pipeline), m_model(pipeline.model->encoder())
    {
    }

    void encode(std::string_view text, std::vector<std::int32_t>& ids) override
    {
        std::string repaired;
        if (!isUtf8(text)) {
            repaired = text;
            repairUtf8(repaired);
            text = repaired;
        }
        m_pipeline.rawTokens.split(
            text,
            [&](std::size_t begin, std::size_t end) {
                encodeSection(text.substr(begin, end - begin), begin == 0, ids);
            },
            [&](std::int32_t id) { ids.push_back(id); });
    }

private:
    struct ToModel : PieceSink {
        ToModel(PieceEncoder& model, std::vector<std::int32_t>& ids) : model(model), ids(ids) {}
        void take(const TextPiece& piece) override { model.add(piece.text, ids); }

        PieceEncoder& model;
        std::vector<std::int32_t>& ids;
    };

    /// Text between tokens; `isFirst` if the whole text begins with it.
    void encodeSection(std::string_view section, bool isFirst, std::vector<std::int32_t>& ids)
    {
        ToModel toModel(*m_model, ids);
        const std::string_view text = m_pipeline.normalizer.apply(section, m_buffer);
        m_pipeline.normalizedTokens.split(
            text,
            [&](std::size_t begin, std::size_t end) {
                m_pipeline.preTokenizer.split({text.substr(begin, end - begin), isFirst && begin == 0},
                                              toModel);
            },
            [&](std::int32_t id) {
                m_model->finish(ids);
                ids.push_back(id);
            });
        m_model->finish(ids);
    }

    const TokenizerPipeline& m_pipeline;
    std::unique_ptr<PieceEncoder> m_model;
    std::string m_buffer;
};

} // namespace

std::unique_ptr<TextEncoder> PipelineTokenizer::encoder() const
{
    return std::make_unique<PipelineEncoder>(m_pipeline);
}

} // namespace trainyard
