"""The login against an identity provider that runs as a process of its own and speaks OpenID Connect.

Before the login no page, socket, upload, download, medium, component or static file is given out; after it the app
knows the person by the address that the provider vouches for; whoever is not on the list stays outside; logging out
closes the door again.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import urllib.error
import urllib.request
from collections.abc import Iterator
from http.cookies import SimpleCookie

import pytest
from playwright.sync_api import Browser, Page, expect
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from streamlit.web.server.starlette.starlette_server_config import XSRF_COOKIE_NAME
from websockets.sync.client import connect
from websockets.typing import Subprotocol

from engine.store.workspace import Workspace
from tests.browser.conftest import Server, free_port, serving, settle, wait_for
from tests.ui import harness

pytestmark = pytest.mark.slow

PEOPLE = {
    "anna": {"email": "anna@example.org", "email_verified": True},
    "eve": {"email": "eve@example.org", "email_verified": True},
    "mallory": {"email": "anna@example.org", "email_verified": False},
}
SECRETS = """
[auth]
redirect_uri = "http://127.0.0.1:{port}/oauth2callback"
cookie_secret = "a secret of the tests only"
client_id = "espalier"
client_secret = "another"
server_metadata_url = "{provider}/.well-known/openid-configuration"

[espalier]
allowed = ["anna@example.org"]
"""


@pytest.fixture(scope="module")
def provider() -> Iterator[str]:
    port = free_port()
    people = [f"--user-claims={json.dumps({'sub': name, **claims})}" for name, claims in PEOPLE.items()]
    command = [sys.executable, "-W", "ignore", "-m", "oidc_provider_mock", "--port", str(port), *people]
    quiet = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
    process = subprocess.Popen(command, **quiet)
    try:
        wait_for(f"http://127.0.0.1:{port}/.well-known/openid-configuration", process)
        yield f"http://127.0.0.1:{port}"
    finally:
        process.terminate()
        process.wait(timeout=20)


@pytest.fixture(scope="module")
def guarded(provider: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    home = tmp_path_factory.mktemp("guarded")
    harness.add_samples(Workspace.open(home / "workspace"))
    port = free_port()
    (home / ".streamlit").mkdir()
    (home / ".streamlit" / "secrets.toml").write_text(SECRETS.format(port=port, provider=provider))
    with serving(home / "workspace", port=port, directory=home) as running:
        yield running


def arrive(browser: Browser, address: str) -> Page:
    page = browser.new_context().new_page()
    page.route("**/*", lambda route: route.continue_() if "//127.0.0.1" in route.request.url else route.abort())
    page.goto(address)
    return page


def log_in(page: Page, person: str) -> None:
    page.get_by_role("button", name="Log in").click()
    page.get_by_role("button", name=person, exact=True).click()


def status(address: str, method: str = "GET", cookie: str = "") -> int:
    request = urllib.request.Request(address, method=method, headers={"cookie": cookie} if cookie else {})
    try:
        with urllib.request.urlopen(request, timeout=20) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_nothing_but_the_door_is_there_before_the_login(browser: Browser, guarded: Server) -> None:
    page = arrive(browser, f"{guarded.address}/annotate")
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    assert "Sample" not in page.inner_text("body") and page.get_by_test_id("stSelectbox").count() == 0
    for path in ("/media/x.png", "/component/x/index.html", "/_stcore/bidi-components/x/x.js", "/app/static/x"):
        assert status(guarded.address + path) == 401, path
    assert status(f"{guarded.address}/_stcore/upload_file/s/f", "PUT") == 401
    assert status(f"{guarded.address}/_stcore/metrics") == 404
    assert status(f"{guarded.address}/media/x.png", cookie="_streamlit_user=forged") == 401
    page.context.close()


def said_by_socket(server: Server, path: str, cookie: str = "") -> bytes:
    """All that the server says by a socket of its own to whoever asks for a page, without a browser."""
    headers = {"Origin": server.address, **({"Cookie": cookie} if cookie else {})}
    address = server.address.replace("http://", "ws://") + "/_stcore/stream"
    # As Streamlit's page does it: the token against forged requests goes with the protocol.
    token = SimpleCookie(cookie).get(XSRF_COOKIE_NAME)
    protocols = [Subprotocol(one) for one in ("streamlit", *([token.value] if token else []))]
    asked = BackMsg()
    asked.rerun_script.page_name = path
    said, finished = b"", False
    with connect(address, subprotocols=protocols, additional_headers=headers, max_size=None) as socket:
        socket.send(asked.SerializeToString())
        while True:
            try:
                # When the script has ended, nothing more should come: what comes nevertheless counts, too.
                part = socket.recv(timeout=2 if finished else 120)
            except TimeoutError:
                assert finished, "the server has not drawn the page"
                break
            assert isinstance(part, bytes)
            said += part
            finished = finished or ForwardMsg.FromString(part).WhichOneof("type") == "script_finished"
    return said


def test_a_socket_without_the_login_says_nothing_but_the_door(browser: Browser, guarded: Server) -> None:
    page = arrive(browser, guarded.address)
    log_in(page, "anna")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    workspace = guarded.open_workspace()
    names = [info.name.encode() for info in workspace.corpora()]
    workspace.close()
    assert any(name in said_by_socket(guarded, "corpora", cookies) for name in names), "this test would see a leak"
    for path in ("", "document", "annotate", "corpora", "errors", "train"):
        for cookie in ("", "_streamlit_user=forged"):
            said = said_by_socket(guarded, path, cookie)
            assert b"Log in" in said and not any(name in said for name in names), path
    page.context.close()


def test_what_a_visit_fetched_is_not_given_to_others(browser: Browser, guarded: Server) -> None:
    """Downloads, and whatever else is not part of Streamlit's own page, by the addresses that a real visit has used.
    Scripts of components come by the socket."""
    page = arrive(browser, f"{guarded.address}/annotate")
    fetched: set[str] = set()
    page.on("response", lambda answer: answer.ok and fetched.add(answer.url))
    log_in(page, "anna")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    page.goto(f"{guarded.address}/corpora?view=Export")
    settle(page)
    page.get_by_role("button", name="Prepare the file").click()
    with page.expect_download() as started:
        page.get_by_role("button", name=re.compile("^Download ")).last.click()
    fetched.add(started.value.url)
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    ours = {url for url in fetched if any(part in url for part in ("/media/", "/bidi-components/", "/component/"))}
    assert any("/media/" in url for url in ours), fetched
    for url in sorted(ours):
        assert status(url) == 401, url
        assert status(url, cookie="_streamlit_user=forged") == 401, url
        assert status(url, cookie=cookies) == 200, url
    page.context.close()


def test_whoever_the_provider_vouches_for_comes_in_and_goes_out(browser: Browser, guarded: Server) -> None:
    page = arrive(browser, f"{guarded.address}/annotate")
    log_in(page, "anna")
    page.wait_for_url(f"{guarded.address}/**")
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    cookies = "; ".join(f"{one['name']}={one['value']}" for one in page.context.cookies())
    assert status(f"{guarded.address}/media/x.png", cookie=cookies) == 404, "admitted, and there is no such picture"
    page.get_by_role("button", name="Log out").click()
    page.get_by_role("button", name="End session").click()  # at the provider, which sends back
    expect(page.get_by_role("button", name="Log in")).to_be_visible()
    page.context.close()


@pytest.mark.parametrize(("person", "reason"), [("eve", "not on the list"), ("mallory", "has not been verified")])
def test_others_stay_outside_and_are_told_why(browser: Browser, guarded: Server, person: str, reason: str) -> None:
    page = arrive(browser, guarded.address)
    log_in(page, person)
    page.wait_for_url(f"{guarded.address}/**")
    expect(page.get_by_text(reason)).to_be_visible()
    expect(page.get_by_role("button", name="Log out")).to_be_visible()
    assert page.get_by_test_id("stSelectbox").count() == 0
    page.context.close()
