import decimal
import json

import pytest

from shop.cart import Cart, CartError, Discount, Line
from shop.catalog import Catalog, Product


def money(text):
    return decimal.Decimal(text)


def make_product(sku="sku-1", price="9.99", stock=10, **extra):
    return Product(sku=sku, name=f"Product {sku}", price=money(price), stock=stock, **extra)


def make_catalog(*products):
    catalog = Catalog()
    for product in products or (make_product(),):
        catalog.add(product)
    return catalog


def make_cart(*lines, catalog=None):
    cart = Cart(catalog or make_catalog())
    for sku, quantity in lines:
        cart.add(sku, quantity)
    return cart


@pytest.fixture
def catalog():
    return make_catalog(
        make_product("apple", "0.50", stock=100),
        make_product("bread", "2.20", stock=5),
        make_product("milk", "1.10", stock=0),
    )


@pytest.fixture
def cart(catalog):
    return make_cart(("apple", 4), ("bread", 1), catalog=catalog)


def test_empty_cart_has_no_total():
    assert make_cart().total() == money("0")


def test_total_is_sum_of_lines(cart):
    assert cart.total() == money("4.20")


def test_adding_twice_merges_lines(cart):
    cart.add("apple", 2)
    assert [line.quantity for line in cart.lines] == [6, 1]


@pytest.mark.parametrize("quantity", [0, -1, -100])
def test_quantity_must_be_positive(cart, quantity):
    with pytest.raises(CartError, match="quantity"):
        cart.add("apple", quantity)


def test_out_of_stock(cart):
    with pytest.raises(CartError) as caught:
        cart.add("milk", 1)
    assert caught.value.sku == "milk"


def test_unknown_product(cart):
    with pytest.raises(KeyError):
        cart.add("caviar", 1)


@pytest.mark.parametrize(
    ("code", "percent", "expected"),
    [("TEN", 10, "3.78"), ("HALF", 50, "2.10"), ("NONE", 0, "4.20")],
)
def test_discount(cart, code, percent, expected):
    cart.apply(Discount(code=code, percent=percent))
    assert cart.total() == money(expected)


def test_discounts_do_not_stack(cart):
    cart.apply(Discount(code="TEN", percent=10))
    with pytest.raises(CartError):
        cart.apply(Discount(code="HALF", percent=50))


class TestSerialisation:
    def round_trip(self, cart, catalog):
        return Cart.from_json(json.loads(json.dumps(cart.to_json())), catalog)

    def test_round_trip(self, cart, catalog):
        assert self.round_trip(cart, catalog).total() == cart.total()

    def test_lines_survive(self, cart, catalog):
        other = self.round_trip(cart, catalog)
        assert other.lines == [Line("apple", 4), Line("bread", 1)]

    def test_removed_products_are_dropped(self, cart, catalog):
        data = cart.to_json()
        catalog.remove("bread")
        assert [line.sku for line in Cart.from_json(data, catalog).lines] == ["apple"]


def test_save_and_load(tmp_path, cart, catalog):
    path = tmp_path / "cart.json"
    path.write_text(json.dumps(cart.to_json()))
    loaded = Cart.from_json(json.loads(path.read_text()), catalog)
    assert loaded.total() == cart.total()
