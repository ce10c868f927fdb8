"""Settings: the seeds' names, the layers, mistakes, hostile files, and edits that touch one key alone."""

from __future__ import annotations

import copy
import pickle
import re
import subprocess
import sys
from dataclasses import FrozenInstanceError, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from oldsoul.documents.yaml import flow
from oldsoul.errors import SettingsError
from oldsoul.rules.options import TriagePattern
from oldsoul.settings import AgentOptions, Settings, SettingsProblem, TeamOptions, describe, edit, load, page, unset
from oldsoul.settings.names import Branch, Leaf, tree
from oldsoul.settings.removed import REMOVED, SAID
from scale import scaled

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
TEMPLATES = ROOT / "src/oldsoul/templates"


def at(value: Any, path: str) -> Any:
    """The value of a setting by its path."""
    for name in path.split("."):
        value = getattr(value, "lambda_" if name == "lambda" else name)
    return value


def problems(text: str | None, **more: Any) -> list[tuple[str, str, int | None]]:
    return [(each.severity, each.path, each.line) for each in load(text, **more).problems]


# --- the seeds' own names -------------------------------------------------------------------------------------------

S0 = """\
memory:
  # the workspace
  workspace:
    enabled: true
    max_file_size: 16384          # per file
    daily_log_retention_days: 30
  mem0_search:
    enabled: false
    store_enabled: false
  embedder:
    provider: openai
    config:
      model: text-embedding-3-small
"""

# Path of S0's, S2's and S4's settings in the seeds' spelling, ours, and the seed's default.
SEED_DEFAULTS = [
    ("memory.workspace.enabled", "memory.workspace.enabled", True),
    ("memory.workspace.max_file_size", "memory.workspace.max_file_size", 16384),
    ("memory.workspace.daily_log_retention_days", "memory.workspace.daily_log_retention_days", 30),
    ("memory.mem0_search.enabled", "memory.search.mem0.enabled", False),
    ("memory.mem0_search.store_enabled", "memory.search.mem0.store_enabled", False),
    ("memory.short_term_days", "memory.short_term_days", 7),
    ("memory.citations", "context.citations", "auto"),
    ("context_budget_tokens", "context.budget_tokens", 6000),
    ("identity_tokens", "context.identity_tokens", 800),
    ("user_profile_tokens", "context.user_profile_tokens", 600),
    ("corrections_tokens", "context.corrections_tokens", 400),
    ("recent_memory_tokens", "context.recent_memory_tokens", 1200),
    ("semantic_recall_tokens", "context.semantic_recall_tokens", 1500),
    ("crm_tokens", "context.crm_tokens", 1000),
    ("crm_context_budget", "context.crm_tokens", 1000),
    ("longterm_memory_tokens", "context.longterm_memory_tokens", 500),
    ("memory_retention_hours", "memory.retention.recent_hours", 48),
    ("compaction_age_days", "memory.workspace.daily_log_retention_days", 30),
    ("correction_archive_days", "memory.retention.correction_archive_days", 14),
    ("correction_overflow_strategy", "context.correction_overflow_strategy", "prioritize_unverified"),
    ("corrected_embedding_grace_days", "memory.retention.corrected_embedding_grace_days", 7),
    ("confidence_decay_interval_days", "memory.confidence.decay_interval_days", 30),
    ("confidence_decay_amount", "memory.confidence.decay_amount", 0.05),
    ("confidence_floor", "memory.confidence.floor", 0.2),
    ("confidence_boost_per_mention", "memory.confidence.boost_per_mention", 0.05),
    ("correction_relevance_boost", "memory.search.correction_relevance_boost", 1.5),
    ("soul_max_tokens", "memory.soul.max_tokens", 800),
    ("soul_history_retention_days", "memory.soul.history_retention_days", 90),
    ("cron_soul_keeper", "keepers.schedule.soul_keeper", "02:30"),
    ("cron_memory_miner", "keepers.schedule.memory_miner", "06:00"),
    ("cron_conflict_detector", "keepers.schedule.conflict_detector", "07:00"),
    ("cron_compactor_weekly", "keepers.schedule.compactor_weekly", "Sunday 03:00"),
    ("external_context_budget", "context.external_tokens", 0),
    ("external_context_source", "context.external_source", ""),
    ("recall_external_handler", "keepers.recall_handler", ()),
    ("heartbeat_custom_patterns", "memory.triage.custom_patterns", ()),
    ("memorySearch.query.maxResults", "memory.search.query.max_results", 6),
    ("memorySearch.query.minScore", "memory.search.query.min_score", 0.35),
    ("memorySearch.query.hybrid.vectorWeight", "memory.search.query.hybrid.vector_weight", 0.7),
    ("memorySearch.query.hybrid.textWeight", "memory.search.query.hybrid.text_weight", 0.3),
    ("bootstrapMaxChars", "context.bootstrap_max_chars", 20_000),
    ("bootstrapTotalMaxChars", "context.bootstrap_total_max_chars", 150_000),
]

# Every key of S3's search schema, in its spelling, with a value that is not the default.
S3 = {
    "enabled": False,
    "sources": ["sessions"],
    "extraPaths": ["~/notes"],
    "provider": "voyage",
    "remote.baseUrl": "https://example.org/v1",
    "remote.apiKey": "sk-1",
    "remote.headers": {"X-Team": "a"},
    "fallback": "local",
    "model": "voyage-4",
    "local.modelPath": "~/m.onnx",
    "store.driver": "postgres",
    "store.path": "~/index/{agentId}.sqlite",
    "chunking.tokens": 300,
    "chunking.overlap": 30,
    "sync.onSessionStart": False,
    "sync.onSearch": False,
    "sync.watch": False,
    "sync.intervalMinutes": 15,
    "sync.sessions.deltaBytes": 5,
    "sync.sessions.deltaMessages": 6,
    "query.maxResults": 9,
    "query.minScore": 0.5,
    "query.hybrid.vectorWeight": 0.6,
    "query.hybrid.textWeight": 0.4,
    "query.hybrid.temporalDecay.enabled": False,
    "query.hybrid.temporalDecay.halfLifeDays": 14.0,
}


AGENT_NAMES = {each.name for each in fields(AgentOptions)}


def nested(path: str, value: object) -> str:
    """The path as one line of flow YAML."""
    for name in reversed(path.split(".")):
        value = {name: value}
    return flow(value)


@pytest.mark.parametrize(("seed", "ours", "default"), SEED_DEFAULTS)
def test_a_seed_setting_is_known_by_its_own_name_and_has_the_seed_default(seed: str, ours: str, default: Any) -> None:
    assert at(load(None).settings, ours) == default
    written = list(default) if isinstance(default, tuple) else default
    loaded = load(nested(seed, written))
    assert at(loaded.settings, ours) == default
    assert loaded.problems == ()
    assert loaded.sources[ours].layer == "config.yaml"


@pytest.mark.parametrize("root", ["memorySearch", "agents.defaults.memorySearch", "memory.search", "memory_search"])
@pytest.mark.parametrize("key", S3)
def test_every_key_of_the_search_schema_lands_in_its_place(root: str, key: str) -> None:
    value: Any = S3[key]
    loaded = load(nested(f"{root}.{key}", value), environ={"OLDSOUL_POSTGRES_DSN": "postgresql://db"})
    ours = "memory.search." + re.sub("(?<=[a-z])(?=[A-Z])", "_", key).lower()
    expected = tuple(value.items()) if isinstance(value, dict) else tuple(value) if isinstance(value, list) else value
    assert at(loaded.settings, ours) == expected != at(Settings(), ours)
    assert [each for each in loaded.problems if each.severity != "note"] == []


def test_the_yaml_of_s0_is_read_as_it_stands() -> None:
    loaded = load(S0)
    assert loaded.problems == ()
    assert loaded.settings.memory.search.provider == "openai"
    assert loaded.settings.memory.search.model == "text-embedding-3-small"
    assert loaded.settings.memory.workspace.max_file_size == 16384
    assert loaded.sources["memory.search.model"].line == 13


def test_the_settings_of_s2_are_read_as_they_stand() -> None:
    text = "memory:\n  enabled: false\n  dir: ~/m\n  short_term_days: 3\n  injection: {enabled: false, max_items: 4}\n"
    memory = load(text).settings.memory
    assert (memory.enabled, memory.dir, memory.short_term_days) == (False, "~/m", 3)
    assert (memory.injection.enabled, memory.injection.max_items) == (False, 4)


def test_without_settings_the_embedder_is_the_bundled_one_and_mem0_is_off() -> None:
    search = load("").settings.memory.search
    assert (search.provider, search.model, search.mem0.enabled) == ("auto", "", False)


def test_the_privacy_switches_of_the_design_are_known_at_the_top() -> None:
    text = "soul: {growth: auto}\ntrust: {outside_edits: untrusted}\n"
    memory = load(text).settings.memory
    assert (memory.soul.growth, memory.trust.outside_edits) == ("auto", "untrusted")


def test_a_setting_that_has_no_use_here_is_told_of_and_changes_nothing() -> None:
    loaded = load("memorySearch: {store: {vector: {extensionPath: /x}}, local: {modelCacheDir: ~/models}}")
    assert loaded.settings == Settings()
    assert [(each.severity, each.is_removed) for each in loaded.problems] == [("warning", True)] * 2


@pytest.mark.parametrize("path", REMOVED)
def test_a_setting_of_an_earlier_version_is_named_with_what_to_do_and_stops_nothing(path: str) -> None:
    written = re.sub(r"(\.list)?\[\]", ".x", path)
    for text, agent in ((nested(written, 1), None), (nested(f"agents.y.{written}", 1), "y")):
        loaded = load(text, agent=agent)
        [problem] = loaded.problems
        assert problem.severity == "warning"
        assert problem.message == f"{SAID}{REMOVED[path]}"
        assert not loaded.refusal
        if "[]" in path or path in AGENT_NAMES:
            break  # an agent has a setting of this name
    with pytest.raises(SettingsError, match=re.escape(REMOVED[path])):
        describe(path)
    with pytest.raises(SettingsError, match=re.escape(REMOVED[path])):
        edit("", written, "1")


# --- agents, teams, operators ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    [
        "agents:\n  list:\n    - {id: main, workspace: ~/a}\n    - {id: code, display_name: Code, role: You code.}\n",
        "agents:\n  main: {workspace: ~/a}\n  code:\n    display_name: Code\n    role: You code.\n",
        "agents:\n  list:\n    - id: main\n      workspace: ~/a\n  code: {display_name: Code, role: You code.}\n",
    ],
)
def test_agents_may_stand_in_a_list_or_by_name(text: str) -> None:
    loaded = load(text)
    assert loaded.problems == ()
    assert loaded.settings.agents.list == (
        AgentOptions(id="main", workspace="~/a"),
        AgentOptions(id="code", display_name="Code", role="You code."),
    )


def test_an_agent_that_is_only_named_exists() -> None:
    assert [each.id for each in load("agents: {list: [main, code]}").settings.agents.list] == ["main", "code"]
    assert [each.id for each in load("agents:\n  code:\n").settings.agents.list] == ["code"]


def test_an_agent_without_a_name_is_reported_and_the_others_stay() -> None:
    loaded = load("agents:\n  list:\n    - role: nobody\n    - id: code\n")
    assert [each.id for each in loaded.settings.agents.list] == ["code"]
    assert [(each.severity, each.path, each.line) for each in loaded.problems] == [("error", "agents.list.0", 3)]


def test_teams_have_members_and_rooms() -> None:
    loaded = load("teams:\n  crew: {members: [main, code], rooms: ['!dev']}\n")
    assert loaded.settings.teams == (TeamOptions(name="crew", members=("main", "code"), rooms=("!dev",)),)
    told = {problem.path: problem.message for problem in loaded.problems}
    assert "no agent of that name" in told["teams"]
    assert "teams.crew.rooms" not in told


def test_names_are_unique_across_agents_and_teams() -> None:
    loaded = load("agents: {list: [main, main, _shared, a/b]}\nteams: {main: {}, crew: {}}\n")
    assert [each.id for each in loaded.settings.agents.list] == ["main"]
    assert [each.name for each in loaded.settings.teams] == ["crew"]
    assert [each.severity for each in loaded.problems] == ["error"] * 4


def test_the_default_agent_is_main_or_the_one_that_says_so() -> None:
    assert load(None).settings.default_agent == "main"
    assert load("default_agent: b\nagents: {list: [{id: a}, {id: b}]}").settings.default_agent == "b"


def test_the_heartbeat_prompt_and_workspace_of_s3_are_known() -> None:
    defaults = load("agents: {defaults: {workspace: ~/w, heartbeat: {prompt: Anything?}}}").settings.agents.defaults
    assert (defaults.workspace, defaults.heartbeat_prompt) == ("~/w", "Anything?")


def test_a_home_always_has_an_operator() -> None:
    assert load(None).settings.operators == ("acct:owner",)
    assert load("operators: ['acct:1', 'acct:2']").settings.operators == ("acct:1", "acct:2")
    loaded = load("operators: []")
    assert loaded.settings.operators == ("acct:owner",)
    assert [each.severity for each in loaded.problems] == ["error"]


# --- layers ---------------------------------------------------------------------------------------------------------

LAYERED = """\
soul_max_tokens: 810
memory: {short_term_days: 8}
agents:
  list:
    - id: main
      settings:
        soul: {max_tokens: 820}
      memorySearch: {query: {maxResults: 3}}
    - id: other
      soul: {max_tokens: 830}
"""


def test_layers_override_each_other_in_order() -> None:
    def tokens(**more: Any) -> tuple[int, str]:
        loaded = load(LAYERED, **more)
        return loaded.settings.memory.soul.max_tokens, loaded.sources["memory.soul.max_tokens"].layer

    assert tokens() == (810, "config.yaml")
    assert tokens(agent="main") == (820, "agent")
    assert tokens(agent="other") == (830, "agent")
    assert tokens(agent="unknown") == (810, "config.yaml")
    assert tokens(agent="main", config_md="```yaml\nsoul_max_tokens: 840\n```") == (840, "CONFIG.md")


def test_what_an_agent_does_not_set_comes_from_the_home() -> None:
    main, other = (load(LAYERED, agent=each).settings.memory for each in ("main", "other"))
    assert (main.short_term_days, other.short_term_days) == (8, 8)
    assert (main.search.query.max_results, other.search.query.max_results) == (3, 6)


def test_a_mistake_in_any_agents_entry_is_reported_whoever_asks() -> None:
    text = "agents:\n  a: {soul: {growth: never}, memory: {enabeld: true}, operators: [x]}\n"
    assert problems(text) == problems(text, agent="a") == problems(text, agent="b")
    assert problems(text) == [
        ("warning", "agents.a.memory.enabeld", 2),
        ("error", "agents.a.soul.growth", 2),
        ("warning", "agents.a.operators", 2),
    ]
    assert load(text, agent="a").settings.operators == ("acct:owner",)


def test_sources_name_layer_and_line_of_everything_that_is_not_default() -> None:
    loaded = load(
        LAYERED,
        agent="main",
        config_md="# Mine\n\n```yaml\n# x\nidentity_tokens: 1\n```\n",
        environ={"OLDSOUL_MODEL_API_KEY": "k"},
    )
    assert {path: source[:2] for path, source in loaded.sources.items()} == {
        "memory.short_term_days": ("config.yaml", 2),
        "agents.list": ("config.yaml", 4),
        "memory.soul.max_tokens": ("agent", 7),
        "memory.search.query.max_results": ("agent", 8),
        "context.identity_tokens": ("CONFIG.md", 5),
        "keepers.model.api_key": ("environment", None),
    }


def test_the_two_retentions_are_one_setting() -> None:
    loaded = load("memory: {workspace: {daily_log_retention_days: 20}}", config_md="compaction_age_days: 45")
    assert loaded.settings.memory.workspace.daily_log_retention_days == 45
    assert loaded.problems == ()


def test_one_setting_under_two_names_is_one_setting() -> None:
    loaded = load("crm_tokens: 5\ncrm_context_budget: 6\n")
    assert loaded.settings.context.crm_tokens == 6
    assert [(each.severity, each.path, each.line) for each in loaded.problems] == [("warning", "crm_context_budget", 2)]
    assert load("crm_tokens: 5\ncrm_context_budget: 5\n").problems == ()


def test_secrets_come_from_the_environment() -> None:
    environ = {
        "OLDSOUL_MODEL_API_KEY": "one",
        "OLDSOUL_EMBEDDER_API_KEY": "two",
        "OLDSOUL_POSTGRES_DSN": "postgresql://db",
        "OLDSOUL_MEMORY_ENABLED": "false",
    }
    loaded = load("keepers: {model: {api_key: weak}}", environ=environ).settings
    assert loaded.keepers.model.api_key == "one"
    assert loaded.memory.search.remote.api_key == "two"
    assert loaded.storage.postgres_dsn == "postgresql://db"
    assert loaded.memory.enabled


def test_a_secret_may_refer_to_the_environment() -> None:
    text = 'storage: {postgres_dsn: "postgresql://me:${PW}@db/x"}\nkeepers: {model: {headers: {A: "Bearer ${T}"}}}\n'
    loaded = load(text, environ={"PW": "p", "T": "t"})
    assert loaded.settings.storage.postgres_dsn == "postgresql://me:p@db/x"
    assert loaded.settings.keepers.model.headers == (("A", "Bearer t"),)
    assert problems(text, environ={"T": "t"}) == [("warning", "storage.postgres_dsn", 1)]
    assert load("default_agent: '${TZ}'", environ={"TZ": "x"}).settings.default_agent == "${TZ}"


def test_a_secret_is_shown_neither_in_a_repr_nor_in_a_complaint() -> None:
    assert "hunter2" not in repr(load("keepers: {model: {api_key: hunter2}}").settings)
    assert "hunter2" not in str(load("keepers: {model: {api_key: [hunter2], headers: {a: {b: hunter2}}}}").problems)


# --- CONFIG.md ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("soul_max_tokens: 900\n", 1),
        (
            "# Settings\n\nProse: with colons.\n\n```yaml\nsoul_max_tokens: 900\n```\n\n```yaml\nsoul_max_tokens: 1\n```\n",
            6,
        ),
        ("````md\n```yaml\nsoul_max_tokens: 1\n```\n````\n~~~ YAML\nsoul_max_tokens: 900\n~~~\n", 7),
        ("```\nsoul_max_tokens: 1\n```\n```yml\nsoul_max_tokens: 900", 5),
        ("```yaml\r\nsoul_max_tokens: 900\r\n```\r\n", 2),
    ],
)
def test_config_md_is_read_from_its_first_yaml_block_or_bare(text: str, line: int) -> None:
    loaded = load(None, config_md=text)
    assert loaded.settings.memory.soul.max_tokens == 900
    assert loaded.sources["memory.soul.max_tokens"][:2] == ("CONFIG.md", line)
    assert loaded.problems == ()


@pytest.mark.parametrize(
    "text",
    [
        "external_context_source: /etc/passwd",
        "recall_external_handler: rm",
        "operators: [acct:evil]",
        "policy: {SOUL.md: auto}",
        "soul: {growth: auto}",
        "trust: {outside_edits: operator}",
        "keepers: {model: {base_url: 'http://evil'}}",
        "memorySearch: {remote: {baseUrl: 'http://evil'}}",
        "agents: {main: {workspace: /}}",
        "keepers: {digest: {webhook_url: 'http://evil'}}",
        "storage: {postgres_dsn: 'postgresql://evil'}",
    ],
)
def test_what_only_the_operator_may_set_is_ignored_in_config_md(text: str) -> None:
    loaded = load(None, config_md=text)
    assert loaded.settings == Settings()
    assert [each.severity for each in loaded.problems] == ["warning"]
    assert "config.yaml" in loaded.problems[0].message


@pytest.mark.parametrize("text", ["", "# Nothing\n", "```yaml\n# all off\n```\n", "```yaml\n```"])
def test_an_empty_config_md_changes_nothing(text: str) -> None:
    assert load(None, config_md=text) == load(None)


def test_a_config_md_of_prose_alone_is_pointed_out() -> None:
    assert problems(None, config_md="Just a note.\n") == [("warning", "", 1)]
    assert problems(None, config_md="# Title\n\nNote: this\nis: [broken\n") == [("warning", "", 5)]


def test_broken_yaml_in_config_md_leaves_the_other_layers_in_force() -> None:
    loaded = load("soul_max_tokens: 900", config_md="x\n```yaml\na: [1\n```\n")
    assert loaded.settings.memory.soul.max_tokens == 900
    assert [(each.severity, each.file) for each in loaded.problems] == [("error", "CONFIG.md")]
    assert (loaded.problems[0].line or 0) >= 3


def test_custom_patterns_may_stand_in_config_md() -> None:
    text = "heartbeat_custom_patterns:\n  - pattern: 'todo:'\n    route: memory-miner\n  - ship it\n"
    assert load(None, config_md=text).settings.memory.triage.custom_patterns == (
        TriagePattern(pattern="todo:", route="memory-miner"),
        TriagePattern(pattern="ship it"),
    )


def switched_on(text: str) -> str:
    """A template with its switched-off settings switched on; its sentences have one space after the #."""
    return re.sub(r"(?m)^#((?:  )*)(?=[\w-])", r"\1", text)


def test_the_config_md_template_shows_every_tunable_at_its_default() -> None:
    text = (TEMPLATES / "CONFIG.md").read_text(encoding="utf-8")
    assert load(None, config_md=text) == load(None)
    loaded = load(None, config_md=switched_on(text))
    assert loaded.problems == ()
    assert loaded.settings == Settings()
    shown = {seed for seed, _, _ in SEED_DEFAULTS if "." not in seed and "_" in seed} - {
        "crm_context_budget",
        "external_context_source",
        "recall_external_handler",
    }
    assert all(f"#{name}:" in text for name in shown)


def test_the_config_yaml_template_holds_only_known_settings() -> None:
    text = (TEMPLATES / "home/config.yaml").read_text(encoding="utf-8")
    assert load(text).problems == load(switched_on(text)).problems == ()
    assert load(switched_on(text)).settings.timezone


# --- mistakes -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "path", "meant"),
    [
        ("memroy: {enabled: true}", "memroy", "memory"),
        ("memory:\n  serach: {}", "memory.serach", "memory.search"),
        ("memorySearch: {query: {maxResult: 3}}", "memorySearch.query.maxResult", "memorySearch.query.max_results"),
        ("vectorWeight: 1", "vectorWeight", "memory.search.query.hybrid.vector_weight"),
        ("memory: {max_file_size: 1}", "memory.max_file_size", "memory.workspace.max_file_size"),
        ("agents: {main: {workspce: x}}", "agents.main.workspce", "agents.main.workspace"),
        ("teams: {crew: {member: [x]}}", "teams.crew.member", "teams.crew.members"),
    ],
)
def test_an_unknown_key_is_reported_with_the_nearest_known_one(text: str, path: str, meant: str) -> None:
    [problem] = load(text).problems
    assert (problem.severity, problem.path) == ("warning", path)
    assert f"did you mean {meant}?" in problem.message


def test_a_key_like_no_other_points_to_the_list() -> None:
    assert "oldsoul config explain" in load("xyzzy: 1").problems[0].message


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("memory: {enabled: yes}", 'expected true or false, found the text "yes"; write true'),
        ("memory: {enabled: off}", "write false"),
        ("memory: {enabled: 1}", "found the number 1; write true"),
        ("memory: {enabled: [true]}", "found a list"),
        ("memory: {short_term_days: 0x10}", 'found the text "0x10"; write 16'),
        ("memory: {short_term_days: 1_000}", "write 1000"),
        ("memory: {short_term_days: 007}", "write 7"),
        ("memory: {short_term_days: '7'}", 'found the text "7"; write 7'),
        ("memory: {short_term_days: 7d}", "write the number alone"),
        ("memory: {short_term_days: 2026-01-01}", 'found the text "2026-01-01"'),
        ("memory: {short_term_days: 7.5}", "expected a whole number"),
        ("memory: {short_term_days: true}", "found true"),
        ("memory: {short_term_days: -1}", "from 0 to 3650"),
        ("memory: {short_term_days: {a: 1}}", "found names with values"),
        ("memory: {workspace: {max_file_size: 5}}", "from 4096 to 1048576"),
        ("confidence_floor: 1.5", "from 0 to 1"),
        ("confidence_floor: .nan", "expected a number"),
        ("confidence_floor: .inf", "expected a number"),
        ("soul: {growth: always}", "expected one of ask, auto"),
        ("timezone: true", "expected an IANA time zone such as Europe/Berlin, found true"),
        ("timezone: Mars/Base", 'such as Europe/Berlin, found the text "Mars/Base"'),
        ("timezone: ../../etc/passwd", "expected an IANA time zone"),
        ("default_agent: true", "expected text, found true"),
        ("timezone: [Europe/Berlin]", "found a list"),
        ("agents: {scout: {persona: pirate}}", "expected one of critic, editor, engineer"),
        ("cron_soul_keeper: '25:00'", "expected a time"),
        ("operators: {acct: 1}", "expected a list"),
        ("operators: [[a]]", "found a list"),
        ("policy: ask", "expected names with values"),
        ("policy: {MEMORY.md: maybe}", "expected one of auto, ask, never"),
        ("memorySearch: {sources: [memory, web]}", "expected one of memory, sessions"),
        ("memory: 3", "expected settings by name"),
        ("memory: [enabled]", "expected settings by name"),
        ("agents: {main: {role: [x]}}", "found a list"),
    ],
)
def test_a_value_of_the_wrong_kind_is_reported_and_the_default_stays(text: str, words: str) -> None:
    loaded = load(text)
    [problem] = loaded.problems
    assert problem.severity == "error"
    assert problem.line == 1
    assert words in problem.message
    assert loaded.settings == replace(Settings(), agents=loaded.settings.agents)
    assert str(problem).startswith("config.yaml, line 1, column ")


@pytest.mark.parametrize(
    ("text", "path", "value"),
    [
        ("citations: on", "", None),
        ("memory: {citations: on}", "context.citations", "on"),
        ("memory: {citations: Off}", "context.citations", "off"),
        ("memory: {short_term_days: }", "memory.short_term_days", 7),
        ("memory: {short_term_days: ~}", "memory.short_term_days", 7),
        ("memory:\n  # all off\n", "memory.short_term_days", 7),
        ("confidence_floor: 0", "memory.confidence.floor", 0.0),
        ("agents: {list: [{id: 42}]}", "agents.list", (AgentOptions(id="42"),)),
        ("cron_memory_miner: 6:15", "keepers.schedule.memory_miner", "6:15"),
        ("cron_memory_miner: '*/5 * * * 1-5'", "keepers.schedule.memory_miner", "*/5 * * * 1-5"),
        ("recall_external_handler: ~/bin/handle", "keepers.recall_handler", ("~/bin/handle",)),
        ("recall_external_handler: [python, h.py]", "keepers.recall_handler", ("python", "h.py")),
        ("timezone: 'Asia/Tokyo'", "timezone", "Asia/Tokyo"),
        ("timezone: |\n  Asia/Tokyo", "timezone", "Asia/Tokyo"),
        ("memory: {dir: 记忆}", "memory.dir", "记忆"),
    ],
)
def test_values_are_read_as_they_are_meant(text: str, path: str, value: Any) -> None:
    loaded = load(text)
    if not path:
        assert [each.severity for each in loaded.problems] == ["warning"]
        return
    assert loaded.problems == ()
    assert at(loaded.settings, path) == value


def test_a_key_written_twice_is_reported_and_the_later_counts() -> None:
    loaded = load("timezone: UTC\ntimezone: GMT\nmemory: {enabled: false}\nmemory: {short_term_days: 3}\n")
    assert [(each.severity, each.path, each.line) for each in loaded.problems] == [
        ("warning", "memory", 4),
        ("warning", "timezone", 2),
    ]
    assert loaded.settings.timezone == "GMT"
    assert (loaded.settings.memory.enabled, loaded.settings.memory.short_term_days) == (False, 3)


def test_one_mistake_spoils_nothing_else() -> None:
    loaded = load("memory:\n  enabled: nope\n  short_term_days: 3\nfoo: 1\nsoul_max_tokens: 900\n")
    assert loaded.settings.memory.enabled
    assert loaded.settings.memory.short_term_days == 3
    assert loaded.settings.memory.soul.max_tokens == 900
    assert len(loaded.problems) == 2


# --- hostile and odd files ------------------------------------------------------------------------------------------

BOMB = "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\noperators: *c\n"


@pytest.mark.parametrize(
    ("text", "line", "words"),
    [
        (BOMB, 1, "anchors and aliases"),
        ("memory: {enabled: false}\noperators: *x\n", 2, "anchors and aliases"),
        ("memory: {enabled: false}\noperators: !!python/object/apply:os.system [x]\n", 2, "tags"),
        ("timezone: ! x\n", 1, "tags"),
        ("memory:\n  <<: {enabled: false}\n", 2, "merge keys"),
        ("[" * 100_000, 1, "nested more than 20 deep"),
        ("{a: " * 50_000, 1, "nested more than 20 deep"),
        ("\n".join(" " * depth + "a:" for depth in range(400)), 21, "nested more than 20 deep"),
        ("- " * 50_000, 1, "nested more than 20 deep"),
        ("x: '" + "a" * 300_000 + "'", 1, "bytes long"),
        ("[" + "1, " * 50_000 + "]", 1, "too many values"),
        ("memory: {enabled: false}\n---\nmemory: {}\n", 2, "second document"),
        ("memory:\n  enabled: false\n bad\n", 3, "not valid YAML"),
        ("memory:\n\tenabled: false\n", 2, "spaces, not tabs"),
        ("timezone: a\nx: \x07\n", 2, "character"),
        ("timezone: a\nx: \udc80\n", 2, "UTF-8"),
        ("? [a]\n: b\n", 1, "single word"),
        ("timezone: 'a\n", 2, "not valid YAML"),
    ],
)
def test_a_file_that_cannot_be_read_gives_one_error_and_the_defaults(text: str, line: int, words: str) -> None:
    loaded = load(text)
    assert loaded.settings == Settings()
    [problem] = loaded.problems
    assert (problem.severity, problem.file, problem.line) == ("error", "config.yaml", line)
    assert words in problem.message


@pytest.mark.parametrize(
    "text", [None, "", "\n\n", "# only\n  # comments\n", "---\n", "---\n# x\n...\n", "\ufeff", "{}", "~"]
)
def test_an_empty_file_means_the_defaults(text: str | None) -> None:
    assert load(text) == (Settings(), (), {}, ())


@pytest.mark.parametrize("text", ["just words", "- a\n- b\n", "42"])
def test_a_file_that_holds_no_settings_says_so(text: str) -> None:
    assert problems(text) == [("error", "", 1)]


def test_line_breaks_that_only_yaml_knows_hide_no_setting() -> None:
    for sign in ("\x85", "\u2028", "\u2029", "\r"):
        loaded = load(f"timezone: UTC  # harmless{sign}operators: [acct:evil]\n")
        assert loaded.settings.operators == ("acct:owner",)


@pytest.mark.parametrize(
    "text",
    ["\ufefftimezone: UTC\r\nmemory:\r\n  short_term_days: 3\r\n", "{timezone: UTC, memory: {shortTermDays: 3}}"],
)
def test_other_ways_to_write_a_file_mean_the_same(text: str) -> None:
    loaded = load(text)
    assert loaded.problems == ()
    assert (loaded.settings.timezone, loaded.settings.memory.short_term_days) == ("UTC", 3)


PIECES = [
    *"abc:-#[]{}&*!|>'\"%@`~?,.\\ \n\t\r",
    "memory",
    "enabled: ",
    "\n  ",
    "\n  - ",
    "agents",
    "list:",
    "id: ",
    "语",
]


@given(st.lists(st.sampled_from(PIECES), max_size=40).map("".join))
def test_no_text_makes_loading_fail(text: str) -> None:
    loaded = load(text, agent="main", config_md=text)
    assert isinstance(loaded.settings, Settings)
    assert all(isinstance(each, SettingsProblem) for each in loaded.problems)


# --- the tree itself ------------------------------------------------------------------------------------------------


def test_every_setting_has_help_and_a_default_it_accepts_itself() -> None:
    described = describe()
    assert len({each.path for each in described}) == len(described) <= 130
    for each in described:
        assert each.help.endswith("."), each.path
        assert each.type
        if "[]" not in each.path:
            loaded = load(nested(each.path, None).replace("null", each.default))
            assert [problem for problem in loaded.problems if problem.severity != "note"] == [], each.path
            assert loaded.settings == Settings(), each.path
            assert each.path in loaded.sources


def test_every_alias_leads_to_its_setting_and_hides_no_other() -> None:
    def found(path: str) -> Leaf | Branch | None:
        place: Leaf | Branch | None = tree()
        for step in path.replace("[]", "").split("."):
            branch = place.item if isinstance(place, Leaf) else place
            place = branch.find(step) if branch else None
        return place

    for each in describe():
        for name in (each.path, *each.aliases):
            leaf = found(name)
            assert isinstance(leaf, Leaf)
            assert leaf.path == each.path


def test_every_group_has_help() -> None:
    def groups(branch: Branch) -> Iterator[Branch]:
        yield branch
        for child in branch.children.values():
            if isinstance(child, Branch) and child.path.startswith(f"{branch.path}.") and child.about.help:
                yield from groups(child)

    assert len(list(groups(tree()))) >= 1
    for heading, text in re.findall(r"\n## (.+)\n\n(.*)\n", page()):
        assert text.strip(), heading


def test_a_described_setting_may_be_asked_for_by_any_name() -> None:
    assert [each.path for each in describe("soul.growth")] == ["memory.soul.growth"]
    assert [each.path for each in describe("memorySearch.chunking")] == [
        "memory.search.chunking.tokens",
        "memory.search.chunking.overlap",
    ]
    assert describe("agents.main.workspace")[0].path == "agents.list[].workspace"
    with pytest.raises(SettingsError, match="did you mean memory"):
        describe("memroy")


def test_settings_are_frozen_comparable_and_can_be_copied() -> None:
    one = load("timezone: UTC").settings
    assert one == load("timezone: UTC").settings != Settings()
    assert hash(one) == hash(load("timezone: UTC").settings)
    assert copy.deepcopy(one) == pickle.loads(pickle.dumps(one)) == one  # noqa: S301 - our own bytes
    assert replace(one, timezone="").memory is one.memory
    assert "timezone='UTC'" in repr(one)
    with pytest.raises(FrozenInstanceError):
        one.timezone = "b"  # type: ignore[misc]
    with pytest.raises(AttributeError):
        one.new = 1  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="no setting colour"):
        Settings(colour="red")  # type: ignore[call-arg]


def test_the_docs_page_is_up_to_date() -> None:
    printed = subprocess.run(
        [sys.executable, "-m", "oldsoul.settings"], capture_output=True, check=True, encoding="utf-8"
    )
    written = (ROOT / "docs/reference/settings.md").read_text(encoding="utf-8")
    assert printed.stdout == page() == written, "run: python -m oldsoul.settings > docs/reference/settings.md"


def test_importing_settings_loads_neither_pyyaml_nor_pydantic() -> None:
    script = "import sys, oldsoul.settings as s; s.load('agents:\\n  list:\\n    - id: main\\n'); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, check=True, encoding="utf-8"
    ).stdout.split()
    assert "oldsoul.settings" in loaded
    assert {"yaml", "pydantic", "difflib"}.isdisjoint(loaded)


# --- edits ----------------------------------------------------------------------------------------------------------

CONFIG = """\
# My home.
timezone: Europe/Berlin   # where I live

memory:
  workspace: {enabled: true, max_file_size: 16384} # inline
  # how long
  short_term_days: 7

memorySearch:
    query:
        maxResults: 6 # few
agents:
  list:
    - id: main   # me
      role: 'Helper'
    - id: code
operators:
  - "acct:owner"  # me
  - acct:2
"""


@pytest.mark.parametrize(
    ("path", "value", "old", "new"),
    [
        ("timezone", "Asia/Tokyo", "timezone: Europe/Berlin ", "timezone: Asia/Tokyo "),
        ("agents.main.role", "yes", "role: 'Helper'", 'role: "yes"'),
        ("memory.short_term_days", "14", "  short_term_days: 7", "  short_term_days: 14"),
        ("memory.search.query.max_results", "9", "        maxResults: 6 #", "        maxResults: 9 #"),
        ("memory.search.query.min_score", "0.5", "6 # few\n", "6 # few\n        min_score: 0.5\n"),
        ("memory.search.sync.watch", "false", "6 # few\n", "6 # few\n    sync:\n      watch: false\n"),
        ("memory.workspace.enabled", "false", "{enabled: true,", "{enabled: false,"),
        ("memory.workspace.daily_log_retention_days", "9", "16384}", "16384, daily_log_retention_days: 9}"),
        ("soul.growth", "auto", "short_term_days: 7\n", "short_term_days: 7\n  soul:\n    growth: auto\n"),
        ("agents.main.workspace", "~/w", "role: 'Helper'\n", "role: 'Helper'\n      workspace: ~/w\n"),
        ("agents.main.role", 'Cook: "now"', "role: 'Helper'", 'role: "Cook: \\"now\\""'),
        ("agents.code.workspace", "~/c", "- id: code\n", "- id: code\n      workspace: ~/c\n"),
        ("agents.new.workspace", "~/n", "- id: code\n", "- id: code\n  new:\n    workspace: ~/n\n"),
        (
            "agents.code.soul.growth",
            "auto",
            "- id: code\n",
            "- id: code\n      settings:\n        memory:\n          soul:\n            growth: auto\n",
        ),
        (
            "operators",
            "[acct:owner, acct:3]",
            'operators:\n  - "acct:owner"  # me\n  - acct:2\n',
            'operators: ["acct:owner", "acct:3"]\n',
        ),
        ("keepers.model.api_key", "${KEY}", "  - acct:2\n", '  - acct:2\nkeepers:\n  model:\n    api_key: "${KEY}"\n'),
        ("cron_soul_keeper", "03:30", "  - acct:2\n", '  - acct:2\nkeepers:\n  schedule:\n    soul_keeper: "03:30"\n'),
        ("policy", "{MEMORY.md: ask}", "days: 7\n", "days: 7\n  policy: {MEMORY.md: ask}\n"),
        (
            "memory.triage.custom_patterns.todo.route",
            "soul-keeper",
            "days: 7\n",
            "days: 7\n  triage:\n    custom_patterns:\n      todo:\n        route: soul-keeper\n",
        ),
    ],
)
def test_an_edit_changes_the_lines_of_its_key_alone(path: str, value: str, old: str, new: str) -> None:
    assert CONFIG.count(old) == 1
    edited = edit(CONFIG, path, value)
    assert edited == CONFIG.replace(old, new)
    assert load(edited, environ={"KEY": "k"}).problems == load(CONFIG).problems == ()


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (None, "memory:\n  enabled: false\n"),
        ("", "memory:\n  enabled: false\n"),
        ("# c", "# c\nmemory:\n  enabled: false\n"),
        ("memory:", "memory:\n  enabled: false\n"),
        ("memory: # m\n  # enabled: true\n", "memory: # m\n  enabled: false\n  # enabled: true\n"),
        ("memory: ~\ngit: {}\n", "memory:\n  enabled: false\ngit: {}\n"),
        ("memory: {}\n", "memory: {enabled: false}\n"),
        ("{memory: }", "{memory: {enabled: false} }"),
        ("{}", "{memory: {enabled: false}}"),
        ("memory:\r\n  dir: x\r\n", "memory:\r\n  dir: x\r\n  enabled: false\r\n"),
        ("\ufeffmemory:\n  enabled:\n", "\ufeffmemory:\n  enabled: false\n"),
        ("timezone: |+\n  a\n\n", "timezone: |+\n  a\n\nmemory:\n  enabled: false\n"),
        ("memory:\n  enabled: >-\n    nonsense\n    here\n  dir: x\n", "memory:\n  enabled: false\n  dir: x\n"),
        ("timezone: x", "timezone: x\nmemory:\n  enabled: false\n"),
    ],
)
def test_an_edit_finds_its_place_in_any_file(text: str | None, expected: str) -> None:
    assert edit(text, "memory.enabled", "false") == expected


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("memory.enabeld", "true", "did you mean memory.enabled"),
        ("memory", "true", "group of settings"),
        ("agents.list", "x", "list of entries"),
        ("agents.main", "x", "group of settings"),
        ("timezone.x", "x", "no setting"),
        ("memory.enabled", "yes", "write true"),
        ("memory.short_term_days", "-1", "from 0 to 3650"),
        ("memory.short_term_days", "", "found nothing"),
        ("soul.growth", "maybe", "one of ask, auto"),
        ("operators", "[a", "not valid YAML"),
        ("", "x", "no setting"),
    ],
)
def test_an_edit_that_makes_no_sense_is_refused(path: str, value: str, words: str) -> None:
    with pytest.raises(SettingsError, match=words):
        edit(CONFIG, path, value)


@pytest.mark.parametrize("text", ["memory: [1", "memory: 3\n", "a: &x 1\n"])
def test_a_file_that_cannot_be_edited_safely_is_left_to_the_person(text: str) -> None:
    with pytest.raises(SettingsError):
        edit(text, "memory.enabled", "false")


@pytest.mark.parametrize(
    ("path", "gone"),
    [
        ("timezone", "timezone: Europe/Berlin   # where I live\n"),
        ("memory.short_term_days", "  short_term_days: 7\n"),
        ("memory.search.query.max_results", "        maxResults: 6 # few\n"),
        ("memory.workspace.max_file_size", ", max_file_size: 16384"),
        ("memory.workspace.enabled", "enabled: true, "),
        ("agents.main.role", "      role: 'Helper'\n"),
        ("operators", 'operators:\n  - "acct:owner"  # me\n  - acct:2\n'),
        ("memory.dir", ""),
    ],
)
def test_unset_removes_the_lines_of_its_key_alone(path: str, gone: str) -> None:
    assert unset(CONFIG, path) == CONFIG.replace(gone, "")


def test_unset_removes_every_name_of_the_setting() -> None:
    assert (
        unset("crm_tokens: 1\nx: 2\ncrmContextBudget: 3\ncontext: {crm_tokens: 4}\n", "crm_tokens")
        == "x: 2\ncontext: {}\n"
    )
    assert unset(None, "crm_tokens") == ""


NAMES_NOTHING_OUTSIDE = {
    *("default_agent", "operators", "timezone", "agents.defaults.heartbeat_prompt", "agents.defaults.model"),
    *(f"agents.list[].{name}" for name in ("id", "display_name", "role", "instructions", "persona", "model")),
    *(f"teams[].{name}" for name in ("name", "members", "rooms")),
    *("memory.triage.custom_patterns[].pattern", "memory.search.model"),
    *("context.skills.disabled", "keepers.model.model", "keepers.digest.room"),
    "keepers.digest.smtp_user",
}
"""Settings of free text that somebody has looked at: what they say leads nowhere out of the home and runs nothing."""


def test_a_setting_that_names_something_outside_the_home_is_guarded_where_it_is_declared() -> None:
    free, guarded = set(), set()
    for each in leaves(tree()):
        if each.about.is_guarded:
            guarded.add(each.path)
            assert each.about.where != "tunable", f"{each.path} may not stand in CONFIG.md, which a model may write"
        elif each.kind is str and not (each.about.choices or each.about.pattern):
            free.add(each.path)
    assert free == NAMES_NOTHING_OUTSIDE, "say what it names (`names=`), or that it names nothing outside (here)"
    telling = re.compile(r"\b(?:path|paths|folder|folders|file|files|URL|program|server|key|password)\b", re.IGNORECASE)
    for each in leaves(tree()):
        if each.kind is str and not each.about.choices and telling.search(each.about.help):
            assert each.path in guarded | SAID_IN_PASSING, each.path


SAID_IN_PASSING = {"agents.list[].role", "agents.list[].instructions", "keepers.digest.smtp_user"}
"""Their help speaks of files and servers; they name none."""


def leaves(branch: Branch) -> Iterator[Leaf]:
    """All settings, those of entries too."""
    for leaf in branch.leaves():
        if leaf.item:
            yield from leaves(leaf.item)
        else:
            yield leaf


EDITABLE = [each for each in describe() if "[]" not in each.path and "entries" not in each.type]
WORDS = st.text(alphabet=st.sampled_from([*"abZ09 :#-'\"{}[],&*!|>%@`~?./\\$", "é", "语", "\u2028"]), max_size=12)


def values_of(path: str) -> st.SearchStrategy[Any]:
    """Values that setting can have."""
    leaf = next(each for each in tree().leaves() if each.path == path)
    about = leaf.about
    one: st.SearchStrategy[Any]
    if about.choices:
        one = st.sampled_from(about.choices)
    elif about.pattern:
        one = st.sampled_from(["02:30", "Sunday 03:00", "off", "* * * * *"])
    elif about.fits:
        one = st.sampled_from(["UTC", "Asia/Tokyo", ""])
    elif path == "operators":
        one = st.sampled_from(["acct:1", "ext:telegram:7", "acct:é"])
    elif leaf.kind is bool:
        one = st.booleans()
    elif leaf.kind is int:
        low = int(about.minimum or 0)
        one = st.integers(low, int(about.maximum or low + 10_000))
    elif leaf.kind is float:
        one = st.floats(about.minimum or 0, about.maximum or 1000, allow_nan=False)
    else:
        one = WORDS.filter(lambda text: "${" not in text)
    if leaf.shape == "list":
        return st.lists(one, min_size=1, max_size=3)
    names = ["SOUL.md", "memory/2026-01-01.md"] if about.refuses else ["A", "b.md", "c d"]
    return st.dictionaries(st.sampled_from(names), one, max_size=2) if leaf.shape == "table" else one


CHOSEN = st.sampled_from(EDITABLE).flatmap(lambda each: st.tuples(st.just(each.path), values_of(each.path)))


@st.composite
def config_files(draw: st.DrawFn) -> str:
    """A config.yaml with some settings, comments and blank lines, in either spelling and with any indent."""
    wanted = dict(draw(st.lists(CHOSEN, max_size=6)))
    step = draw(st.sampled_from([1, 2, 4]))
    noise = st.sampled_from(["", "", "", "\n", "# note: x\n", "   # deep\n"])
    root: dict[str, Any] = {}
    for path, value in wanted.items():
        *way, last = path.split(".")
        group = root
        for name in way:
            group = group.setdefault(name, {})
        group[last] = (value,)

    def lines(group: dict[str, Any], depth: int) -> Iterator[str]:
        for name, inner in group.items():
            key = draw(st.sampled_from([name, re.sub("_([a-z])", lambda found: found[1].upper(), name)]))
            comment = draw(st.sampled_from(["", "", " # why", "   "]))
            yield draw(noise)
            if isinstance(inner, dict):
                yield f"{' ' * step * depth}{key}:{comment}\n"
                yield from lines(inner, depth + 1)
            else:
                yield f"{' ' * step * depth}{key}: {flow(inner[0])}{comment}\n"

    text = "".join(lines(root, 0)) + draw(noise)
    return text.removesuffix("\n") if draw(st.booleans()) else text


def as_typed(value: Any) -> str:
    """What a person types on the command line for that value."""
    plain_text = isinstance(value, str) and value[:1] not in ("'", '"')
    return value if plain_text else flow(value)


@given(config_files(), CHOSEN)
@settings(max_examples=scaled(60, 300))
def test_an_edit_leaves_every_other_line_as_it_was(text: str, chosen: tuple[str, Any]) -> None:
    path, value = chosen
    edited = edit(text, path, as_typed(value))
    before, after = load(text), load(edited)

    # The lines of the one key changed in place, or new lines stand together somewhere; all others are the same bytes.
    old, new = (each.split("\n") for each in (text, edited))
    source = before.sources.get(path)
    if source and path in after.sources and len(old) == len(new):
        assert [number for number, pair in enumerate(zip(old, new, strict=True), 1) if pair[0] != pair[1]] in (
            [],
            [source.line],
        )
    else:
        start = next(
            (number for number, pair in enumerate(zip(old, new, strict=False)) if pair[0] != pair[1]), len(old)
        )
        kept = len(old) - start - (not old[-1] or start == len(old))
        assert old[:start] == new[:start]
        assert kept <= 0 or old[start : start + kept] == new[: -1 if not old[-1] else None][-kept:]

    expected = tuple(value.items()) if isinstance(value, dict) else tuple(value) if isinstance(value, list) else value
    assert at(after.settings, path) == expected
    for each in EDITABLE:
        if each.path != path:
            assert at(after.settings, each.path) == at(before.settings, each.path), each.path
    assert edit(edited, path, as_typed(value)) == edited
    assert path not in load(unset(edited, path)).sources


def test_weights_of_search_that_count_for_nothing_are_told_of() -> None:
    hybrid = "memory.search.query.hybrid"
    both = (("note", f"{hybrid}.vector_weight", 1), ("note", f"{hybrid}.text_weight", 1))
    given = "memorySearch: {{query: {{hybrid: {{{}vectorWeight: {}, textWeight: {}}}}}}}\n".format
    assert sorted(problems(given("", 0.5, 0.5))) == sorted(both)
    assert problems(given("mode: weighted, ", 0.5, 0.5)) == []
    assert sorted(problems(given("mode: weighted, ", 0, 0))) == sorted(both)
    assert load(given("mode: weighted, ", 0, 0)).settings.memory.search.query.hybrid.vector_weight == 0.7
    assert load(given("mode: weighted, ", 0, 1)).settings.memory.search.query.hybrid.vector_weight == 0


@pytest.mark.parametrize(
    ("text", "path"),
    [
        ("operators: ['acct:\u212a']", "operators"),
        ("agents:\n  list:\n    - id: \u212a\n", "agents.list"),
        ("teams:\n  - name: \u212a\n", "teams"),
        ("teams:\n  - name: x\n    rooms: [\u212a]\n", "teams"),
    ],
)
def test_an_id_with_a_character_that_stands_for_another_is_an_error(text: str, path: str) -> None:
    (problem,) = [each for each in load(text).problems if each.severity == "error"]
    assert problem.path == path
    assert "U+212A" in problem.message


def test_operators_are_known_by_the_one_form_of_their_ids() -> None:
    assert load("operators: ['acct:e\u0301']").settings.operators == ("acct:é",)
