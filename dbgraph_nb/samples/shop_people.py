"""The shop's tables about people: members, addresses, employees and logins.

In: nothing. Out: one ``Table`` each. Never: rows.
"""

from __future__ import annotations

from dbgraph_nb.samples.schema import Column, Reference, Table

LEVELS = Table(
    "会员等级",
    "会员等级与权益",
    (
        Column("编号", "int", "等级编号"),
        Column("等级名称", "varchar(20)", "如 普通、银卡、金卡"),
        Column("最低积分", "int", "达到该积分自动升级"),
        Column("折扣率", "decimal(3,2)", "1.00 表示不打折"),
        Column("权益说明", "text", null=True),
    ),
    primary_key=("编号",),
    unique=(("等级名称",),),
)

USERS = Table(
    "users",
    "用户",
    (
        Column("id", "id", "用户编号"),
        Column("name", "varchar(50)", "姓名"),
        Column("login_name", "varchar(40)", "登录名"),
        Column("password", "varchar(64)", "登录密码"),
        Column("password_salt", "varchar(32)", "密码盐值"),
        Column("mobile", "varchar(20)", "手机号", null=True),
        Column("email", "varchar(100)", "邮箱", null=True),
        Column("gender", "enum(male|female|unknown)", "性别", default="'unknown'"),
        Column("birthday", "date", "生日", null=True),
        Column("level_id", "int", "会员等级"),
        Column("points", "int", "积分", default="0"),
        Column("balance", "decimal(10,2)", "账户余额", default="0.00"),
        Column("is_active", "bool", "是否启用", default="1"),
        Column("preferences", "json", "偏好设置", null=True),
        Column("avatar", "blob", "头像", null=True),
        Column("invited_by", "int", "邀请人", null=True),
        Column("password_changed_at", "datetime", "密码修改时间", null=True),
        Column("created_at", "datetime", "注册时间"),
    ),
    unique=(("login_name",),),
    references=(
        Reference(("level_id",), "会员等级", ("编号",)),
        Reference(("invited_by",), "users", ("id",)),
    ),
    indexes=(("idx_users_name", ("name",)), ("idx_users_mobile", ("mobile",))),
)

ADDRESSES = Table(
    "addresses",
    "收货地址",
    (
        Column("id", "id"),
        Column("user_id", "int", "所属用户"),
        Column("receiver_name", "varchar(50)", "收货人"),
        Column("phone", "varchar(20)", "联系电话"),
        Column("province", "varchar(20)", "省份"),
        Column("city", "varchar(20)", "城市"),
        Column("street", "varchar(200)", "详细地址"),
        Column("postcode", "varchar(10)", "邮编", null=True),
        Column("is_default", "bool", "是否默认地址", default="0"),
    ),
    references=(Reference(("user_id",), "users", ("id",)),),
    indexes=(("idx_addresses_user", ("user_id", "is_default")),),
)

EMPLOYEES = Table(
    "employees",
    "员工档案",
    (
        Column("emp_no", "varchar(8)", "工号"),
        Column("name", "varchar(50)", "员工姓名"),
        Column("id_card", "char(18)", "身份证号"),
        Column("phone", "varchar(20)", "手机号"),
        Column("bank_card", "varchar(30)", "工资卡号"),
        Column("dept_nm", "varchar(20)", "部门名称"),
        Column("job_title", "varchar(30)", "岗位"),
        Column("salary", "decimal(10,2)", "月薪(元)"),
        Column("hire_dt", "date", "入职日期"),
        Column("mgr_no", "varchar(8)", "直属上级工号", null=True),
        Column("status", "enum(在职|休假|离职)", "在职状态"),
    ),
    primary_key=("emp_no",),
    unique=(("id_card",),),
    references=(Reference(("mgr_no",), "employees", ("emp_no",)),),
)

LOGINS = Table(
    "登录日志",
    "user logins, 保留 180 天",
    (
        Column("编号", "id"),
        Column("user_id", "int", "用户"),
        Column("登录时间", "datetime"),
        Column("登录IP", "varchar(45)", "client IP"),
        Column("设备类型", "enum(ios|android|web|mini_program)"),
        Column("是否成功", "bool"),
        Column("session_token", "char(32)", "会话令牌", null=True),
    ),
    references=(Reference(("user_id",), "users", ("id",)),),
    indexes=(("登录日志_用户", ("user_id", "登录时间")),),
)
