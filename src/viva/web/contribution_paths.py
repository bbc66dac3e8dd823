"""Paths into a proposal, such as `config.prompts[0].id`: look up, and build a tree from many of them."""

import re
from collections.abc import Mapping
from typing import Any

PATH_PART = re.compile(r"\.?([A-Za-z_]+)|\[([0-9]{1,4})\]")
PATH = re.compile(r"[A-Za-z_]+(\.[A-Za-z_]+|\[[0-9]{1,4}\])*")

PathKey = str | int
Tree = dict[PathKey, Any]


def keys_of(path: str) -> list[PathKey]:
    """The keys and places of a path, or an empty list if it is not one."""
    if not PATH.fullmatch(path):
        return []
    return [name or int(place) for name, place in PATH_PART.findall(path)]


def look_up(tree: Any, path: str) -> Any:
    """The value at the path, or None."""
    for key in keys_of(path):
        if isinstance(key, int):
            tree = tree[key] if isinstance(tree, list) and key < len(tree) else None
        else:
            tree = tree.get(key) if isinstance(tree, Mapping) else None
    return tree


def build_tree(values: Mapping[str, Any]) -> dict[str, Any]:
    """Nested dictionaries and lists of the values. Gaps between the places of a list are closed."""
    tree: Tree = {}
    for path, value in values.items():
        node = tree
        *parents, last = keys_of(path)
        for key in parents:
            child = node.setdefault(key, {})
            if not isinstance(child, dict):
                break  # a value stands where this path needs a row
            node = child
        else:
            node.setdefault(last, value)
    return {str(key): with_lists(child) for key, child in tree.items()}


def with_lists(node: Any) -> Any:
    """Turn dictionaries whose keys are places into lists."""
    if not isinstance(node, dict):
        return node
    if node and all(isinstance(key, int) for key in node):
        return [with_lists(node[place]) for place in sorted(node)]
    return {key: with_lists(child) for key, child in node.items()}


def parent_of(path: str) -> str:
    """`config.prompts[0].id` to `config.prompts[0]`, then to `config.prompts`, then to `config`.

    A key may hold any character, also dots and brackets, but every parent is shorter."""
    return path[: max(path.rfind("."), path.rfind("["), 0)]
