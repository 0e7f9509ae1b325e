#include "datasets/corpus/appendix_titles.h"

namespace trainyard {

namespace {

// clang-format off
constexpr std::string_view kTitles[]{
    "references", "reference", "external links", "external link", "see also", "further reading", "bibliography",
    "notes", "note", "footnotes", "sources", "citations", "notes and references", "references and notes", "gallery",
    "general references", "works cited", "references and sources", "sources and references", "notes and citations",
    "external links and references", "explanatory notes", "image gallery", "other websites", "related pages",
    "external sources", "web links", "primary sources", "secondary sources", "general sources", "cited sources",
    // German
    "einzelnachweise", "einzelnachweis", "weblinks", "weblink", "literatur", "siehe auch", "quellen", "fußnoten",
    "anmerkungen", "belege", "galerie", "bildergalerie", "referenzen", "anmerkungen und einzelnachweise", "nachweise",
    "weiterführende literatur", "literatur und quellen", "quellen und literatur", "einzelnachweise und anmerkungen",
    // French
    "références", "référence", "notes et références", "liens externes", "lien externe", "voir aussi", "bibliographie",
    "articles connexes", "annexes", "notes", "annexe", "liens internes", "galerie d'images", "références et notes",
    "source", "notes, sources et références", "sources et bibliographie",
    // Spanish
    "referencias", "enlaces externos", "enlace externo", "véase también", "bibliografía", "notas", "galería", "fuentes",
    "notas y referencias", "referencias y notas", "referencias bibliográficas", "lecturas adicionales", "citas",
    // Catalan, Galician
    "referències", "enllaços externs", "vegeu també", "bibliografia", "notes i referències", "ligazóns externas",
    "véxase tamén", "outros artigos",
    // Italian
    "note", "collegamenti esterni", "voci correlate", "altri progetti", "galleria d'immagini", "riferimenti", "fonti",
    // Portuguese
    "referências", "ligações externas", "ligação externa", "ver também", "notas e referências", "galeria", "fontes",
    "referências bibliográficas", "leitura adicional", "links externos", "leituras adicionais", "bibliografia",
    // Dutch
    "referenties", "externe links", "externe link", "zie ook", "bronnen", "bron", "literatuur", "noten", "voetnoten",
    "bronnen, noten en/of referenties", "bronnen en referenties", "galerij", "externe koppelingen",
    // Polish
    "przypisy", "linki zewnętrzne", "zobacz też", "uwagi", "źródła", "literatura", "bibliografia", "galeria",
    // Russian
    "примечания", "ссылки", "см. также", "смотри также", "смотрите также", "литература", "источники", "галерея",
    "внешние ссылки", "комментарии и примечания", "библиография", "примечания и источники", "сноски",
    // Ukrainian
    "примітки", "посилання", "див. також", "дивись також", "література", "джерела", "виноски", "галерея",
    "зовнішні посилання", "бібліографія", "джерела та література",
    // Belarusian, Bulgarian, Macedonian, Serbian, Croatian, Slovene
    "зноскі", "спасылкі", "літаратура", "крыніцы", "бележки", "външни препратки", "вижте също", "източници", "галерия",
    "литература", "препратки", "виж още", "вижте още", "бележки и източници", "наводи", "надворешни врски",
    "поврзано", "референци", "поврзани теми", "види још", "спољашње везе", "референце", "напомене", "извори",
    "литература", "reference", "spoljašnje veze", "vidi još", "izvori", "vanjske poveznice", "povezani članci",
    "bilješke", "vidi i", "vanjski linkovi", "literatura", "sklici", "zunanje povezave", "glej tudi", "viri", "opombe",
    // Czech, Slovak
    "externí odkazy", "související články", "poznámky", "zdroje", "odkazy", "galerie", "iné projekty", "externé odkazy",
    "pozri aj", "referencie", "poznámky a referencie", "literatúra", "zdroj",
    // Swedish, Danish, Norwegian, Finnish, Icelandic
    "referenser", "externa länkar", "se även", "källor", "noter", "fotnoter", "vidare läsning", "litteratur", "källa",
    "referencer", "eksterne henvisninger", "se også", "kilder", "referanser", "eksterne lenker", "fotnoter",
    "lähteet", "aiheesta muualla", "katso myös", "viitteet", "kirjallisuutta", "kuvia", "tilvísanir", "tengt efni",
    "tenglar", "heimildir",
    // Hungarian, Romanian, Estonian, Latvian, Lithuanian
    "jegyzetek", "források", "további információk", "külső hivatkozások", "lásd még", "irodalom", "források és jegyzetek",
    "forrás", "referințe", "legături externe", "vezi și", "bibliografie", "note și referințe", "lectură suplimentară",
    "viited", "välislingid", "vaata ka", "kirjandus", "atsauces", "ārējās saites", "skatīt arī", "šaltiniai",
    "nuorodos", "taip pat skaitykite", "literatūra", "išnašos",
    // Greek, Turkish, Azerbaijani, Esperanto, Latin, Basque, Albanian, Welsh
    "παραπομπές", "εξωτερικοί σύνδεσμοι", "δείτε επίσης", "πηγές", "βιβλιογραφία", "υποσημειώσεις", "σημειώσεις",
    "kaynakça", "dış bağlantılar", "ayrıca bakınız", "notlar", "kaynaklar", "konuyla ilgili yayınlar", "istinadlar",
    "xarici keçidlər", "həmçinin bax", "mənbə", "mənbələr", "referencoj", "eksteraj ligiloj", "vidu ankaŭ", "notoj",
    "nexus externi", "nexus interni", "fontes", "erreferentziak", "kanpo estekak", "ikus, gainera", "referime",
    "lidhje të jashtme", "shih edhe", "cyfeiriadau", "dolenni allanol",
    // Armenian, Georgian, Kazakh, Uzbek, Tatar
    "ծանոթագրություններ", "արտաքին հղումներ", "տես նաև", "გარე ბმულები", "სქოლიო", "იხილეთ აგრეთვე", "ლიტერატურა",
    "дереккөздер", "сыртқы сілтемелер", "тағы қараңыз", "manbalar", "havolalar", "adabiyotlar", "искәрмәләр",
    // Hebrew, Arabic, Persian, Urdu
    "קישורים חיצוניים", "הערות שוליים", "ראו גם", "לקריאה נוספת", "מקורות", "ביאורים", "גלריה", "المراجع", "مراجع",
    "وصلات خارجية", "روابط خارجية", "انظر أيضا", "انظر أيضًا", "طالع أيضا", "اقرأ أيضا", "ملاحظات", "الهوامش", "هوامش",
    "مصادر", "معرض صور", "طالع أيضًا", "اقرأ أيضًا", "منابع", "پانویس", "پیوند به بیرون", "جستارهای وابسته", "یادداشت‌ها",
    "یادداشت", "نگارخانه", "حوالہ جات", "بیرونی روابط", "مزید دیکھیے", "مزید دیکھیں",
    // Languages of India
    "सन्दर्भ", "संदर्भ", "बाहरी कड़ियाँ", "इन्हें भी देखें", "यह भी देखें", "बाहरी कड़ियां", "बाह्य दुवे", "तथ्यसूत्र", "তথ্যসূত্র", "বহিঃসংযোগ",
    "আরও দেখুন", "மேற்கோள்கள்", "வெளி இணைப்புகள்", "வெளியிணைப்புகள்", "మూలాలు", "బయటి లింకులు", "ഇതും കാണുക", "അവലംബം",
    "പുറത്തേക്കുള്ള കണ്ണികൾ", "ಉಲ್ಲೇಖಗಳು", "સંદર્ભો", "ਹਵਾਲੇ",
    // Thai, Vietnamese, Indonesian, Malay, Tagalog, Swahili
    "อ้างอิง", "แหล่งข้อมูลอื่น", "ดูเพิ่ม", "เชิงอรรถ", "tham khảo", "liên kết ngoài", "xem thêm", "chú thích", "ghi chú",
    "đọc thêm", "thư mục", "referensi", "pranala luar", "lihat pula", "lihat juga", "catatan kaki", "daftar pustaka",
    "catatan", "rujukan", "pautan luar", "bacaan lanjutan", "mga sanggunian", "mga kawing panlabas", "marejeo",
    "viungo vya nje", "tanbihi",
    // Japanese, Korean, Chinese
    "脚注", "出典", "参考文献", "外部リンク", "関連項目", "注釈", "注釈・出典", "脚注・出典", "関連文献", "注釈と出典", "注",
    "ギャラリー", "각주", "외부 링크", "같이 보기", "참고 문헌", "참고문헌", "바깥 고리", "주석", "출처", "갤러리",
    "参考资料", "參考資料", "参考文献", "參考文獻", "外部链接", "外部連結", "外部鏈接", "参见", "參見", "参看", "參看",
    "注释", "註釋", "注釋", "脚注", "腳註", "相关条目", "相關條目", "参考", "參考", "注脚", "註腳", "来源", "來源",
    "延伸阅读", "延伸閱讀", "扩展阅读", "备注", "備註", "画廊", "圖集", "图集", "相关链接", "相關連結", "註", "参考来源",
    "參考來源", "注解", "註解", "资料来源", "資料來源",
};
// clang-format on

} // namespace

std::span<const std::string_view> appendixTitles()
{
    return kTitles;
}

} // namespace trainyard
