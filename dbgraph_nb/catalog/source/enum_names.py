"""What the name of a column promises about its values: a small set of literals, or free text.

In: a column with its comment. Out: yes or no. Never: a look at a value.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from dbgraph_nb.model import Column

_ENUM = """
    status state type kind category class level grade rank role gender sex flag mode channel method platform priority
    stage phase currency lang language source severity tier
"""
_ENUM_ZH = """
    状态 类型 类别 种类 分类 等级 级别 性别 角色 方式 渠道 来源 平台 优先级 阶段 币种 标志 标记 语言 状态码 类型码
"""
_CARRIERS = "code name cd nm"  # status_code, type_name
_FREE = """
    id ids uuid guid no num number code zip postcode sn key hash name names nm title subject text content body note
    notes remark remarks memo comment comments desc description address street email mail phone mobile tel url uri link
    path file by user author owner operator contact birthday ip mac
"""
_FREE_ZH = """
    编号 号码 号 代码 编码 邮编 名 姓名 名称 名字 人 者 员 标题 主题 内容 正文 备注 说明 描述 地址 邮箱 电话 手机 链接
    路径
"""
# What may have a name without being a person: dept_name is no more private than dept.
_THINGS = """
    dept department city province country region district area category brand team group branch school major course
    warehouse store shop bank job
"""
_THINGS_ZH = "部门 科室 城市 省份 国家 地区 区域 分类 品类 品牌 门店 仓库 专业 课程 学校 班级 银行"
_NAMES = ("name", "nm", "title")

# The two sides of a table of settings: what a row is called, and what it holds.
_VALUES = "value values val vals v content contents data payload"
_VALUES_ZH = "值 内容 数据 取值"
_VALUE_TYPES = "text str string int integer num number varchar char json raw"  # value_text
_KEYS = "key keys k name nm code cd"
_KEYS_ZH = "键 键名 名 名称 编码 代码 标识 参数 配置项 属性 变量"
_KEY_THINGS = "attribute attr setting param parameter option property prop config conf variable var item field meta"

_HOLDS, _HOLDS_ZH, _HOLDS_TYPE = frozenset(_VALUES.split()), tuple(_VALUES_ZH.split()), frozenset(_VALUE_TYPES.split())
_CALLS, _CALLS_ZH, _CALLS_THING = frozenset(_KEYS.split()), tuple(_KEYS_ZH.split()), frozenset(_KEY_THINGS.split())
_SAYS_ENUM, _SAYS_ENUM_ZH = frozenset(_ENUM.split()), tuple(_ENUM_ZH.split())
_SAYS_FREE, _SAYS_FREE_ZH = frozenset(_FREE.split()), tuple(_FREE_ZH.split())
_SAYS_THING, _NAMED_ZH = frozenset(_THINGS.split()), tuple(f"{thing}名称" for thing in _THINGS_ZH.split())
_CARRIES = frozenset(_CARRIERS.split())
_WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_CLAUSE = re.compile(r"[\s:：,，.。;；/、()（）\[\]【】]")


def says_enum(column: Column) -> bool:
    """Whether a column's name, or what its comment begins with, says that it holds a small set of literals.

    >>> says_enum(Column("order_status", 1, "text", "text")), says_enum(Column("status_note", 1, "text", "text"))
    (True, False)
    >>> says_enum(Column("f3", 1, "text", "text", comment="订单状态：0 未付 1 已付"))
    True
    """
    words = _words(column.name)
    if len(words) > 1 and words[-1] in _CARRIES:
        words = words[:-1]
    return bool(words and words[-1] in _SAYS_ENUM) or _ends(column, _SAYS_ENUM_ZH)


def says_free(column: Column) -> bool:
    """Whether a column's name, or what its comment begins with, says that it holds free text, names or identifiers.

    >>> [says_free(Column(name, 1, "text", "text")) for name in ("customerName", "city", "deptName", "部门名称")]
    [True, False, False, False]
    """
    words = _words(column.name)
    if len(words) > 1 and words[-1] in _NAMES and words[-2] in _SAYS_THING:
        return False
    if _ends(column, _NAMED_ZH):
        return False
    return bool(words and words[-1] in _SAYS_FREE) or _ends(column, _SAYS_FREE_ZH)


def holds_any(column: Column, beside: Sequence[Column]) -> bool:
    """Whether a column is the value of a key/value table: what a row holds there, its key alone tells.

    >>> pair = [Column("setting_key", 1, "text", "text"), Column("setting_value", 2, "text", "text")]
    >>> holds_any(pair[1], pair), holds_any(pair[0], pair), holds_any(pair[1], pair[1:])
    (True, False, False)
    """
    words = _words(column.name)
    while len(words) > 1 and words[-1] in _HOLDS_TYPE:
        words = words[:-1]
    head = words[-1] if words else ""
    if not (head in _HOLDS or head.endswith(("value", "content", "payload")) or _ends(column, _HOLDS_ZH)):
        return False
    return any(_calls(other) for other in beside if other.name != column.name)


def _calls(column: Column) -> bool:
    words = _words(column.name)
    if not words:
        return _ends(column, _CALLS_ZH) and column.type_class != "number"
    if words[-1] in ("id", "no"):
        return len(words) > 1 and words[-2] in _CALLS_THING
    if words[-1] in _CALLS | _CALLS_THING or words[-1].endswith(("key", "name", "code")):
        return True
    return _ends(column, _CALLS_ZH) and column.type_class != "number"  # the comment of an id is 主键


def _words(name: str) -> list[str]:
    return [word.lower() for word in _WORD.findall(name)]


def _ends(column: Column, endings: tuple[str, ...]) -> bool:
    head = _CLAUSE.split((column.comment or "").strip(), maxsplit=1)[0]
    return column.name.endswith(endings) or head.endswith(endings)
