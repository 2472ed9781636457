"""``mderank label``: label one's own documents on a page, and learn a style from them."""

from __future__ import annotations

import logging
import sys
import warnings
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from mderank.cli._config import config_option
from mderank.cli._inputs import read_options, text_input_options
from mderank.cli._options import (
    SectionedCommand,
    extraction_options,
    import_spacy_without_torch,
    make_options,
    option,
)
from mderank.cli._server import address_of, listen, run_server
from mderank.errors import MDERankWarning, MissingExtraError
from mderank.factory import build_extractor

if TYPE_CHECKING:
    from mderank.methods.fusionrank import FusionRank
    from mderank.options import Options

_HOST = "127.0.0.1"
_CONNECTIONS = 100
_GRACE_SECONDS = 5
_OPTIONS = ("model", "device", "dtype", "threads", "tagger")  # those that a style is learned for


@click.command(cls=SectionedCommand, short_help="Label your documents on a page, by ticks and crosses.")
@click.argument("paths", nargs=-1, required=True, metavar="PATH...")
@text_input_options
@option("Results", "--output", "-o", default="labels.jsonl", show_default=True, metavar="FILE",
        help="File of the labels, for 'mderank tune'. If it exists, labelling goes on where it ended.")  # fmt: skip
@option("Results", "--style-file", default="mine.json", show_default=True, metavar="FILE",
        help="File that the page saves the learned style to, for --style.")  # fmt: skip
@option("Results", "--top-k", "-k", type=click.IntRange(1, 100), default=15, show_default=True, metavar="N",
        help="Phrases that are proposed for a document.")  # fmt: skip
@option("Server", "--port", "-p", metavar="N", type=click.IntRange(0, 65535), default=8001, show_default=True,
        help="Port to listen on; 0 chooses a free one.")  # fmt: skip
@option("Server", "--open/--no-open", "--browser/--no-browser", "opens", default=None,
        help="Open the page in a browser.  [default: only at a terminal]")  # fmt: skip
@option("Server", "--verbose", "-v", is_flag=True, help="Log every request to standard error.")
@extraction_options(only=_OPTIONS)
@config_option
def label(
    paths: tuple[str, ...],
    output: str,
    style_file: str,
    top_k: int,
    port: int,
    opens: bool | None,
    verbose: bool,
    **settings: Any,
) -> None:
    """Label your documents on a page: tick what is right, cross out what is wrong.

    PATH is a file or folder, as for mderank extract. Every click is saved in the file of labels, and labelling resumes
    there. From ten labelled documents on the page learns, and shows what it would give now. Only this machine can reach
    the page. Ctrl-C ends it.
    """
    try:
        from mderank.labelling.app import create_label_app
    except ImportError as error:
        raise error if isinstance(error, MissingExtraError) else MissingExtraError("mderank label", "serve") from error
    from mderank.labelling.documents import find_documents
    from mderank.labelling.label_file import LabelFile
    from mderank.labelling.session import LabelSession

    reading = read_options(settings)
    documents = find_documents(paths, reading, Path(output))
    with closing(LabelFile(Path(output))) as labels, listen(_HOST, port) as listening:
        extractor = _build(make_options(settings))
        session = LabelSession(documents, labels, extractor, reading=reading, top_k=top_k, style_file=Path(style_file))
        logging.basicConfig(format="mderank: %(message)s", level=logging.INFO if verbose else logging.WARNING)
        app, address = create_label_app(session), address_of(_HOST, listening)
        click.echo(
            f"mderank: {session.labelled()} of {len(documents)} documents labelled, in {output}\n"
            f"mderank: labelling at {address} (Ctrl-C stops)",
            err=True,
        )
        if opens or (opens is None and sys.stderr.isatty() and sys.stdin.isatty()):
            import webbrowser

            webbrowser.open(address)
        run_server(app, listening, verbose=verbose, max_connections=_CONNECTIONS, grace_seconds=_GRACE_SECONDS)


def _build(options: Options) -> FusionRank:
    """The extractor of the default method, which styles belong to."""
    from mderank.methods.fusionrank import FusionRank

    if options.tagger is None:
        import_spacy_without_torch()
    warnings.filterwarnings("ignore", category=MDERankWarning)  # the page shows what cannot be read
    extractor = build_extractor(options)
    assert isinstance(extractor, FusionRank)
    return extractor
