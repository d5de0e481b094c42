from contextlib import asynccontextmanager
from typing import Annotated

from fastapi import Depends, FastAPI, HTTPException, Query
from pydantic import BaseModel, Field
from sqlalchemy import ForeignKey, String, func, select
from sqlalchemy.ext.asyncio import AsyncSession, async_sessionmaker, create_async_engine
from sqlalchemy.orm import DeclarativeBase, Mapped, mapped_column, relationship

engine = create_async_engine("sqlite+aiosqlite:///inventory.db")
Session = async_sessionmaker(engine, expire_on_commit=False)


class Base(DeclarativeBase):
    pass


class Warehouse(Base):
    __tablename__ = "warehouses"
    id: Mapped[int] = mapped_column(primary_key=True)
    name: Mapped[str] = mapped_column(String(80), unique=True)
    items: Mapped[list["Item"]] = relationship(back_populates="warehouse")


class Item(Base):
    __tablename__ = "items"
    id: Mapped[int] = mapped_column(primary_key=True)
    sku: Mapped[str] = mapped_column(String(40), index=True)
    quantity: Mapped[int] = mapped_column(default=0)
    warehouse_id: Mapped[int] = mapped_column(ForeignKey("warehouses.id"))
    warehouse: Mapped[Warehouse] = relationship(back_populates="items")


class ItemIn(BaseModel):
    sku: str = Field(min_length=1, max_length=40)
    quantity: int = Field(ge=0)
    warehouse: str


class ItemOut(BaseModel):
    id: int
    sku: str
    quantity: int
    warehouse: str

    @classmethod
    def of(cls, item):
        return cls(id=item.id, sku=item.sku, quantity=item.quantity, warehouse=item.warehouse.name)


@asynccontextmanager
async def lifespan(app):
    async with engine.begin() as connection:
        await connection.run_sync(Base.metadata.create_all)
    yield
    await engine.dispose()


app = FastAPI(lifespan=lifespan)


async def get_session():
    async with Session() as session:
        yield session


Db = Annotated[AsyncSession, Depends(get_session)]


async def find_warehouse(session, name, create=False):
    found = await session.scalar(select(Warehouse).where(Warehouse.name == name))
    if found is None and create:
        found = Warehouse(name=name)
        session.add(found)
        await session.flush()
    if found is None:
        raise HTTPException(404, f"no warehouse {name!r}")
    return found


async def find_item(session, item_id):
    item = await session.get(Item, item_id)
    if item is None:
        raise HTTPException(404, f"no item {item_id}")
    return item


@app.get("/items")
async def list_items(db: Db, sku: str | None = None, limit: int = Query(50, le=500)):
    statement = select(Item).join(Warehouse).order_by(Item.sku).limit(limit)
    if sku:
        statement = statement.where(Item.sku.contains(sku))
    items = (await db.scalars(statement)).unique()
    return [ItemOut.of(item) for item in items]


@app.post("/items", status_code=201)
async def create_item(db: Db, data: ItemIn):
    warehouse = await find_warehouse(db, data.warehouse, create=True)
    item = Item(sku=data.sku, quantity=data.quantity, warehouse=warehouse)
    db.add(item)
    await db.commit()
    return ItemOut.of(item)


@app.post("/items/{item_id}/move")
async def move_item(db: Db, item_id: int, target: str, quantity: int = Query(gt=0)):
    item = await find_item(db, item_id)
    if item.quantity < quantity:
        raise HTTPException(409, "not enough stock")
    warehouse = await find_warehouse(db, target)
    item.quantity -= quantity
    other = Item(sku=item.sku, quantity=quantity, warehouse=warehouse)
    db.add(other)
    await db.commit()
    return [ItemOut.of(item), ItemOut.of(other)]


@app.get("/totals")
async def totals(db: Db):
    rows = await db.execute(select(Item.sku, func.sum(Item.quantity)).group_by(Item.sku))
    return {sku: total for sku, total in rows}
