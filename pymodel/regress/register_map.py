"""A register map in SystemRDL, as plain values. Needs the package systemrdl-compiler."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from systemrdl.compiler import RDLCompiler
from systemrdl.messages import RDLCompileError
from systemrdl.node import FieldNode, Node, RegfileNode, RegNode
from systemrdl.rdltypes.builtin_enums import OnWriteType

from pymodel.errors import EcbenchError

PREFIX_PROPERTY = "verilog_prefix"
"""A property of our own: what the Verilog names of a field's values begin with."""


@dataclass(frozen=True, slots=True)
class Value:
    """A value of a field that has a name."""

    name: str
    value: int
    text: str


@dataclass(frozen=True, slots=True)
class Enumeration:
    """All named values of a field. ``name``: in lower case with underscores, as in the .rdl."""

    name: str
    prefix: str
    """Of the Verilog names."""
    width: int
    values: tuple[Value, ...]

    @property
    def class_name(self) -> str:
        return "".join(word.capitalize() for word in self.name.split("_"))


@dataclass(frozen=True, slots=True)
class FieldRow:
    """A field. ``access``: ro, rw, wo, or w0c for a bit that a written 0 clears."""

    name: str
    low: int
    width: int
    access: str
    reset: int
    text: str
    enumeration: Enumeration | None

    @property
    def bits(self) -> str:
        return str(self.low) if self.width == 1 else f"{self.low + self.width - 1}:{self.low}"


@dataclass(frozen=True, slots=True)
class RegisterRow:
    """A register. ``kind``: the same for registers that differ in nothing but name and address."""

    name: str
    kind: str
    address: int
    bits: int
    readable: bool
    writable: bool
    group: str
    """Which of several groups alike it belongs to, or empty."""
    title: str
    text: str
    fields: tuple[FieldRow, ...]
    """From bit 0 upwards."""

    @property
    def reset(self) -> int:
        """Value that a read shows after a reset."""
        return sum(field.reset << field.low for field in self.fields if field.access != "wo")

    @property
    def access(self) -> str:
        return {(True, False): "ro", (False, True): "wo"}.get((self.readable, self.writable), "rw")

    @property
    def parts(self) -> tuple[FieldRow, ...]:
        """The fields, none when the only one is the whole register."""
        return tuple(field for field in self.fields if field.width < self.bits)


@dataclass(frozen=True, slots=True)
class RegisterMap:
    """``registers`` by rising address; ``enumerations`` in the order in which they are met."""

    title: str
    text: str
    registers: tuple[RegisterRow, ...]

    @property
    def enumerations(self) -> tuple[Enumeration, ...]:
        return tuple(dict.fromkeys(field.enumeration for register in self.registers
                                   for field in register.fields if field.enumeration))

    @property
    def kinds(self) -> tuple[tuple[RegisterRow, ...], ...]:
        """The registers in groups of one kind, in the order of the first of each."""
        names = dict.fromkeys(register.kind for register in self.registers)
        return tuple(tuple(register for register in self.registers if register.kind == name)
                     for name in names)


def read_register_map(source: Path) -> RegisterMap:
    """Raises: EcbenchError when the file cannot be compiled; the compiler has printed where."""
    compiler = RDLCompiler()
    try:
        compiler.compile_file(str(source))
        top = compiler.elaborate().top
    except (RDLCompileError, OSError) as error:
        raise EcbenchError(f"{source}: {error}") from error
    registers = [_register(node) for node in top.descendants(unroll=True) if isinstance(node, RegNode)]
    registers.sort(key=lambda register: register.address)
    return RegisterMap(_text(top, "name"), _text(top, "desc"), tuple(registers))


def _register(node: RegNode) -> RegisterRow:
    path = "_".join(_names(node))
    fields = tuple(sorted((_field(field) for field in node.fields()), key=lambda field: field.low))
    group = _text(node.parent, "name") if isinstance(node.parent, RegfileNode) else ""
    return RegisterRow(path, node.type_name or path, node.absolute_address, node.get_property("regwidth"),
                       node.has_sw_readable, node.has_sw_writable, group, _text(node, "name"),
                       _text(node, "desc"), fields)


def _names(node: Node) -> Iterator[str]:
    """Of the register and of what it is in, without the map itself; an index follows its name."""
    if node.parent is not None and node.parent.parent is not None and node.parent.parent.parent is not None:
        yield from _names(node.parent)
    index = getattr(node, "current_idx", None) or ()
    yield node.inst_name + "_".join(str(number) for number in index)


def _field(node: FieldNode) -> FieldRow:
    reset = node.get_property("reset")
    return FieldRow(node.inst_name, node.low, node.width, _access(node),
                    reset if isinstance(reset, int) else 0, _text(node, "desc"), _enumeration(node))


def _access(node: FieldNode) -> str:
    if node.get_property("onwrite") is OnWriteType.wzc:
        return "w0c"
    if not node.is_sw_writable:
        return "ro"
    return "rw" if node.is_sw_readable else "wo"


def _enumeration(node: FieldNode) -> Enumeration | None:
    encode: Any = node.get_property("encode")
    if encode is None:
        return None
    values = tuple(Value(member.name, member.value, member.rdl_desc or "") for member in encode)
    prefix = node.get_property(PREFIX_PROPERTY, default=None) or encode.type_name.upper()
    return Enumeration(encode.type_name, prefix, node.width, values)


def _text(node: Node, which: str) -> str:
    return str(node.get_property(which, default="") or "")
