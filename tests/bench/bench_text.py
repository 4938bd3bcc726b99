"""How much faster the text kernels are than their pure-Python twin, on a generated catalog of 10,500 texts.

``measure()`` returns the numbers; `make bench` prints them beside their goals.
"""

from __future__ import annotations

import random

from interleave import interleaved

GOALS = {"kernel ratio": (">=", 20.0), "streams ratio": (">=", 6.0)}
ROUNDS = 9
TEXTS = 10_500
_WORDS = (
    "user order item product price amount total status type code name title phone mobile email address city region"
    " created updated deleted time date start end count rate level score batch vendor supplier customer account bank"
    " invoice payment refund coupon discount warehouse stock shipment delivery tracking comment remark source channel"
    " device version config parent root group role permission token session login register audit approve operator"
)
_CHINESE_WORDS = (
    "用户 订单 商品 价格 金额 总额 状态 类型 编码 名称 标题 手机号 电话 邮箱 地址 城市 区域 创建时间 更新时间 删除标记"
    " 数量 比例 等级 分数 批次 供应商 客户 账户 银行 发票 支付 退款 优惠券 折扣 仓库 库存 发货 物流 备注 来源 渠道 设备"
    " 版本 配置 父级 分组 角色 权限 令牌 会话 登录 注册 审核 审批 操作人 唯一标识 主键 外键 是否有效 默认值"
    " 单位 元 天 次 個人資料 聯絡電話"
)
WORDS, CHINESE_WORDS = _WORDS.split(), _CHINESE_WORDS.split()
ENGLISH_COMMENTS = (
    "the {0} of the {1}",
    "{0} {1}, filled in by the {2} service",
    "foreign key to {0}.{1}ID",
    "customer's {0} in UTC; NULL if the {1} is unknown",
    "1 = {0}, 2 = {1}, 9 = {2} (see HTTPStatus)",
)
CHINESE_COMMENTS = (
    "{0}{1}",
    "{0}的{1}，由{2}系统写入",
    "{0}ID，关联{1}表",
    "{0}{1}（1：{2}，0：无）",
    "{0}{1}，单位：元，保留2位小数；VIP{2}不参与",
)


def _name(rng: random.Random) -> str:
    words = rng.choices(WORDS, k=rng.choice((1, 2, 2, 3)))
    style = rng.random()
    if style < 0.6:
        return "_".join(words)
    if style < 0.85:
        return words[0] + "".join(word.title() for word in words[1:]) + rng.choice(("", "", "ID", "2", "URLs"))
    return "".join(rng.choices(CHINESE_WORDS, k=2))


def catalog(texts: int = TEXTS, seed: int = 2) -> list[str]:
    """Names and comments as in a catalog, one text per object: about half the comments are Chinese."""
    rng = random.Random(seed)
    result = []
    for _ in range(texts):
        chinese = rng.random() < 0.5
        pattern = rng.choice(CHINESE_COMMENTS if chinese else ENGLISH_COMMENTS)
        words = rng.choices(CHINESE_WORDS if chinese else WORDS, k=3)
        result.append(f"{_name(rng)} {pattern.format(*words)}")
    return result


def measure(rounds: int = ROUNDS) -> dict[str, float]:
    """CPU milliseconds per variant, MB/s of the tokenizers, and the ratios that have to hold."""
    from dbgraph_nb import text, text_arrays, text_reference

    if text.backend() != "numba":
        raise SystemExit("numba is not in use here, so there is nothing to compare.")
    texts = catalog()
    named = [True] * len(texts)
    megabytes = sum(len(t.encode()) for t in texts) / 1e6
    size, codes, starts = text_arrays.encoded(texts)

    def kernel() -> None:
        entries, entry_starts, _ = text_arrays.classified(codes, starts, len(texts), size)
        text_arrays.cut(entries, entry_starts, len(texts), index=True)

    result = interleaved(
        {
            "kernel": kernel,
            "python tokens": lambda: [text_reference.tokenize(t) for t in texts],
            "numba streams": lambda: text.streams(texts),
            "python streams": lambda: text_reference.streams(texts),
            "numba terms": lambda: text.term_batch(texts, named),
            "python terms": lambda: text_reference.term_batch(texts, named),
        },
        rounds,
    )
    result["megabytes"] = megabytes
    for name in ("kernel", "python tokens", "numba streams", "python streams"):
        result[f"{name} MB/s"] = megabytes / result[name] * 1000
    result["kernel ratio"] = result["python tokens"] / result["kernel"]
    result["streams ratio"] = result["python streams"] / result["numba streams"]
    result["terms ratio"] = result["python terms"] / result["numba terms"]
    return result
