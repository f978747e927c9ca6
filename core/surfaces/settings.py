"""Single keys in a host's settings: the statusline slot and config patches. Set if absent, never over another's."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ..changes.model import Wanted
from ..host import Note
from ..location import Place
from ..masking import mask
from ..references import env_references, translate, value_in
from ..runtime.shell import command_line, committed_command
from ..vocabulary import COMMIT_SHARED
from .target import Desired, Target, handler_line, strings

if TYPE_CHECKING:
    from ..authoring.models import ConfigPatch


def desired_statusline(target: Target) -> Desired:
    statusline = target.connector.statusline
    if statusline is None or not target.wants("statusline"):
        return Desired()
    dialect = target.host.statusline
    if dialect is None:
        return target.lacks("statusline", "command statusline")
    if target.scope not in dialect.places:
        return target.lacks("statusline", f"statusline at {target.scope} scope")
    arguments = ["statusline", target.host.id, "--connector", target.connector.id]
    if target.scope in COMMIT_SHARED:
        line = committed_command(arguments, dialect.shells["linux"])
    else:
        line = command_line([str(target.machine.launcher), *arguments], dialect.shells[target.machine.os])
    if why := dialect.refuses(line):
        note = Note("warn", f"{target.host.name} gets no status line: {why}", f"It would be {line}")
        return Desired(changes=(target.say("statusline", note),))
    options = statusline.options_for(target.host.id)
    taken = {name: value for name, value in options.items() if name in dialect.options}
    wanted = _leaf(target, "statusline", dialect.places[target.scope], (), dialect.render(line, taken))
    here = statusline.hosts.get(target.host.id)
    rendered = handler_line(here.command, here.render) if here else ""
    rendered = rendered or handler_line(statusline.command, statusline.render)
    return Desired((wanted,), commands=(line, f"{rendered} (for the status line)") if rendered else (line,))


def desired_config_patches(target: Target) -> Desired:
    patches = target.connector.config_patches_for(target.host.id)
    if not patches:
        return Desired()
    dialect = target.host.config_patch
    if dialect is None or target.scope not in dialect.places:
        manual = "; ".join(
            f"{patch.key} = {mask({patch.key: patch.value})[patch.key]!r} ({_why(patch)})" for patch in patches
        )
        note = Note(
            "info", f"{target.host.name} takes no config patches at {target.scope} scope", f"By hand: {manual}"
        )
        return Desired(changes=(target.say("configPatch", note),))
    wanted, changes, shown = [], [], []
    for patch in patches:
        refused = dialect.refuses(patch.key)
        if refused:
            text = f"{patch.key} is not patched: {refused}"
            note = Note("warn", text, f"Set it by hand if you trust it ({_why(patch)})")
            changes.append(target.say("configPatch", note))
            continue
        value, unset = _resolved(target, patch.value)
        if unset:
            text = f"{patch.key} is not patched: ${{env:{unset}}} is not set here and has no default"
            changes.append(target.say("configPatch", Note("warn", text, f"Set {unset} and install again")))
            continue
        if target.scope in COMMIT_SHARED and (private := target.private_in(value)):
            text = f"{patch.key} is not patched: a file that people commit would carry {private}"
            changes.append(target.say("configPatch", Note("warn", text, "Install it at user scope")))
            continue
        keys = tuple(patch.key.split("."))
        # A variable or a helper that a setting names can run as much as a command: it is shown among them.
        shown.append(
            f"{patch.key} = {json.dumps(mask({patch.key: value})[patch.key], ensure_ascii=False)} (a setting)"
        )
        wanted.append(_leaf(target, "configPatch", dialect.places[target.scope], keys, value, reason=_why(patch)))
    return Desired(tuple(wanted), tuple(changes), tuple(shown))


def _why(patch: ConfigPatch) -> str:
    return f"{patch.reason}, see {patch.docs_url}" if patch.docs_url else patch.reason


def _leaf(
    target: Target, surface: Any, place: Place, keys: tuple[str, ...], value: Any, *, reason: str = ""
) -> Wanted:
    return Wanted(
        host=target.host.id,
        surface=surface,
        scope=target.scope,
        path=place.location.resolve(target.machine, target.project),
        format=place.format,
        kind="leaf",
        place=(*target.filled(place.at), *keys),
        value=value,
        reason=reason,
    )


def _resolved(target: Target, value: Any) -> tuple[Any, str]:
    """The value with its references filled in from this machine, and the first that could not be."""
    env = target.machine.env
    for reference in env_references(strings(value)):
        if value_in(reference, env) is None:
            return value, reference.name

    def fill(part: Any) -> Any:
        if isinstance(part, str):
            return translate(part, lambda reference: value_in(reference, env))
        if isinstance(part, dict):
            return {key: fill(item) for key, item in part.items()}
        if isinstance(part, list):
            return [fill(item) for item in part]
        return part

    return fill(value), ""
