"""Makes the tables src/render/mask/gitleaks_*.txt of the rules of gitleaks (https://github.com/gitleaks/gitleaks, MIT).

python3 xtask/gitleaks.py path/to/gitleaks.toml COMMIT path/to/LICENSE

Of each rule remain what a scan in linear time needs: how a token begins, its least length and its alphabet, and for rules
that look for a name before the value, the words in this name. Rules of other shapes are left out and listed at the end.
"""

import re
import sys
import tomllib
import warnings

warnings.simplefilter("ignore")
try:
    from re import _parser as sre, _constants as c
except ImportError:
    import sre_parse as sre, sre_constants as c

CONNECTOR = r'''(?:=|>|:{1,3}=|\|\||:|=>|\?=|,)[\x60'"\s=]{0,5}'''
ALNUM = set("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789")
# By hand in scan.rs; too general; or no secret by itself.
SKIPPED = {"jwt", "jwt-base64", "private-key", "generic-api-key", "curl-auth-header", "curl-auth-user", "pkcs12-file",
           "kubernetes-secret-yaml", "hashicorp-tf-password", "nuget-config-password", "sidekiq-sensitive-url",
           "aws-amazon-bedrock-api-key-short-lived"}
TOO_GENERAL = {"sk_", "ext_", "sc_", "pat"}
KINDS = {"github": "repository-token", "gitlab": "repository-token", "slack": "slack-token", "aws": "aws-key"}


def parse(regex):
    for old, new in [("(?i)", ""), ("(?-i:", "(?:"), ("(?i:", "(?:"), ("[[:alnum:]]", "[A-Za-z0-9]"), (r"\z", r"\Z")]:
        regex = regex.replace(old, new)
    return sre.parse(regex)


def letters(items):
    """All characters that a class allows."""
    found = set()
    for op, value in items:
        if op == c.LITERAL:
            found.add(chr(value))
        elif op == c.RANGE:
            found |= {chr(code) for code in range(value[0], value[1] + 1)}
        elif op == c.CATEGORY:
            found |= {c.CATEGORY_DIGIT: set("0123456789"), c.CATEGORY_WORD: ALNUM | {"_"}}.get(value, ALNUM)
    return found


def shapes(tree):
    """The ways in which a pattern matches: (characters in order, the first ones alone; all characters; least length)."""
    found = [("", set(), 0, True)]
    for op, value in tree:
        if op == c.LITERAL:
            parts = [(chr(value), {chr(value)}, 1, True)]
        elif op == c.IN and len(letters(value)) <= 4:
            parts = [(char, {char}, 1, True) for char in sorted(letters(value))]
        elif op == c.IN:
            parts = [("", letters(value), 1, False)]
        elif op in (c.MAX_REPEAT, c.MIN_REPEAT):
            least, _, inner = value
            parts = [("", alphabet, least * length, False) for _, alphabet, length, _ in shapes(inner)]
            if least == 0:
                parts = [("", set().union(*(part[1] for part in parts)), 0, False)]
        elif op == c.SUBPATTERN:
            parts = shapes(value[-1])
        elif op == c.BRANCH:
            parts = [shape for branch in value[1] for shape in shapes(branch)]
        elif op == c.AT:
            continue
        else:
            raise ValueError(op)
        found = [
            (start + (begin if plain else ""), alphabet | more, length + least, plain and whole)
            for start, alphabet, length, plain in found
            for begin, more, least, whole in parts
        ]
    return found


def group(regex):
    """The secret in a pattern: its first capturing group, or all of it."""
    at, depth = 0, 0
    starts = [m.start() for m in re.finditer(r"(?<!\\)\((?!\?)", regex)]
    if not starts:
        return regex
    at = starts[0]
    for end in range(at, len(regex)):
        if regex[end] in "()" and regex[end - 1] != "\\":
            depth += 1 if regex[end] == "(" else -1
            if depth == 0:
                return regex[at + 1 : end]
    return regex


def alphabet_of(chars, start):
    rest = chars - set(start) | (chars & set("0123456789abcdefABCDEF"))
    if not rest & (ALNUM - set("0123456789")):
        base = "d"
    elif not rest & (ALNUM - set("0123456789abcdefABCDEF")) and not set(start) - set("0123456789abcdefABCDEF") == set():
        base = "x"
    elif not rest & set("0123456789"):
        base = "a"
    else:
        base = "n"
    return base + "".join(sorted(char for char in chars - ALNUM if char.isprintable() and char not in " '\"\\`"))


def write(name, head, rows):
    lines = [f"# {line}" for line in head] + [" ".join(map(str, row)) for row in rows]
    with open(f"src/render/mask/gitleaks_{name}.txt", "w") as file:
        file.writelines(line.rstrip() + "\n" for line in lines)


def main():
    rules = tomllib.load(open(sys.argv[1], "rb"))["rules"]
    tokens, named, left = set(), set(), []
    for rule in rules:
        name, regex = rule["id"], rule.get("regex", "")
        if name in SKIPPED or not regex:
            left.append(name)
            continue
        try:
            if CONNECTOR in regex:
                value = regex.split(CONNECTOR, 1)[1]
                for start, chars, least, _ in shapes(parse(group(value))):
                    for word in rule["keywords"]:
                        named.add((word.strip(","), start, least, alphabet_of(chars, start)))
                continue
            for start, chars, least, _ in shapes(parse(group(regex))):
                if len(start) < 3 or least < 12 or start in TOO_GENERAL:
                    left.append(name)
                    continue
                kind = next((kind for vendor, kind in KINDS.items() if name.startswith(vendor)), "api-key")
                tokens.add((start, kind, least, alphabet_of(chars, start)))
        except ValueError as error:
            left.append(f"{name} ({error})")
    # Of several lengths the least is enough.
    tokens = {row for row in tokens if not any(row[0] == other[0] and row[3] == other[3] and row[2] > other[2] for other in tokens)}
    named = {row for row in named if not any(row[:2] == other[:2] and row[3] == other[3] and row[2] > other[2] for other in named)}
    licence = open(sys.argv[3]).read().strip().splitlines()
    head = ["Made by `xtask/gitleaks.py` of the rules of gitleaks; not edited by hand.", "",
            f"gitleaks (https://github.com/gitleaks/gitleaks, {sys.argv[2][:12]}) is under the MIT licence:", "", *licence]
    write("tokens", ["How tokens begin: the columns of `tokens.txt`.", *head], sorted(tokens))
    named = [(word, least, alphabet, start) for word, start, least, alphabet in sorted(named)]
    about = "Names before secrets: a word in the name, the least length of the value, its alphabet, and how it begins."
    write("names", [about, *head], named)
    print(f"left out: {', '.join(left)}", file=sys.stderr)


main()
