"""Every part of the API, as attributes of a client.

Made by `make client` from the routes of the API; do not edit.
"""

from viva.client.describing import OperationGroup, RunnerType
from viva.client.operations.agents import AgentsOperations
from viva.client.operations.analyses import AnalysesOperations
from viva.client.operations.analysis_events import AnalysisEventsOperations
from viva.client.operations.appeals import AppealsOperations
from viva.client.operations.certificates import CertificatesOperations
from viva.client.operations.cohorts import CohortsOperations
from viva.client.operations.contribution_analytics import ContributionAnalyticsOperations
from viva.client.operations.contribution_approval import ContributionApprovalOperations
from viva.client.operations.contribution_history import ContributionHistoryOperations
from viva.client.operations.contribution_reviews import ContributionReviewsOperations
from viva.client.operations.contribution_templates import ContributionTemplatesOperations
from viva.client.operations.contributions import ContributionsOperations
from viva.client.operations.datasets import DatasetsOperations
from viva.client.operations.evaluations import EvaluationsOperations
from viva.client.operations.exams import ExamsOperations
from viva.client.operations.exports import ExportsOperations
from viva.client.operations.jobs import JobsOperations
from viva.client.operations.log import LogOperations
from viva.client.operations.maintain_agents import MaintainAgentsOperations
from viva.client.operations.maintain_evaluations import MaintainEvaluationsOperations
from viva.client.operations.maintain_invitations import MaintainInvitationsOperations
from viva.client.operations.maintain_proctors import MaintainProctorsOperations
from viva.client.operations.maintain_reports import MaintainReportsOperations
from viva.client.operations.maintain_texts import MaintainTextsOperations
from viva.client.operations.me import MeOperations
from viva.client.operations.notices import NoticesOperations
from viva.client.operations.proctor import ProctorOperations
from viva.client.operations.readings import ReadingsOperations
from viva.client.operations.results import ResultsOperations
from viva.client.operations.rubric import RubricOperations
from viva.client.operations.schemas import SchemasOperations
from viva.client.operations.sessions import SessionsOperations
from viva.client.operations.signing_keys import SigningKeysOperations
from viva.client.operations.standings import StandingsOperations
from viva.client.operations.streaming import StreamingOperations
from viva.client.operations.traces import TracesOperations
from viva.client.operations.uploads import UploadsOperations
from viva.client.operations.webhooks import WebhooksOperations


class ApiGroups(OperationGroup[RunnerType]):
    """Every part of the API, as attributes."""

    def __init__(self, runner: RunnerType) -> None:
        super().__init__(runner)
        self.agents = AgentsOperations(runner)
        self.analyses = AnalysesOperations(runner)
        self.analysis_events = AnalysisEventsOperations(runner)
        self.appeals = AppealsOperations(runner)
        self.certificates = CertificatesOperations(runner)
        self.cohorts = CohortsOperations(runner)
        self.contribution_analytics = ContributionAnalyticsOperations(runner)
        self.contribution_approval = ContributionApprovalOperations(runner)
        self.contribution_history = ContributionHistoryOperations(runner)
        self.contribution_reviews = ContributionReviewsOperations(runner)
        self.contribution_templates = ContributionTemplatesOperations(runner)
        self.contributions = ContributionsOperations(runner)
        self.datasets = DatasetsOperations(runner)
        self.evaluations = EvaluationsOperations(runner)
        self.exams = ExamsOperations(runner)
        self.exports = ExportsOperations(runner)
        self.jobs = JobsOperations(runner)
        self.log = LogOperations(runner)
        self.maintain_agents = MaintainAgentsOperations(runner)
        self.maintain_evaluations = MaintainEvaluationsOperations(runner)
        self.maintain_invitations = MaintainInvitationsOperations(runner)
        self.maintain_proctors = MaintainProctorsOperations(runner)
        self.maintain_reports = MaintainReportsOperations(runner)
        self.maintain_texts = MaintainTextsOperations(runner)
        self.me = MeOperations(runner)
        self.notices = NoticesOperations(runner)
        self.proctor = ProctorOperations(runner)
        self.readings = ReadingsOperations(runner)
        self.results = ResultsOperations(runner)
        self.rubric = RubricOperations(runner)
        self.schemas = SchemasOperations(runner)
        self.sessions = SessionsOperations(runner)
        self.signing_keys = SigningKeysOperations(runner)
        self.standings = StandingsOperations(runner)
        self.streaming = StreamingOperations(runner)
        self.traces = TracesOperations(runner)
        self.uploads = UploadsOperations(runner)
        self.webhooks = WebhooksOperations(runner)
