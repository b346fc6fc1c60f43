"""The OpenAPI 3.1 description of our own REST interface; tests validate responses against its schemas."""

from __future__ import annotations

from typing import Any, Final

from engine.service.models.predicting import ANSWERS, EXTRAS, MOST_BIAS
from engine.service.requests.limits import Limits
from engine.service.rest.replying import MOST_POINTS

Schema = dict[str, Any]


def _object(required: list[str] | None = None, /, **fields: Schema) -> Schema:
    made: Schema = {"type": "object", "properties": fields}
    return made | ({"required": required} if required else {})


def _closed(required: list[str] | None = None, /, **fields: Schema) -> Schema:
    """An object with these fields and no others."""
    return {**_object(required, **fields), "additionalProperties": False}


def _list(of: Schema) -> Schema:
    return {"type": "array", "items": of}


def _ref(name: str) -> Schema:
    return {"$ref": f"#/components/schemas/{name}"}


def _of(*kinds: str, about: str = "") -> Schema:
    found: Schema = {"type": kinds[0] if len(kinds) == 1 else list(kinds)}
    return found | ({"description": about} if about else {})


def _from(least: float, most: float, kind: str = "number", about: str = "") -> Schema:
    return {**_of(kind, about=about), "minimum": least, "maximum": most}


SPAN: Final = {
    "type": "array",
    "items": {"type": "integer", "minimum": 0},
    "minItems": 2,
    "maxItems": 2,
    "description": "[start, end) in Unicode code points",
}
TEXT, NUMBER, WHOLE, FLAG = _of("string"), _of("number"), _of("integer"), _of("boolean")

LAYER: Final = _object(
    ["mentions", "clusters", "relations", "labels"],
    mentions=_list(
        _object(
            ["start", "end"],
            start=WHOLE,
            end=WHOLE,
            type=TEXT,
            entity=_of("string", "null", about="null: names nothing in the knowledge base"),
            score=_of("number", "null", about="a probability or a margin, see `confidence` of the model"),
        )
    ),
    clusters=_list(_list(_of("integer", about="position of a mention"))),
    relations=_list(_object(["head", "tail", "type"], head=WHOLE, tail=WHOLE, type=TEXT, score=_of("number", "null"))),
    labels=_list(TEXT),
)
HOLDS: Final = _of("boolean", about="false forbids instead of fixing")


def _pin(kind: str, **fields: Schema) -> Schema:
    return _closed(["kind", *fields], kind={"const": kind}, **fields, holds=HOLDS)


PIN: Final = {
    "oneOf": [
        _pin(
            "link",
            span=SPAN,
            entity=_of("string", "null", about="null: no mention at all; --NIL--: nothing in the knowledge base"),
        ),
        _pin("type", span=SPAN, type=TEXT),
        _pin("cluster", first=SPAN, second=SPAN),
        _pin("relation", head=SPAN, tail=SPAN, type=TEXT),
        _pin("label", label=TEXT),
    ]
}
GIVEN: Final = {
    "text": _of("string", about="one text"),
    "document": _of("object", about="one native record (docs/guide/formats.md)"),
    "documents": _list({"oneOf": [TEXT, _of("object")], "description": "texts or native records"}),
}
ONE_GIVEN: Final = {"oneOf": [{"required": [name]} for name in GIVEN]}
"""A request has exactly one of them."""
BIAS: Final = _from(-MOST_BIAS, MOST_BIAS, about="what declining is given; default: the model's operating point")
OUTPUTS: Final = _from(1, Limits.outputs, "integer", about="how many outputs; default 5")
PREDICT: Final = ONE_GIVEN | _closed(
    **GIVEN,
    bias=BIAS,
    pins={
        "oneOf": [_list(_ref("Pin")), {"type": "object", "additionalProperties": _list(_ref("Pin"))}],
        "description": "of the only document, or by document id",
    },
    **{"with": _list({"enum": list(EXTRAS)})},
    k=OUTPUTS,
    answer={"enum": list(ANSWERS), "description": "record: the document with the answer in place of gold"},
)
DECIDED: Final = _object(
    ["id"],
    id=TEXT,
    layer=_ref("Layer"),
    record=_of("object"),
    note=_of("string", about="why there was nothing to decide"),
    parts=_list(_object(["score", "chosen"], score=_of("number", "null"), chosen=FLAG, probability=NUMBER)),
    k_best=_list(_object(["score", "layer"], score=NUMBER, layer=_ref("Layer"))),
    explanation=_list(
        _object(
            ["score", "base", "contributions"],
            score=_of("number", about="what base and all contributions add up to; the largest ten are listed"),
            base=NUMBER,
            contributions=_list(
                _object(
                    ["name", "group", "value", "adds"],
                    name=TEXT,
                    group=TEXT,
                    value=_of("number", "string", "null"),
                    adds=_of("number", "null"),
                )
            ),
        )
    ),
)
POINT: Final = _object(
    ["bias", "precision", "recall", "f1"],
    bias=_of("number", "null", about="null: unbounded"),
    precision=NUMBER,
    recall=NUMBER,
    f1=NUMBER,
)
MAYBE_POINT: Final = {"oneOf": [_ref("Point"), {"type": "null"}]}
CURVE: Final = _object(
    ["system", "version", "unit", "exact", "area", "chosen", "best", "points"],
    system=TEXT,
    version=TEXT,
    unit=_of("string", about="what is counted"),
    exact=_of("boolean", about="false: a grid, since search is approximate"),
    area=NUMBER,
    chosen=_ref("Point"),
    best=_ref("Point"),
    points=_list(_ref("Point")),
    for_precision=MAYBE_POINT,
    for_recall=MAYBE_POINT,
)
MODEL: Final = _object(
    ["system", "model", "version", "learner", "bias", "decides", "starts_from", "settings", "scores"],
    system=TEXT,
    model=TEXT,
    version=TEXT,
    learner=TEXT,
    bias=NUMBER,
    declining=TEXT,
    confidence={"enum": ["probability", "margin"]},
    decides=_list(TEXT),
    starts_from={"enum": ["text", "mentions", "bag"], "description": "what a document must bring to be decided about"},
    settings=_of("object"),
    scores=_of("object", about="when it was made"),
    data_hash=TEXT,
    loaded=TEXT,
)
SYSTEM: Final = _object(
    ["name", "title", "about", "declining", "decides", "pins", "with", "served"],
    name=TEXT,
    title=TEXT,
    about=TEXT,
    declining=TEXT,
    decides=_list(TEXT),
    pins=_list(TEXT),
    served=FLAG,
    **{"with": _list(TEXT)},
)
SCHEMAS: Final[dict[str, Schema]] = {
    "Error": _object(["error"], error=_object(["status", "message"], status=WHOLE, message=TEXT, field=TEXT)),
    "Layer": LAYER,
    "Pin": PIN,
    "PredictRequest": PREDICT,
    "Decided": DECIDED,
    "PredictAnswer": _object(
        ["system", "version", "bias", "documents"],
        system=TEXT,
        version=TEXT,
        bias=NUMBER,
        documents=_list(_ref("Decided")),
    ),
    "CurveRequest": ONE_GIVEN
    | _closed(
        **GIVEN,
        precision=_from(0, 1, about="also find the point with most recall at this precision"),
        recall=_from(0, 1, about="also find the point with most precision at this recall"),
        points=_from(
            2,
            MOST_POINTS,
            "integer",
            about="about how many points to send; default 1000. The ends, the best and the chosen one are always sent",
        ),
    ),
    "CurveAnswer": CURVE,
    "Point": POINT,
    "Model": MODEL,
    "Models": _object(["models"], models=_list(_ref("Model"))),
    "System": SYSTEM,
    "Systems": _object(["systems"], systems=_list(_ref("System"))),
    "Health": _object(["status"], status={"const": "UP"}),
    "Ready": _object(["ready", "systems"], ready=FLAG, systems=_list(TEXT)),
}
LINES: Final = "application/x-ndjson"


def document(version: str, limits: Limits) -> Schema:
    return {
        "openapi": "3.1.0",
        "info": {
            "title": "Espalier",
            "version": version,
            "description": "Structured extraction models with their operating points, constraints and pins. At most"
            f" {limits.body} bytes and {limits.documents} documents a request, answered within"
            f" {limits.seconds:g} seconds; a batch of JSON lines may have {limits.batch} bytes.",
        },
        "components": {
            "schemas": SCHEMAS,
            "securitySchemes": {"token": {"type": "http", "scheme": "bearer"}},
        },
        "security": [{}, {"token": []}],
        "paths": _paths(),
    }


def _paths() -> Schema:
    model = {"name": "system", "in": "path", "required": True, "schema": TEXT}
    predict = _post("Decide about documents", "PredictRequest", "PredictAnswer")
    predict["requestBody"]["content"][LINES] = {
        "schema": {"type": "string", "description": "a text or a native record on every line"}
    }
    predict["responses"]["200"]["content"][LINES] = {
        "schema": {"type": "string", "description": "the answer to every line, or its error"}
    }
    wishes = {"bias": BIAS, "with": TEXT, "k": OUTPUTS, "answer": {"enum": list(ANSWERS)}}
    predict["parameters"] = [
        {"name": name, "in": "query", "schema": kind, "description": "of a batch of JSON lines only"}
        for name, kind in wishes.items()
    ]
    return {
        "/health": {"get": _get("Whether the server runs", "Health")},
        "/ready": {"get": _get("Whether models are loaded", "Ready")},
        "/metrics": {"get": _get("Counts and times for Prometheus", None, "text/plain")},
        "/openapi.json": {"get": _get("This document", None)},
        "/v1/systems": {"get": _get("The systems there are", "Systems")},
        "/v1/models": {"get": _get("The models that are served", "Models")},
        "/v1/models/{system}": {"parameters": [model], "get": _get("One model: settings, scores, bias", "Model")},
        "/v1/models/{system}/predict": {"parameters": [model], "post": predict},
        "/v1/models/{system}/curve": {
            "parameters": [model],
            "post": _post("Precision and recall at every bias", "CurveRequest", "CurveAnswer"),
        },
    }


def _get(summary: str, answer: str | None, media_type: str = "application/json") -> Schema:
    schema = _ref(answer) if answer else {}
    return {
        "summary": summary,
        "responses": {
            "200": {"description": "done", "content": {media_type: {"schema": schema}}},
            "default": {"description": "refused", "content": {"application/json": {"schema": _ref("Error")}}},
        },
    }


def _post(summary: str, request: str, answer: str) -> Schema:
    made = _get(summary, answer)
    made["requestBody"] = {"required": True, "content": {"application/json": {"schema": _ref(request)}}}
    return made
