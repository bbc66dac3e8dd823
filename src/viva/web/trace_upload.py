"""The upload form of traces."""

import asyncio

from litestar import Request, Response, post
from litestar.datastructures import UploadFile
from litestar.exceptions import ClientException
from litestar.response import Redirect

from viva.analyses import uploading
from viva.analyses.uploading import Upload
from viva.context import HubContext, hub_of
from viva.kit.errors import Invalid, TooLarge, VivaError
from viva.traces.batches import NumberedTrace
from viva.traces.model import check_dataset, check_tags, split_tags
from viva.web import logins, pages
from viva.web.forms import refusal_text
from viva.web.origins import check_own_form
from viva.web.trace_access import TRACES_PATH, trace_path
from viva.web.trace_reading import MAX_UPLOAD_BYTES, UploadedFile, read_uploads
from viva.web.traces import show_list
from viva.web.wording import address

MAX_FILE_NAME_CHARACTERS = 100


class BrokenForm(Invalid):
    """This form did not arrive whole. Choose the files again."""


class UploadTooLarge(TooLarge):
    """A form takes up to 16 MiB. Send larger files with POST /api/v1/traces as JSONL."""


@post(TRACES_PATH, request_max_body_size=MAX_UPLOAD_BYTES)
async def upload(request: Request) -> Response[str] | Redirect:
    """Store the traces of the form and ask for their analyses; or say why not, and store nothing."""
    check_own_form(request)
    hub = hub_of(request)
    login_hash = await pages.admit(request, hub)
    owner = await hub.database.read(lambda db: logins.viewer(db, login_hash, request))
    if owner is None:
        return Redirect(address("/login", next=TRACES_PATH), status_code=303)
    try:
        traces, dataset = await read_form(request, hub)
        order = Upload(owner.id, dataset, quota=hub.trace_quota)
        taken = await pages.write(request, lambda db: uploading.take(db, order, traces))
    except VivaError as error:
        return await show_list(request, refusal_text(error), error.status)
    if len(taken) == 1:
        return Redirect(address(trace_path(taken[0].id), uploaded="1"), status_code=303)
    return Redirect(address(TRACES_PATH, new=min(trace.id for trace in taken)), status_code=303)


async def read_form(request: Request, hub: HubContext) -> tuple[list[NumberedTrace], str | None]:
    try:
        form = await request.form()
    except ClientException as error:
        raise (UploadTooLarge if error.status_code == UploadTooLarge.status else BrokenForm)() from None
    sent = [file for file in form.getall("file", []) if isinstance(file, UploadFile) and file.filename]
    uploads = [UploadedFile(file.filename[:MAX_FILE_NAME_CHARACTERS], await file.read()) for file in sent]
    dataset = check_dataset(text_in(form.get("dataset")) or None)
    tags = check_tags(split_tags(text_in(form.get("tags"))))
    return await asyncio.to_thread(read_uploads, uploads, hub.masking_key, tags), dataset


def text_in(value: object) -> str:
    return value.strip().replace("\0", "") if isinstance(value, str) else ""
