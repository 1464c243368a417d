#!/usr/bin/env python3
"""judge.py - the messages that OpenHands' own code makes, for every step of a recording and every kind of model.

usage:  VENV/bin/python judge.py v0|v1 CHARS FILE...

VENV    an installation of openhands-ai 0.62 (v0) or of the agent-server 1.58 (v1).
CHARS   limits of max_message_chars beside none, separated by commas (0.x only).
FILE    a recording, as JSON lines, or a JSON list of events.

Prints one JSON line per step and kind of model: `until` (id or index of the last event), the kind, and either `sha`, the
SHA-256 of the messages as JSON with sorted keys, or `refused`. With HANDRAIL_SHOW it also prints the messages.
"""
import copy, hashlib, itertools, json, logging, os, sys

os.environ.setdefault('LOG_LEVEL', 'ERROR')
os.environ.setdefault('LOG_TO_FILE', 'false')
logging.disable(logging.CRITICAL)
# Stands for OpenHands' standard prompt, which no log has.
STANDARD_PROMPT = "(OpenHands' standard prompt, which is not in the log)"


def told(messages):
    return json.dumps(messages, sort_keys=True, ensure_ascii=False, separators=(',', ':'))


def kinds(limits):
    for plain, string, vision in itertools.product([False, True], repeat=3):
        for most in limits:
            yield plain, string, vision, most


def say(**fields):
    print(json.dumps(fields), flush=False)


def lines_of(path):
    text = open(path, encoding='utf-8').read()
    try:
        return json.loads(text), True
    except json.JSONDecodeError:
        return [json.loads(line) for line in text.splitlines()], False


def v0(files, limits):
    from openhands.core.config.agent_config import AgentConfig
    from openhands.events.action import ChangeAgentStateAction, NullAction
    from openhands.events.action.message import MessageAction
    from openhands.events.observation import AgentStateChangedObservation, NullObservation
    from openhands.events.serialization.event import event_from_dict
    from openhands.llm.fn_call_converter import convert_fncall_messages_to_non_fncall_messages
    from openhands.memory.conversation_memory import ConversationMemory
    from openhands.memory.view import View
    from openhands.utils.prompt import PromptManager
    import openhands.agenthub.codeact_agent as codeact

    PromptManager.get_system_message = lambda self, **context: STANDARD_PROMPT
    prompts = PromptManager(prompt_dir=os.path.join(os.path.dirname(codeact.__file__), 'prompts'))
    memory = ConversationMemory(AgentConfig(), prompts)
    hidden = (ChangeAgentStateAction, NullAction, AgentStateChangedObservation, NullObservation)

    def events_of(path):
        lines, is_list = lines_of(path)
        if not is_list:
            lines = [line['data'] for line in lines if line.get('ev') == 'oh_event' and line.get('dir', 'in') == 'in']
        known = {}
        for event in lines:
            if isinstance(event, dict) and isinstance(event.get('id'), int) and ('action' in event or 'observation' in event):
                known.setdefault(event['id'], event)
        return [known[i] for i in sorted(known)]

    def made(history, plain, string, vision, most):
        first = next((e for e in history if isinstance(e, MessageAction) and e.source and e.source.value == 'user'), None)
        messages = memory.process_events(
            condensed_history=list(View.from_events(history)),
            initial_user_action=first or MessageAction(content=''),
            max_message_chars=most,
            vision_is_active=vision,
        )
        for message in messages:
            message.vision_enabled = vision
            message.function_calling_enabled = True
            message.force_string_serializer = string
        out = json.loads(json.dumps([m.model_dump() for m in messages], default=lambda o: o.model_dump()))
        if plain:
            out = convert_fncall_messages_to_non_fncall_messages(out, [], add_in_context_learning_example=False)
        return out

    for path in files:
        history, unread = [], []
        for event in events_of(path):
            try:
                # A finished event is changed by the making of messages, so each is read anew below.
                read = event_from_dict(copy.deepcopy(event))
                if not isinstance(read, hidden):
                    history.append(read)
            except Exception:
                unread.append(event['id'])
            for plain, string, vision, most in kinds(limits):
                case = dict(file=path, until=event['id'], plain=plain, string=string, vision=vision, max=most, unread=len(unread))
                try:
                    text = told(made(history, plain, string, vision, most))
                    if os.environ.get('HANDRAIL_SHOW'):
                        case['text'] = text
                    say(**case, sha=hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest())
                except Exception as error:
                    say(**case, refused=f'{type(error).__name__}: {str(error)[:80]}')


def v1(files, _limits):
    import openhands.tools  # noqa: F401  the classes of tools, by which events are read back
    import importlib, pkgutil
    for module in pkgutil.iter_modules(openhands.tools.__path__):
        try:
            importlib.import_module(f'openhands.tools.{module.name}')
        except Exception:
            pass
    import tempfile
    from openhands.sdk.context.view import View
    from openhands.sdk.event import Condensation, Event, LLMConvertibleEvent
    from openhands.sdk.llm.mixins.fn_call_converter import convert_fncall_messages_to_non_fncall_messages

    def events_of(path):
        lines, is_list = lines_of(path)
        if is_list:
            return lines
        known = {}
        for line in lines:
            frame = line.get('frame')
            if not isinstance(frame, dict) or not str(line.get('ch')).startswith('session'):
                continue
            event = frame.get('event')
            if isinstance(event, dict) and isinstance(frame.get('seq'), int) and isinstance(event.get('id'), str):
                known.setdefault(frame['seq'], event)
        return [known[seq] for seq in sorted(known)]

    def branch(events):
        places = {event.id: at for at, event in enumerate(events)}
        ends = [at for at, event in enumerate(events) if isinstance(event, (LLMConvertibleEvent, Condensation))]
        at, found = (ends[-1] if ends else None), []
        while at is not None:
            found.append(events[at])
            parent = events[at].parent_id
            at = None if parent == '__root__' else places.get(parent) if parent in places else (at - 1 if at else None)
        return found[::-1]

    def made(events, plain, string, vision):
        view = View.from_events(branch(events))
        messages = [
            message.to_chat_dict(
                cache_enabled=False, vision_enabled=vision, function_calling_enabled=True,
                force_string_serializer=string, send_reasoning_content=False,
            )
            for message in LLMConvertibleEvent.events_to_messages(view.events)
        ]
        out = json.loads(json.dumps(messages, default=lambda o: o.model_dump()))
        if plain:
            out = convert_fncall_messages_to_non_fncall_messages(out, [], add_in_context_learning_example=False)
        return out

    files = [os.path.abspath(path) for path in files]
    os.chdir(tempfile.mkdtemp())  # the making of messages saves long outputs in files
    for path in files:
        events, unread = [], []
        for at, event in enumerate(events_of(path)):
            try:
                event = {**event}
                if event['kind'] == 'SystemPromptEvent':
                    event['tools'] = []  # the recordings keep only the names of tools
                try:
                    read = Event.model_validate(event)
                except Exception:
                    # The class of a client's own tool is made at run time; a message is made of the call alone.
                    read = Event.model_validate({**event, 'action': None})
                events.append(read)
            except Exception as error:
                unread.append(at)
                if os.environ.get('HANDRAIL_SHOW'):
                    print(path, at, event.get('kind'), str(error)[:300], file=sys.stderr)
            for plain, string, vision, _ in kinds([None]):
                case = dict(file=path, until=at, plain=plain, string=string, vision=vision, max=None, unread=len(unread))
                try:
                    text = told(made(events, plain, string, vision))
                    if os.environ.get('HANDRAIL_SHOW'):
                        case['text'] = text
                    say(**case, sha=hashlib.sha256(text.encode('utf-8', 'surrogatepass')).hexdigest())
                except Exception as error:
                    say(**case, refused=f'{type(error).__name__}: {str(error)[:80]}')


def main():
    dialect, limits, files = sys.argv[1], sys.argv[2], sys.argv[3:]
    limits = [None] + [int(most) for most in limits.split(',') if most]
    {'v0': v0, 'v1': v1}[dialect](files, limits)


main()
