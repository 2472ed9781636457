"""Layout of plain text: mail, chats, tables, code and pages. Each module finds one kind of line."""

from mderank.tagging.layout.layout import Layout, read_layout

__all__ = ["Layout", "read_layout"]
