"""The HTTP API and the page of ``mderank serve``.

    request ─▶ middleware ─▶ routes ─▶ service ─▶ batch_queue ─▶ extractor ─▶ answer
               host, key,    schemas   limits     documents of
               body size               of texts   all clients

`mderank.serve.app.create_app` creates the ASGI application; ``mderank serve`` runs it.
"""
