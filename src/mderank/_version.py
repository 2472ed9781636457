"""The version of mderank."""

__version__ = "0.2.0"
