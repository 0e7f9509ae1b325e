#include "datasets/corpus/namespace_names.h"

namespace trainyard {

namespace {

using std::string_view;

// clang-format off
constexpr string_view kHidden[]{
    "file", "image", "media", "category", "special",
    "datei", "bild", "kategorie", "medium", "spezial",                                        // German
    "fichier", "catégorie", "média", "spécial",                                               // French
    "archivo", "imagen", "categoría", "medio", "especial",                                    // Spanish
    "immagine", "categoria", "speciale",                                                      // Italian
    "ficheiro", "arquivo", "imagem", "multimédia",                                            // Portuguese
    "bestand", "afbeelding", "categorie", "speciaal",                                         // Dutch
    "plik", "grafika", "kategoria", "specjalna",                                              // Polish
    "файл", "изображение", "категория", "медиа", "служебная",                                 // Russian
    "зображення", "категорія", "медіа", "спеціальна",                                         // Ukrainian
    "картинка", "медия", "специални",                                                         // Bulgarian
    "выява", "файл", "катэгорыя", "мэдыя", "спэцыяльныя", "адмысловае", "спецыяльныя",        // Belarusian
    "soubor", "kategorie", "média", "speciální",                                              // Czech
    "súbor", "obrázok", "kategória", "médiá", "špeciálne",                                    // Slovak
    "fil", "kategori",                                                                        // Swedish, Norwegian, Danish
    "billede", "bilde", "speciel", "spesial", "spesialside",
    "tiedosto", "kuva", "luokka", "toiminnot",                                                // Finnish
    "fájl", "kép", "speciális",                                                               // Hungarian
    "fișier", "fişier", "imagine", "categorie",                                               // Romanian
    "датотека", "слика", "категорија", "медиј", "посебно", "специјална",                      // Serbian, Macedonian
    "податотека", "медиум", "специјални", "службена",
    "datoteka", "slika", "kategorija", "medij", "medija", "posebno", "specijalna",            // Serbo-Croatian, Slovene
    "vaizdas", "attēls", "kategorija", "specialus", "speciāls",                               // Lithuanian, Latvian
    "fail", "pilt", "kategooria", "eri",                                                      // Estonian
    "fitxer", "imatge", "categoria",                                                          // Catalan
    "fitxategi", "irudi", "kategoria", "berezi",                                              // Basque
    "imaxe",                                                                                  // Galician
    "dosiero", "speciala",                                                                    // Esperanto
    "fasciculus", "imago", "specialis",                                                       // Latin
    "mynd", "flokkur", "kerfissíða",                                                          // Icelandic
    "íomhá", "catagóir", "delwedd", "categori", "restr", "skeudenn", "rummad",                // Celtic languages
    "lêer", "beeld", "spesiaal",                                                              // Afrikaans
    "skeda", "figura", "kategoria",                                                           // Albanian
    "αρχείο", "εικόνα", "κατηγορία", "μέσο", "ειδικό",                                        // Greek
    "dosya", "resim", "kategori", "ortam", "özel",                                            // Turkish
    "şəkil", "fayl", "kateqoriya",                                                            // Azerbaijani
    "fayl", "tasvir", "turkum", "kategoriya",                                                 // Uzbek
    "сурет", "санат", "төркем", "рәсем",                                                      // Kazakh, Tatar, Bashkir
    "պատկեր", "կատեգորիա", "ფაილი", "სურათი", "კატეგორია",                                    // Armenian, Georgian
    "קובץ", "תמונה", "קטגוריה", "מדיה", "מיוחד",                                              // Hebrew
    "ملف", "صورة", "تصنيف", "وسائط", "خاص",                                                   // Arabic
    "پرونده", "تصویر", "رده", "مدیا", "ویژه",                                                 // Persian
    "فائل", "زمرہ", "خصوصی", "وسیط",                                                          // Urdu
    "चित्र", "श्रेणी", "विशेष", "मीडिया", "वर्ग",                                             // Hindi, Marathi
    "চিত্র", "বিষয়শ্রেণী", "বিশেষ", "মিডিয়া",                                                // Bengali
    "படிமம்", "பகுப்பு", "దస్త్రం", "బొమ్మ", "వర్గం", "പ്രമാണം", "ചിത്രം", "വർഗ്ഗം",           // Tamil, Telugu, Malayalam
    "ಚಿತ್ರ", "ವರ್ಗ", "ચિત્ર", "શ્રેણી", "ਤਸਵੀਰ", "ਸ਼੍ਰੇਣੀ",                                       // Kannada, Gujarati, Punjabi
    "ไฟล์", "ภาพ", "หมวดหมู่", "สื่อ", "พิเศษ",                                               // Thai
    "tập tin", "hình", "thể loại", "đặc biệt",                                                // Vietnamese
    "berkas", "gambar", "imej", "istimewa", "khas",                                           // Indonesian, Malay
    "talaksan", "larawan", "kategorya", "payl", "kategoriya",                                 // Filipino languages
    "picha", "jamii", "faili",                                                                // Swahili
    "파일", "그림", "분류", "미디어", "특수",                                                 // Korean
    "ファイル", "画像", "カテゴリ", "メディア", "特別",                                       // Japanese
    "文件", "图像", "圖像", "图片", "圖片", "档案", "檔案", "分类", "分類", "媒体", "媒體", "特殊", // Chinese
};

constexpr string_view kOther[]{
    "talk", "user", "user talk", "wikipedia", "wp", "project", "wikipedia talk", "project talk", "file talk",
    "mediawiki", "template", "template talk", "help", "category talk", "portal", "timedtext",
    "diskussion", "benutzer", "benutzerin", "vorlage", "hilfe",                               // German
    "discussion", "utilisateur", "utilisatrice", "modèle", "aide", "portail", "projet", "wikipédia", // French
    "discusión", "usuario", "usuaria", "plantilla", "ayuda", "wikiproyecto",                  // Spanish
    "discussione", "utente", "aiuto", "portale", "progetto",                                  // Italian
    "discussão", "usuário", "usuária", "utilizador", "predefinição", "ajuda",                 // Portuguese
    "overleg", "gebruiker", "sjabloon", "portaal",                                            // Dutch
    "dyskusja", "wikipedysta", "wikipedystka", "szablon", "pomoc",                            // Polish
    "обсуждение", "участник", "участница", "википедия", "шаблон", "справка", "портал", "проект", // Russian
    "обговорення", "користувач", "користувачка", "вікіпедія", "довідка",                      // Ukrainian
    "беседа", "потребител", "уикипедия", "помощ",                                             // Bulgarian
    "diskuse", "wikipedista", "wikipedie", "šablona", "nápověda", "portál",                   // Czech
    "användare", "hjälp", "bruker", "hjelp", "bruger", "skabelon", "hjælp",    // Scandinavian languages
    "käyttäjä", "malline", "ohje", "szerkesztő", "sablon", "segítség", "wikipédia",           // Finnish, Hungarian
    "utilizator", "ajutor", "разговор", "корисник", "википедија", "помоћ",          // Romanian, Serbian
    "χρήστης", "πρότυπο", "βοήθεια", "βικιπαίδεια", "πύλη", "kullanıcı", "şablon", "yardım",   // Greek, Turkish
    "משתמש", "ויקיפדיה", "תבנית", "עזרה", "פורטל", "نقاش", "مستخدم", "ويكيبيديا", "قالب", "مساعدة", "بوابة",
    "بحث", "کاربر", "ویکی‌پدیا", "الگو", "راهنما", "درگاه",
    "pengguna", "templat", "bantuan", "thành viên", "bản mẫu", "trợ giúp", "cổng thông tin",  // Indonesian, Vietnamese
    "사용자", "위키백과", "틀", "도움말", "포털", "利用者", "テンプレート", "ノート", "用户", "用戶", "维基百科", "維基百科",
    "模板", "帮助", "幫助", "主题", "主題",
};

constexpr string_view kLanguages[]{
    "aa", "ab", "ace", "ady", "af", "ak", "als", "alt", "am", "ami", "an", "ang", "ann", "anp", "ar", "arc", "ary",
    "arz", "as", "ast", "atj", "av", "avk", "awa", "ay", "az", "azb", "ba", "ban", "bar", "bat-smg", "bbc", "bcl",
    "bdr", "be", "be-tarask", "be-x-old", "bew", "bg", "bh", "bi", "bjn", "blk", "bm", "bn", "bo", "bpy", "br", "bs",
    "btm", "bug", "bxr", "ca", "cbk-zam", "cdo", "ce", "ceb", "ch", "cho", "chr", "chy", "ckb", "co", "cr", "crh",
    "cs", "csb", "cu", "cv", "cy", "da", "dag", "de", "dga", "din", "diq", "dsb", "dtp", "dty", "dv", "dz", "ee",
    "el", "eml", "en", "eo", "es", "et", "eu", "ext", "fa", "fat", "ff", "fi", "fiu-vro", "fj", "fo", "fon", "fr",
    "frp", "frr", "fur", "fy", "ga", "gag", "gan", "gcr", "gd", "gl", "glk", "gn", "gom", "gor", "got", "gpe", "gu",
    "guc", "gur", "guw", "gv", "ha", "hak", "haw", "he", "hi", "hif", "ho", "hr", "hsb", "ht", "hu", "hy", "hyw",
    "hz", "ia", "iba", "id", "ie", "ig", "igl", "ii", "ik", "ilo", "inh", "io", "is", "it", "iu", "ja", "jam", "jbo",
    "jv", "ka", "kaa", "kab", "kbd", "kbp", "kcg", "kg", "kge", "ki", "kj", "kk", "kl", "km", "kn", "knc", "ko",
    "koi", "kr", "krc", "ks", "ksh", "ku", "kus", "kv", "kw", "ky", "la", "lad", "lb", "lbe", "lez", "lfn", "lg",
    "li", "lij", "lld", "lmo", "ln", "lo", "lrc", "lt", "ltg", "lv", "mad", "mai", "map-bms", "mdf", "mg", "mh",
    "mhr", "mi", "min", "mk", "ml", "mn", "mni", "mnw", "mo", "mos", "mr", "mrj", "ms", "mt", "mus", "mwl", "my",
    "myv", "mzn", "na", "nah", "nap", "nb", "nds", "nds-nl", "ne", "new", "ng", "nia", "nl", "nn", "no", "nov", "nqo",
    "nr", "nrm", "nso", "nup", "nv", "ny", "oc", "olo", "om", "or", "os", "pa", "pag", "pam", "pap", "pcd", "pcm",
    "pdc", "pfl", "pi", "pih", "pl", "pms", "pnb", "pnt", "ps", "pt", "pwn", "qu", "rm", "rmy", "rn", "ro",
    "roa-rup", "roa-tara", "rsk", "ru", "rue", "rw", "sa", "sah", "sat", "sc", "scn", "sco", "sd", "se", "sg", "sh",
    "shi", "shn", "si", "simple", "sk", "skr", "sl", "sm", "smn", "sn", "so", "sq", "sr", "srn", "ss", "st", "stq",
    "su", "sv", "sw", "syl", "szl", "szy", "ta", "tay", "tcy", "tdd", "te", "tet", "tg", "th", "ti", "tig", "tk",
    "tl", "tly", "tn", "to", "tpi", "tr", "trv", "ts", "tt", "tum", "tw", "ty", "tyv", "udm", "ug", "uk", "ur", "uz",
    "ve", "vec", "vep", "vi", "vls", "vo", "wa", "war", "wo", "wuu", "xal", "xh", "xmf", "yi", "yo", "za", "zea",
    "zgh", "zh", "zh-classical", "zh-cn", "zh-min-nan", "zh-tw", "zh-yue", "zu",
};

constexpr string_view kProjects[]{
    "w", "wikt", "wiktionary", "q", "wikiquote", "s", "wikisource", "b", "wikibooks", "n", "wikinews", "v",
    "wikiversity", "voy", "wikivoyage", "c", "commons", "d", "wikidata", "m", "meta", "mw", "species", "wikispecies",
    "incubator", "foundation", "wmf", "phab", "bugzilla", "doi", "arxiv", "oldwikisource", "betawikiversity",
    "викисловарь", "уикиречник", "wikcionario", "wikizionario", "wikiwoordenboek",
};
// clang-format on

} // namespace

std::span<const string_view> hiddenNamespaces()
{
    return kHidden;
}
std::span<const string_view> otherNamespaces()
{
    return kOther;
}
std::span<const string_view> languagePrefixes()
{
    return kLanguages;
}
std::span<const string_view> projectPrefixes()
{
    return kProjects;
}

} // namespace trainyard
