"""An agent that is a program: one JSON line in, one JSON line out.

A process is kept for the next line. If it ends after an answer, the next line starts a new one. So a program may answer once
or for ever.
"""

import shlex
import shutil

import msgspec

from viva.adapters.model import AgentFault, AskedConversation, BadAgentName, ReplyLimits, read_reply, shorten
from viva.adapters.process import EndedProcess, LineProcess, LongLine
from viva.kit.errors import without_number


class CommandAgent:
    def __init__(self, command: str, limits: ReplyLimits) -> None:
        try:
            self._arguments = shlex.split(command)
        except ValueError as error:
            raise BadAgentName(f"The command {command} cannot be read: {error}.") from None
        if not self._arguments or shutil.which(self._arguments[0]) is None:  # told before an exam begins
            raise BadAgentName(f"The command {command} cannot be started: there is no such program.")
        self.name = command
        self._limits = limits
        self._process: LineProcess | None = None

    def reply(self, conversation: AskedConversation) -> str:
        line = msgspec.json.encode(conversation.in_turns()) + b"\n"
        answer = self._ask_kept(line)
        if answer is None:
            answer = self._ask_new(line)
        return read_reply(answer, self._limits)

    def _ask_kept(self, line: bytes) -> bytes | None:
        """The answer of the process that answered before; None if there is none, or it had ended in good order."""
        if self._process is None:
            return None
        try:
            return self._ask(self._process, line)
        except EndedProcess as ended:
            self.close()
            if ended.code == 0:
                return None
            raise AgentFault(describe_end(ended)) from None

    def _ask_new(self, line: bytes) -> bytes:
        self._process = start_process(self._arguments)
        try:
            return self._ask(self._process, line)
        except EndedProcess as ended:
            self.close()
            raise AgentFault(describe_end(ended)) from None

    def _ask(self, process: LineProcess, line: bytes) -> bytes:
        try:
            return process.ask(line, self._limits.seconds, self._limits.envelope_bytes)
        except TimeoutError:
            said = process.read_errors()
            self.close()
            seconds = f"The program gave no answer within {self._limits.seconds:g} seconds."
            raise AgentFault(seconds + (f" It wrote: {shorten(said)}" if said else "")) from None
        except LongLine:
            self.close()
            limit = self._limits.envelope_bytes
            raise AgentFault(f"The program answers with a line of more than {limit:,} bytes.") from None

    def close(self) -> None:
        if self._process is not None:
            self._process.close()
            self._process = None


def start_process(arguments: list[str]) -> LineProcess:
    try:
        return LineProcess(arguments)
    except (OSError, ValueError) as error:
        raise BadAgentName(f"The program {arguments[0]} cannot be started: {without_number(error)}.") from None


def describe_end(ended: EndedProcess) -> str:
    end = f"the signal {-ended.code}" if ended.code < 0 else f"exit code {ended.code}"
    said = f": {shorten(ended.errors)}" if ended.errors.strip() else "."
    return f"The program ended with {end} and without an answer{said}"
