"""Which encoding makes a language of some bytes.

In: the first bytes of a text. Out: the name of the Python codec that reads them best, None where none reads them
well. Never: a character of the text.

Each candidate decodes the same bytes; what comes out is given a cost, about the negative logarithm of how likely such a
text is in the languages that are written in that encoding. All candidates account for the same bytes, so that costs
compare. Chinese that was read as Latin costs an accented letter a byte, Korean that was read as GBK rare characters.
The file is longer than others for its lists of characters.
"""

from __future__ import annotations

import codecs
import math
import re
import unicodedata
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Final

Cost = Callable[[str], float]
Errors = Callable[[UnicodeError], tuple[str | bytes, int]]
_Context = tuple[tuple[re.Pattern[str], float], ...]

_SAMPLE: Final = 8 * 1024  # bytes of lines with non-ASCII bytes: more does not change the answer
_WIDE_SAMPLE: Final = 4 * 1024
_ASCII: Final = 3.3
_BROKEN: Final = 16.0  # bytes that are no character
_PLAIN: Final = frozenset(map(chr, (*b"\t\r\n", *range(0x20, 0x7F))))
_NONE: Final = 18.0  # controls, private use, unassigned
_MOST_WIDE: Final = 8.0  # mean cost of a character of UTF-16 and UTF-32
_WIDE_START: Final = 14.0  # they are rarer than a stray zero byte

# Characters of tables, names, addresses, orders: the most frequent ones, and further common ones.
_SIMPLIFIED_FIRST: Final = (
    "的一是不了在人有我他这个们中来上大为和国地到以说时要就出会可也你对生能而子那得于着下自之年过发后作里用道"
    "行所然家种事成方多经么去法学如都同现当没动面起看定天分还进好小部其些主样理心她本前开但因只从想实日军者意"
    "无力它与长把机十民第公此已工使情明性知全三又关点正业外将两高间由问很最重并物手应战向头文体政美相见被利什"
    "二等产或新己制身果加西斯月话合回特代内信表化老给世位次度门任常先海通教儿原东声提立及比员解水名真论处走义"
    "各入几口认条平系气题"
)
_SIMPLIFIED_MORE: Final = (
    "活尔更别打女变四神总何电数安少报才结反受目太量再感建务做接必场件计管期市直德资命山金指克许统区保至队形社"
    "便空决治展马科司五基眼书非则听白却界达光放强即像难且权思王象完设式色路记南品住告类求据程北边死张该交规万"
    "取拉格望觉术领共确传师观清今切院让识候带导争运城姓址号码单价款货客户商店铺订购买卖售销库存钱元角额编省县"
    "镇乡村街巷室楼栋层座房屋园花林湖河江州京津沪渝苏浙粤川贵云陕广深圳杭武汉沈哈滨济郑昆厦福徽台湾港澳李刘陈"
    "杨赵黄周吴徐孙胡朱郭罗梁谢宋唐邓冯韩曹曾彭蔡潘田董袁余叶蒋杜魏吕丁姚卢钟姜崔谭范汪陆石贾侯熊孟秦雷史龙陶"
    "贺顾毛伟芳娜秀英敏静丽磊洋勇艳杰涛超兰霞刚桂红玉萍玲燕娟慧琳欣怡佳婷雪宇浩博俊鹏飞辉鑫健斌波凯志华宝宏峰"
    "凤春梅雨晨阳邮箱备注描述介绍状态未待审核消退换支付微银卡账充值优惠券折扣满减免税率费输送快递流收寄签验仓"
    "配包装盒袋瓶双套根块片脑笔键盘标显示器耳音响线壳屏衣服裤裙鞋帽食零酒茶奶粉菜米油糖肉鱼蛋鸡猪牛羊绿蓝紫黑"
    "灰男童职监财采早午晚星季夏秋冬节昨请您左右按照需联络步亿百千六七八九半父母轻车火龄籍族汽厂医药病校班级绩"
    "课考试招投项源网站版登录密证际组织团党委字画图影视频乐游戏育康饮环境评享围造型材料质检供差错误功准"
)
_TRADITIONAL_FIRST: Final = (
    "的一是不了在人有我他這個們中來上大為和國地到以說時要就出會可也你對生能而子那得於著下自之年過發後作里用道"
    "行所然家種事成方多經麼去法學如都同現當沒動面起看定天分還進好小部其些主樣理心她本前開但因只從想實日軍者意"
    "無力它與長把機十民第公此已工使情明性知全三又關點正業外將兩高間由問很最重並物手應戰向頭文體政美相見被利什"
    "二等產或新己制身果加西斯月話合回特代內信表化老給世位次度門任常先海通教兒原東聲提立及比員解水名真論處走義"
    "各入幾口認條平系氣題"
)
_TRADITIONAL_MORE: Final = (
    "活更別打女變四神總何電數安少報才結反受目太量再感建務做接必場件計管期市直德資命山金指克許統區保至隊形社便"
    "空決治展馬科司五基眼書非則聽白卻界達光放強即像難且權思王象完設式色路記南品住告類求據程北邊死張該交規萬取"
    "拉格望覺術領共確傳師觀清今切院讓識候帶導爭運城姓址號碼單價款貨客戶商店鋪訂購買賣售銷庫存錢元角額編省縣鎮"
    "鄉村街巷弄段室樓棟層座房屋園花林湖河江州京台臺灣港澳雄桃竹苗彰投雲嘉屏宜蘭蓮澎隆板橋仁永莊陳黃李吳劉蔡楊"
    "鄭謝郭洪邱曾廖賴徐周葉蘇呂蕭羅潘簡朱鍾彭游詹胡施沈余趙盧梁顏柯孫魏翁戴范宋鄧杜傅侯曹薛丁卓阮董唐藍石蔣志"
    "豪宏俊傑冠宇怡君雅婷淑芬玲惠欣佳穎偉雪芳秀英麗靜敏慧玉珍郵箱備註描述介紹狀態未待審核消退換支付銀卡帳充值"
    "優券折扣滿減免稅率費輸送快遞流收寄簽驗倉配包裝盒袋瓶雙套根塊片腦筆鍵盤滑鼠標顯示器耳音響線殼螢幕衣服褲裙"
    "鞋帽食零酒茶奶粉菜米油糖肉魚蛋雞豬牛羊麵紅綠紫黑灰男童職監財採早午晚星季夏秋冬節昨請您左右按照需聯絡步億"
    "百千六七八九半週父母輕車火齡籍族汽廠醫藥病校班級績課考試招項源網站版登錄密證際組織團黨委史字畫圖影視頻樂"
    "遊戲育健康飲環境評享範圍造型材料質檢供差錯誤功準幣匯訊貴敝"
)
_JAPANESE_FIRST: Final = (
    "日一国人年大十二本中長出三時行見月後前生五間上東四今金九入学高円子外八六下来気小七山話女北午百書先名川千"
    "水半男西電校語土木聞食車何南万毎白天母火右読友左休父雨会社事自分場員立開手力問代明動京目通言理体田主題意"
    "不作用度強公持野以思家世多正安院心界教文元重近考画海売知道集別物使品計県市区町村丁番地号株式部数量額商注"
)
_JAPANESE_MORE: Final = (
    "死特私始朝運終台広住真有口少料工建空急止送切転研足究楽起着店病質待試族銀早映親験英医仕去味写字答夜音帰古"
    "歌買悪図週室歩風紙黒花春赤青館屋色走秋夏習駅洋旅服夕借曜飲肉貸堂鳥飯勉冬昼茶弟牛魚兄犬妹姉漢政議民連対合"
    "内相定回選米実関決全表戦経最現調化当約首法性要制治務成期取都和機平加受続進記初指権支産点報済活原共得解交"
    "資予向際勝面告反判認参利組信在件側任引求所次昨論官増係感情投示変打直両確果容必演歳争談能位置流格疑過局放"
    "常状球職与供役構割身費付由説難優夫収断石違消神規術備宅害配警育席訪乗残想声助労例然限追葉伝働形景落好退頭"
    "負渡失差末守若種美命福望非観察段横深申様財港識呼達良候程満値光路科積他処太客否師登易速存飛単座破除完降責"
    "給園具辞因馬愛富彼未冷適婦寄込顔類余王返妻熱宿薬険頼船途許便留精散静婚喜幸押等老曲払庭徒勤居雑更願絵越束"
    "列遊夢君草酒晴陽御雪箱寒佐藤鈴橋辺伊林斎吉松井清崎森池阿岡谷坂浦竹久杉丸沢島宮河桜塚郎恵香裕智健翔菜葵蓮"
    "結衣紀府阪奈埼玉兵庫茨城潟栃群岐阜熊鹿児沖縄滋賀岩徳媛価税顧氏郵担署課営総納請領荷札幌浜仙製検査"
)
_KOREAN: Final = (
    "이다는의가에을지고하사자기한로도어서대시리정인그나아보수은해전부제일라게구원장주성상과있들를니비소유마조"
    "으선면공실여동드경스연학관치미계행중용생방국위무내안모차발교세당요간결만문법통재우분속신러적화김박최강윤"
    "임오권황송류홍영희철민현준호진혜숙순옥석훈태광병승길남북춘천울산포항목창충청릉품명번격량금액총합객배완료"
    "취반환입출매처담팀직급월년날짜택점옷녀식음커피빵밥물술채할될된했습것등및타개업체회단특별역외양말씀감참예"
    "설메뉴코키르트크프블터노데디바파카토레네테루추저져더거너머버허려며야와왔워편판표필형활후흥평각건검견곤군"
    "궁균극근글긴끝났널넓높놓누눈늘능님닐달답덕독돈돌둘뒤듯따때또란람랑랜략론름립링막많망맞맥맨먼멀몇몰밀받밝"
    "백벌범베변복본볼봉붙빛빠뿐살색섬섯셔셨손솔쇼슨슬십싶싸쓰씨않알았약언얼없었열엄엔염옆온올옮왕욕운움웃웨육"
    "응익잘잡쟁절접젊젖족존졸종좋죄죠죽줄쥐증집쪽착책척첫쳐초층칠침칭탁탄탈탐투틀폐폭풍함험혁협혼확효휴흐힘"
)
# Cost of the parts of a Hangul syllable, in their order of Unicode; a digit to base 36 is half a unit.
_LEADS: Final = "4965a666c5b35b78885"
_VOWELS: Final = "369f566b58c9859e98594"
_TAILS: Final = "16cg4fca5deehghe68d895ccebcb"

_EASTERN_MARKS: Final = "，。、；：？！（）《》「」『』【】〔〕“”‘’—…·・～￥％＃＆＊＋－／＝ー々　"
_WESTERN_MARKS: Final = "€£§°«»–—“”‘’„‚…•©®™¿¡ºª²³½¼¾·×±\xa0"
# The accented letters of a language, the most frequent first; languages are told apart by what else is in the text.
_WESTERN: Final = (
    "éèàêçôîâûùëïœ",
    "üäößé",
    "óíáéñúüºª",
    "ãçáéíóêâõúôà",
    "àèòùìéó",
    "éíóàèòúçïü",
    "åäöøæé",
)
# Names from many countries, and Icelandic, whose letters are those of Turkish in another encoding.
_WESTERN_RARE: Final = ("éäüöáóíèàçñßãåøêôâîõúæëïìòùûœ", "áíóéöúæýðþ")
_CENTRAL: Final = ("łóąężśćńź", "íáéěýřčžšůúňóťď", "áéóöőíüúű", "šćčžđ", "áíéčýžšľúťôňäďĺŕó")
_TURKISH: Final = ("ıüşöçğİâ",)
# Alphabets, the most frequent letters first.
_CYRILLIC: Final = "оеаинтсрвлкмдпуяыьгзбчйхжшюцщэфъёіїєґ"
_GREEK: Final = "αοιετσνηυρπκμλςάόίθγδήέβχφύωξώζψ"
_HEBREW: Final = "יוהלאמרתבשנדכםעקחפטןגזסצךףץ"
_ARABIC: Final = "اليمنوترهبعدسفكحقةجأشصطخىإضزثذءظغآئؤ"


def _language(own: Cost) -> Cost:
    """The costs of all characters, from those of the ones that a language has for itself."""

    @lru_cache(maxsize=4096)
    def cost(char: str) -> float:
        if char < "\x80":
            return _ASCII if char in _PLAIN else _NONE
        if char == "\ufffd":
            return _BROKEN
        return _NONE if unicodedata.category(char) in ("Cc", "Cn", "Co", "Cs") else own(char)

    return cost


def _eastern(char: str) -> float:
    """What Eastern languages share, and what is none of theirs."""
    if char in _EASTERN_MARKS:
        return 6.5
    if "\uff10" <= char <= "\uff5a":  # full-width digits and letters
        return 8.0
    if unicodedata.category(char)[0] in "SNP" or "\u3041" <= char <= "\u30ff":
        return 10.0
    return 19.0 if char > "\uffff" or "\u3400" <= char <= "\u4dbf" else 13.5


def _lead(char: str, codec: str) -> int:
    """The first byte of a character in an encoding that has its common ones first; 0 where it has it not."""
    return next(iter(char.encode(codec, "ignore")), 0)


def _han(first: str, more: str, codec: str, rare_from: int, costs: tuple[float, float, float, float]) -> Cost:
    """Chinese characters by how common they are: two lists, then the two levels of a national standard."""
    known = {**dict.fromkeys(more, costs[1]), **dict.fromkeys(first, costs[0])}

    def cost(char: str) -> float:
        if char in known:
            return known[char]
        if not "\u4e00" <= char <= "\u9fff":
            return _eastern(char)
        lead = _lead(char, codec)
        return costs[2] if 0x8F < lead < rare_from else costs[3] if lead > 0x8F else 15.0

    return cost


_kanji = _han(_JAPANESE_FIRST, _JAPANESE_MORE, "euc_jp", 0xD0, (6.7, 7.6, 11.0, 14.0))


def _japanese_own(char: str) -> float:
    if "\u3041" <= char <= "\u3093":
        return 5.2
    if "\u30a1" <= char <= "\u30fc" or "\uff66" <= char <= "\uff9f":
        return 6.1
    return _kanji(char)


def _korean_own(char: str) -> float:
    if not "\uac00" <= char <= "\ud7a3":
        return _eastern(char)
    lead, rest = divmod(ord(char) - 0xAC00, 21 * 28)
    parts = _LEADS[lead] + _VOWELS[rest // 28] + _TAILS[rest % 28]
    return sum(int(part, 36) for part in parts) / 2 + (0 if char in _KOREAN else 1 if _lead(char, "euc_kr") else 6)


def _latin(letters: str, least: float = 3.4) -> Cost:
    """A language that is written in ASCII but for some letters."""

    def cost(char: str) -> float:
        place = letters.find(char) if char in letters else letters.find(char.lower())
        if place >= 0:
            return least + place / 10 + (0 if char.islower() else 1.0)
        return 6.0 if char in _WESTERN_MARKS else 8.0 if char.isalpha() else 11.0

    return cost


def _alphabet(letters: str) -> Cost:
    def cost(char: str) -> float:
        place = letters.find(char.lower())
        if place < 0:
            return 6.5 if char in _WESTERN_MARKS else 11.0
        return 2.3 + place / 10 + (1.5 if char.isupper() else 0)

    return cost


_simplified = _language(_han(_SIMPLIFIED_FIRST, _SIMPLIFIED_MORE, "gb2312", 0xD8, (6.2, 7.2, 9.9, 11.9)))
_traditional = _language(_han(_TRADITIONAL_FIRST, _TRADITIONAL_MORE, "cp950", 0xC9, (6.2, 7.2, 10.4, 13.0)))
_japanese, _korean = _language(_japanese_own), _language(_korean_own)
_western = (
    *(_language(_latin(letters)) for letters in _WESTERN),
    *(_language(_latin(letters, 4.1)) for letters in _WESTERN_RARE),
)
_central, _turkish = (tuple(_language(_latin(letters)) for letters in many) for many in (_CENTRAL, _TURKISH))
_cyrillic, _greek, _hebrew, _arabic = (_language(_alphabet(a)) for a in (_CYRILLIC, _GREEK, _HEBREW, _ARABIC))
_EASTERN: Final = (_simplified, _traditional, _japanese, _korean)
_OTHER: Final = (_cyrillic, _greek, _hebrew, _arabic)


def _any_own(char: str) -> float:
    """The least cost in any language; further scripts and emoji are texts too."""
    if "\u0531" <= char <= "\u1fff" and unicodedata.category(char)[0] in "LM":
        return 6.0
    return min(10.0, *(cost(char) for cost in (*_EASTERN, *_western, *_OTHER)))


_any = _language(_any_own)

_HAN: Final = "\u3001-\u9fff\uac00-\ud7a3\uff01-\uffef"
_ACCENTED: Final = "À-ÖØ-öø-\u017f"
_CAPITALS: Final = "".join(char for char in map(chr, range(0xC0, 0x180)) if char.isupper())
# What stands next to each other in no word, or in few, and what each such place costs more.
_NEXT_TO_ASCII: Final = (
    (re.compile(f"[a-z](?=[{_HAN}])|[{_HAN}](?=[a-z])"), 3.0),
    (re.compile(f"[A-Z](?=[{_HAN}])|[{_HAN}](?=[A-Z])"), 1.5),
)
_HALF_WIDTH: Final = ((re.compile("(?<![ｦ-ﾟ])[ｦ-ﾟ]{1,2}(?![ｦ-ﾟ])"), 6.0),)  # they come in words
_LATIN_WORDS: Final = (
    (re.compile(f"[{_ACCENTED}](?=[{_ACCENTED}])(?!(?<=[üöäéçí])[ßéãõíš])"), 4.0),  # two accents, but for ção, süß …
    (re.compile(f"(?<![A-Za-z])[{_ACCENTED}](?![A-Za-z])"), 3.0),  # no ASCII letter beside it
    (re.compile(f"[a-z](?=[{_CAPITALS}])"), 6.0),
    (re.compile(f"(?<=[A-Za-z{_ACCENTED}])[^\x00-\x7f{_ACCENTED}’·](?=[A-Za-z{_ACCENTED}])"), 6.0),  # a mark in a word
)


def _alphabet_words(letters: str) -> _Context:
    """Of an alphabet that has nothing in common with ASCII."""
    return (
        (re.compile("(?<=[а-яёα-ώ])[А-ЯЁΆ-Ω]"), 6.0),  # a capital in a word
        (re.compile(f"(?<![{letters}])[{letters}](?![{letters}])"), 4.0),  # a letter alone
        (re.compile(f"[A-Za-z](?=[{letters}])|[{letters}](?=[A-Za-z])"), 7.0),
        (re.compile(f"(?<=[{letters}])[^\x00-\x7f{letters}](?=[{letters}])"), 6.0),  # a mark in a word
    )


_CYRILLIC_WORDS: Final = _alphabet_words("Ѐ-ґ")


@dataclass(frozen=True, slots=True)
class _Candidate:
    """An encoding and the languages that are written in it.

    Attributes:
        most: mean cost of a non-ASCII byte, above which the text is none of theirs.
        start: what it costs to be chosen at all: rarely met encodings more.
    """

    codec: str
    languages: tuple[Cost, ...]
    context: _Context
    most: float
    start: float = 0.0


# The better known first. The numbers are set by hand: tests/localdata/test_encoding.py says what they must achieve.
_CANDIDATES: Final = (
    _Candidate("utf-8", (_any,), (), 5.5),
    _Candidate("cp1252", _western, _LATIN_WORDS, 8.3),
    _Candidate("gb18030", (_simplified,), _NEXT_TO_ASCII, 5.4),
    _Candidate("cp950", (_traditional,), _NEXT_TO_ASCII, 5.4, 1.0),
    _Candidate("big5hkscs", (_traditional,), _NEXT_TO_ASCII, 5.4, 8.0),
    _Candidate("cp932", (_japanese,), _NEXT_TO_ASCII + _HALF_WIDTH, 5.4, 1.0),
    _Candidate("euc_jp", (_japanese,), _NEXT_TO_ASCII + _HALF_WIDTH, 5.4, 3.0),
    _Candidate("cp949", (_korean,), _NEXT_TO_ASCII, 5.4, 1.0),
    _Candidate("cp1250", _central, _LATIN_WORDS, 8.3, 2.0),
    _Candidate("iso8859-2", _central, _LATIN_WORDS, 8.3, 4.0),
    _Candidate("cp1254", _turkish, _LATIN_WORDS, 8.3, 0.5),
    _Candidate("cp850", _western, _LATIN_WORDS, 7.5, 5.0),
    _Candidate("mac-roman", _western, _LATIN_WORDS, 7.5, 5.0),
    _Candidate("cp1251", (_cyrillic,), _CYRILLIC_WORDS, 5.4, 3.0),
    _Candidate("cp1253", (_greek,), _alphabet_words("Ά-ώ"), 5.4, 3.0),
    _Candidate("cp1255", (_hebrew,), _alphabet_words("א-ת"), 5.4, 3.0),
    _Candidate("cp1256", (_arabic,), _alphabet_words("ء-ي"), 5.4, 3.0),
    _Candidate("koi8-r", (_cyrillic,), _CYRILLIC_WORDS, 5.4, 5.0),
    _Candidate("cp866", (_cyrillic,), _CYRILLIC_WORDS, 5.4, 5.0),
)


EURO: Final = "dbgraph_nb.euro"
EURO_OR_REPLACED: Final = "dbgraph_nb.euro.replace"


def _euro(otherwise: Errors) -> Errors:
    """Chinese Windows writes the euro sign as a byte that GBK and GB 18030 have no character for."""

    def handler(error: UnicodeError) -> tuple[str | bytes, int]:
        if isinstance(error, UnicodeDecodeError) and error.object[error.start] == 0x80:
            return "€", error.start + 1
        return otherwise(error)

    return handler


codecs.register_error(EURO, _euro(codecs.strict_errors))
codecs.register_error(EURO_OR_REPLACED, _euro(codecs.replace_errors))


def best(head: bytes, *, whole: bool) -> str | None:
    """The codec whose reading of the text is the most likely.

    Args:
        head: bytes that are not all ASCII.
        whole: whether the text ends with them.
    """
    sample, final = _sample(head, whole)
    texts = [_decoded(candidate.codec, sample, final) for candidate in _CANDIDATES]
    costs = [_cost(candidate, text) for candidate, text in zip(_CANDIDATES, texts, strict=True)]
    least = min(range(len(costs)), key=lambda place: costs[place] + _CANDIDATES[place].start)
    text, most = texts[least], _CANDIDATES[least].most
    plain = sum(char in _PLAIN for char in text)
    # A few bytes are not enough for a mean: more is let pass.
    if costs[least] - plain * _ASCII > most * (len(sample) - plain) + 4:
        return None
    return _CANDIDATES[texts.index(text)].codec  # the better known of those that read it alike


def _decoded(codec: str, sample: bytes, final: bool) -> str:
    errors = EURO_OR_REPLACED if codec == "gb18030" else "replace"
    return codecs.getincrementaldecoder(codec)(errors).decode(sample, final)


def _cost(candidate: _Candidate, text: str) -> float:
    chars = Counter(text).items()
    cost = min(sum(cost(char) * count for char, count in chars) for cost in candidate.languages)
    return cost + sum(len(pattern.findall(text)) * more for pattern, more in candidate.context)


def _sample(head: bytes, whole: bool) -> tuple[bytes, bool]:
    """Lines with bytes that are not ASCII, and whether the last one is complete."""
    odd = re.search(rb"[\x80-\xff]", head)
    first = odd.start() if odd else 0
    # A line may be long: that of the first such byte is taken from a little before it, where all is ASCII.
    rest = head[max(head.rfind(b"\n", 0, first) + 1, first - 200) :]
    taken, size, cut = [], 0, False
    lines = rest.split(b"\n")
    for line in lines:
        if line.isascii():
            continue
        taken.append(line[: _SAMPLE - size])
        size += len(taken[-1]) + 1
        if size > _SAMPLE:
            cut = len(taken[-1]) < len(line)
            break
    return b"\n".join(taken), not cut and (whole or lines[-1] is not line)


def best_wide(head: bytes, *, whole: bool) -> str | None:
    """The codec of two or four bytes a character in which a text with zero bytes reads well, if there is one.

    In UTF-16 the zero bytes are at even or at odd places, but for a few characters such as 一; a file that is mostly
    Chinese has them only in its delimiters and ends of lines. So it is the characters that decide here too.
    """
    piece = head[:_WIDE_SAMPLE]
    final = whole and len(piece) == len(head)
    least, found = _read_wide("utf-8", piece, final), "utf-8"
    for codec in ("utf-32-le", "utf-32-be", "utf-16-le", "utf-16-be"):
        cost = _read_wide(codec, piece, final) + _WIDE_START
        if cost < least:
            least, found = cost, codec
    return None if found == "utf-8" else found


def _read_wide(codec: str, piece: bytes, final: bool) -> float:
    """What a reading costs; infinite where it is no text, which has no controls, and few broken characters."""
    text = codecs.getincrementaldecoder(codec)("replace").decode(piece, final)
    chars = Counter(text)
    cost = sum(_any(char) * count for char, count in chars.items())
    if codec == "utf-8":
        return cost
    strange = sum(count for char, count in chars.items() if _any(char) >= _BROKEN)
    controls = any(char < " " and char not in _PLAIN for char in chars)
    too_many = controls or strange > len(text) // 100 or cost > _MOST_WIDE * len(text) + 4
    return math.inf if too_many else cost
