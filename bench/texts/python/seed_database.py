import os
import random
import sys
from datetime import datetime, timedelta

from sqlalchemy import create_engine, text
from sqlalchemy.orm import Session

from shop.models import Base, Category, Customer, Order, OrderLine, Product

FIRST = ["Ada", "Ben", "Cleo", "Dan", "Eve", "Finn", "Gus", "Hana", "Ida", "Jan"]
LAST = ["Berg", "Diaz", "Fischer", "Ito", "Jones", "Kim", "Lopez", "Moreau", "Novak", "Okafor"]
THINGS = {"Kitchen": ["Kettle", "Pan", "Knife"], "Garden": ["Spade", "Hose", "Rake"], "Office": ["Lamp", "Chair", "Desk"]}


def make_customers(session, count, rng):
    for number in range(count):
        name = f"{rng.choice(FIRST)} {rng.choice(LAST)}"
        session.add(Customer(name=name, email=f"customer{number}@example.com"))
    session.flush()
    return session.query(Customer).all()


def make_products(session, rng):
    made = []
    for name, things in THINGS.items():
        category = Category(name=name)
        session.add(category)
        for thing in things:
            product = Product(name=thing, category=category, price=round(rng.uniform(5, 250), 2), stock=rng.randint(0, 80))
            session.add(product)
            made.append(product)
    session.flush()
    return made


def random_date(rng, days=365):
    return datetime.now() - timedelta(days=rng.random() * days)


def make_orders(session, customers, products, count, rng):
    for _ in range(count):
        order = Order(customer=rng.choice(customers), created=random_date(rng))
        for product in rng.sample(products, rng.randint(1, 4)):
            order.lines.append(OrderLine(product=product, quantity=rng.randint(1, 3), price=product.price))
        session.add(order)
    session.flush()


def reset(engine):
    Base.metadata.drop_all(engine)
    Base.metadata.create_all(engine)


def counts(session):
    for table in ("customers", "products", "orders", "order_lines"):
        found = session.execute(text(f"SELECT count(*) FROM {table}")).scalar()
        print(f"{table:<12} {found}")


def main():
    url = os.environ.get("DATABASE_URL", "sqlite:///dev.db")
    if "prod" in url:
        sys.exit("refusing to seed production")
    engine = create_engine(url)
    rng = random.Random(42)
    reset(engine)
    with Session(engine) as session:
        customers = make_customers(session, 200, rng)
        products = make_products(session, rng)
        make_orders(session, customers, products, 1000, rng)
        session.commit()
        counts(session)


if __name__ == "__main__":
    main()
