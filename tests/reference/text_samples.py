"""Texts to compare the twins on: names and comments as people write them, and rows of difficult characters.

All are made from a seed, so a failure can be repeated.
"""

from __future__ import annotations

import random

_IDENTIFIERS = (
    "id user_id userId UserID userIDs USER_NAME user-name user.name `order` [Order Details] tbl_usr_mobile2 __init__"
    " getHTTPResponseCode XMLHttpRequest PDFLoader iOSVersion OAuth2Token IPv4Addr sha256sum utf8mb4_0900_ai_ci x86_64"
    " MD5 md5sum 2fa_secret URLsByIDs HTTPs PCsale naïveBayes façade_été Straße İstanbul Łódź ﬁnalValue customer's"
    " O'Brien's don't it’s IT'S 'quoted' a's's _x9 9_x CamelCASEWord aB Ab AB ab aBC ABc ID's ＵｓｅｒＩＤ ｶﾀｶﾅ ﾊﾟｽﾜｰﾄﾞ"
    " данныеПользователя ЙодЁлка ΣίσυφοςΑβ ВерсияAPI2 हिन्दी_नाम ภาษาไทยID اسم_المستخدم שם_משתמש"
)
IDENTIFIERS = _IDENTIFIERS.split()
COMMENTS = (
    "用户编号，关联用户表",
    "订单状态：1已支付 2未支付 3已退款",
    "金额（元），保留2位小数",
    "VIP会员等级2",
    "用户ID列表",
    "個人資料與聯絡電話",
    "會員's備註",
    "佐々木さんのコード",
    "お客様番号（カナ）",
    "二〇二四年度预算",
    "𠮷野家の牛丼",
    "葛\U000e0100城市",
    "面积㎡、比例½、第Ⅲ期①级",
    "㍿オラクル",
    "⽤⼾名",
    "비밀번호를 입력하세요",
    "사용자ID목록",
    "\u1107\u1175\u1106\u1175\u11af\u1107\u1165\u11ab\u1112\u1169",
    "the primary key of the order table",
    "customer's phone (E.164), NULL if unknown",
    "1 = active, 2 = deleted; see HTTPStatus",
    "user\u200bname\ufeff\u00ad",
    "👍🏽 done ✔\ufe0f 1\ufe0f\u20e3",
    "",
    " ",
    "…——！？",
)
_LETTERS = "aabcdexyzsSsSABCXYZID0192_- .,'’ "
_DIFFICULT = (
    "用户密码廣門々〇ーカﾊﾟﾞか\u3099비밀\u1107\u1175\u11afйЁи\u0306ßİŉﬁ½㍿㎡①Ⅲ⽤\u200b\ufe0f\U000e0100\u0301\u0302éΣςΐहि्นัا\u064b"
    "\ud800\udfb7\0\n𠮷𝐀ǆǅʼ\u0345·・₂²\u115f\u3164\u00ad１Ａａ：（\u20e3👍㈱ﬆẛſ\u212a\u212b\u09c7\u09be\ufabd\ufa0e\u034f\u302a"
)
_RANGES = (
    (0x00, 0x2FF),
    (0x300, 0x3FF),
    (0x900, 0xDFF),
    (0x1100, 0x11FF),
    (0x1E00, 0x1FFF),
    (0x2000, 0x2BFF),
    (0x3000, 0x33FF),
    (0x4E00, 0x9FFF),
    (0xAC00, 0xD7A3),
    (0xF900, 0xFFFF),
    (0, 0xFFFF),
    (0, 0x10FFFF),
)


def _one(rng: random.Random) -> str:
    kind = rng.random()
    length = rng.randrange(16)
    if kind < 0.35:
        return rng.choice(("", " ", "_", "，", "'s ")).join(rng.choices(IDENTIFIERS, k=rng.randint(1, 3)))
    if kind < 0.55:
        return rng.choice(COMMENTS) + rng.choice(IDENTIFIERS) + rng.choice(COMMENTS)
    if kind < 0.7:
        return "".join(rng.choices(_LETTERS, k=length))
    if kind < 0.9:
        return "".join(rng.choice(rng.choice((_LETTERS, _DIFFICULT))) for _ in range(length))
    return "".join(chr(rng.randint(*rng.choice(_RANGES))) for _ in range(length))


def texts(count: int, seed: int = 20) -> list[str]:
    """``count`` texts, the same for the same seed; about half as a catalog has them, half difficult."""
    rng = random.Random(seed)
    return [_one(rng) for _ in range(count)]
