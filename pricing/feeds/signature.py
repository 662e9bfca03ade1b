"""Signatures of published folders, in the format of minisign, so that its own program checks and makes them too.

A signature is Ed25519 over the BLAKE2b digest of a file; a second one binds the comment to it. Keys and signatures are
lines of base64: two letters, the key's number of eight bytes, then the key or the signature.
"""

import base64
import binascii
import hashlib
import secrets

from pricing.errors import PricingError

_ED, _HASHED, _NO_PASSWORD = b"Ed", b"ED", b"\0\0B2" + bytes(48)
_SECRET_BYTES, _PUBLIC_BYTES, _SIGNATURE_BYTES = 158, 42, 74
_KEY = slice(2, 10)  # where the number of a key stands
_TRUSTED = "trusted comment: "


class SignatureError(PricingError):
    """A key or a signature is not what it should be, in a sentence."""


def new_key() -> tuple[str, str]:
    """Return the two files of a new key: the secret one, without a password, and the public one."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    private, number = Ed25519PrivateKey.generate(), secrets.token_bytes(8)
    pair = private.private_bytes_raw() + private.public_key().public_bytes_raw()
    check = hashlib.blake2b(_ED + number + pair, digest_size=32).digest()
    secret = _ED + _NO_PASSWORD + number + pair + check
    return _file("secret key, to be kept secret", secret), _file("public key", _ED + number + pair[32:])


def sign(content: bytes, secret: str, comment: str) -> bytes:
    """Return the signature file of a content."""
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PrivateKey

    raw = _bytes(secret, _SECRET_BYTES)
    if not raw.startswith(_ED + _NO_PASSWORD[:2]):
        raise SignatureError("The secret key is none of minisign's without a password: make one with --new-key FILE.")
    private = Ed25519PrivateKey.from_private_bytes(raw[62:94])
    signature = private.sign(hashlib.blake2b(content).digest())
    whole = base64.b64encode(private.sign(signature + comment.encode())).decode()
    head = _file("signature of published prices", _HASHED + raw[54:62] + signature)
    return f"{head}{_TRUSTED}{comment}\n{whole}\n".encode()


def public_key(text: str) -> bytes:
    """Return the bytes of a public key, or raise a sentence."""
    return _bytes(text, _PUBLIC_BYTES)


def verify(content: bytes, signature: bytes, public: str) -> None:
    """Raise a sentence, to stand behind the name of what was signed, unless its signature is of this key."""
    from cryptography.exceptions import InvalidSignature
    from cryptography.hazmat.primitives.asymmetric.ed25519 import Ed25519PublicKey

    key = public_key(public)
    try:
        _, line, trusted, whole = signature.decode().splitlines()
        parsed, both = _bytes(line, _SIGNATURE_BYTES), base64.b64decode(whole, validate=True)
    except (ValueError, SignatureError) as error:
        raise SignatureError("has a signature that cannot be read") from error
    if parsed[_KEY] != key[_KEY]:
        raise SignatureError("is signed by another than the key that you trust")
    signed, known = parsed[10:], Ed25519PublicKey.from_public_bytes(key[10:])
    try:
        known.verify(signed, hashlib.blake2b(content).digest())
        known.verify(both, signed + trusted[len(_TRUSTED) :].encode())
    except InvalidSignature as error:
        raise SignatureError("is not as it was signed: it was changed, cut off or signed by another") from error


def _file(what: str, raw: bytes) -> str:
    return f"untrusted comment: {what}\n{base64.b64encode(raw).decode()}\n"


def _bytes(text: str, count: int) -> bytes:
    """Return the bytes of a key: its line, or its file with the comment above."""
    try:
        raw = base64.b64decode((text.split("\n") if "\n" in text else ["", text])[1].strip(), validate=True)
    except (ValueError, binascii.Error) as error:
        raise SignatureError("A key of minisign is the second line of its file, in base64.") from error
    if len(raw) != count or raw[:2] not in (_ED, _HASHED):
        raise SignatureError("A key of minisign is the second line of its file, in base64.")
    return raw
