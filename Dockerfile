# The server of mderank: docker build -t mderank . && docker run -p 127.0.0.1:8000:8000 mderank
# docs/serve.md says how to run it. `.ci/image` builds this image and tries it.
ARG BASE=python:3.11-slim

FROM ${BASE} AS build
COPY . /source
# The versions that CI has tested.
RUN python3 -m venv /opt/mderank \
 && /opt/mderank/bin/pip install --no-cache-dir --constraint /source/.ci/constraints.txt '/source[pdf,serve]' \
 && /opt/mderank/bin/pip uninstall --yes pip setuptools

FROM ${BASE}
LABEL org.opencontainers.image.title="mderank" \
      org.opencontainers.image.description="Keyphrase extraction over HTTP, offline, on a CPU" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.source="https://github.com/mderank/mderank"
COPY --from=build /opt/mderank /opt/mderank
# Nothing is written but to /tmp, and nothing is downloaded: the model is part of the package.
ENV PATH=/opt/mderank/bin:$PATH PYTHONDONTWRITEBYTECODE=1 PYTHONUNBUFFERED=1 HF_HUB_OFFLINE=1
USER 65532:65532
WORKDIR /tmp
EXPOSE 8000
HEALTHCHECK --interval=10s --timeout=5s --start-period=60s CMD ["/opt/mderank/bin/python3", "-c", \
  "from urllib.request import urlopen; urlopen('http://127.0.0.1:8000/readyz', timeout=4)"]
ENTRYPOINT ["mderank"]
CMD ["serve", "--host", "0.0.0.0", "--no-open"]
