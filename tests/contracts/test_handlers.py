"""What differs by handler is in `exams/handlers`. Other code asks for a trait, or has a table of its own for handlers."""

import ast

from tests.contracts.tree import syntax_trees
from viva.evaluations.sip_fields import BUILT_IN_HANDLERS, EVALUATION_TYPES
from viva.exams.handlers.table import HANDLERS
from viva.exams.handlers.traits import HANDLER_TRAITS

HOME = "exams/handlers/"
# Some handlers are called like the type of their evaluations, which is asked for in many places.
NAMES_OF_HANDLERS_ONLY = BUILT_IN_HANDLERS.difference(EVALUATION_TYPES)
HANDLER_FIELDS = frozenset({"handler", "executable_handler"})

# Tables of what `exams/handlers` may not know: rooms below it, forms, words, examples. These lists may only shrink.
FILES_WITH_NAMES = frozenset(
    {
        "api/examples.py",
        "demo/submissions.py",
        "evaluations/items.py",
        "evaluations/sip_fields.py",
        "web/contribute_words.py",
        "web/sit_forms.py",
    }
)
FILES_THAT_COMPARE = frozenset({"evaluations/sip_fields.py"})


def test_every_handler_has_traits():
    assert HANDLER_TRAITS.keys() == BUILT_IN_HANDLERS
    assert {name for name, traits in HANDLER_TRAITS.items() if not traits.is_in_session} == HANDLERS.keys()


def test_no_other_file_names_a_handler():
    found = {
        path for path, tree in syntax_trees() if not path.startswith(HOME) and texts_in(tree) & NAMES_OF_HANDLERS_ONLY
    }

    assert found == FILES_WITH_NAMES


def test_no_other_file_compares_a_handler_with_a_name():
    """Here names count that are names of types too."""
    comparing = {
        path
        for path, tree in syntax_trees()
        for node in ast.walk(tree)
        if isinstance(node, ast.Compare) and names_in(node) & HANDLER_FIELDS and texts_in(node) & BUILT_IN_HANDLERS
    }

    assert comparing == FILES_THAT_COMPARE


def texts_in(tree: ast.AST) -> set[str]:
    return {node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str)}


def names_in(tree: ast.AST) -> set[str]:
    """The names of variables and attributes."""
    return {node.id for node in ast.walk(tree) if isinstance(node, ast.Name)} | {
        node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute)
    }
