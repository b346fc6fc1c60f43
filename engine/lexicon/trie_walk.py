"""Walks the tries from standard input and writes the number of keys of each; trial.py runs it as a script.

Each trie is given as its length in eight bytes, followed by its bytes. The argument is the limit of the address space.
The exit code is 1 if a trie is inconsistent; damaged bytes may also crash the process, which is why it is a separate
one.
"""

from __future__ import annotations

import json
import resource
import sys

import marisa_trie


def walk(content: bytes) -> int:
    """The number of keys, after checking that each is found under its own number and no other."""
    trie = marisa_trie.Trie().frombytes(content)
    size = len(trie)
    if size > 8 * len(content):
        raise ValueError("more keys than bits")
    for number in range(size):
        key = trie.restore_key(number)
        if trie.get(key) != number:
            raise ValueError("a key has another number")
        # Also look up missing strings, close to existing keys.
        for near in (key[:-1], key + "\u0001", key[:1] + "\uffff"):
            trie.get(near)
    if sum(1 for _ in trie.iterkeys()) != size:
        raise ValueError("the keys are not all there")
    return size


def main(most_memory: int) -> int:
    resource.setrlimit(resource.RLIMIT_AS, (most_memory, most_memory))
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    stream = sys.stdin.buffer
    sizes = []
    while head := stream.read(8):
        sizes.append(walk(stream.read(int.from_bytes(head, "little"))))
    print(json.dumps(sizes))
    return 0


if __name__ == "__main__":
    try:
        sys.exit(main(int(sys.argv[1])))
    except (ValueError, KeyError, RuntimeError, MemoryError, OSError) as error:
        sys.exit(f"{type(error).__name__}: {error}"[:300])
