from decimal import Decimal

from django.conf import settings
from django.core.exceptions import ValidationError
from django.core.validators import MinValueValidator
from django.db import models, transaction
from django.db.models import F, Q, Sum
from django.urls import reverse
from django.utils import timezone
from django.utils.text import slugify


class TimeStamped(models.Model):
    created = models.DateTimeField(auto_now_add=True)
    updated = models.DateTimeField(auto_now=True)

    class Meta:
        abstract = True


class ProductQuerySet(models.QuerySet):
    def in_stock(self):
        return self.filter(stock__gt=0, active=True)

    def search(self, text):
        return self.filter(Q(name__icontains=text) | Q(description__icontains=text))


class Product(TimeStamped):
    name = models.CharField(max_length=120)
    slug = models.SlugField(unique=True, blank=True)
    description = models.TextField(blank=True)
    price = models.DecimalField(max_digits=8, decimal_places=2, validators=[MinValueValidator(Decimal("0.01"))])
    stock = models.PositiveIntegerField(default=0)
    active = models.BooleanField(default=True)
    objects = ProductQuerySet.as_manager()

    class Meta:
        ordering = ["name"]
        indexes = [models.Index(fields=["active", "stock"])]

    def __str__(self):
        return self.name

    def save(self, *args, **kwargs):
        if not self.slug:
            self.slug = slugify(self.name)
        super().save(*args, **kwargs)

    def get_absolute_url(self):
        return reverse("product", args=[self.slug])


class Order(TimeStamped):
    class Status(models.TextChoices):
        OPEN = "open"
        PAID = "paid"
        SHIPPED = "shipped"
        CANCELLED = "cancelled"

    customer = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="orders")
    status = models.CharField(max_length=12, choices=Status.choices, default=Status.OPEN)
    paid_at = models.DateTimeField(null=True, blank=True)

    def total(self):
        return self.lines.aggregate(total=Sum(F("quantity") * F("price")))["total"] or Decimal(0)

    def clean(self):
        if self.status == self.Status.PAID and self.paid_at is None:
            raise ValidationError("a paid order needs a date")

    @transaction.atomic
    def add(self, product, quantity=1):
        if self.status != self.Status.OPEN:
            raise ValidationError("this order is closed")
        line, _ = self.lines.get_or_create(product=product, defaults={"price": product.price, "quantity": 0})
        line.quantity = F("quantity") + quantity
        line.save(update_fields=["quantity"])
        Product.objects.filter(pk=product.pk).update(stock=F("stock") - quantity)
        return line

    @transaction.atomic
    def pay(self):
        self.status, self.paid_at = self.Status.PAID, timezone.now()
        self.full_clean()
        self.save()

    @transaction.atomic
    def cancel(self):
        for line in self.lines.select_related("product"):
            Product.objects.filter(pk=line.product_id).update(stock=F("stock") + line.quantity)
        self.status = self.Status.CANCELLED
        self.save(update_fields=["status"])


class OrderLine(models.Model):
    order = models.ForeignKey(Order, on_delete=models.CASCADE, related_name="lines")
    product = models.ForeignKey(Product, on_delete=models.PROTECT)
    quantity = models.PositiveIntegerField(default=1)
    price = models.DecimalField(max_digits=8, decimal_places=2)

    class Meta:
        unique_together = [("order", "product")]
