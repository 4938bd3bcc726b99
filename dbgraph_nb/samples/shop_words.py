"""Names, goods and sentences that the sample rows are put together from.

In: nothing. Out: tuples of text. Never: a real person, brand, mail domain or address.
"""

from __future__ import annotations

SURNAMES = ("李", "王", "刘", "陈", "杨", "赵", "黄", "周", "吴", "徐", "孙", "马", "欧阳", "诸葛")
GIVEN = ("伟", "芳", "娜", "敏", "静", "强", "磊", "洋", "艳", "勇", "雨桐", "子涵", "浩然", "思远", "一诺", "嘉怡")
# these stand as they are: other scripts, a quote, a character beyond the BMP, traditional characters
FOREIGN_USERS = (
    ("Alice Chen", "female"),
    ("Bob Miller", "male"),
    ("Siobhán O'Brien", "female"),
    ("José García", "male"),
    ("陳小明", "male"),
    ("𠮷田由美", "female"),
    ("Emma Müller", "female"),
    ("김민준", "male"),
)

LEVELS = (
    (1, "普通", 0, "1.00", None),
    (2, "银卡", 500, "0.98", "生日双倍积分"),
    (3, "金卡", 2000, "0.95", "生日双倍积分; 免运费"),
    (4, "钻石卡", 6000, "0.90", "专属客服; 免运费; priority support"),
)

PLACES = (
    ("北京", "北京市", "海淀区虚构路{}号", "100000"),
    ("上海", "上海市", "浦东新区示例大道{}号", "200000"),
    ("广东", "深圳市", "南山区样板街{}号", "510000"),
    ("广东", "广州市", "天河区演示路{}号", "510000"),
    ("浙江", "杭州市", "西湖区测试巷{}号", "310000"),
    ("四川", "成都市", "锦江区范例路{}号", None),
    ("香港", "香港", "Sample Road {}, Kowloon", None),
    ("新加坡", "Singapore", "{} Example Street", "000000"),
)

DEPARTMENTS = (
    ("客服部", "客服专员", 700_000),
    ("采购部", "采购员", 850_000),
    ("仓储部", "仓库管理员", 650_000),
    ("技术部", "Data Analyst", 1_600_000),
    ("财务部", "会计", 900_000),
)

SUPPLIERS = (
    "晨光示例电子有限公司",
    "Northwind Demo Trading",
    "江南样品食品厂",
    "青竹家居(演示)有限公司",
    "Blue Harbor Sample Textiles",
    "云岭虚构茶业",
)

# (name, English name, children)
CATEGORIES = (
    ("数码", "Electronics", (("耳机音响", "Audio"), ("手机配件", "Phone accessories"), ("智能穿戴", "Wearables"))),
    ("家居", "Home", (("厨房用品", "Kitchen"), ("床上用品", "Bedding"))),
    ("食品", "Food", (("茶叶", "Tea"), ("零食", "Snacks"), ("调味品", "Condiments"))),
    ("服饰", "Clothing", (("男装", "Menswear"), ("女装", "Womenswear"))),
)

# (name, English name of the category, price in cents, attributes as JSON or None)
PRODUCTS = (
    ("无线蓝牙耳机 Pro", "Audio", 39900, '{"颜色": "黑", "防水": true}'),
    ("桌面音箱", "Audio", 25900, '{"颜色": "白", "功率": 20}'),
    ("降噪耳塞 Lite", "Audio", 8900, None),
    ("USB-C 数据线 1m", "Phone accessories", 2900, '{"长度": 1.0}'),
    ("快充充电器 65W", "Phone accessories", 12900, '{"功率": 65}'),
    ("手机壳(透明)", "Phone accessories", 1990, None),
    ("磁吸支架", "Phone accessories", 4550, '{"material": "aluminium"}'),
    ("运动手环 3", "Wearables", 19900, '{"颜色": "蓝", "防水": true}'),
    ("智能手表 Mini", "Wearables", 89900, '{"颜色": "银", "屏幕": 1.3}'),
    ("Stainless Steel Kettle 不锈钢水壶", "Kitchen", 15900, '{"容量": 1.7}'),
    ("铸铁煎锅 26cm", "Kitchen", 18800, '{"直径": 26}'),
    ("陶瓷碗四件套", "Kitchen", 6900, None),
    ("竹制砧板", "Kitchen", 4990, '{"material": "bamboo"}'),
    ("纯棉四件套", "Bedding", 29900, '{"尺寸": "1.8m"}'),
    ("Memory Foam Pillow 记忆枕", "Bedding", 13900, None),
    ("羽绒被", "Bedding", 59900, '{"尺寸": "2.0m", "填充": "95%"}'),
    ("明前龙井 250g", "Tea", 32800, '{"产地": "虚构山", "年份": 2025}'),
    ("陈年普洱饼", "Tea", 26800, '{"年份": 2018}'),
    ("Jasmine Tea 茉莉花茶", "Tea", 5800, None),
    ("每日坚果 30包", "Snacks", 9900, '{"过敏原": ["花生", "核桃"]}'),
    ("海苔脆片", "Snacks", 1590, None),
    ("手工曲奇", "Snacks", 3580, '{"口味": "黄油"}'),
    ("加碘食盐 400g", "Condiments", 350, None),
    ("酿造酱油 500ml", "Condiments", 1290, None),
    ("花椒油", "Condiments", 1880, '{"辣度": 3}'),
    ("圆领T恤", "Menswear", 7900, '{"尺码": ["M", "L", "XL"]}'),
    ("直筒牛仔裤", "Menswear", 19900, '{"尺码": ["30", "32", "34"]}'),
    ("Linen Shirt 亚麻衬衫", "Menswear", 25900, None),
    ("针织开衫", "Womenswear", 22900, '{"颜色": "米"}'),
    ("连衣裙", "Womenswear", 32900, '{"尺码": ["S", "M"]}'),
    ("羊毛围巾", "Womenswear", 16900, None),
    ("风衣", "Womenswear", 49900, '{"颜色": "卡其", "尺码": ["S", "M", "L"]}'),
)

# (code, title, kind, value in cents or percent, minimum amount in cents, valid from, valid to)
COUPONS = (
    ("NEW10", "新人立减", "fixed", 1000, 5000, "2025-01-01", "2026-12-31"),
    ("SPRING20", "春季满减", "fixed", 2000, 15000, "2025-03-01", "2026-05-31"),
    ("VIP5OFF", "会员95折", "percent", 500, 0, "2025-01-01", "2026-12-31"),
    ("FRIDAY15", "Black Friday 15% off", "percent", 1500, 20000, "2025-11-20", "2025-12-01"),
    ("TEA30", "茶叶专享", "fixed", 3000, 20000, "2025-04-01", "2026-06-30"),
    ("EXPIRED1", "已过期测试券", "fixed", 100, 0, "2024-01-01", "2024-12-31"),
)

REMARKS = ("请尽快发货", "周末送货", "Please leave at the door", "礼物, 不要放发票", "工作日白天联系")

PRAISE = ("质量很好, 会回购", "Good value, arrived fast", "物流很快 👍", "和描述一致", "包装用心, 送人合适")
BLAME = ("有点小贵", "Smaller than expected", "等了一周才到", "颜色和图片不一样", "客服回复慢")
