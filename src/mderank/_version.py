"""The version of mderank."""

__version__ = "0.1.0"
