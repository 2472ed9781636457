"""Keyphrases over HTTP: an API, and a page to see why a phrase is key.

    request ─▶ gate ─▶ app ─▶ lane ─▶ extractor ─▶ answer
               who,    what   shared   what all of
               how     it     encoder  mderank does
               much    asks   passes

`mderank.serve.app.create_app` makes the ASGI application; ``mderank serve`` runs it.
"""
