"""Names that a stranger understands: a function is no bare participle, and a class name stands for one thing."""

import ast
import re
from collections import defaultdict
from collections.abc import Iterator

from tests.contracts.tree import syntax_trees

# Forms that do not end in -ed. "read", "put", "run", "set", "cut", "let", "split" are verbs in the same form.
IRREGULAR_PARTICIPLES = frozenset(
    """
    begun borne born bound bought broken brought built caught chosen come done drawn driven fallen fed forgotten found
    given gone got grown heard held hidden kept known laid lain led left lost made meant met paid risen said sat seen
    sent shown sold sought spent spoken stood struck stuck swept taken taught thought thrown told torn understood woken
    won worn written
    """.split()
)
VERBS_AND_NOUNS_IN_ED = frozenset(
    {"embed", "exceed", "feed", "heed", "need", "proceed", "seed", "shed", "speed", "succeed"}
)

# Names that may stay for now. These lists may only shrink.
PARTICIPLES_ALLOWED: frozenset[str] = frozenset()
CLASSES_ALLOWED_TWICE: frozenset[str] = frozenset()


def test_no_function_is_named_by_a_bare_participle():
    found = {f"{path}:{name}" for path, name in functions() if is_participle(name)}

    assert found == PARTICIPLES_ALLOWED


def test_a_class_or_type_alias_is_defined_once():
    places = defaultdict(set)
    for path, name in classes_and_aliases():
        places[name].add(path)

    assert {name for name, paths in places.items() if len(paths) > 1} == CLASSES_ALLOWED_TWICE


def is_participle(name: str) -> bool:
    word = name.strip("_")
    if word in VERBS_AND_NOUNS_IN_ED:
        return False
    return word in IRREGULAR_PARTICIPLES or re.fullmatch(r"[a-z]{2,}ed", word) is not None


def functions() -> Iterator[tuple[str, str]]:
    for path, tree in syntax_trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef):
                yield path, node.name


def classes_and_aliases() -> Iterator[tuple[str, str]]:
    """Every class at any depth, and every alias or type variable of a module; a variable `T` has no meaning of its own."""
    for path, tree in syntax_trees():
        for node in ast.walk(tree):
            if isinstance(node, ast.ClassDef):
                yield path, node.name
        for node in tree.body:
            if isinstance(node, ast.Assign):
                yield from (
                    (path, target.id)
                    for target in node.targets
                    if isinstance(target, ast.Name) and is_type_name(target.id)
                )


def is_type_name(name: str) -> bool:
    return re.fullmatch(r"[A-Z][a-zA-Z0-9]*[a-z][a-zA-Z0-9]*", name) is not None
