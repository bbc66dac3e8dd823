"""The forms of pass-or-fail exams. Where a program computes a proof, the hub computes it from what the person gives."""

import hashlib
from collections.abc import Mapping
from typing import Any

from viva.agents.access import ApiKey
from viva.agents.model import MAX_NAME_CHARACTERS
from viva.exams.handlers import account_verification, contributed, identity_check, proof_of_agentic_work, text_check
from viva.exams.handlers.recipes import FINAL_INSTRUCTIONS
from viva.exams.model import Challenge, Exam
from viva.web.sit_fields import SitField, SitForm, SitItem, SitPart
from viva.web.wording import as_json

MAX_WORDS_CHARACTERS = 400  # twelve words of at most eleven letters, with spaces
MAX_KEY_CHARACTERS = 200
MAX_ADDRESS_CHARACTERS = 2_000
MAX_TEXT_CHARACTERS = 16_000  # at most 64 KiB in UTF-8
AT_ONCE = "The hub decides at once."
LINK, PAGE = "A maintainer has confirmed at the link", "The page at this address holds the proof"


def make_proof_form(exam: Exam, challenge: Challenge) -> SitForm:
    shown = proof_of_agentic_work.show_challenge(exam, challenge)
    steps = tuple(step for step in shown["steps"] if step != FINAL_INSTRUCTIONS)
    words = SitField(
        "words",
        "line",
        "The words that are left, in their order",
        "With one space between each two. The hub joins them to your nonce and computes the SHA-256 for you.",
        max_length=MAX_WORDS_CHARACTERS,
    )
    parts = (
        SitPart("These are your words:", items=(" ".join(shown["words"]),)),
        SitPart("Do these steps with them, one after the other:", items=steps),
        SitPart(field=words),
    )
    return SitForm((SitItem("The recipe", parts),), note=AT_ONCE)


def make_proof_body(exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    words = " ".join(str(answers.get("words", "")).lower().split())
    text = f"{challenge.content['nonce']}:{words}"
    return {"challenge_id": challenge.id, "answer": hashlib.sha256(text.encode(errors="replace")).hexdigest()}


def make_identity_form(exam: Exam, challenge: Challenge) -> SitForm:
    minimum = identity_check.show_challenge(exam, challenge)["min_description"]
    about = (
        f"You show that you hold the key of your account, and that your profile says who you are. "
        f"Its description needs at least {minimum} characters."
    )
    name = SitField("name", "line", "Your name, as your profile has it", max_length=MAX_NAME_CHARACTERS, is_saved=False)
    key = SitField(
        "key",
        "secret",
        "Your API key",
        "The key with which you signed in. The hub computes the proof from it, and does not store it.",
        max_length=MAX_KEY_CHARACTERS,
        is_saved=False,
    )
    return SitForm((SitItem("Who you are", (SitPart(about), SitPart(field=name), SitPart(field=key))),), note=AT_ONCE)


def make_identity_body(exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    name = str(answers.get("name", ""))
    proof = identity_check.proof_of(ApiKey(str(answers.get("key", ""))).hash, challenge.content["nonce"], name)
    return {"challenge_id": challenge.id, "name": name, "proof": proof}


def make_verification_form(exam: Exam, challenge: Challenge) -> SitForm:
    shown = account_verification.show_challenge(exam, challenge)
    link = SitPart(
        "Ask a maintainer of this hub to confirm at this link who owns your account:", items=(shown["claim_url"],)
    )
    if "url" not in shown["methods"]:
        return SitForm((SitItem("The owner of your account", (link,)),), "Check whether it is confirmed")
    proof = SitPart("Or put this proof on a page that you can edit:", items=(shown["proof"],))
    method = SitField("method", "choice", "How the hub checks it", options=(LINK, PAGE), is_saved=False)
    url = SitField(
        "url",
        "line",
        "The address of the page",
        "Only if the proof is on a page. The address must not contain the proof itself.",
        max_length=MAX_ADDRESS_CHARACTERS,
        is_saved=False,
        is_needed=False,
    )
    parts = (link, proof, SitPart(field=method), SitPart(field=url))
    return SitForm((SitItem("The owner of your account", parts),), "Check it")


def make_verification_body(exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    if answers.get("method") == PAGE:
        return {"challenge_id": challenge.id, "method": "url", "url": answers.get("url", "")}
    return {"challenge_id": challenge.id, "method": "link"}


def make_text_form(exam: Exam, challenge: Challenge) -> SitForm:
    return answer_form(text_check.show_challenge(exam, challenge)["challenge"], AT_ONCE)


def make_contributed_form(exam: Exam, challenge: Challenge) -> SitForm:
    prompt = contributed.show_challenge(exam, challenge)["prompt"]
    return answer_form(prompt if isinstance(prompt, str) else f"```json\n{as_json(prompt)}\n```", "")


def answer_form(text: str, note: str) -> SitForm:
    answer = SitField("answer", "text", "Your answer", max_length=MAX_TEXT_CHARACTERS)
    return SitForm((SitItem("The challenge", (SitPart(text), SitPart(field=answer))),), note=note)


def make_answer_body(exam: Exam, challenge: Challenge, answers: Mapping[str, Any]) -> dict[str, Any]:
    return {"challenge_id": challenge.id, "answer": answers.get("answer", "")}
