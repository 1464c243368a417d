use crate::error::{Error, Result};
use crate::{Event, Payload};
use bytes::Bytes;
use serde::de::IgnoredAny;

use std::convert::TryFrom;
use std::fmt::Write;
use std::str::from_utf8 as str_from_utf8;

/// An enumeration of the different `Packet` types in the `socket.io` protocol.
#[derive(Debug, Copy, Clone, Eq, PartialEq)]
pub enum PacketId {
    Connect = 0,
    Disconnect = 1,
    Event = 2,
    Ack = 3,
    ConnectError = 4,
    BinaryEvent = 5,
    BinaryAck = 6,
}

/// A packet which gets sent or received during in the `socket.io` protocol.
#[derive(Debug, PartialEq, Eq, Clone)]
pub struct Packet {
    pub packet_type: PacketId,
    pub nsp: String,
    pub data: Option<String>,
    pub id: Option<i32>,
    pub attachment_count: u8,
    pub attachments: Option<Vec<Bytes>>,
}

impl Packet {
    /// Returns a packet for a payload, could be used for both binary and non binary
    /// events and acks. Convenience method.
    #[inline]
    pub(crate) fn new_from_payload<'a>(
        payload: Payload,
        event: Event,
        nsp: &'a str,
        id: Option<i32>,
    ) -> Result<Packet> {
        match payload {
            Payload::Binary(bin_data) => Ok(Packet::new(
                if id.is_some() {
                    PacketId::BinaryAck
                } else {
                    PacketId::BinaryEvent
                },
                nsp.to_owned(),
                Some(serde_json::Value::String(event.into()).to_string()),
                id,
                1,
                Some(vec![bin_data]),
            )),
            #[allow(deprecated)]
            Payload::String(str_data) => {
                let payload = if serde_json::from_str::<IgnoredAny>(&str_data).is_ok() {
                    format!("[\"{event}\",{str_data}]")
                } else {
                    format!("[\"{event}\",\"{str_data}\"]")
                };

                Ok(Packet::new(
                    PacketId::Event,
                    nsp.to_owned(),
                    Some(payload),
                    id,
                    0,
                    None,
                ))
            }
            Payload::Text(mut data) => {
                let mut payload_args = vec![serde_json::Value::String(event.to_string())];
                payload_args.append(&mut data);
                drop(data);

                let payload = serde_json::Value::Array(payload_args).to_string();

                Ok(Packet::new(
                    PacketId::Event,
                    nsp.to_owned(),
                    Some(payload),
                    id,
                    0,
                    None,
                ))
            }
        }
    }
}

impl Default for Packet {
    fn default() -> Self {
        Self {
            packet_type: PacketId::Event,
            nsp: String::from("/"),
            data: None,
            id: None,
            attachment_count: 0,
            attachments: None,
        }
    }
}

impl TryFrom<u8> for PacketId {
    type Error = Error;
    fn try_from(b: u8) -> Result<Self> {
        PacketId::try_from(b as char)
    }
}

impl TryFrom<char> for PacketId {
    type Error = Error;
    fn try_from(b: char) -> Result<Self> {
        match b {
            '0' => Ok(PacketId::Connect),
            '1' => Ok(PacketId::Disconnect),
            '2' => Ok(PacketId::Event),
            '3' => Ok(PacketId::Ack),
            '4' => Ok(PacketId::ConnectError),
            '5' => Ok(PacketId::BinaryEvent),
            '6' => Ok(PacketId::BinaryAck),
            _ => Err(Error::InvalidPacketId(b)),
        }
    }
}

impl Packet {
    /// Creates an instance.
    pub const fn new(
        packet_type: PacketId,
        nsp: String,
        data: Option<String>,
        id: Option<i32>,
        attachment_count: u8,
        attachments: Option<Vec<Bytes>>,
    ) -> Self {
        Packet {
            packet_type,
            nsp,
            data,
            id,
            attachment_count,
            attachments,
        }
    }
}

impl From<Packet> for Bytes {
    fn from(packet: Packet) -> Self {
        Bytes::from(&packet)
    }
}

impl From<&Packet> for Bytes {
    /// Method for encoding from a `Packet` to a `u8` byte stream.
    /// The binary payload of a packet is not put at the end of the
    /// stream as it gets handled and send by it's own logic via the socket.
    fn from(packet: &Packet) -> Bytes {
        // first the packet type
        let mut buffer = String::new();
        buffer.push((packet.packet_type as u8 + b'0') as char);

        // eventually a number of attachments, followed by '-'
        if let PacketId::BinaryAck | PacketId::BinaryEvent = packet.packet_type {
            let _ = write!(buffer, "{}-", packet.attachment_count);
        }

        // if the namespace is different from the default one append it as well,
        // followed by ','
        if packet.nsp != "/" {
            buffer.push_str(&packet.nsp);
            buffer.push(',');
        }

        // if an id is present append it...
        if let Some(id) = packet.id {
            let _ = write!(buffer, "{id}");
        }

        if packet.attachments.is_some() {
            let num = packet.attachment_count - 1;

            // check if an event type is present
            if let Some(event_type) = packet.data.as_ref() {
                let _ = write!(
                    buffer,
                    "[{event_type},{{\"_placeholder\":true,\"num\":{num}}}]",
                );
            } else {
                let _ = write!(buffer, "[{{\"_placeholder\":true,\"num\":{num}}}]");
            }
        } else if let Some(data) = packet.data.as_ref() {
            buffer.push_str(data);
        }

        Bytes::from(buffer)
    }
}

impl TryFrom<Bytes> for Packet {
    type Error = Error;
    fn try_from(value: Bytes) -> Result<Self> {
        Packet::try_from(&value)
    }
}

impl TryFrom<&Bytes> for Packet {
    type Error = Error;
    /// Decodes a packet given a `Bytes` type.
    /// The binary payload of a packet is not put at the end of the
    /// stream as it gets handled and send by it's own logic via the socket.
    /// Therefore this method does not return the correct value for the
    /// binary data, instead the socket is responsible for handling
    /// this member. This is done because the attachment is usually
    /// send in another packet.
    fn try_from(payload: &Bytes) -> Result<Packet> {
        let mut payload = str_from_utf8(&payload).map_err(Error::InvalidUtf8)?;
        let mut packet = Packet::default();

        // packet_type
        let id_char = payload.chars().next().ok_or(Error::IncompletePacket())?;
        packet.packet_type = PacketId::try_from(id_char)?;
        payload = &payload[id_char.len_utf8()..];

        // attachment_count
        if let PacketId::BinaryAck | PacketId::BinaryEvent = packet.packet_type {
            let (prefix, rest) = payload.split_once('-').ok_or(Error::IncompletePacket())?;
            payload = rest;
            packet.attachment_count = prefix.parse().map_err(|_| Error::InvalidPacket())?;
        }

        // namespace
        if payload.starts_with('/') {
            let (prefix, rest) = payload.split_once(',').ok_or(Error::IncompletePacket())?;
            payload = rest;
            packet.nsp.clear(); // clearing the default
            packet.nsp.push_str(prefix);
        }

        // id
        let Some((non_digit_idx, _)) = payload.char_indices().find(|(_, c)| !c.is_ascii_digit())
        else {
            return Ok(packet);
        };

        if non_digit_idx > 0 {
            let (prefix, rest) = payload.split_at(non_digit_idx);
            payload = rest;
            packet.id = Some(prefix.parse().map_err(|_| Error::InvalidPacket())?);
        }

        // Handrail: an event that is no JSON must not end the connection; Python writes NaN.
        if packet.packet_type != PacketId::Event {
            serde_json::from_str::<IgnoredAny>(payload).map_err(Error::InvalidJson)?;
        }

        match packet.packet_type {
            PacketId::BinaryAck | PacketId::BinaryEvent => {
                if payload.starts_with('[') && payload.ends_with(']') {
                    payload = &payload[1..payload.len() - 1];
                }

                let mut str = payload.replace("{\"_placeholder\":true,\"num\":0}", "");

                if str.ends_with(',') {
                    str.pop();
                }

                if !str.is_empty() {
                    packet.data = Some(str);
                }
            }
            _ => packet.data = Some(payload.to_string()),
        }

        Ok(packet)
    }
}
