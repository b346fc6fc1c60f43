"""Walks the tries that come on standard input and writes how many keys each has; trial.py runs it as a script.

Each trie is eight bytes that say how long it is, and its bytes. The argument is the address space that may be taken.
Ends with 1 where a trie contradicts itself; what damaged bytes do besides is why this is a process of its own.
"""

from __future__ import annotations

import json
import resource
import sys

import marisa_trie


def walk(content: bytes) -> int:
    """The number of keys, each of which is found under its own number and no other."""
    trie = marisa_trie.Trie().frombytes(content)
    size = len(trie)
    if size > 8 * len(content):
        raise ValueError("more keys than bits")
    for number in range(size):
        key = trie.restore_key(number)
        if trie.get(key) != number:
            raise ValueError("a key has another number")
        # What is not there is looked for as well, just beside what is.
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
