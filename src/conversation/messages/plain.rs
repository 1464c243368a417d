//! Messages for models without function calling: calls and results as text.

use super::order::Json;
use super::{Form, ModelCall, ModelMessage, Part, Remark, Speaker};
use crate::wire::is_heavy;
use std::fmt::Write;

/// What is added to the instructions, before and after the description of the functions. A model received exactly these
/// words of OpenHands. The description is made of the tools in an order that the journal does not keep, so it is left
/// out, like the example conversation that OpenHands puts before the first message.
const FUNCTIONS: [&str; 2] = [
    "\nYou have access to the following functions:\n\n",
    "\n\nIf you choose to call a function ONLY reply in the following format with NO suffix:\n\n<function=example_function_name>\n<parameter=example_parameter_1>value_1</parameter>\n<parameter=example_parameter_2>\nThis is the value for the second parameter\nthat can span\nmultiple lines\n</parameter>\n</function>\n\n<IMPORTANT>\nReminder:\n- Function calls MUST follow the specified format, start with <function= and end with </function>\n- Required parameters MUST be specified\n- Only call one function at a time\n- You may provide optional reasoning for your function call in natural language BEFORE the function call, but NOT after.\n- If there is no function call available, answer the question like normal with your current knowledge and do not tell the user about function calls\n</IMPORTANT>\n",
];

/// Rewrites the messages. Answers whether OpenHands refuses to; what it refuses keeps its calls, with a remark.
pub(super) fn in_plain_text(messages: &mut [ModelMessage]) -> bool {
    let mut refused = false;
    for message in messages {
        match message.role {
            Speaker::System => append(message, &FUNCTIONS.concat()),
            Speaker::User => {}
            Speaker::Assistant => {
                if let Some(calls) = &message.calls {
                    match as_text(calls) {
                        Ok(text) => {
                            append_call(message, &text);
                            message.calls = None;
                            if message.form == Form::Omitted {
                                message.form = Form::Text;
                            }
                        }
                        Err(why) => {
                            message.remark = Some(why);
                            refused = true;
                        }
                    }
                }
            }
            Speaker::Tool => {
                let name = message.answers.take().map(|(_, name)| name);
                let head = format!("EXECUTION RESULT of [{}]:\n", name.unwrap_or_default());
                message.role = Speaker::User;
                match first_text(message) {
                    Some(text) => text.insert_str(0, &head),
                    None => message.parts.insert(0, Part::Text(head)),
                }
            }
        }
    }
    refused
}

fn first_text(message: &mut ModelMessage) -> Option<&mut String> {
    message.parts.iter_mut().find_map(|part| match part {
        Part::Text(text) => Some(text),
        Part::Image(_) => None,
    })
}

fn append(message: &mut ModelMessage, text: &str) {
    match message.parts.last_mut() {
        Some(Part::Text(last)) => last.push_str(text),
        _ => message.parts.push(Part::Text(text.to_owned())),
    }
}

fn append_call(message: &mut ModelMessage, call: &str) {
    match message.parts.last_mut() {
        Some(Part::Text(last)) => {
            let whole = format!("{last}\n\n{call}");
            *last = whole.trim_start().to_owned();
        }
        _ => message.parts.push(Part::Text(call.to_owned())),
    }
}

fn as_text(calls: &[ModelCall]) -> Result<String, Remark> {
    let [call] = calls else {
        return Err(Remark::TwoCalls);
    };
    let arguments = call.arguments.as_str();
    let read = (!is_heavy(arguments.as_bytes())).then(|| serde_json::from_str(arguments));
    let Some(Ok(Json::Object(arguments))) = read else {
        return Err(Remark::NotJson);
    };
    let mut out = format!("<function={}>\n", call.name);
    for (name, value) in arguments {
        let shown = value.as_parameter();
        let edge = match value {
            Json::Text(_) if shown.contains('\n') => "\n",
            _ => "",
        };
        let _ = writeln!(out, "<parameter={name}>{edge}{shown}{edge}</parameter>");
    }
    out.push_str("</function>");
    Ok(out)
}
