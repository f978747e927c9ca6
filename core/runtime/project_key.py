"""Which project something belongs to, without saying where it is: the digest of its git remote, or of its path."""

from __future__ import annotations

from .own_files import read_file

_LENGTH = 16


def project_key(folder: str) -> str:
    """16 hex digits. Two clones of one remote are one project, wherever they are."""
    remote = _remote_of(folder)
    named = f"git:{remote}" if remote else f"path:{folder.replace(chr(92), '/').rstrip('/')}"
    return _sha256(named.encode("utf-8", "surrogateescape"))[:_LENGTH]


def _sha256(data: bytes) -> str:
    try:  # hashlib costs three times as much; its parts are private to CPython
        try:
            from _sha2 import sha256  # type: ignore[import-not-found]  # 3.12 and newer
        except ImportError:
            from _sha256 import sha256  # type: ignore[import-not-found]
    except ImportError:
        from hashlib import sha256
    return str(sha256(data).hexdigest())


def _remote_of(folder: str) -> str:
    """The address of the remote ``origin`` (else of the first there is) in the repository that ``folder`` is in."""
    while folder:
        config = _config_of(f"{folder}/.git")
        if config is not None:
            return _normalized(_origin_in(config.decode("utf-8", "replace")))
        above = folder.rpartition("/")[0] if "/" in folder else folder.rpartition("\\")[0]
        if above == folder:
            return ""
        folder = above
    return ""


def _config_of(git: str) -> bytes | None:
    try:
        return read_file(f"{git}/config")
    except OSError:
        pass
    try:  # a worktree, or a submodule: a file that says where
        told = read_file(git).decode("utf-8", "surrogateescape").partition("gitdir:")[2].strip()
    except OSError:
        return None
    if not told:
        return None
    place = told if told.startswith("/") or told[1:2] == ":" else f"{git.rpartition('/')[0]}/{told}"
    for config in (f"{place}/config", f"{place.partition('/worktrees/')[0]}/config"):
        try:
            return read_file(config)
        except OSError:
            continue
    return b""


def _origin_in(config: str) -> str:
    section, first = "", ""
    for line in map(str.strip, config.splitlines()):
        if line.startswith("["):
            section = line
        elif section.startswith('[remote "') and line.partition("=")[0].strip() == "url":
            address = line.partition("=")[2].strip()
            if section == '[remote "origin"]':
                return address
            first = first or address
    return first


def _normalized(address: str) -> str:
    """One text for the spellings of a remote: ``git@host:a/b.git``, ``https://user:token@host/a/b`` -> ``host/a/b``.

    What may be secret (user, password) is left out before anything is made of it.
    """
    scheme, separator, rest = address.partition("://")
    if not separator:
        rest = address
        before, colon, path = rest.partition(":")
        if colon and "/" not in before and len(before) > 1:  # not the drive of a Windows path
            rest = f"{before}/{path.lstrip('/')}"
        elif scheme == address and "@" not in before:
            return rest.rstrip("/").removesuffix(".git")  # a folder
    host, slash, path = rest.partition("/")
    host = host.rpartition("@")[2].lower()
    host = host.partition(":")[0] if scheme in ("ssh", "git") else host
    return f"{host}{slash}{path}".rstrip("/").removesuffix(".git")
