//! Translating streamed drafts, which are no events and are never stored.

use crate::conversation::Piece;
use crate::wire::v1::{Delta, DeltaKind, Event, Frame, Payload, StreamingDeltaEvent};

/// The draft update in a frame of the session socket, if any.
pub fn piece(frame: &Frame) -> Option<Piece> {
    match frame {
        Frame::ItemStarted {
            item_id, attempt, ..
        } => Some(Piece::Begun {
            item: item_id.clone(),
            attempt: *attempt,
        }),
        Frame::Delta(Delta {
            item_id,
            attempt,
            order,
            kind,
            content,
        }) => Some(Piece::Written {
            item: item_id.clone(),
            attempt: *attempt,
            order: Some(*order),
            reasoning: *kind == DeltaKind::Reasoning,
            text: content.clone(),
        }),
        Frame::ItemAborted { item_id, .. } => Some(Piece::Dropped {
            item: item_id.clone(),
        }),
        _ => None,
    }
}

/// The draft update in an event of the older socket, which does not name the future event.
pub fn bare_piece(event: &Event) -> Option<Piece> {
    let Payload::StreamingDelta(StreamingDeltaEvent {
        content,
        reasoning_content,
    }) = &event.payload
    else {
        return None;
    };
    let (reasoning, text) = match (content, reasoning_content) {
        (Some(text), _) => (false, text),
        (None, Some(text)) => (true, text),
        (None, None) => return None,
    };
    Some(Piece::Written {
        item: String::new(),
        attempt: 0,
        order: None,
        reasoning,
        text: text.clone(),
    })
}
