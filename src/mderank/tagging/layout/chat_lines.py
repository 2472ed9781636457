"""Lines of chats that nobody wrote: joins and parts, attachments, reactions, threads; and actions."""

from __future__ import annotations

import re

from mderank.tagging.layout.lines import Kind, Line

_IRC_NOTICE = re.compile(r"\s*(?:-!-|\*\*\*|-->|<--|==>|<==|←|→|⇐|⇒)\s+\S")
_NAME = r"[^\W_][\w.'’@~+()-]{0,40}(?:\s[\w.'’@~+()-]{1,40}){0,3}?"
_PLACE = r"(?:#|the\s(?:chat|channel|group|meeting|call|server|conversation)|using\b|from\b|\(|\[)"
_SETTING = r"(?:channel|chat|group|topic|subject|security|phone|name|nick|mode|icon|settings)"
_EVENT = re.compile(
    rf"\s*\u200e?(?:{_NAME}\s)?(?:\[\S{{1,80}}\]\s|\(\S{{1,80}}\)\s)?(?:has\s|have\s|was\s|were\s)?(?:"
    rf"(?:joined|left|quit|parted)(?:\s{_PLACE}.{{0,120}})?|joined\svia\b.{{0,80}}"
    r"|(?:added|removed|invited|kicked|banned)\s[^.?!]{1,60}"
    rf"|(?:changed|set|updated|cleared)\s(?:the\s|this\s|their\s|your\s|his\s|her\s)?{_SETTING}\b.{{0,200}}"
    r"|is\snow\sknown\sas\s\S{1,40}|sets?\smode\b.{0,80}|pinned\sa\smessage\b.{0,80}"
    r"|created\s(?:the\s|this\s)?(?:group|channel|chat)\b.{0,80}"
    r"|started\s(?:a\s|the\s)?(?:call|meeting|thread|recording)\b.{0,80}"
    r"|archived\sthe\schannel.{0,40}|renamed\sthe\schannel.{0,80})\.?\s*\Z",
    re.IGNORECASE,
)
_MEDIA = (
    r"(?:media|image|photo|picture|video|audio|gif|sticker|document|voice\smessage|voice\snote|file|contact\scard|"
    r"location|poll|attachment)s?(?:\s(?:omitted|message|file|attached|not\sincluded))?"
)
_PLACEHOLDER = re.compile(
    rf"\s*\u200e?[<\[(]?\s?(?:{_MEDIA}|attached:\s?\S.{{0,80}}|this\smessage\swas\s(?:deleted|edited)"
    r"|you\sdeleted\sthis\smessage|missed\s(?:voice|video)\scall.{0,30}|null|edited)\s?[>\])]?\.?\s*\Z",
    re.IGNORECASE,
)
_BARE_PLACEHOLDER = re.compile(r"\s*[\w ]{1,20}\Z")
_EXTENSION = r"(?:png|jpe?g|gif|webp|heic|mp4|mov|mp3|ogg|opus|wav|pdf|docx?|xlsx?|pptx?|csv|zip|txt|log|json)"
_FILE = re.compile(
    rf"\s*\u200e?[<\[(📎🖼 ]{{0,3}}(?:attached:\s)?[\w() .,-]{{1,80}}\.{_EXTENSION}\s?[>\])]?"
    r"(?:\s?\((?:file\sattached|[\d.,]+\s?[kMG]?B)\)|\s[\d.,]+\s?[kMG]?B)?\s*\Z",
    re.IGNORECASE,
)
_ENCRYPTED = re.compile(r"\s*\u200e?Messages and calls are end-to-end encrypted", re.IGNORECASE)
_REACTION = re.compile(
    r"\s*(?:(?:\W{1,4}|:[a-z0-9_+-]{1,40}:)\s?\d{1,4}\s*){1,12}\Z|\s*\d{1,4}\s(?:replies|reply|reactions?)\b.{0,60}\Z"
    r"|\s*(?:last\sreply|view\s(?:thread|newer\sreplies)|replied\sto\sa\sthread|"
    r"in\sreply\sto\sthis\smessage|also\ssent\sto\sthe\schannel)\b.{0,80}\Z"
    r"|\s*\{(?:Attachments|Reactions|Embed|Embeds|Stickers)\}\s*\Z"
    r"|\s*(?:reactions?|liked\sby|seen\sby|read\sby)\s?:.{0,80}\Z|\s*\(edited\)\s*\Z",
    re.IGNORECASE,
)
_ACTION = re.compile(r"\s*\*\s(?P<name>[^\W\d][\w.'’|-]{0,31})\s+(?=\S)")
_LONGEST_NOTICE = 250


def is_notice(content: str) -> bool:
    """Whether what stands behind a chat's time stamp is a notice of the system, such as a join.

    >>> is_notice("-!- anna [~a@web] has joined #tides"), is_notice("anna: has joined the pipes")
    (True, False)

    Args:
        content: The text behind a chat's time stamp.

    Returns:
        True for a notice.
    """
    return bool(_IRC_NOTICE.match(content) or _EVENT.match(content) or _ENCRYPTED.match(content))


def blank_chat_marks(lines: list[Line], speakers: set[str]) -> None:
    """Blank notices, attachments and reactions between a chat's messages, and the name before an action.

    Args:
        lines: The lines of the text, which are changed in place.
        speakers: The names of the chat's speakers.
    """
    names = {name.strip(" <>@+~%&:").casefold() for name in speakers}
    for line in lines:
        content = line.prose
        if line.kind is not Kind.PROSE or len(content) > _LONGEST_NOTICE:
            continue
        if _is_left_by_system(content):
            line.kind = Kind.NOT_PROSE
        elif (action := _ACTION.match(content[:80])) and action.group("name").casefold() in names:
            line.body += action.end()
            line.marked = True


def _is_left_by_system(content: str) -> bool:
    if _PLACEHOLDER.match(content):  # without brackets only if it says that something is missing
        return not _BARE_PLACEHOLDER.match(content) or content.rstrip().endswith(("omitted", "attached", "included"))
    if _IRC_NOTICE.match(content) and not content.lstrip().startswith(("→", "←", "⇒", "⇐")):
        return True
    return bool(_FILE.match(content) or _REACTION.match(content) or _ENCRYPTED.match(content))
