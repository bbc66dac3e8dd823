"""The certificates that connections over TLS trust. They are read once: reading them takes longer than a request."""

import ssl
from functools import cache


@cache
def trusted_certificates(uses_environment: bool = True) -> ssl.SSLContext:
    """A context that many connections share. The environment may name a file or a folder of other certificates."""
    import httpx  # imported late: only who makes a connection needs it

    return httpx.create_ssl_context(trust_env=uses_environment)
