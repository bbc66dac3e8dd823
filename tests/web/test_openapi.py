"""Reading an OpenAPI document for people."""

import pytest

from viva.web.openapi import read, type_of


@pytest.mark.parametrize(
    ("schema", "words"),
    [
        ({"type": "string"}, "string"),
        ({"type": "string", "format": "date-time"}, "date and time"),
        ({"anyOf": [{"type": "integer"}, {"type": "null"}]}, "integer or null"),
        ({"type": ["number", "null"]}, "number or null"),
        ({"type": "array", "items": {"$ref": "#/components/schemas/Message"}}, "list of Message"),
        ({"enum": ["draft", "active", None]}, "draft | active | null"),
        ({}, ""),
    ],
)
def test_a_type_is_told_in_words(schema, words):
    assert "".join(word.text for word in type_of(schema)) == words


def test_a_call_is_read_with_its_parts_and_errors():
    document = {
        "info": {"title": "Viva", "version": "1"},
        "paths": {
            "/things/{id}": {
                "post": {
                    "operationId": "post_thing",
                    "summary": "Make a `thing`.",
                    "description": "Make a `thing`.",
                    "tags": ["things"],
                    "security": [{"key": []}],
                    "parameters": [{"name": "id", "in": "path", "required": True, "schema": {"type": "string"}}],
                    "requestBody": {
                        "content": {"application/json": {"schema": {"$ref": "#/components/schemas/Thing"}}}
                    },
                    "responses": {
                        "201": {
                            "description": "Made.",
                            "content": {"application/json": {"schema": {"type": "object"}}},
                        },
                        "409": {"description": "- `name_taken`: Choose another.\n- `too_late`: It is over."},
                    },
                }
            }
        },
        "components": {"schemas": {"Thing": {"properties": {"name": {"type": "string"}}, "required": ["name"]}}},
    }

    page = read(document, [])

    (endpoint,) = page.tags[0].endpoints
    assert (endpoint.title, endpoint.text, endpoint.needs_key) == ("Make a thing", "", True)
    assert [(field.name, field.required) for field in page.fields_of(endpoint.body)] == [("name", True)]
    assert [(error.status, error.code, error.text) for error in page.errors] == [
        (409, "name_taken", "Choose another."),
        (409, "too_late", "It is over."),
    ]


def test_the_sentence_of_an_error_stands_once_on_the_page(site):
    page = site.text("/api/docs")

    assert page.count("There is no evaluation with this id.") == 1
    assert page.count('href="#no_such_evaluation"') > 5
    assert page.count('href="#too_many"') == 1  # any call can answer so, which stands once
