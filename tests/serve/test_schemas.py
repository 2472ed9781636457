"""Whatever the description allows, and much that it does not, is answered as described, never by a fault of ours."""

from __future__ import annotations

import pytest

from mderank.serve.app import create_app
from mderank.serve.config import ServerConfig
from mderank.testing import FakeEncoder, FakeTagger

schemathesis = pytest.importorskip("schemathesis")

from hypothesis import HealthCheck, settings  # noqa: E402
from schemathesis import checks  # noqa: E402

pytestmark = pytest.mark.slow
CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
    checks.negative_data_rejection,
]

app = create_app(None, ServerConfig(max_file_readers=1000), encoder=FakeEncoder(), make_tagger=FakeTagger)
schema = schemathesis.openapi.from_dict(app.openapi())


@pytest.fixture(scope="module")
def url():
    """The application, running."""
    from tests.serve.conftest import running_app

    with running_app(app) as (port, _):
        yield f"http://127.0.0.1:{port}"


@schema.exclude(path="/v1/read").parametrize()
@settings(max_examples=40, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_every_address(case, url):
    response = case.call(base_url=url)
    case.validate_response(response, checks=CHECKS)


@pytest.mark.filterwarnings("ignore:Skipped test cases")  # of PDF, which test_reading.py has
@schema.include(path="/v1/read").parametrize()
@settings(max_examples=3, deadline=None, derandomize=True, suppress_health_check=list(HealthCheck))
def test_reading(case, url):
    """Each is a process: a few are enough."""
    response = case.call(base_url=url)
    case.validate_response(response, checks=[checks.not_a_server_error])
