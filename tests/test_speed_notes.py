"""What ecbench speed says beside its tables: what was measured, and what the cycles do not tell."""

import pytest

from pymodel.cli import run_command_line

ASIDE = "1 of 1 requests were done in software"
IDLE = "blocks in software take no time with the profile none"
HASHED = "GHASH of gcm is not among the host's costs"
SECTOR = ("the profile via-nano-2010 knows what a request of 512 bytes costs the host; others pay that once "
          "as well")
CALLS = ("a call in software costs nothing of its own with {}: requests of many calls look better than they "
         "are")


def estimates(profile, *kinds):
    return f"estimates in {profile} (docs/timing.md): {', '.join(kinds)}"


@pytest.mark.parametrize(("arguments", "measured", "notes"), [
    ([], "padlock, no host work", []),
    (["--policy", "always", "--stages", "14"], "padlock, no host work, stages 14, policy always", []),
    (["--host-expands"], "padlock, no host work, host expands keys", []),
    (["--engine", "software"], "software, no host work", [IDLE]),
    (["--engine", "qce"], "qce, no host work", []),
    (["--engine", "qce", "--key-bits", "384"], "qce, no host work", [ASIDE, IDLE]),
    (["--engine", "qce", "--threshold", "512"], "qce, no host work, threshold 512", [ASIDE, IDLE]),
    (["--engine", "qce", "--threshold", "32"], "qce, no host work, threshold 32", [IDLE]),
    (["--engine", "qce", "--threshold", "512", "--profile", "ipq-2020", "--mode", "ecb"],
     "qce, host work as ipq-2020, threshold 512", [ASIDE]),
    (["--engine", "qce", "--threshold", "512", "--profile", "ipq-2020", "--mode", "cbc"],
     "qce, host work as ipq-2020, threshold 512",
     [ASIDE, CALLS.format("ipq-2020"), estimates("ipq-2020", "xor")]),
    (["--engine", "qce", "--profile", "ipq-2020", "--mode", "ecb"], "qce, host work as ipq-2020",
     [estimates("ipq-2020", "register")]),
    (["--engine", "software", "--profile", "x86-2018"], "software, host work as x86-2018",
     [estimates("x86-2018", "xor")]),
    (["--engine", "software", "--profile", "x86-2018", "--strategy", "per-block"],
     "software, host work as x86-2018, strategy per-block",
     [CALLS.format("x86-2018"), estimates("x86-2018", "xor")]),
    (["--mode", "gcm"], "padlock, no host work", []),
    (["--mode", "gcm", "--profile", "via-2008"], "padlock, host work as via-2008",
     [estimates("via-2008", "xor", "allocation"), HASHED]),
    (["--mode", "ecb", "--profile", "via-2008"], "padlock, host work as via-2008", []),
    (["--profile", "via-2008", "--strategy", "batch", "--data-unit", "32"],
     "padlock, host work as via-2008, data units of 32 bytes, strategy batch",
     [estimates("via-2008", "xor", "doubling", "copy", "allocation")]),
    (["--profile", "via-nano-2010", "--bytes", "512", "--mode", "ecb"], "padlock, host work as via-nano-2010",
     []),
    (["--profile", "via-nano-2010", "--bytes", "512", "--bytes", "1024", "--mode", "ecb"],
     "padlock, host work as via-nano-2010", [SECTOR]),
])
def test_beside_the_tables_is_what_was_measured_and_what_the_reader_must_know(capsys, arguments, measured,
                                                                             notes):
    if "--key-bits" not in arguments:
        arguments = [*arguments, "--key-bits", "128" if "--mode" in arguments else "256"]
    if "--bytes" not in arguments:
        arguments = [*arguments, "--bytes", "64"]
    assert run_command_line(["speed", "--direction", "encrypt", *arguments]) == 0
    said = capsys.readouterr().err.splitlines()
    assert said == [f"{measured}, on model", *(f"note: {note}" for note in notes)]


def test_of_many_requests_it_says_how_many_were_done_in_software(capsys):
    assert run_command_line(["speed", "--engine", "qce", "--mode", "ecb", "--bytes", "64"]) == 0
    assert "note: 2 of 6 requests were done in software" in capsys.readouterr().err.splitlines()
