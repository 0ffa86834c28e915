# Gets, verifies, introspects and revokes a token with Authlib, by each client authentication.
import os

import requests
from authlib.integrations.base_client import OAuthError
from authlib.integrations.requests_client import OAuth2Session
from authlib.jose import JsonWebKey, JsonWebToken
from authlib.oauth2.rfc7523 import PrivateKeyJWT, private_key_jwt_sign

issuer, client_id, scope = os.environ["ISSUER"], os.environ["CLIENT_ID"], os.environ["SCOPE"]
discovered = requests.get(f"{issuer}/.well-known/oauth-authorization-server")
server = discovered.json()
keys = JsonWebKey.import_key_set(requests.get(server["jwks_uri"]).json())


class ShortAssertion(PrivateKeyJWT):
    # The assertions of PrivateKeyJWT live an hour.
    def sign(self, auth, token_endpoint):
        return private_key_jwt_sign(
            auth.client_secret, auth.client_id, token_endpoint, alg=self.alg, expires_in=60
        )


def open_session(method, secret):
    session = OAuth2Session(
        client_id,
        secret,
        scope=scope,
        token_endpoint_auth_method=method,
        revocation_endpoint_auth_method=method,
    )
    session.register_client_auth_method(ShortAssertion(server["token_endpoint"], alg="ES256"))
    return session


def verify(token):
    options = {name: {"essential": True, "value": issuer} for name in ("iss", "aud")}
    claims = JsonWebToken(["EdDSA"]).decode(token, keys, claims_options=options)
    claims.validate()
    return claims["sub"] == client_id


for method, secret in [
    ("client_secret_post", os.environ["CLIENT_SECRET"]),
    ("client_secret_basic", os.environ["CLIENT_SECRET"]),
    ("private_key_jwt", os.environ["PRIVATE_KEY"]),
]:
    session = open_session(method, secret)
    token = session.fetch_token(server["token_endpoint"])
    text = token["access_token"]
    used = session.get(f"{issuer}/audit-events").status_code
    active = session.introspect_token(server["introspection_endpoint"], text).json()
    revoked = session.revoke_token(server["revocation_endpoint"], text).status_code
    inactive = session.introspect_token(server["introspection_endpoint"], text).json()
    print(method, verify(text), used, active["active"], revoked, inactive)

try:
    open_session("client_secret_basic", "wrong").fetch_token(server["token_endpoint"])
except OAuthError as error:
    print("wrong secret:", error.error)
