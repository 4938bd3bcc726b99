"""The shop's tables about goods and orders: suppliers, products, coupons, orders, payments and reviews.

In: nothing. Out: one ``Table`` each. Never: rows.
"""

from __future__ import annotations

from dbgraph_nb.samples.schema import Column, Reference, Table

SUPPLIERS = Table(
    "供应商",
    "供应商档案",
    (
        Column("编号", "int"),
        Column("名称", "varchar(60)", "供应商全称"),
        Column("联系人", "varchar(50)"),
        Column("联系电话", "varchar(20)"),
        Column("开户银行", "varchar(40)"),
        Column("银行账号", "varchar(30)", "对公账号"),
        Column("合作状态", "enum(合作中|已暂停|已终止)", default="'合作中'"),
        Column("采购员工号", "varchar(8)", "负责的采购员", null=True),
        Column("备注", "text", null=True),
    ),
    primary_key=("编号",),
    unique=(("名称",),),
    references=(Reference(("采购员工号",), "employees", ("emp_no",)),),
)

CATEGORIES = Table(
    "categories",
    "商品分类",
    (
        Column("id", "id"),
        Column("parent_id", "int", "上级分类, NULL 为一级分类", null=True),
        Column("name", "varchar(40)", "分类名称"),
        Column("name_en", "varchar(40)", "English name"),
        Column("sort_order", "int", default="0"),
    ),
    references=(Reference(("parent_id",), "categories", ("id",)),),
)

PRODUCTS = Table(
    "products",
    "商品",
    (
        Column("id", "id", "商品编号"),
        Column("sku", "varchar(20)", "货号"),
        Column("name", "varchar(80)", "商品名称"),
        Column("category_id", "int", "所属分类"),
        Column("supplier_id", "int", "供应商"),
        Column("price", "decimal(10,2)", "售价"),
        Column("cost_price", "decimal(10,2)", "进货价"),
        Column("stock_qty", "int", "库存数量", default="0"),
        Column("attributes", "json", "规格属性", null=True),
        Column("on_sale", "bool", "是否上架", default="1"),
        Column("listed_on", "date", "上架日期", null=True),
    ),
    unique=(("sku",),),
    references=(
        Reference(("category_id",), "categories", ("id",)),
        Reference(("supplier_id",), "供应商", ("编号",)),
    ),
    indexes=(("idx_products_category", ("category_id",)),),
)

COUPONS = Table(
    "coupons",
    "优惠券",
    (
        Column("id", "id"),
        Column("code", "varchar(20)", "coupon code, printed on the leaflet"),
        Column("title", "varchar(50)", "优惠券名称"),
        Column("discount_type", "enum(fixed|percent)", "优惠方式"),
        Column("discount_value", "decimal(10,2)", "amount off, or percent off"),
        Column("min_amount", "decimal(10,2)", "使用门槛", default="0.00"),
        Column("valid_from", "date", "生效日期"),
        Column("valid_to", "date", "失效日期"),
    ),
    unique=(("code",),),
)

ORDERS = Table(
    "orders",
    "订单",
    (
        Column("id", "id"),
        Column("order_no", "varchar(20)", "订单号"),
        Column("user_id", "int", "下单用户"),
        Column("status", "enum(pending|paid|shipped|completed|cancelled)", "订单状态", default="'pending'"),
        Column("amount", "decimal(12,2)", "订单金额"),
        Column("discount_amount", "decimal(10,2)", "优惠金额", default="0.00"),
        Column("shipping_address_id", "int", "收货地址"),
        Column("billing_address_id", "int", "账单地址", null=True),
        Column("coupon_id", "int", "使用的优惠券", null=True),
        Column("remark", "varchar(200)", "买家留言", null=True),
        Column("created_at", "datetime", "下单时间"),
        Column("shipped_at", "datetime", "发货时间", null=True),
    ),
    unique=(("order_no",),),
    references=(
        Reference(("user_id",), "users", ("id",)),
        Reference(("shipping_address_id",), "addresses", ("id",)),
        Reference(("billing_address_id",), "addresses", ("id",)),
        Reference(("coupon_id",), "coupons", ("id",)),
    ),
    indexes=(("idx_orders_user_time", ("user_id", "created_at")), ("idx_orders_status", ("status",))),
)

ORDER_ITEMS = Table(
    "order_items",
    "订单明细",
    (
        Column("order_id", "int"),
        Column("line_no", "int", "行号"),
        Column("product_id", "int", "商品"),
        Column("quantity", "int", "数量"),
        Column("unit_price", "decimal(10,2)", "price at the time of the order"),
        Column("subtotal", "decimal(12,2)", "小计", generated="ROUND(quantity * unit_price, 2)"),
    ),
    primary_key=("order_id", "line_no"),
    references=(
        Reference(("order_id",), "orders", ("id",)),
        Reference(("product_id",), "products", ("id",)),
    ),
)

PAYMENTS = Table(
    "payments",
    "支付流水",
    (
        Column("id", "id"),
        Column("order_id", "int", "订单"),
        Column("channel", "enum(alipay|wechat|card)", "支付渠道"),
        Column("amount", "decimal(12,2)", "支付金额"),
        Column("status", "enum(success|failed|refunded)", "支付状态"),
        Column("trade_no", "varchar(32)", "交易流水号"),
        Column("card_no", "varchar(30)", "付款银行卡号", null=True),
        Column("paid_at", "datetime", "支付时间"),
    ),
    unique=(("trade_no",),),
    references=(Reference(("order_id",), "orders", ("id",)),),
)

REVIEWS = Table(
    "reviews",
    "商品评价",
    (
        Column("id", "id"),
        Column("order_id", "int"),
        Column("line_no", "int"),
        Column("user_id", "int", "评价人"),
        Column("rating", "int", "评分, 1 到 5"),
        Column("content", "text", "评价内容", null=True),
        Column("is_anonymous", "bool", "是否匿名", default="0"),
        Column("created_at", "datetime", "评价时间"),
    ),
    unique=(("order_id", "line_no"),),
    references=(
        Reference(("order_id", "line_no"), "order_items", ("order_id", "line_no")),
        Reference(("user_id",), "users", ("id",)),
    ),
)
