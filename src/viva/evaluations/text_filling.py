"""Probes of a certification and the task of a class, with the values of one attempt or of one class in their texts."""

from collections.abc import Iterator
from typing import Any

import msgspec

from viva.evaluations.configs import QuestionParameter
from viva.evaluations.item_filling import make_question
from viva.evaluations.item_parameters import TextItem

CLASS_ITEM_ID = "task"

FilledTexts = dict[str, list[str]]  # by the id of the probe, or of the class's task


def list_text_items(config: dict[str, Any]) -> list[TextItem]:
    """The probes that have parameters, or the task of a class that has some. A config has either."""
    if "task" in config:
        return [make_item(CLASS_ITEM_ID, config, texts_of_class(config))] if config.get("parameters") else []
    probes = [probe for probe in config.get("prompts", ()) if probe.get("parameters")]
    return [make_item(probe["id"], probe, texts_of_probe(config, probe)) for probe in probes]


def make_item(id_: str, holder: dict[str, Any], texts: Iterator[str]) -> TextItem:
    parameters = msgspec.convert(holder["parameters"], dict[str, QuestionParameter])
    return TextItem(id=id_, texts=list(texts), parameters=parameters)


def texts_of_probe(config: dict[str, Any], probe: dict[str, Any]) -> Iterator[str]:
    """Messages, what a good answer does, and what it is marked for, in the order in which `fill_config` puts them back."""
    yield from (message["content"] for message in probe["messages"])
    yield from probe.get("should", ())
    yield from (row["criteria"] for row in config["rubric"] if row["promptId"] == probe["id"])


def texts_of_class(config: dict[str, Any]) -> Iterator[str]:
    yield config["task"]
    yield from (row["criteria"] for row in config["rubric"])


def fill_texts(config: dict[str, Any], seed: str) -> FilledTexts:
    """The texts with the values of the seed. They are stored, so that they never change."""
    return {item.id: make_question(item, seed).texts for item in list_text_items(config)}


def fill_config(config: dict[str, Any], filled: FilledTexts) -> dict[str, Any]:
    """The config with the filled texts in their places."""
    if not filled:
        return config
    left = {id_: iter(texts) for id_, texts in filled.items()}
    if "task" in config:
        texts = left[CLASS_ITEM_ID]
        return config | {"task": next(texts), "rubric": [row | {"criteria": next(texts)} for row in config["rubric"]]}
    prompts = [fill_probe(probe, left[probe["id"]]) if probe["id"] in left else probe for probe in config["prompts"]]
    rubric = [
        row | {"criteria": next(left[row["promptId"]])} if row["promptId"] in left else row for row in config["rubric"]
    ]
    return config | {"prompts": prompts, "rubric": rubric}


def fill_probe(probe: dict[str, Any], texts: Iterator[str]) -> dict[str, Any]:
    messages = [message | {"content": next(texts)} for message in probe["messages"]]
    return probe | {"messages": messages, "should": [next(texts) for _ in probe.get("should", ())]}
