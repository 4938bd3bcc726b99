"""The tables and views of the sample shop, named and commented the way grown company databases are.

In: nothing. Out: ``TABLES`` (in an order that satisfies the foreign keys) and ``VIEWS``. Never: rows.

On purpose: English tables with Chinese comments, Chinese tables, English comments, columns without a comment,
abbreviations (``emp_no``, ``dept_nm``), words that look secret and are not (``password_changed_at``, ``code``), a
foreign key of two columns, two foreign keys to one table, a table that refers to itself, and a view on views.
"""

from __future__ import annotations

from dbgraph_nb.samples import shop_people, shop_trade
from dbgraph_nb.samples.schema import Table, View

TABLES: tuple[Table, ...] = (
    shop_people.LEVELS,
    shop_people.USERS,
    shop_people.ADDRESSES,
    shop_people.EMPLOYEES,
    shop_trade.SUPPLIERS,
    shop_trade.CATEGORIES,
    shop_trade.PRODUCTS,
    shop_trade.COUPONS,
    shop_trade.ORDERS,
    shop_trade.ORDER_ITEMS,
    shop_trade.PAYMENTS,
    shop_trade.REVIEWS,
    shop_people.LOGINS,
)

VIEWS: tuple[View, ...] = (
    View(
        "v_order_summary",
        "订单汇总",
        """SELECT o.id AS order_id, o.order_no, o.user_id, u.name AS customer_name, o.status, o.amount,
    COUNT(i.line_no) AS item_count, o.created_at
FROM orders o
JOIN users u ON u.id = o.user_id
LEFT JOIN order_items i ON i.order_id = o.id
GROUP BY o.id, o.order_no, o.user_id, u.name, o.status, o.amount, o.created_at""",
    ),
    View(
        "v_user_contact",
        "用户联系方式",
        """SELECT u.id AS user_id, u.name, u.mobile, u.email, a.province, a.city, a.street
FROM users u
LEFT JOIN addresses a ON a.user_id = u.id AND a.is_default = 1""",
    ),
    View(
        "v_payroll",
        "工资发放",
        """SELECT e.emp_no AS 工号, e.name AS 姓名, e.bank_card AS 收款账号, e.salary AS 应发工资
FROM employees e
WHERE e.status <> '离职'""",
    ),
    View(
        "v_top_customers",
        "大客户, 按成交额排序用",
        """SELECT c.user_id, c.name, c.mobile, COUNT(s.order_id) AS order_count, ROUND(SUM(s.amount), 2) AS total_amount
FROM v_user_contact c
JOIN v_order_summary s ON s.user_id = c.user_id
WHERE s.status <> 'cancelled'
GROUP BY c.user_id, c.name, c.mobile
HAVING SUM(s.amount) >= 2000""",
    ),
)
