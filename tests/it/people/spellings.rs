//! Every spelling of what a URL or a call can name, for every kind of user, in both dialects: a user who may not see a
//! conversation finds it under no spelling, and nobody finds it under a wrong one.
//!
//! Requests are written by hand, because HTTP libraries normalize dots and percent signs. The file is long so that
//! requests and expected responses can be read together.

use super::house::{House, PageConnection, filled, json_of, name_of, path_of};
use super::matrix::ARGUMENTS;
use crate::process::Served;
use crate::stage::repetitions;
use crate::tab::socket_as;
use futures_util::stream::{StreamExt, iter};
use handrail::backend::rehearsal::Dialect;
use handrail::live::FromServer;
use handrail::people::Role;
use handrail::server::{Need, every_route, needed};
use reqwest::Method;
use std::collections::HashMap;
use std::net::SocketAddr;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpStream;

/// A text that only readers of the conversation may see.
const SECRET: &str = "a very private matter";

/// Alternative spellings of an id in a URL: plain, percent-encoded once, or twice.
fn spellings(id: &str) -> Vec<String> {
    let encoded =
        |text: &str| -> String { text.bytes().map(|byte| format!("%{byte:02X}")).collect() };
    let (first, rest) = id.split_at(1);
    let whole = encoded(id);
    let upper = id.to_uppercase();
    let dashed = match id.replace('-', "") {
        plain if plain.len() == 32 && plain == id => format!(
            "{}-{}-{}-{}-{}",
            &id[..8],
            &id[8..12],
            &id[12..16],
            &id[16..20],
            &id[20..]
        ),
        plain => plain,
    };
    let mut all = vec![
        id.to_owned(),
        format!("{}{rest}", encoded(first)),
        whole.clone(),
        whole.to_lowercase(),
        format!("{}{rest}", encoded(&encoded(first))),
        whole.replace('%', "%25"),
        upper.clone(),
        encoded(&upper),
        encoded(&dashed),
        format!("%7b{id}%7d"),
        format!("urn:uuid:{id}"),
        dashed,
        "%".to_owned(),
        "%00".to_owned(),
        "%20".to_owned(),
        "%2f".to_owned(),
        ".".to_owned(),
        "..".to_owned(),
        "%2e".to_owned(),
        "%2e%2e".to_owned(),
        "%252e%252e".to_owned(),
    ];
    for around in [
        "%2f",
        "/",
        "//",
        "./",
        "../c/",
        "x/../",
        "..%2f",
        "%2e%2e%2f",
        "x%2f..%2f",
        "%252f",
        "%5c",
        "\\",
        "%00",
        "%2500",
        "%20",
        "+",
        "%09",
        "%0a",
        "%0d%0a",
        "%c2%a0",
        "%e2%80%8b",
        "%ef%bc%8f",
        "%ff",
        "%c0%af",
        "%zz",
        "%",
        ".",
        ";",
        "*",
        "~",
        ",",
        "%3f",
        "%23",
        "%26",
        "%25",
    ] {
        all.push(format!("{around}{id}"));
        all.push(format!("{id}{around}"));
    }
    all
}

/// The value that a route gets for this spelling; `None` if it is not UTF-8.
fn decoded(spelling: &str) -> Option<String> {
    let mut bytes = Vec::new();
    let mut rest = spelling.as_bytes();
    while let [first, after @ ..] = rest {
        let hex = after.get(..2).and_then(|two| std::str::from_utf8(two).ok());
        let byte = hex.and_then(|two| u8::from_str_radix(two, 16).ok());
        (bytes, rest) = match byte.filter(|_| *first == b'%') {
            Some(byte) => ([bytes, vec![byte]].concat(), &after[2..]),
            None => ([bytes, vec![*first]].concat(), after),
        };
    }
    String::from_utf8(bytes).ok()
}

/// A client.
struct TestCaller {
    who: &'static str,
    /// The header line with its credentials.
    brings: String,
    role: Option<Role>,
    /// Its role in the conversation; `None` if the conversation is hidden from it.
    here: Option<Role>,
}

/// One raw request with its expected outcome.
struct Cell {
    what: String,
    asked: String,
    /// The acceptable statuses.
    wanted: Vec<u16>,
    /// Whether the client may read the secret.
    may_read: bool,
}

/// Sends a raw request and reads the whole response.
async fn said(address: SocketAddr, request: &str) -> (u16, String) {
    let mut stream = TcpStream::connect(address).await.expect("it listens");
    stream
        .write_all(request.as_bytes())
        .await
        .expect("it is accepted");
    let mut answer = Vec::new();
    // The server may close the connection early when it refuses a request; the response received before that counts.
    let _ = stream.read_to_end(&mut answer).await;
    let answer = String::from_utf8_lossy(&answer).into_owned();
    let status = answer.get(9..12).and_then(|status| status.parse().ok());
    (status.unwrap_or_default(), answer)
}

fn head(address: SocketAddr, method: &Method, path: &str, brings: &str) -> String {
    format!(
        "{method} {path} HTTP/1.1\r\nhost: {address}\r\norigin: http://{address}\r\naccept: application/json\r\n{brings}connection: close\r\n"
    )
}

fn asked(
    address: SocketAddr,
    method: &Method,
    path: &str,
    brings: &str,
    form: &[(&str, &str)],
) -> String {
    let head = head(address, method, path, brings);
    if *method != Method::POST {
        return format!("{head}\r\n");
    }
    let json = ["older_rows", "send_message_with"];
    let (kind, body) = if json.iter().any(|name| path == path_of(name)) {
        ("application/json", json_of(form).to_string())
    } else {
        let mut query = url::form_urlencoded::Serializer::new(String::new());
        (
            "application/x-www-form-urlencoded",
            query.extend_pairs(form).finish(),
        )
    };
    format!(
        "{head}content-type: {kind}\r\ncontent-length: {}\r\n\r\n{body}",
        body.len()
    )
}

/// A private conversation, and all kinds of clients.
async fn private(house: &House) -> (String, Vec<TestCaller>) {
    let owner = house.log_in("owner").await;
    house.add(&owner, "starter", Role::Operator).await;
    let creator = house.log_in("starter").await;
    let id = house
        .create_conversation(&creator, &format!("[[scenario:hello]] {SECRET}"))
        .await;
    let other = house
        .create_conversation(&creator, "[[scenario:hello]]")
        .await;
    let visitor = house.visit(&creator, &id).await;
    let elsewhere = house.visit(&creator, &other).await;
    let fields = [("id", id.as_str()), ("audience", "starter")];
    assert_eq!(
        house
            .call("share_conversation", &creator, &fields)
            .await
            .status(),
        200
    );
    let mut all = vec![TestCaller {
        who: "stranger",
        brings: String::new(),
        role: None,
        here: None,
    }];
    let mut add = |who, cookie: &str, role, here| {
        all.push(TestCaller {
            who,
            brings: format!("cookie: {cookie}\r\n"),
            role: Some(role),
            here,
        });
    };
    add("visitor", &visitor, Role::Visitor, Some(Role::Visitor));
    add("visitor elsewhere", &elsewhere, Role::Visitor, None);
    add("starter", &creator, Role::Operator, Some(Role::Operator));
    add("owner", &owner, Role::Owner, Some(Role::Owner));
    for role in [Role::Viewer, Role::Approver, Role::Operator] {
        add(role.word(), &house.log_in(role.word()).await, role, None);
    }
    let fields = [("name", "script"), ("role", "viewer"), ("days", "7")];
    let made = house
        .call("make_token", &house.log_in("viewer").await, &fields)
        .await;
    let token: String = made.json().await.expect("a token");
    all.push(TestCaller {
        who: "token of a viewer",
        brings: format!("authorization: Bearer {token}\r\n"),
        role: Some(Role::Viewer),
        here: None,
    });
    (id, all)
}

/// The acceptable statuses of "there is no such thing for you".
fn refused(role: Option<Role>) -> Vec<u16> {
    match role {
        None => vec![401],
        Some(Role::Visitor) => vec![403, 404],
        Some(_) => vec![404],
    }
}

/// Every route with a parameter in its path, under every spelling of that parameter.
async fn of_addresses(address: SocketAddr, id: &str, everybody: &[TestCaller]) -> Vec<Cell> {
    let mut cells = Vec::new();
    for (method, route) in every_route() {
        for name in ["{id}", "{seq}", "{number}"]
            .into_iter()
            .filter(|name| route.contains(name))
        {
            let right = match needed(&method, &route) {
                Need::May(right) => right,
                need => panic!("{route} is for everybody: {need:?}"),
            };
            let value = match name {
                "{id}" => id,
                "{seq}" => "1",
                _ => "0",
            };
            for caller in everybody {
                let at = |spelling: &str| filled(&route.replace(name, spelling), id);
                let (role, brings) = (caller.role, &caller.brings);
                let sees = caller.here.is_some_and(|role| role.may(right));
                let (plainly, _) =
                    said(address, &asked(address, &method, &at(value), brings, &[])).await;
                let wanted = match caller.here {
                    Some(_) if !sees => vec![403],
                    // The route itself reports an invalid form or a missing image.
                    Some(_) => vec![plainly],
                    None => refused(role),
                };
                assert!(
                    wanted.contains(&plainly),
                    "{method} {route} as {}: {plainly}",
                    caller.who
                );
                for spelling in spellings(value) {
                    let same = decoded(&spelling).as_deref() == Some(value)
                        || (name != "{id}" && number(&spelling) == number(value));
                    let wanted = match (same, caller.here) {
                        (true, _) => wanted.clone(),
                        (false, Some(_)) if name != "{id}" && !sees => vec![403, 404],
                        (false, _) => refused(role),
                    };
                    cells.push(Cell {
                        what: format!("{method} {} as {}", at(&spelling), caller.who),
                        asked: asked(address, &method, &at(&spelling), brings, &[]),
                        wanted,
                        may_read: caller.here.is_some(),
                    });
                }
            }
        }
    }
    cells
}

/// The number that a route parses from a spelling.
fn number(spelling: &str) -> Option<i64> {
    decoded(spelling)?.parse().ok()
}

/// Every function that takes an id, with every spelling of it. Only clients with access find anything.
async fn of_functions(address: SocketAddr, id: &str, everybody: &[TestCaller]) -> Vec<Cell> {
    let visitor = everybody
        .iter()
        .find(|one| one.who == "visitor")
        .expect("they were created");
    let (mut cells, mut functions) = (Vec::new(), 0);
    for (method, path) in every_route()
        .into_iter()
        .filter(|(_, path)| name_of(path).is_some())
    {
        // A visitor may not run these functions, so calling them to learn their parameters is safe.
        let without: Vec<_> = ARGUMENTS
            .into_iter()
            .filter(|(name, _)| *name != "id")
            .collect();
        let (_, answer) = said(
            address,
            &asked(address, &method, &path, &visitor.brings, &without),
        )
        .await;
        if !answer.contains("missing field `id`")
            && !["older_rows", "send_message_with"].contains(&name_of(&path).expect("it has one"))
        {
            continue;
        }
        functions += 1;
        for caller in everybody {
            let mut wanted = refused(caller.role);
            if caller.brings.starts_with("authorization") {
                // Some functions refuse API tokens for any object.
                wanted.push(403);
            }
            for spelling in spellings(id) {
                if spelling == id && caller.here.is_some() {
                    continue;
                }
                let arguments = ARGUMENTS.map(|(name, value)| match name {
                    "id" | "conversation" => (name, spelling.as_str()),
                    _ => (name, value),
                });
                cells.push(Cell {
                    what: format!("{path} of {spelling} as {}", caller.who),
                    asked: asked(address, &method, &path, &caller.brings, &arguments),
                    wanted: wanted.clone(),
                    may_read: false,
                });
            }
        }
    }
    assert!(functions > 30, "only {functions} functions take an id");
    cells
}

/// Follows the conversation over live connections as every client, under every spelling. Returns the number of
/// attempts, and the failures.
async fn on_live_connections(
    address: SocketAddr,
    id: &str,
    everybody: &[TestCaller],
) -> (usize, Vec<String>) {
    let (mut tried, mut wrong) = (0, Vec::new());
    for caller in everybody {
        let Some(cookie) = caller.brings.strip_prefix("cookie: ") else {
            continue;
        };
        let socket = socket_as(address, cookie.trim())
            .await
            .expect("the login is accepted");
        let mut connection = PageConnection(socket);
        for spelling in spellings(id) {
            let decoded = decoded(&spelling).unwrap_or_default();
            for name in [spelling, decoded] {
                if name == id && caller.here.is_some() {
                    continue;
                }
                tried += 1;
                connection.follow(&name).await;
                let told = connection.next().await.expect("it continues");
                if !matches!(&told, FromServer::Gone { conversation } if *conversation == name) {
                    wrong.push(format!(
                        "{name} on the connection of {}: {told:?}",
                        caller.who
                    ));
                }
            }
        }
    }
    (tried, wrong)
}

/// The sampling step: `HANDRAIL_SPELLINGS=all` sends all 78,000 requests. The usual step is a prime below the number of
/// spellings: so each kind of caller asks each route at least once, for another spelling each time.
fn step() -> usize {
    match std::env::var("HANDRAIL_SPELLINGS").as_deref() {
        Ok("all") => 1,
        _ => repetitions(89, 11),
    }
}

async fn nothing_is_found(dialect: Dialect) {
    let house = House::of(Served::start_over(dialect, &[]).await).await;
    let address = house.served.process.address;
    let (id, everybody) = private(&house).await;
    let sample = |cells: Vec<Cell>| cells.into_iter().step_by(step()).collect::<Vec<_>>();
    let mut cells = sample(of_addresses(address, &id, &everybody).await);
    let addresses = cells.len();
    cells.extend(sample(of_functions(address, &id, &everybody).await));
    let asked = cells.len();
    let answered = iter(cells).map(async |cell| {
        let (mut status, mut answer) = said(address, &cell.asked).await;
        // Concurrent exports are limited to two per user.
        for _ in 0..200 {
            if status != 409 || cell.wanted.contains(&status) {
                break;
            }
            (status, answer) = said(address, &cell.asked).await;
        }
        let leaks = !cell.may_read && answer.contains(SECRET);
        let fits = cell.wanted.contains(&status) && !leaks;
        (!fits).then(|| {
            format!(
                "{}: {status}, wanted {:?}{}",
                cell.what,
                cell.wanted,
                if leaks { ", and it says it" } else { "" }
            )
        })
    });
    let mut wrong: Vec<String> = answered
        .buffer_unordered(6)
        .filter_map(async |wrong| wrong)
        .collect()
        .await;
    let (followed, wrong_connections) = on_live_connections(address, &id, &everybody).await;
    wrong.extend(wrong_connections);
    eprintln!(
        "{dialect:?}: {} cells ({addresses} addresses, {} calls, {followed} connections), {} wrong",
        asked + followed,
        asked - addresses,
        wrong.len()
    );
    let mut kinds: HashMap<&str, usize> = HashMap::new();
    for one in &wrong {
        *kinds
            .entry(one.rsplit(" as ").next().unwrap_or_default())
            .or_default() += 1;
    }
    assert!(
        wrong.is_empty(),
        "{kinds:#?}\n{:#?}",
        &wrong[..wrong.len().min(40)]
    );
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_spelling_of_an_id_reveals_a_private_conversation_of_openhands() {
    nothing_is_found(Dialect::OpenHands).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn no_spelling_of_an_id_reveals_a_private_conversation_of_an_agent_server() {
    nothing_is_found(Dialect::AgentServer).await;
}
