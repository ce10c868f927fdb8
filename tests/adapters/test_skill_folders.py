"""Skills in folders: found at any depth, within limits, and no way out of the folder they lie in."""

from __future__ import annotations

import os
import socket
import stat
from dataclasses import replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any
from xml.etree import ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from oldsoul.adapters import skills as adapter
from oldsoul.adapters.folder import disk
from oldsoul.adapters.skills import FolderSkills, SkillRoot
from oldsoul.context.options import SkillsOptions
from oldsoul.context.skills import SkillLocation, offered, read, section
from oldsoul.values.skills import Skill, SkillLimits, Skills

if TYPE_CHECKING:
    from collections.abc import Callable

DEFAULTS = SkillsOptions()


@pytest.fixture
def top(tmp_path: Path) -> Path:
    folder = tmp_path / "skills"
    folder.mkdir()
    return folder


@pytest.fixture(autouse=True)
def _files_rest(monkeypatch: pytest.MonkeyPatch) -> None:
    """Files count as written long ago, so that what was read of them is kept."""
    monkeypatch.setattr(disk, "_TICK", -(10**18))


def put(folder: Path, description: str = "Does something.", name: str = "", body: str = "Do it.\n") -> Path:
    folder.mkdir(parents=True)
    file = folder / "SKILL.md"
    file.write_text(f"---\nname: {name or folder.name}\ndescription: {description}\n---\n{body}")
    return file


def looking(
    *roots: Path | SkillRoot, home: str = "", scandir: Callable[[int], Any] = os.scandir, **limits: int
) -> FolderSkills:
    made = [root if isinstance(root, SkillRoot) else SkillRoot("user", str(root)) for root in roots]
    return FolderSkills(made, home, SkillLimits(**limits), scandir)


def names(skills: Skills) -> list[str]:
    return [skill.name for skill in skills.found]


def skipped(skills: Skills, top: Path) -> dict[str, str]:
    """Why things were left alone, by where they lie below a folder."""
    return {each.location.removeprefix(f"{top}/"): each.why for each in skills.skipped}


# finding


def test_skills_are_found_at_any_depth_the_near_ones_first(top: Path) -> None:
    put(top / "zebra")
    put(top / "group" / "inner" / "deep")
    put(top / "group" / "bird")
    (top / "empty" / "more").mkdir(parents=True)
    (top / "README.md").write_text("not a skill")
    seen = looking(top).scan()
    assert names(seen) == ["zebra", "bird", "deep"]
    assert seen.skipped == ()
    assert seen.found[2].path == f"{top}/group/inner/deep/SKILL.md"


def test_the_folder_of_a_skill_is_its_own(top: Path) -> None:
    put(top / "bird")
    put(top / "bird" / "inner")
    (top / "bird" / "out").symlink_to("/")
    assert names(looking(top).scan()) == ["bird"]
    assert looking(top).scan().skipped == ()


def test_hidden_folders_and_those_of_tools_are_passed_over(top: Path) -> None:
    for name in (".git", ".hidden", "node_modules", "__pycache__"):
        put(top / name / "bird")
    assert looking(top).scan() == Skills()


def test_locations_write_the_home_folder_short(top: Path) -> None:
    put(top / "bird")
    (skill,) = looking(top, home=str(top.parent)).scan().found
    assert skill.location == "~/skills/bird/SKILL.md"
    assert skill.path == f"{top}/bird/SKILL.md"


def test_roots_are_looked_at_in_the_order_they_are_given(tmp_path: Path) -> None:
    for source in ("plugin", "workspace"):
        put(tmp_path / source / "bird", f"From {source}.")
        put(tmp_path / source / f"only-{source}")
    roots = [SkillRoot("workspace", str(tmp_path), "workspace"), SkillRoot("plugin", str(tmp_path / "plugin"))]
    seen = looking(*roots).scan()
    assert [(skill.source, skill.name) for skill in seen.found] == [
        ("workspace", "bird"),
        ("workspace", "only-workspace"),
        ("plugin", "bird"),
        ("plugin", "only-plugin"),
    ]
    taken, left_out = offered(seen.found, DEFAULTS, variables=(), remote=False)
    assert [skill.description for skill in taken if skill.name == "bird"] == ["From workspace."]
    assert [each.skill.source for each in left_out] == ["plugin"]


def test_a_root_that_is_not_there_is_told_of_unless_it_may_be_missing(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    roots = [
        SkillRoot("user", f"{tmp_path}/gone"),
        SkillRoot("user", f"{tmp_path}/may", optional=True),
        SkillRoot("user", f"{tmp_path}/file"),
    ]
    seen = looking(*roots).scan()
    assert skipped(seen, tmp_path) == {
        "gone": "the folder does not exist",
        "file": "it cannot be read: Not a directory",
    }


def test_a_skill_needs_a_folder_and_its_file_the_right_name(top: Path) -> None:
    (top / "SKILL.md").write_text("---\nname: skills\ndescription: x\n---\n")
    (top / "bird").mkdir()
    (top / "bird" / "skill.md").write_text("---\nname: bird\ndescription: x\n---\n")
    assert skipped(looking(top).scan(), top) == {
        "SKILL.md": "each skill needs its own folder",
        "bird/skill.md": "it must be called SKILL.md",
    }


def test_a_skill_that_lies_about_its_name_is_skipped_and_the_others_are_not(top: Path) -> None:
    put(top / "bird", name="fish")
    put(top / "cat")
    seen = looking(top).scan()
    assert names(seen) == ["cat"]
    assert skipped(seen, top)["bird/SKILL.md"].startswith("its name is fish, but its folder is called 'bird'")
    assert [each.source for each in seen.skipped] == ["user"]


# knowing


def test_files_that_did_not_change_are_not_read_again(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reads: list[str] = []

    def noting(data: bytes, place: SkillLocation) -> Skill | tuple[str, ...]:
        reads.append(place.folder)
        return read(data, place)

    monkeypatch.setattr(adapter, "read", noting)
    for name in ("ant", "bird", "cat"):
        put(top / name)
    put(top / "liar", name="other")
    skills = looking(top)
    first = skills.scan()
    assert skills.scan() == first
    assert sorted(reads) == ["ant", "bird", "cat", "liar"]
    (top / "bird" / "SKILL.md").write_text("---\nname: bird\ndescription: Sings.\n---\n")
    (top / "cat" / "SKILL.md").unlink()
    put(top / "dog")
    seen = skills.scan()
    assert [(skill.name, skill.description) for skill in seen.found] == [
        ("ant", "Does something."),
        ("bird", "Sings."),
        ("dog", "Does something."),
    ]
    assert sorted(reads[4:]) == ["bird", "dog"]


def test_a_file_written_a_moment_ago_is_read_again(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(disk, "_TICK", 10**18)
    file = put(top / "bird", "One.")
    skills = looking(top)
    skills.scan()
    held = file.stat()
    file.write_text(file.read_text().replace("One.", "Two."))
    os.utime(file, ns=(held.st_atime_ns, held.st_mtime_ns))
    assert skills.scan().found[0].description == "Two."


def test_all_of_a_skill_can_be_read_while_it_is_there(top: Path, tmp_path: Path) -> None:
    file = put(top / "group" / "bird")
    skills = looking(SkillRoot("workspace", str(tmp_path), "skills"))
    (skill,) = skills.scan().found
    assert skills.read(skill) == file.read_bytes()
    assert skills.read(replace(skill, path="/etc/passwd")) is None
    assert skills.read(replace(skill, path=f"{top}/group/../group/bird/../../../secret")) is None
    assert skills.read(replace(skill, source="user")) is None
    (top / "group").rename(tmp_path / "elsewhere")
    (top / "group").symlink_to(tmp_path / "elsewhere")
    assert skills.read(skill) is None


# no way out


def test_links_are_told_of_and_never_followed(top: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside" / "bird")
    put(top / "cat")
    (top / "bird").symlink_to(tmp_path / "outside" / "bird")
    (top / "outside").symlink_to("../outside")
    (top / "kitten").symlink_to("cat")
    (top / "nowhere").symlink_to("gone")
    (top / "notes.txt").symlink_to(tmp_path / "outside" / "bird" / "SKILL.md")
    seen = looking(top).scan()
    assert names(seen) == ["cat"]
    told = "it is a link to a place {}; links are not followed".format
    assert skipped(seen, top) == {
        "bird": told("outside the folder of skills"),
        "outside": told("outside the folder of skills"),
        "kitten": told("inside the folder of skills"),
        "nowhere": told("nowhere"),
    }


def test_a_file_that_is_a_link_is_not_read(top: Path, tmp_path: Path) -> None:
    file = put(tmp_path / "outside" / "bird")
    (top / "bird").mkdir()
    (top / "bird" / "SKILL.md").symlink_to(file)
    seen = looking(top).scan()
    assert names(seen) == []
    assert skipped(seen, top) == {"bird/SKILL.md": "it is a link; links are not followed"}


def test_a_workspace_whose_folder_of_skills_is_a_link_has_none(tmp_path: Path) -> None:
    put(tmp_path / "outside" / "bird")
    (tmp_path / "main").mkdir()
    (tmp_path / "main" / "skills").symlink_to(tmp_path / "outside")
    seen = looking(SkillRoot("workspace", f"{tmp_path}/main", "skills")).scan()
    assert names(seen) == []
    assert skipped(seen, tmp_path) == {"main/skills": "it is a link; links are not followed out of a workspace"}
    named = looking(SkillRoot("user", f"{tmp_path}/main/skills")).scan()
    assert names(named) == ["bird"]


def test_links_in_a_circle_end(top: Path) -> None:
    (top / "group").mkdir()
    (top / "group" / "up").symlink_to("..")
    (top / "group" / "self").symlink_to("self")
    put(top / "group" / "bird")
    seen = looking(top).scan()
    assert names(seen) == ["bird"]
    assert set(skipped(seen, top)) == {"group/up", "group/self"}


def test_a_folder_that_becomes_a_link_while_it_is_looked_at_is_not_followed(top: Path, tmp_path: Path) -> None:
    put(tmp_path / "outside" / "bird")
    (top / "group").mkdir()

    def swapping(fd: int) -> Any:
        entries = os.scandir(fd)
        if (top / "group").is_dir() and not (top / "group").is_symlink():
            (top / "group").rename(tmp_path / "was")
            (tmp_path / "was").joinpath("x").mkdir()
            (top / "group").symlink_to(tmp_path / "outside")
        return entries

    seen = looking(top, scandir=swapping).scan()
    assert names(seen) == []
    assert all("outside" not in each.location for each in seen.skipped)


@pytest.mark.parametrize("kind", ["fifo", "socket", "folder", "device"])
def test_only_plain_files_are_opened(top: Path, kind: str, monkeypatch: pytest.MonkeyPatch) -> None:
    (top / "bird").mkdir()
    path = top / "bird" / "SKILL.md"
    if kind == "fifo":
        os.mkfifo(path)
    elif kind == "folder":
        path.mkdir()
    elif kind == "socket":
        monkeypatch.chdir(path.parent)
        with socket.socket(socket.AF_UNIX) as made:
            made.bind(path.name)
    else:
        try:
            os.mknod(path, stat.S_IFCHR | 0o600, os.makedev(1, 5))  # /dev/zero never ends
        except PermissionError:
            pytest.skip("only root makes devices")
    seen = looking(top).scan()
    assert skipped(seen, top) == {"bird/SKILL.md": "it is not a regular file"}


def test_a_huge_file_is_skipped_and_one_of_just_the_size_is_not(top: Path) -> None:
    file = put(top / "bird")
    least = file.stat().st_size
    with file.open("ab") as stream:
        stream.write(b"x" * (256_000 - least))
    huge = put(top / "cat")
    os.truncate(huge, 256_001)
    endless = put(top / "dog")
    os.truncate(endless, 10**12)
    seen = looking(top).scan()
    assert names(seen) == ["bird"]
    assert skipped(seen, top) == {
        f"{name}/SKILL.md": f"it has {size} bytes, more than 256,000"
        for name, size in (("cat", "256,001"), ("dog", "1,000,000,000,000"))
    }


def test_what_cannot_be_read_is_told_of(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    put(top / "bird")
    put(top / "cat").write_bytes(b"---\nname: cat\ndescription: \xff\xfe\n---\n")
    opened = os.open

    def refusing(path: Any, flags: int, *args: Any, **more: Any) -> int:
        if path == "bird":
            raise PermissionError(13, "Permission denied", path)
        return opened(path, flags, *args, **more)

    monkeypatch.setattr(os, "open", refusing)
    seen = looking(top).scan()
    assert names(seen) == []
    assert skipped(seen, top) == {
        "bird/SKILL.md": "it cannot be read: Permission denied",
        "cat/SKILL.md": "the frontmatter is not valid UTF-8 (invalid start byte) and was not read",
    }


def test_a_path_that_cannot_stand_in_a_prompt_is_skipped(top: Path) -> None:
    for odd in ("two  blanks", "line\nbreak", "turn\u202eed", os.fsdecode(b"byte\xff")):
        put(top / odd / "bird")
    put(top / "plain & <simple>" / "bird")
    seen = looking(top).scan()
    assert [skill.location for skill in seen.found] == [f"{top}/plain & <simple>/bird/SKILL.md"]
    assert {each.why for each in seen.skipped} == {"its path has characters that are not allowed in a prompt"}
    assert all(each.location.isprintable() for each in seen.skipped)
    assert f"{top}/byte\\udcff/bird/SKILL.md" in {each.location for each in seen.skipped}


# limits


class Counter:
    """Lists folders, and counts how often and how many names it was asked for."""

    def __init__(self) -> None:
        self.folders = 0
        self.names = 0

    def __call__(self, fd: int) -> Any:
        self.folders += 1
        self.entries = os.scandir(fd)
        return self

    def __enter__(self) -> Any:
        return self

    def __exit__(self, *_: object) -> None:
        self.entries.close()

    def __iter__(self) -> Any:
        for entry in self.entries:
            self.names += 1
            yield entry


def test_only_the_first_300_folders_of_10000_are_looked_at(top: Path) -> None:
    for number in range(10_000):
        (top / f"f{number:05}").mkdir()
    put(top / "f00007" / "near")
    put(top / "f09000" / "far")
    counter = Counter()
    seen = looking(top, scandir=counter).scan()
    assert counter.folders == 301
    assert names(seen) == []
    why = "only its first 300 folders are read"
    assert skipped(seen, top.parent) == {"skills": why}
    assert names(looking(top, candidates_per_root=10_001).scan()) == ["near"]


def test_endless_names_in_a_folder_are_not_all_read(top: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(adapter, "_MOST_ENTRIES", 50)
    for number in range(200):
        (top / f"file-{number}").write_text("")
    counter = Counter()
    seen = looking(top, scandir=counter).scan()
    assert counter.names == 51
    assert skipped(seen, top.parent) == {"skills": "more than 50 names; the rest was not read"}


def test_folders_are_looked_into_only_so_deep(top: Path) -> None:
    put(top / "1/2/3/4/5/6/7/bird")
    put(top / "a/2/3/4/5/6/7/8/cat")
    seen = looking(top).scan()
    assert names(seen) == ["bird"]
    assert skipped(seen, top) == {"a/2/3/4/5/6/7/8": "it is 8 folders deep; deeper folders are not read"}


def test_at_most_200_skills_of_one_source_are_read_over_all_its_roots(tmp_path: Path) -> None:
    for root, count in (("one", 150), ("two", 60)):
        for number in range(count):
            put(tmp_path / root / f"{root}-{number:03}")
    put(tmp_path / "own" / "bird")
    roots = [
        SkillRoot("plugin", f"{tmp_path}/one"),
        SkillRoot("plugin", f"{tmp_path}/two"),
        SkillRoot("user", f"{tmp_path}/own"),
    ]
    seen = looking(*roots).scan()
    assert len(seen.found) == 201
    assert seen.found[-1].name == "bird"
    why = "10 more are not read: there are 200 plugin skills already"
    assert skipped(seen, tmp_path) == {"two": why}
    assert names(looking(tmp_path / "own", loaded_per_source=0).scan()) == []


# whatever lies there

HEADS = st.sampled_from(
    [
        b"",
        b"---\n",
        b"---\nname: bird\n",
        b"---\nname: bird\ndescription: ",
        b"---\nname: bird\ndescription: x\nmetadata: ",
    ]
)
TAILS = st.sampled_from([b"", b"\n---\n", b"\n---\nBody </available_skills>\n", b"\n...\n"])


@given(HEADS, st.binary(max_size=80), TAILS, st.integers(0, 1200))
def test_whatever_bytes_a_file_has_it_is_scanned_and_the_listing_is_xml_within_its_limit(
    head: bytes, middle: bytes, tail: bytes, most: int
) -> None:
    with TemporaryDirectory() as folder:
        put(Path(folder) / "cat")
        put(Path(folder) / "bird").write_bytes(head + middle + tail)
        seen = looking(Path(folder)).scan()
        assert len(seen.found) + len(seen.skipped) == 2
        told = section(seen.found, {"read"}, SkillLimits(prompt_chars=most))
        if told.text:
            block = told.text[told.text.index("<available_skills>") :]
            assert len(block) <= most
            assert len(ET.fromstring(block)) == told.listed  # noqa: S314 - our own words
