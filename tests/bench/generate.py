"""A made catalog of any size, half English and half Chinese, the same for the same arguments.

Names and comments are put together from small vocabularies the way real ones are: most tables share ``id``,
``created_at`` and the like, the rest is two or three words, and comments repeat words of their names.
"""

from __future__ import annotations

import random

from dbgraph_nb.model import Column, DbObject, ForeignKey, Snapshot, TableIndex, TypeClass


def _words(text: str) -> list[str]:
    return text.split()


ENGLISH = _words("""
    user account order item product price stock payment refund invoice address city region branch supplier contract
    project task ticket message channel campaign coupon member level point device session login report budget ledger
    balance transfer loan deposit interest risk audit policy claim patient doctor visit drug course student teacher
    score class room meter sensor reading alarm vehicle driver route parcel warehouse shelf batch recipe menu review
    rating comment tag label category brand unit currency tax rate
""")
CHINESE = _words("""
    用户 账户 订单 商品 价格 库存 支付 退款 发票 地址 城市 区域 网点 供应商 合同 项目 任务 工单 消息 渠道
    活动 优惠券 会员 等级 积分 设备 会话 登录 报表 预算 分类账 余额 转账 贷款 存款 利息 风险 审计 策略 理赔
    患者 医生 就诊 药品 课程 学生 教师 成绩 班级 教室 电表 传感器 读数 告警 车辆 司机 线路 包裹 仓库 货架
    批次 配方 菜单 评价 评分 评论 标签 分类 品牌 单位 币种 税 费率 状态
""")
QUALIFIERS = _words("name code type status no amount count total time date flag remark source owner desc ratio limit")
CHINESE_QUALIFIERS = _words("名称 编码 类型 状态 编号 金额 数量 合计 时间 日期 标志 备注 来源 负责人 描述 比例 上限")
SHARED = (
    ("id", "bigint", "number", "主键"),
    ("created_at", "datetime", "time", "创建时间"),
    ("updated_at", "datetime", "time", "更新时间"),
    ("is_deleted", "tinyint(1)", "bool", "是否删除：0 否，1 是"),
    ("tenant_id", "bigint", "number", "租户"),
)
TYPES: tuple[tuple[str, TypeClass], ...] = (
    ("varchar(64)", "text"),
    ("int", "number"),
    ("decimal(18,2)", "number"),
    ("datetime", "time"),
    ("json", "json"),
    ("text", "text"),
)
VALUES = (("paid", "unpaid", "refunded"), ("启用", "停用", "待审核"), ("A1", "B2", "C3"), ("online", "线下", "电话"))


def catalog(tables: int = 500, columns: int = 20, *, seed: int = 20261130) -> Snapshot:
    """A snapshot of ``tables`` tables with ``columns`` columns each, two foreign keys and two indexes a table."""
    draw = random.Random(seed)
    names = [_table_name(draw, number) for number in range(tables)]
    objects = tuple(_table(draw, name, columns) for name in sorted(names))
    keys, indexes = [], []
    for item in objects:
        owned = [column.name for column in item.columns]
        for place in draw.sample(range(len(SHARED), columns), 2):
            target = draw.choice(names)
            keys.append(ForeignKey(item.name, (owned[place],), target, ("id",), name=f"fk_{item.name}_{place}"))
            indexes.append(TableIndex(item.name, f"ix_{item.name}_{place}", ("tenant_id", owned[place])))
    return Snapshot("mysql", "generated", objects, "l2", "8.4.0", tuple(keys), tuple(indexes))


def _table_name(draw: random.Random, number: int) -> str:
    if number % 2:
        return f"{draw.choice(CHINESE)}{draw.choice(CHINESE)}_{number}"
    return f"t_{draw.choice(ENGLISH)}_{draw.choice(ENGLISH)}_{number}"


def _table(draw: random.Random, name: str, columns: int) -> DbObject:
    made = [
        Column(shared, place, type_, kind, comment=comment, pk=int(place == 1), nullable=place != 1)  # type: ignore[arg-type]
        for place, (shared, type_, kind, comment) in enumerate(SHARED[:columns], 1)
    ]
    made += [_column(draw, place) for place in range(len(made) + 1, columns + 1)]
    comment = f"{draw.choice(CHINESE)}{draw.choice(CHINESE)}表 {draw.choice(ENGLISH)} {draw.choice(ENGLISH)}"
    return DbObject(name, "table", tuple(made), comment=comment, row_estimate=draw.randrange(10**7))


def _column(draw: random.Random, place: int) -> Column:
    """Column ``place`` of its table; the place in its name keeps names apart within a table."""
    word, qualifier = draw.randrange(len(ENGLISH)), draw.randrange(len(QUALIFIERS))
    chinese = CHINESE[word % len(CHINESE)] + CHINESE_QUALIFIERS[qualifier]
    spelled = (
        f"{ENGLISH[word]}_{QUALIFIERS[qualifier]}{place}",
        f"{ENGLISH[word]}{QUALIFIERS[qualifier].title()}{place}",
        f"{chinese}{place}",
    )
    type_, kind = draw.choice(TYPES)
    more = f"{draw.choice(CHINESE)}{draw.choice(CHINESE_QUALIFIERS)}"
    comment = f"{chinese}，{more}（{ENGLISH[word]} {QUALIFIERS[qualifier]}）"
    values = draw.choice(VALUES) if place % 7 == 0 else None
    return Column(draw.choice(spelled), place, type_, kind, comment=comment, enum_values=values)
