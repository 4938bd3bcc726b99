"""Text encodings: short tables are recognized, copies hold the same text, what is not valid is said."""

from __future__ import annotations

import codecs
import io
import random
import time
from functools import cache

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from dbgraph_nb.errors import BadArgument, QueryFailed
from dbgraph_nb.localdata import encoding
from dbgraph_nb.localdata.encoding import Encoding, detect, named, to_utf8

SAMPLES = {
    "gb18030": [
        "姓名,城市\n张三,北京\n",
        "城市\n广州\n",
        "编号,姓名,电话\n1,王小明,13800001111\n2,李娜,13900002222\n",
        "订单号,商品,数量,金额\nA001,苹果手机壳,3,59.70\nA002,无线鼠标,1,89.00\n",
        "地址\n上海市浦东新区世纪大道100号\n广东省深圳市南山区科技园\n",
        "联通,移动\n电信,广电\n",
        "日期,备注\n2024-01-05,客户要求周五之前发货，请尽快处理。\n",
        "name,dept\nZhang,销售部\nLi,财务部\n",
        "id;价格;单位\n7;¥12;元/公斤\n",
        "姓名,籍贯\n赵匡胤,涿州\n龚琳娜,贵阳\n欧阳锋,西域\n",
        "人名\n朱镕基\n陶喆\n",
        "姓名,字\n𠮷野,㐂\n张㬢,䶮\n王五,小五\n",
        '[{"姓名": "张三", "年龄": 30}]',
        "产品名称\t库存\n笔记本电脑\t12\n机械键盘\t40\n",
        "省份,人口\n河南,9883\n四川,8371\n湖南,6622\n",
        "学号,成绩\n2020001,优秀\n2020002,及格\n",
        "币种,符号\n欧元,€\n人民币,￥\n",
    ],
    "cp950": [
        "姓名,城市\n王小明,台北\n",
        "編號,客戶,電話\n1,陳美玲,02-2345-6789\n2,林志豪,07-123-4567\n",
        "地址\n台北市信義區市府路45號\n新北市板橋區縣民大道二段7號\n",
        "訂單,商品,數量\nA1,無線滑鼠,3\nA2,機械鍵盤,1\n",
        "產品,價格\n珍珠奶茶,50\n牛肉麵,120\n",
        "備註\n請於下週三之前將貨品送達，謝謝。\n",
        "縣市,人口\n高雄市,276\n臺中市,282\n",
        "公司,幣別\n宏碁,€\n",
    ],
    "cp932": [
        "名前,都市\n田中太郎,東京\n",
        "商品,数量\nりんご,3\nみかん,5\n",
        "コード,メーカー\nA1,トヨタ\nA2,ソニー\n",
        "氏名,ﾌﾘｶﾞﾅ\n山田花子,ﾔﾏﾀﾞ ﾊﾅｺ\n",
        "住所\n神奈川県横浜市中区本町6-50-10\n",
        "備考\n来週の金曜日までに発送してください。\n",
        "会社名,売上（千円）\n株式会社山本製作所,1200\n",
        "注文番号,商品名,単価\n10,ノートパソコン,98000\n",
        "id,name\n1,佐藤\n2,鈴木\n",
        "①部署,㈱社名\n営業部,㈱髙島屋\n",
    ],
    "euc_jp": [
        "商品,数量\nりんご,3\nみかん,5\n",
        "備考\n来週の金曜日までに発送してください。\n",
        "コード,メーカー\nA1,トヨタ\nA2,ソニー\n",
    ],
    "cp949": [
        "이름,도시\n김철수,서울\n",
        "번호,고객,전화\n1,이영희,010-1234-5678\n2,박민수,010-9876-5432\n",
        "주소\n서울특별시 강남구 테헤란로 152\n부산광역시 해운대구 우동\n",
        "주문번호,상품,수량\nA1,무선 마우스,3\nA2,기계식 키보드,1\n",
        "비고\n다음 주 금요일까지 배송해 주세요.\n",
        "도시\n대전\n광주\n",
        "제목\n펲시와 똠방각하\n",
        "날짜,매출액\n2024-01-05,1200\n",
    ],
    "cp1252": [
        "Name,Stadt\nMüller,Köln\n",
        "Straße;PLZ\nHauptstraße 5;80331\nÄußere Weberstraße 7;02763\n",
        "prénom,ville\nRenée,Orléans\nFrançois,Besançon\n",
        "nombre,ciudad\nJosé Núñez,León\nMaría,Cádiz\n",
        "¿Qué?,año\nniñez,2020\n",
        "nome,cidade\nJoão,São Paulo\nConceição,Ribeirão\n",
        "navn,by\nJørgen,Ærøskøbing\nÅse,Tromsø\n",
        "città,perché\nForlì,così è\n",
        "item,price\ntea,€5\ncake,5 €\n",
        "city\nMalmö\n",
        "quote\nit\u2019s \u201cfine\u201d \u2013 really\n",
        "temp,unit\n21,°C\n19,°C\n",
        "name,note\nLoïc,déjà vu\nZoë,naïve\nà,été\n",
        "Österreich,Übersicht\nÖtztal,Ärzte\n",
    ],
    "cp1250": [
        "imię,miasto\nŁukasz,Łódź\nMałgorzata,Kraków\nStanisław,Częstochowa\n",
        "jméno,město\nJiří,Plzeň\nŽofie,Třebíč\n",
    ],
    "cp1251": [
        "имя,город\nИван,Москва\n",
        "Товар,Цена\nЯблоки,120\nХлеб,45\n",
    ],
    "cp1253": ["όνομα,πόλη\nΓιώργος,Αθήνα\nΕλένη,Θεσσαλονίκη\n"],
    "cp1254": ["isim,şehir\nAyşe,İstanbul\nOğuz,Eskişehir\n"],
    "cp1255": ["שם,עיר\nדוד,ירושלים\n"],
    "cp1256": ["مدينة,اسم\nالقاهرة,محمد\n"],
    "utf-8": [
        "姓名,城市\n张三,北京\n",
        "a,b\n1,2\n",
        "Name\nMüller\n",
        "mood\n😀👍🏽\n",
        "price\n5 €\n",
        "о\nда\n",
        "",
        "one line without an end",
        "\n",
        "名前\nりんご\n",
    ],
}
CASES = [
    pytest.param(codec, text, id=f"{codec}-{i}") for codec, texts in SAMPLES.items() for i, text in enumerate(texts)
]
WIDE = [
    "姓名,城市\n张三,北京\n",
    "a,b\n1,2\n",
    "序号\t姓名\t备注\r\n1\t张一一\t一级丁一\r\n",
    "이름,도시\n김철수,서울\n",
    "Name;Straße\nMüller;Hauptstraße\n",
    "中文表格没有几个英文字符\n第二行也是中文内容\n",
    "mood,n\n😀,3\n",
    "имя,город\nИван,Москва\n",
    "ชื่อ,เมือง\nสมชาย,กรุงเทพ\n",
    "नाम,शहर\nअमित,दिल्ली\n",
    "שם,עיר\nדוד,ירושלים\n",
    "龘,龑\n",
]
MARKS = {
    "utf-8": codecs.BOM_UTF8,
    "utf-16-le": codecs.BOM_UTF16_LE,
    "utf-16-be": codecs.BOM_UTF16_BE,
    "utf-32-le": codecs.BOM_UTF32_LE,
    "utf-32-be": codecs.BOM_UTF32_BE,
    "gb18030": "\ufeff".encode("gb18030"),
}


def copied(data: bytes, found: Encoding) -> str:
    target = io.BytesIO()
    assert to_utf8(io.BytesIO(data), target, found)
    return target.getvalue().decode()


@pytest.mark.parametrize(("codec", "text"), CASES)
def test_short_tables(codec: str, text: str) -> None:
    data = text.encode(codec)
    found = detect(data, whole=True)
    assert (found.codec, found.bom, found.sure) == (codec, 0, codec == "utf-8")
    assert copied(data, found) == text


@pytest.mark.parametrize("text", WIDE)
@pytest.mark.parametrize("codec", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark(codec: str, text: str) -> None:
    data = text.encode(codec)
    found = detect(data, whole=True)
    assert (found.codec, found.bom, found.sure) == (codec, 0, False)
    assert copied(data, found) == text
    assert detect(data[:-1], whole=False).codec == codec


@pytest.mark.parametrize("text", [*WIDE, ""])
@pytest.mark.parametrize("codec", sorted(MARKS))
def test_a_mark_proves(codec: str, text: str) -> None:
    data = MARKS[codec] + text.encode(codec)
    found = detect(data, whole=True)
    assert (found.codec, found.bom, found.sure) == (codec, len(MARKS[codec]), True)
    assert copied(data, found) == text


@pytest.mark.parametrize(
    ("data", "shown"),
    [
        (b"a", "UTF-8"),
        (codecs.BOM_UTF8, "UTF-8 with a byte-order mark"),
        (codecs.BOM_UTF16_LE, "UTF-16 LE"),
        ("城市\n北京".encode("gbk"), "GBK (GB18030)"),
        ("縣市\n高雄".encode("big5"), "Big5"),
        ("りんご".encode("cp932"), "Shift JIS"),
        ("서울 부산".encode("cp949"), "EUC-KR"),
        ("Köln".encode("cp1252"), "Windows-1252 (Latin-1)"),
    ],
)
def test_what_a_person_calls_it(data: bytes, shown: str) -> None:
    assert detect(data, whole=True).shown == shown


@given(st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), min_size=1))
@example("联通")
@example("ï»¿")
def test_what_is_valid_utf_8_is_utf_8(text: str) -> None:
    assert detect(text.encode(), whole=True) == Encoding("utf-8", 0, True, "UTF-8")


@given(st.text(st.characters(exclude_characters="\0\ufeff", exclude_categories=["Cs"]), min_size=4), st.integers(0, 3))
def test_utf_8_may_be_cut_in_a_character(text: str, cut: int) -> None:
    data = text.encode()
    head = data[: len(data) - cut]
    assert detect(head, whole=False) == Encoding("utf-8", 0, True, "UTF-8")


@pytest.mark.parametrize(
    "text", ["a,b\n1,\0\n", "name\0\0\0\0city\0\0\0\0\n", "one thing, then another\n" * 500 + "\0"]
)
def test_a_zero_byte_does_not_make_utf_16(text: str) -> None:
    assert detect(text.encode(), whole=True).codec == "utf-8"


@pytest.mark.parametrize("codec", ["gb18030", "cp950", "cp932", "cp949"])
def test_a_long_head_may_be_cut_in_a_character(codec: str) -> None:
    data = SAMPLES[codec][1].encode(codec) * 3
    assert {detect(data[:end], whole=False).codec for end in range(len(data) - 20, len(data))} == {codec}


def test_the_first_non_ascii_character_may_come_late() -> None:
    data = b"id,name,city\n" + b"1,abc,def\n" * 60_000 + "2,张三,北京\n3,李四,上海\n".encode("gbk")
    assert detect(data, whole=True).codec == "gb18030"
    assert detect(b'[{"a": 1}, ' * 60_000 + '{"城市": "上海"}]'.encode("gbk"), whole=True).codec == "gb18030"


# --- broken texts ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "data",
    [
        "姓名,城市\n张三,北京\n".encode() + b"Jos\xe9,Paris\n",
        "Name\nMüller\nKöln\nGrün\n".encode() + b"J\xe4ger\n",
        "姓名\n张三\n李四".encode()[:-1],
        "a,é,ü,ö\n".encode() * 50 + b"\xff",
    ],
)
def test_broken_utf_8_is_said_and_never_read_as_something_else(data: bytes) -> None:
    found = detect(data, whole=True)
    assert (found.codec, found.sure) == ("utf-8", False)
    with pytest.raises(QueryFailed) as caught:
        to_utf8(io.BytesIO(data), io.BytesIO(), found)
    assert caught.value.code == "bad-encoding"


def test_one_broken_byte_does_not_turn_gbk_into_latin() -> None:
    data = "姓名,城市\n张三,北京\n李四,上海\n".encode("gbk") * 3 + b"\xff\n"
    found = detect(data, whole=True)
    assert found.codec == "gb18030"
    with pytest.raises(QueryFailed):
        copied(data, found)


@pytest.mark.parametrize(
    "data",
    [
        b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR\0\0\1\0\0\0\1\0\x08\6\0\0\0\\r\xa8f\0\0\1",
        b"PK\3\4\x14\0\6\0\x08\0\0\0!\0\xb5\x8f\x9d\xd2\x84\1\0\0\x92\5\0\0\x13\0\x08\2",
        random.Random(5).randbytes(300),
        random.Random(6).randbytes(60_000),
        bytes(range(256)) * 4,
        "ชื่อ,เมือง\nสมชาย,กรุงเทพ\n".encode("cp874"),
        "Name,City\nSmith,London\n".encode("cp500") * 3,
    ],
)
def test_what_reads_as_no_language_is_refused(data: bytes) -> None:
    with pytest.raises(QueryFailed) as caught:
        detect(data, whole=True)
    assert caught.value.code == "bad-encoding"
    assert "encoding=" in str(caught.value)


# --- names ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "codec", "shown"),
    [
        ("gbk", "gb18030", "GBK (GB18030)"),
        ("GB2312", "gb18030", "GBK (GB18030)"),
        ("gb 18030", "gb18030", "GBK (GB18030)"),
        ("cp936", "gb18030", "GBK (GB18030)"),
        ("latin-1", "cp1252", "Windows-1252 (Latin-1)"),
        ("ISO-8859-1", "cp1252", "Windows-1252 (Latin-1)"),
        ("Windows-1252", "cp1252", "Windows-1252 (Latin-1)"),
        ("utf16", "utf-16", "UTF-16"),
        ("UTF-16LE", "utf-16-le", "UTF-16 LE"),
        ("utf8", "utf-8", "UTF-8"),
        ("utf-8-sig", "utf-8", "UTF-8"),
        ("ascii", "utf-8", "UTF-8"),
        ("Big5", "cp950", "Big5"),
        ("shift_jis", "cp932", "Shift JIS"),
        ("sjis", "cp932", "Shift JIS"),
        ("euc-kr", "cp949", "EUC-KR"),
        ("cp437", "cp437", "CP437"),
        ("iso-8859-15", "iso8859-15", "ISO8859-15"),
    ],
)
def test_names_that_people_write(name: str, codec: str, shown: str) -> None:
    assert named(name) == Encoding(codec, 0, True, shown)


REFUSED = (
    "base64 rot13 hex zlib bz2 uu quopri idna punycode unicode_escape raw_unicode_escape undefined mbcs oem charmap"
)


@pytest.mark.parametrize(
    "name", [*REFUSED.split(), "", "nonsense", "a" * 5000, "os.path", "é", "\0", "aliases", "../x", None, 5]
)
def test_what_is_no_text_encoding_is_refused(name: str) -> None:
    with pytest.raises(BadArgument) as caught:
        named(name)
    assert caught.value.code == "unknown-encoding"
    assert "gbk" in str(caught.value)
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("mark", ["", "\ufeff"])
@pytest.mark.parametrize(("name", "codec"), [("utf-16", "utf-16-le"), ("utf-16", "utf-16-be"), ("utf-32", "utf-32-be")])
def test_byte_order_of_a_named_encoding_is_looked_up(name: str, codec: str, mark: str) -> None:
    text = "姓名,城市\n张三,北京\n"
    assert copied((mark + text).encode(codec), named(name)) == text


@pytest.mark.parametrize("name", ["utf-8", "utf-16-le", "gbk"])
def test_the_mark_of_a_named_encoding_is_no_text(name: str) -> None:
    assert copied("\ufeffa,b".encode(named(name).codec), named(name)) == "a,b"


# --- copies ---------------------------------------------------------------------------------------------------------

CODECS = ["utf-8", "utf-16-le", "utf-16-be", "utf-32-le", "gb18030", "cp950", "cp932", "cp949", "euc_jp", "cp1252"]


@cache
def alphabet(codec: str) -> str:
    """Every seventh character that an encoding gives back; the mark is none."""
    chars = (chr(code) for code in range(0, 0x30000, 7) if not 0xD800 <= code < 0xE000 and code != 0xFEFF)
    return "".join(char for char in chars if char.encode(codec, "ignore").decode(codec) == char)


@pytest.mark.parametrize("codec", CODECS)
@settings(max_examples=60)
@given(data=st.data())
def test_a_copy_holds_the_same_text_wherever_pieces_end(codec: str, data: st.DataObject) -> None:
    text = data.draw(st.text(st.sampled_from(alphabet(codec))))
    raw = text.encode(codec)
    target = io.BytesIO()
    piece = data.draw(st.integers(1, 9))
    assert encoding._copy(io.BytesIO(raw), target, Encoding(codec, 0, True, codec), lambda: False, piece=piece)
    assert target.getvalue().decode() == text


@pytest.mark.parametrize("piece", [1, 2, 3, 5, 7, 1 << 20])
@pytest.mark.parametrize(
    ("data", "codec", "byte", "line"),
    [
        ("姓名\n张三\n".encode("gbk") + b"a\xff\n", "gb18030", 12, 3),
        ("姓名\n张三".encode("gbk")[:-1], "gb18030", 8, 2),
        ("姓名\n".encode() + b"\xe9t\n", "utf-8", 8, 2),
        ("ab\n".encode("utf-16-le") + b"\0\xdcc\0", "utf-16-le", 7, 2),
        (b"a\x81", "cp1252", 2, 1),
    ],
)
def test_where_a_text_is_not_valid(data: bytes, codec: str, byte: int, line: int, piece: int) -> None:
    with pytest.raises(QueryFailed) as caught:
        encoding._copy(io.BytesIO(data), io.BytesIO(), Encoding(codec, 0, True, "that"), lambda: False, piece=piece)
    assert caught.value.code == "bad-encoding"
    assert str(caught.value).startswith(f"The text is not valid in that: byte {byte}, in line {line}.")
    assert "encoding=" in str(caught.value)


@pytest.mark.parametrize("piece", [1, 2, 3, 1 << 20])
def test_the_euro_sign_of_chinese_windows(piece: int) -> None:
    data = "商品,价格\n鼠标,".encode("gbk") + b"\x805\n" + "键盘,1".encode("gbk") + b"\x80\n\x80A"
    assert detect(data, whole=True).codec == "gb18030"
    target = io.BytesIO()
    assert encoding._copy(io.BytesIO(data), target, named("gbk"), lambda: False, piece=piece)
    assert target.getvalue().decode() == "商品,价格\n鼠标,€5\n键盘,1€\n€A"


def test_the_mark_counts_in_the_position() -> None:
    with pytest.raises(QueryFailed, match="byte 6, in line 1"):
        copied(codecs.BOM_UTF8 + b"ab\xff", detect(codecs.BOM_UTF8 + b"ab\xff", whole=True))


def test_stopping() -> None:
    target = io.BytesIO()
    answers = iter([False, True])
    assert not encoding._copy(io.BytesIO(b"abcdef"), target, named("gbk"), lambda: next(answers), piece=2)
    assert target.getvalue() == b"ab"
    assert not to_utf8(io.BytesIO(b"abc"), io.BytesIO(), named("gbk"), lambda: True)


class Short(io.BytesIO):
    """Gives one byte at a time, as a stream may."""

    def read(self, size: int | None = -1, /) -> bytes:
        return super().read(1 if size else size)


def test_a_source_that_gives_less_than_it_is_asked_for() -> None:
    target = io.BytesIO()
    data = codecs.BOM_UTF16_BE + "城市,a".encode("utf-16-be")
    assert to_utf8(Short(data), target, detect(data, whole=True))
    assert to_utf8(Short(data), target, named("utf-16"))
    assert target.getvalue().decode() == "城市,a" * 2


# --- many short tables ----------------------------------------------------------------------------------------------

WORDS = {
    "gb18030": "产品 分类 仓库 供应商 销售额 退货 女装 厨房用具 周杰伦 孙悦 郑州 乌鲁木齐 呼和浩特 朝阳区",
    "cp950": "產品 分類 倉庫 供應商 銷售額 退貨 女裝 廚房用具 周杰倫 張惠妹 桃園 基隆 花蓮縣 中山路",
    "cp932": "製品 分類 倉庫 仕入先 売上高 返品 キッチン 渡辺直美 高橋 大阪府 札幌市 支払済 確認中 あおい",
    "cp949": "제품 분류 창고 공급업체 판매액 반품 여성복 주방용품 최지우 정우성 인천 수원시 종로구 결제완료",
    "cp1252 de": "Größe Menge Käufer Zürich Straße Düsseldorf für Österreich Bräuer Übersicht Nürnberg Schäfer",
    "cp1252 fr": "prénom François Évreux élève Besançon forêt Noël où déjà hôtel Genève reçu août",
    "cp1252 es": "niño Málaga señor corazón dirección teléfono Muñoz Pérez Ángel Jaén",
    "cp1252 pt": "ação coração São João endereço código Conceição três você",
    "cp1252 da": "København Jørgensen Århus smørrebrød Næstved ændring",
    "cp1252 names": "François Málaga Müller København Västerås Zoë João Núñez Beyoncé Håkan",
}


def tables(of: str, length: int, count: int) -> list[bytes]:
    """Random tables of three columns and at least ``length`` bytes."""
    words, codec = WORDS[of].split(), of.split()[0]
    rng = random.Random(f"{of}{length}")
    made = []
    for _ in range(count):
        data = b""
        while len(data) < length:
            cells = [rng.choice(words), str(rng.randint(1, 999)), rng.choice(words)]
            rng.shuffle(cells)
            data += (",".join(cells) + "\n").encode(codec)
        made.append(data)
    return made


@pytest.mark.parametrize(("length", "least"), [(20, 0.97), (60, 0.99), (200, 1.0)])
@pytest.mark.parametrize("of", sorted(WORDS))
def test_random_tables(of: str, length: int, least: float) -> None:
    made = [data for data in tables(of, length, 200) if not data.isascii()]
    right = sum(detect(data, whole=True).codec == of.split()[0] for data in made)
    assert right >= least * len(made)


@pytest.mark.parametrize("of", [*sorted(WORDS), "utf-8", "utf-16-le"])
def test_a_mebibyte_is_looked_at_quickly(of: str) -> None:
    data = b"".join(tables(of if of in WORDS else "gb18030", 4000, 270))
    if of not in WORDS:
        data = data.decode("gb18030").encode(of)
    head = data[: 1 << 20]
    detect(head, whole=False)  # tables of the codecs are loaded at their first use
    start = time.process_time()
    detect(head, whole=False)
    assert time.process_time() - start < 0.1
