"""A made-up weather service of three tools, declared twice: once for each policy on bad arguments."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Final, Literal

from django.http import HttpRequest
from pydantic import BaseModel, ConfigDict, Field
from pydantic.alias_generators import to_camel

from papertrade_site.mcp.admission import Admission, Exchange, Record
from papertrade_site.mcp.arguments import Fault
from papertrade_site.mcp.endpoint import Endpoint
from papertrade_site.mcp.errors import ToolError
from papertrade_site.mcp.server import Server
from papertrade_site.mcp.tool import Answer, BadArgumentsError, Tool

BODY_BYTES: Final = 65_536
BATCH_MESSAGES: Final = 5


class Forecast(BaseModel):
    model_config = ConfigDict(alias_generator=to_camel, validate_by_name=True)

    city: str
    dry_days: int
    note: str | None
    wind: Literal["calm", "storm"] | None


class ForecastArguments(BaseModel):
    city: Literal["Oslo", "Lima"] = Field(description="Which city.")
    days: int = Field(3, ge=1, le=5, description="How many days.")
    height: float | None = Field(None, ge=0, description="Metres above the sea.")
    metric: bool = Field(True, description="Whether figures are metric.")
    station: str | None = Field(None, pattern="^[a-f0-9]{4}$", min_length=4, max_length=4)


class NoArguments(BaseModel):
    pass


class Stations(BaseModel):
    stations: list[str]


class TroubleArguments(BaseModel):
    kind: Literal["refusal", "rule", "bug", "unspeakable"]


def get_forecast(arguments: ForecastArguments) -> Answer:
    """A forecast whose note holds what breaks lines, streams and parsers when it is not escaped."""
    forecast = Forecast(
        city=arguments.city, dry_days=arguments.days, note="\u2028 é \r\n\n </x> 🌦", wind=None
    )
    return Answer(forecast, f"{arguments.city} has {arguments.days} dry days.")


def list_stations(_: NoArguments) -> Answer:
    return Answer(Stations(stations=["00ff"]), "There is one station.")


def make_trouble(arguments: TroubleArguments) -> Answer:
    """Fail in each way that a tool can."""
    match arguments.kind:
        case "refusal":
            raise ToolError("The sky cannot be seen. Try again in 5 s.")
        case "rule":
            raise BadArgumentsError([Fault("kind", '"rule"', "must not be a rule today")])
        case "bug":
            raise ZeroDivisionError("secret detail")
        case _:
            return Answer(Stations(stations=["\ud800"]), "No bytes can say this.")


TOOLS: Final[tuple[Tool[Any], ...]] = (
    Tool(
        name="get_forecast",
        title="Forecast",
        description="Tells the weather.",
        arguments=ForecastArguments,
        result=Forecast,
        call=get_forecast,
    ),
    Tool(
        name="list_stations",
        title="Stations",
        description="Lists the stations.",
        arguments=NoArguments,
        result=Stations,
        call=list_stations,
    ),
    Tool(
        name="make_trouble",
        title="Trouble",
        description="Fails.",
        arguments=TroubleArguments,
        result=Stations,
        call=make_trouble,
    ),
)


def declare(*, bad_arguments_are_results: bool) -> Server:
    """The weather service with one of the two policies."""
    return Server(
        slug="weather",
        name="org.example/weather",
        info_name="example-weather",
        title="Weather",
        version="1.2.3",
        description="Weather of two cities.",
        instructions="Ask for a city.",
        tools=TOOLS,
        bad_arguments_are_results=bad_arguments_are_results,
        repeats_json=bad_arguments_are_results,
    )


@dataclass
class OpenGate:
    """Lets everything in and remembers what it cost.

    ``refuses`` turns everything away, ``blocked`` says that the client's network may send nothing, and
    ``shut`` holds why tools are closed.
    """

    refuses: bool = False
    body_bytes: int = BODY_BYTES
    batch_messages: int = BATCH_MESSAGES
    blocked: str | None = None
    shut: dict[str, str] = field(default_factory=dict)
    costs: list[int] = field(default_factory=list)

    def terms(self, _: HttpRequest) -> OpenGate:
        return self

    def closed(self, tool: str) -> str | None:
        return self.shut.get(tool)

    def admit_reader(self) -> Admission:
        return Admission({})

    def admit(self, *, cost: int) -> Admission:
        self.costs.append(cost)
        headers = {"RateLimit": '"weather";r=0;t=7'}
        return Admission(headers, 7, "Too many requests.") if self.refuses else Admission(headers)


def unrecorded(_: HttpRequest, __: Exchange) -> None:
    """Tell nobody of a request."""


def endpoint(*, results: bool = True, gate: OpenGate | None = None, record: Record = unrecorded) -> Endpoint:
    """The view of the weather service."""
    return Endpoint(
        declare(bad_arguments_are_results=results),
        gate=gate or OpenGate(),
        describe=lambda request: {"endpoint": request.path},
        record=record,
    )
