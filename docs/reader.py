"""Reads a session journal: python3 reader.py FILE [NAMESPACE]. docs/format.md has the format and what is left out."""
import hashlib, json, re, sys
def canonical(value):  # RFC 8785
    by_key = lambda pairs: dict(sorted(pairs, key=lambda pair: pair[0].encode("utf-16-be", "surrogatepass")))
    out = json.dumps(json.loads(json.dumps(value), object_pairs_hook=by_key), ensure_ascii=False, separators=(",", ":"))
    return re.sub("[\ud800-\udfff]", lambda lone: f"\\u{ord(lone[0]):04x}", out)
def digest(text): return hashlib.sha256(re.sub("[\ud800-\udfff]", "\ufffd", text).encode()).hexdigest()[:32]
def loads(text): return json.loads(text, parse_constant=int, parse_int=lambda n: int(n) if len(n) < 309 else float(n))  # int refuses NaN
def shallow(text):  # what stands deeper than 70 levels is checked, and left out: no parser of Python's goes as deep as it may be
    if sum(map(text.count, "[{")) <= 70: return text
    stack = [[]]
    for part in re.findall(r'"(?:[^"\\]|\\.)*"|[][{}]|[^][{}"]+|"', text, re.S):
        if part in "[{": stack.append([part])
        elif part not in "]}": stack[-1].append(part)
        else: part = "".join(stack.pop()) + part; stack[-1].append(part if len(stack) < 70 else repr(type(loads(part))()))
    return "".join(stack[0]) if len(stack) == 1 else ""
def parse(line):  # the object on a line, {} where there is none
    try: value = loads(shallow(line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\0").decode()))
    except (ValueError, IndexError): return {}
    unread = {"data": None} if isinstance(value, dict) and len(line) >= 2**20 and depth(value) > 65 else {}  # too deep
    return value | unread if isinstance(value, dict) else {}
def depth(v): return 1 + max(map(depth, v.values() if isinstance(v, dict) else v), default=0) if isinstance(v, (dict, list)) else 0
def is_text(value): return isinstance(value, str) and value != ""
def is_event(e): return isinstance(e, dict) and isinstance(e.get("type"), str) and is_text(e.get("command", "-"))
def is_commit(d, events, version):  # one that can be read
    fits = type(version) in (int, float) and abs(version) < 2**53 and version == int(version) and version >= len(events)
    texts = is_text(d.get("id")) and isinstance(d.get("prev"), str) and isinstance(d.get("hash"), str)
    finite = "Infinity" not in re.sub(r'"(\\.|[^"\\])*"', "", json.dumps(d))  # which a number beyond all doubles is read as
    return fits and texts and finite and type(d.get("v")) in (int, float) and events and all(map(is_event, events)) and depth(d) < 65
def was(d): return [r["hash"]] if isinstance(r := d.get("redacted"), dict) and isinstance(r.get("hash"), str) else []  # redacted
def edited(notes, operation="append", text="", find=None, replace="", all=False, **_):
    if operation in ("append", "prepend"): return "\n".join([notes, text][:: 1 - 2 * (operation == "prepend")]) if notes else text
    by = {"find_replace": (find, replace, [1, -1][all]), "delete": (text if find is None else find, "", 1)}[operation]
    return notes.replace(*by) if by[0] else notes
def evolve(state, e):  # KeyError: no event that this reader knows
    kind, space, name = e["type"], e["type"].split(".")[0].replace("legacy", "notes"), e.get("key", e.get("name"))
    if kind in ("notes.set", "legacy.set", "plan.set", "refs.set"):
        state[space] = state[space] if e.get("ignored") else e["refs" if space == "refs" else "text"]
    elif kind in ("notes.appended", "notes.edited"): state["notes"] = edited(state["notes"], **e)
    elif kind == "ref.added": state["refs"] = state["refs"]["evicted" in e:] + [e["ref"]]
    elif kind == "ref.removed": e["ref"] in state["refs"] and state["refs"].remove(e["ref"])
    elif kind == "entry.written": state["entries"][name] = e["text"]
    elif kind == "entry.deleted": state["entries"].pop(name, None), state["leases"].pop(name, None)
    elif kind == "lease.claimed": state["leases"][name] = {"holder": e["holder"], "until": e["until"]}
    elif kind == "section.written": state["sections"][name] = {k: e[k] for k in ("text", "at", "ttlMinutes") if k in e}
    elif kind in ("lease.released", "section.cleared"): state[space + "s"].pop(name, None)
    elif kind in ("state.restored", "session.forked"): state.update({k: e["state"][k] for k in state if k in e["state"]})
    elif kind not in ("turn.began", "action.refused", "session.imported", "text.redacted", "prompt.shown", "nudge.shown"): raise KeyError(kind)
if len(sys.argv) < 2: sys.exit(__doc__)
lines, name = open(sys.argv[1], "rb").read().split(b"\n"), (sys.argv + ["openclaw:scratchpad"])[2]
ours, spaces = f"{name}:events", {name: "legacy", **{f"{name}:{space}": space for space in ("notes", "plan", "refs")}}
state = {"notes": "", "plan": "", "refs": [], "entries": {}, "leases": {}, "sections": {}}
header = parse(next((line for line in lines if line.removeprefix(b"\xef\xbb\xbf").strip(b" \t\r\0")), b""))
if header.get("type") != "session" and not any(name.encode() in line for line in lines): sys.exit(f"{sys.argv[1]} is no session journal")
version, heads, seen, newer, findings, turn, seals = 0, [digest(id if isinstance(id := header.get("id"), str) else "")], set(), False, [], 0, set()
for number, line in enumerate(lines[:-1], 1):  # what follows the last line feed has not ended
    data, kind, message, key, found, events = *map((entry := parse(line)).get, ("data", "customType", "message", "id")), [], []
    kind, key = kind if entry.get("type") == "custom" and is_text(kind) else "", key if isinstance(key, str) else number
    turn += entry.get("type") == "message" and isinstance(message, dict) and message.get("role") == "user"
    known, marked = kind == ours or kind in spaces or kind == f"{name}:mark", kind == ours or "mirror" in entry
    escaped = known and (marked or kind in spaces) and f'"{kind}"'.encode() not in line
    if known and (marked or escaped) and line in seen: found = ["duplicate"]  # a host wrote it again
    elif escaped or b'"customType":"%b"' % ours.encode() in line and not entry: found = ["corrupt"]
    elif kind == ours and len(line) < 2**20 and isinstance(data, dict) and isinstance(data.get("events"), list) \
            and is_commit(data, data["events"], data.get("version")):
        base, sealed = int(data["version"]) - len(data["events"]), bool(re.fullmatch("[0-9a-f]{64}", data["hash"]))
        ids = {("id", data["id"]), *(("command", e["command"]) for e in data["events"] if "command" in e)}
        right = not seals - {sealed} and (sealed or digest(canonical({k: data[k] for k in data if k != "hash"})) == data["hash"])
        found = ["hash"] if not right else ["duplicate"] if ids & seen else ["fork"] if base < version else []
        if not found:  # accepted
            gap = base > version or data["prev"] not in heads and not (sealed and not seals)
            found, seals = ["gap"] * gap + ["sealed"] * sealed + ["redacted"] * len(was(data)), {sealed}
            version, heads, _ = int(data["version"]), [data["hash"], *was(data)], seen.update(ids)
            names = {1: {}}.get(data["v"], {"type": "unknown"})  # upcasting: of each older schema, what its fields are called now
            events = [{names.get(field, field): e[field] for field in e} for e in data["events"]]
    elif kind == ours: found = ["corrupt"]
    elif kind in spaces and not marked and ("value", key) in seen: found = ["duplicate"]
    elif kind in spaces and not marked:
        wanted, value = list if spaces[kind] == "refs" else str, [v for v in data if isinstance(v, str)] if isinstance(data, list) else data
        events = [{"type": f"{spaces[kind]}.set", "text": value, "refs": value, "ignored": type(value) is not wanted}]
        version, _ = version + 1, seen.add(("value", key))
    if known and (marked or escaped): seen.add(line)
    for e in events:
        e["ignored"] = e.get("ignored") or newer and e.get("type") == "legacy.set"
        newer = newer or e.get("type") in ("notes.set", "notes.appended", "notes.edited")
        turn += e.get("type") == "turn.began"
        try: evolve(state, e)
        except KeyError: found += ["unknown_event"]
    findings += [{"kind": kind, "line": number} for kind in found]
sys.stdout.buffer.write(canonical(dict(findings=findings, head=heads[0], state=state, turn=turn, version=version)).encode() + b"\n")
